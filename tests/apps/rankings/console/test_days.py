"""The days for editors: the list with what is missing, a file that is sent, stopping, rows to look at, rolling back."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

import pytest

from hansang.apps.rankings.service import Rankings
from hansang.parts.history import Change
from hansang.surfaces.shell import Shell
from tests.apps.rankings.imports import player
from tests.apps.rankings.players import DAY, uuid
from tests.clauses import clause
from tests.surfaces.console.browsers import Browser, Page
from tests.surfaces.console.conftest import Visitor
from tests.surfaces.shells import SetClock

PATH = "/rankings/days"
FILE = "uuid,name,level,power\n" + "".join(
    f"{uuid(number)},한월{number},{number},{number}\n" for number in range(1, 6)
)


@pytest.fixture
def rankings(shell: Shell, clock: SetClock) -> Rankings:
    """Two days with one missing between them; the last has a rank out of place and a row that was refused."""
    clock.now = datetime.combine(DAY, datetime.min.time(), UTC).timestamp() + 3600
    found = Rankings(shell.database, clock, sleep=clock.advance)
    found.import_day(DAY - timedelta(days=2), [player(1, 9, 9), player(2, 8, 8)])
    found.import_day(
        DAY,
        [
            player(1, 9, 9, level_rank=2),
            player(2, 8, 8, level_rank=1),
            {"name": "없는이름", "level": 1, "power": 1},
        ],
    )
    return found


def sent(browser: Browser, content: str = FILE, **fields: str) -> Page:
    form = {"csrf": browser.get(PATH).csrf, "date": f"{DAY - timedelta(days=1)}"} | fields
    browser.page = Page(browser.client.post(PATH, data=form, files={"file": ("day.csv", content)}))
    return browser.page


@clause("X5-07", "X5-16")
def test_days_are_listed_with_the_missing_one_and_what_needs_a_look(
    rankings: Rankings, visitor: Visitor
) -> None:
    page = visitor("editor", "en").get(PATH)
    assert (page.status, page.faults, page.doubled_ids) == (200, [], [])
    assert "20 Feb No data Nothing was imported for this day" in page.shown
    assert f"?date={DAY - timedelta(days=1)}#import" in page.links
    assert "한월2 #1 #2 nobody shares the Level" in page.shown
    assert "없는이름 Row 3 · No player is called 없는이름. Give the uuid." in page.shown
    assert "18 Feb" not in page.shown
    assert f"?roll-back={DAY}" not in page.links
    assert f"?roll-back={DAY}" in visitor("owner", "en").get(PATH).links


def test_whoever_may_only_read_sees_no_days(visitor: Visitor) -> None:
    assert visitor("viewer").get(PATH).status == 403
    assert PATH not in visitor("viewer").get("/rankings").links


def test_a_file_waits_is_stopped_goes_on_and_is_imported(
    rankings: Rankings, visitor: Visitor, shell: Shell
) -> None:
    editor, day = visitor("editor", "en"), DAY - timedelta(days=1)
    assert sent(editor).location == PATH
    page = editor.follow()
    assert "20 Feb waits" in page.shown
    assert "readers see 21 Feb" in page.shown
    assert page.all("main")[0]["data-live"] == f"rankings.day.{day}"
    editor.send(f"{PATH}/{day}/stop")
    assert "The import of 20 Feb was stopped" in editor.follow().shown
    editor.send(f"{PATH}/{day}/resume")
    assert "20 Feb waits" in editor.follow().shown
    rankings.background.work_next(threading.Event())
    assert rankings.days.finished(day).players == 5
    done = editor.get(PATH)
    assert "waits" not in done.shown
    assert f"{PATH}/{day}/resume" in done.actions
    verbs = {each.verb for each in shell.history.page("rankings").items}
    assert verbs == {"resume", "stop", "import"}


@clause("X5-11")
def test_a_finished_day_is_sent_again_only_if_that_is_meant(rankings: Rankings, visitor: Visitor) -> None:
    editor = visitor("editor", "en")
    refused = sent(editor, date=f"{DAY}")
    assert (refused.status, "is finished, and closed" in refused.shown) == (422, True)
    assert sent(editor, date=f"{DAY}", again="yes").status == 303
    rankings.background.work_next(threading.Event())
    assert rankings.days.finished(DAY).players == 5


@pytest.mark.parametrize(
    ("content", "fields", "said"),
    [
        ("", {}, "파일을 고르십시오."),
        (FILE, {"date": "어제"}, "날짜를 고르십시오."),
        ("a,b\n1,2\n", {}, "첫 줄에 열 이름이 있어야 합니다"),
    ],
)
def test_what_cannot_be_imported_is_said_at_the_form(
    visitor: Visitor, content: str, fields: dict[str, str], said: str
) -> None:
    page = sent(visitor("editor"), content, **fields)
    assert (page.status, said in page.shown) == (422, True)


def test_a_day_is_rolled_back_with_its_date_typed_and_a_reason(
    rankings: Rankings, visitor: Visitor, shell: Shell
) -> None:
    owner = visitor("owner", "en")
    asked = owner.get(f"{PATH}?roll-back={DAY}")
    assert "Pages show 19 Feb at once" in asked.shown
    assert "The day of 2 players and its ranks are removed" in asked.shown
    refused = owner.send(f"{PATH}/{DAY}/roll-back", reason="", typed="2026-02-20")
    assert (
        refused.status,
        "Give a reason." in refused.shown,
        f"Type {DAY} to confirm." in refused.shown,
    ) == (
        422,
        True,
        True,
    )
    assert rankings.days.finished().day == DAY
    owner.send(f"{PATH}/{DAY}/roll-back", reason="Yesterday's numbers", typed=f"{DAY}")
    assert "21 Feb is being rolled back" in owner.follow().shown
    assert rankings.days.finished().day == DAY - timedelta(days=2)
    line: Change = shell.history.page("rankings").items[0]
    assert (line.verb, line.subject) == ("roll-back", f"{DAY}")
    assert "Yesterday's numbers" in f"{line.after}"
    rankings.background.work_next(threading.Event())
    assert rankings.days.find(DAY) is None


@clause("X5-16")
def test_rows_of_a_name_that_several_have_are_resolved_and_the_day_imported_again(
    rankings: Rankings, visitor: Visitor, shell: Shell
) -> None:
    editor, day = visitor("editor", "en"), DAY - timedelta(days=1)
    rankings.profiles.put(uuid(8), "Twin", 30, 5)
    rankings.profiles.put(uuid(9), "twin", 40, 5)
    sent(editor, FILE + ",Twin,30,5\n,TWIN,40,6\n")
    rankings.background.work_next(threading.Event())
    assert (rankings.days.finished(day).players, rankings.days.finished(day).rejected) == (5, 2)
    page = editor.get(f"{PATH}?date={day}")
    assert (page.faults, page.doubled_ids) == ([], [])
    assert "Twin · Level 30 · " in page.shown
    editor.send(f"{PATH}/{day}/resolve", **{"line-6": uuid(3), "line-7": ""})
    assert "Choose who is meant first" in editor.follow().shown
    editor.get(f"{PATH}?date={day}")
    editor.send(f"{PATH}/{day}/resolve", **{"line-6": uuid(8), "line-7": uuid(9)})
    assert "20 Feb is being imported" in editor.follow().shown
    rankings.background.work_next(threading.Event())
    done = rankings.days.finished(day)
    assert (done.players, done.rejected) == (7, 0)
    assert rankings.reading.rank(uuid(9), "level", day).score == 40
    assert "resolve" in {each.verb for each in shell.history.page("rankings").items}


def test_an_import_that_nobody_tells_of_is_amber_with_the_way_out(
    rankings: Rankings, visitor: Visitor, clock: SetClock
) -> None:
    editor, day = visitor("editor", "en"), DAY - timedelta(days=1)
    sent(editor)
    rankings.sent.put(rankings.sent.get(day), "importing")
    going = editor.get(PATH)
    assert ("Importing 20 Feb" in going.shown, "has stalled" in going.shown) == (True, False)
    assert f"{PATH}/{day}/stop" in going.actions
    clock.advance(120)
    stalled = editor.get(PATH)
    assert "The import of 20 Feb has stalled" in stalled.shown
    assert (stalled.faults, f"{PATH}/{day}/resume" in stalled.actions) == ([], True)
    assert editor.send(f"{PATH}/{day}/resume").status == 303


def test_an_editor_may_not_roll_back(rankings: Rankings, visitor: Visitor) -> None:
    editor = visitor("editor")
    editor.get(PATH)
    assert editor.send(f"{PATH}/{DAY}/roll-back", reason="x", typed=f"{DAY}").status == 403
