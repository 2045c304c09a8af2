"""The first page and the page of one application."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from hansang.apps.catalog import APPLICATIONS
from hansang.apps.codex.design import Banner, ContactInquiry, FMWebApp
from hansang.apps.leaderboards.design import WeeklyBest
from hansang.apps.leaderboards.rules import week_of
from hansang.apps.rankings.design import Snapshot, SnapshotDay
from hansang.apps.samples import fill
from hansang.clock import Clock
from hansang.design import Database
from hansang.errors import DesignError
from hansang.parts.timestamps import to_datetime
from hansang.parts.today import Today, TodayFigure, TodayHook, seoul_day
from hansang.surfaces.console.today import KEPT_SECONDS, MOST_READS, TodayBoard, TodayShown
from hansang.surfaces.shell import Shell
from tests.surfaces.console.changed import created
from tests.surfaces.console.conftest import Visitor
from tests.surfaces.shells import SetClock, opened


def test_every_application_is_there_with_its_state(visitor: Visitor, shell: Shell) -> None:
    page = visitor("owner", "en").get("/")
    assert page.shown.count("Healthy") == len(shell.applications)
    for each in shell.applications:
        assert each.title.en in page.shown
        assert {f"/apps/{each.name}", f"/{each.name}"} & set(page.links)


def test_only_applications_that_one_may_read_are_counted(visitor: Visitor, shell: Shell) -> None:
    created(shell)
    assert "Content" in visitor("reporter", "en").get("/").shown
    page = visitor("admin", "en").get("/")
    assert "No applications yet" in page.shown
    assert "b1" not in page.shown


def test_a_change_shows_who_made_it_and_the_application_it_was_in(visitor: Visitor, shell: Shell) -> None:
    change = created(shell)
    page = visitor("reporter", "en").get("/")
    assert f"/changes/{change.id}" in page.links
    assert "Banner · Owner · just now" in page.shown


def test_units_that_were_used_are_drawn(visitor: Visitor, shell: Shell) -> None:
    created(shell)
    shell.database.all(Banner.latest())
    page = visitor("owner", "en").get("/")
    spec = json.loads(re.findall(r'<script type="application/json">(.+?)</script>', page.text)[0])
    codex = spec["full"].index("Content")
    assert [series["values"][codex] > 0 for series in spec["series"]] == [True, True]
    assert spec["labels"][codex] == "Content"


def test_without_any_use_there_is_no_chart_and_no_script_for_it(visitor: Visitor) -> None:
    page = visitor("guest", "en").get("/")
    assert "charts.js" not in page.text


def test_a_table_that_is_gone_is_said_and_breaks_nothing(visitor: Visitor, shell: Shell) -> None:
    shell.database.backend.call("DeleteTable", {"TableName": FMWebApp.name})
    browser = visitor("owner", "en")
    assert "Table missing" in browser.get("/").shown
    page = browser.get("/apps/codex")
    assert page.status == 200
    assert "hansang tables create" in page.shown


def test_an_application_shows_its_tables_and_leads_to_its_patterns(visitor: Visitor, shell: Shell) -> None:
    created(shell)
    page = visitor("reporter", "en").get("/apps/codex")
    assert "FMWebAppTable" in page.shown
    assert "Type_CreatedAt" in page.shown
    assert "/data/codex/patterns/Post.in_category" in page.links
    assert "/changes?area=codex" in page.links


def test_an_application_counts_its_items(visitor: Visitor, shell: Shell) -> None:
    created(shell)
    row = re.search(
        r"Banner, .+? Type_CreatedAt (\d+) (\S+ \S+) Healthy", visitor("owner", "en").get("/apps/codex").shown
    )
    assert row is not None
    assert row[1] == "1"


def test_an_application_shows_its_own_jobs_alone(visitor: Visitor) -> None:
    browser = visitor("owner", "en")
    assert "Count" in browser.get("/apps/news").shown
    assert "No jobs scheduled" in browser.get("/apps/assets").shown


def test_an_application_that_is_not_there_is_not_found(visitor: Visitor) -> None:
    assert visitor("owner").get("/apps/nothing").status == 404
    assert visitor("owner").get("/nothing").status == 404


# ── what the applications show ────────────────────────────────────────────────────────────────────


def with_today(shell: Shell, **hooks: TodayHook | None) -> Shell:
    """The same shell, with other hooks for some applications."""
    served = tuple(replace(each, today=hooks.get(each.name, each.today)) for each in shell.applications)
    return replace(shell, applications=served)


def board_of(shell: Shell, name: str) -> TodayShown:
    return TodayBoard(shell).of(shell.application(name))


def test_the_applications_say_what_matters_today(visitor: Visitor, shell: Shell) -> None:
    """Item counts said nothing of what somebody has to do."""
    shell.database.put(
        ContactInquiry(
            id="q1",
            name="민지",
            email="minji@example.com",
            company="두루빛",
            title="팀장",
            referral="검색",
            subject="견적 문의",
            message="비밀",
            created_at=datetime(2026, 1, 1, tzinfo=UTC),
            updated_at=datetime(2026, 1, 1, tzinfo=UTC),
        )
    )
    page = visitor("owner", "en").get("/")
    assert "New inquiries 1" in page.shown
    assert "Loaded today 0" in page.shown
    assert "No scores this week yet." in page.shown
    assert "견적 문의" not in page.shown
    assert "민지" not in page.shown


@pytest.mark.parametrize("name", ["assets", "codex"])
def test_a_sample_has_something_to_show(name: str) -> None:
    clock = SetClock(1_790_000_000)
    with opened(clock) as shell:
        fill(shell.database, shell.application(name), to_datetime(clock()), lambda items: None)
        shown = board_of(shell, name)
    assert shown.today is not None
    assert len(shown.today.lines) == 3
    assert shown.today.figures


def test_the_best_of_this_week_are_shown(shell: Shell, clock: SetClock) -> None:
    week = week_of(seoul_day(clock))
    for number in range(5):
        best = WeeklyBest(
            id=number, start=week.start, end=week.end, name=f"player {number}", top_score=number * 10
        )
        shell.database.put(best)
    shown = board_of(shell, "leaderboards").today
    assert shown is not None
    assert [(each.name, each.value) for each in shown.lines] == [
        ("player 4", 40),
        ("player 3", 30),
        ("player 2", 20),
    ]


def test_the_first_of_the_newest_whole_day_are_shown(shell: Shell) -> None:
    moment, day = datetime(2026, 1, 2, tzinfo=UTC), date(2026, 1, 2)
    shell.database.put(SnapshotDay(day=day, status="finished", players=1, started_at=moment))
    shell.database.put(SnapshotDay(day=date(2026, 1, 3), status="running", players=0, started_at=moment))
    shell.database.put(
        Snapshot(uuid="p1", day=day, name="민지", level=120, power=1, level_rank=1, power_rank=1)
    )
    shown = board_of(shell, "rankings").today
    assert shown is not None
    assert ([each.name for each in shown.lines], shown.values) == (["민지"], {"day": day})


def broken(database: Database, clock: Clock, settings: object) -> Today:
    raise ZeroDivisionError


@pytest.mark.parametrize(
    "applications",
    [tuple(replace(each, today=broken) if each.name == "news" else each for each in APPLICATIONS)],
)
def test_one_application_that_fails_leaves_the_others_alone(visitor: Visitor) -> None:
    page = visitor("owner", "en").get("/")
    assert page.status == 200
    assert page.shown.count("Today's figures cannot be read right now.") == 1
    assert "No scores this week yet." in page.shown


def test_an_application_that_reads_too_much_is_stopped(shell: Shell) -> None:
    def greedy(database: Database, clock: Clock, settings: object) -> Today:
        for _ in range(MOST_READS + 1):
            database.page(Banner.latest(), 1)
        return Today("codex.today.about")

    assert board_of(with_today(shell, codex=greedy), "codex") == TodayShown(has_failed=True)
    assert board_of(shell, "codex").today is not None


def test_an_application_is_asked_every_few_seconds(shell: Shell, clock: SetClock) -> None:
    asked: list[float] = []

    def counted(database: Database, clock: Clock, settings: object) -> Today:
        asked.append(clock())
        return Today("codex.today.about")

    found = with_today(shell, codex=counted)
    board = TodayBoard(found)
    for seconds in (0, 1, KEPT_SECONDS - 1, 1):
        clock.advance(seconds)
        board.of(found.application("codex"))
    assert len(asked) == 2


def test_what_one_may_not_read_is_not_asked_for(visitor: Visitor) -> None:
    page = visitor("reporter", "en").get("/")
    assert "New inquiries" in page.shown
    assert "No scores this week yet." not in page.shown


def test_there_is_room_for_three_figures() -> None:
    with pytest.raises(DesignError, match="3 figures"):
        Today("codex.today.about", figures=(TodayFigure("codex.today.new", 1),) * 4)


def test_what_is_wrong_is_named_above_everything(visitor: Visitor, shell: Shell) -> None:
    assert "Needs attention" not in visitor("owner", "en").get("/").shown
    shell.database.backend.call("DeleteTable", {"TableName": FMWebApp.name})
    assert "Needs attention Content: Table missing" in visitor("owner", "en").get("/").shown
