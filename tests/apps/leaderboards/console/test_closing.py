"""Closing a week on its page: the dry run changes nothing, final is typed, and a reward is delivered once."""

from __future__ import annotations

from datetime import timedelta

import pytest

from hansang.apps.leaderboards.console.close import TierRow, rows_of, tiers_of
from hansang.apps.leaderboards.service import Leaderboards
from hansang.apps.leaderboards.work import Reward, Suspect
from hansang.errors import InvalidInput
from hansang.surfaces.shell import Shell
from tests.apps.leaderboards.console.conftest import A_WEEK
from tests.clauses import clause
from tests.surfaces.console.conftest import Visitor
from tests.surfaces.shells import SetClock

TIERS = {"tier": ["gold", "half"], "by": ["rank", "percent"], "number": ["2", "50"]}
ASKED = "tier=gold&by=rank&number=2&tier=half&by=percent&number=50&run=1"


@pytest.fixture
def ended(boards: Leaderboards, clock: SetClock) -> Leaderboards:
    """The boards a week later: the week of the six players has ended."""
    clock.advance(A_WEEK)
    return boards


@clause("X2-22")
@pytest.mark.parametrize("language", ["ko", "en"])
def test_a_week_is_rehearsed_made_final_and_rewarded_once(
    visitor: Visitor, ended: Leaderboards, shell: Shell, language: str
) -> None:
    owner, week = visitor("owner", language), ended.open_weeks[1]
    page = owner.get(f"/leaderboards/close?week={week.start}&{ASKED}")
    assert (page.status, page.faults, page.doubled_ids) == (200, [], [])
    assert ("2위 · 800점" if language == "ko" else "#2 · 800 pts") in page.shown
    assert ended.weeks.find(week) is None, "a dry run changes nothing"

    assert owner.send(f"/leaderboards/close?week={week.start}", **TIERS, confirm="now").status == 422
    assert ended.weeks.find(week) is None
    owner.send(f"/leaderboards/close?week={week.start}", **TIERS, confirm=str(week.start))
    final = owner.follow()
    assert (final.status, final.faults, final.doubled_ids) == (200, [], [])
    found = ended.closing.final(week)
    assert (found.players, found.rewards, found.closed_by) == (6, 3, "Owner")
    assert found.check in final.shown
    assert f"/api/leaderboards/weeks/{week.start}/rewards?format=csv" in final.text

    deliver = f"/leaderboards/close/{week.start}/deliver/1"
    assert owner.send(deliver, receipt="").status == 422
    owner.send(deliver, receipt="mail-1")
    assert "mail-1" in owner.follow().shown
    owner.send(deliver, receipt="mail-2")
    assert ("두 번 전달하지 않습니다" if language == "ko" else "not delivered twice") in owner.follow().shown
    reward = shell.database.all(Reward.of_week(week.start))[0]
    assert (reward.receipt, reward.delivered_by) == ("mail-1", "Owner")
    assert {each.verb for each in shell.history.page("leaderboards")} == {"close", "deliver"}
    assert owner.get("/leaderboards/weeks").text.count("/api/leaderboards/archive") == 1


def test_what_is_left_open_has_to_be_ticked(visitor: Visitor, ended: Leaderboards) -> None:
    owner, week = visitor("owner", "en"), ended.open_weeks[1]
    at = ended.weeks.now.replace(microsecond=0)
    ended.database.put(Suspect(start=week.start, id=1, why="jump", name="Player1", score=900, at=at))
    owner.get(f"/leaderboards/close?week={week.start}&{ASKED}")
    sent = {**TIERS, "confirm": str(week.start)}
    assert "tick the box" in owner.send(f"/leaderboards/close?week={week.start}", **sent).shown
    owner.send(f"/leaderboards/close?week={week.start}", **sent, anyway="yes")
    assert ended.closing.final(week).players == 6


def test_a_week_that_runs_can_be_rehearsed_and_not_closed(visitor: Visitor, boards: Leaderboards) -> None:
    owner, week = visitor("owner", "en"), boards.weeks.current
    page = owner.get(f"/leaderboards/close?week={week.start}&{ASKED}")
    assert "not over yet" in page.shown
    assert "Make this week final" not in page.shown
    sent = {**TIERS, "confirm": str(week.start)}
    assert owner.send(f"/leaderboards/close?week={week.start}", **sent).status == 409
    assert owner.get("/leaderboards/close").status == 200
    assert str(week.start - timedelta(days=7)) in owner.get("/leaderboards/close").text


@clause("X2-22")
@pytest.mark.parametrize(("language", "said"), [("ko", "마감할 것이 없습니다"), ("en", "nothing to close")])
def test_a_week_that_nobody_played_can_be_rehearsed_and_not_closed(
    visitor: Visitor, ended: Leaderboards, language: str, said: str
) -> None:
    owner, start = visitor("owner", language), ended.open_weeks[1].start - timedelta(days=14)
    page = owner.get(f"/leaderboards/close?week={start}&{ASKED}")
    assert (page.status, said in page.shown, 'name="confirm"' in page.text) == (200, True, False)
    refused = owner.send(f"/leaderboards/close?week={start}", **TIERS, confirm=str(start))
    assert (refused.status, said in refused.shown) == (409, True)
    assert owner.get(f"/leaderboards/close?week={start}").status == 200


@pytest.mark.usefixtures("boards")
def test_a_bad_tier_is_told(visitor: Visitor) -> None:
    page = visitor("owner", "en").get("/leaderboards/close?tier=gold&by=percent&number=101&run=1")
    assert "The tier gold needs a name of its own" in page.shown


def test_lines_of_the_form_without_anything_are_left_out() -> None:
    typed = {"tier": ["a", ""], "by": ["rank", "rank"], "number": ["1,000", ""]}
    assert rows_of(lambda name: typed[name]) == [TierRow("a", "rank", "1000")]
    assert [each.rank for each in tiers_of([TierRow("a", "rank", "1000")])] == [1000]
    for bad in (TierRow("", "rank", "1"), TierRow("a", "rank", "x"), TierRow("a", "percent", "0")):
        with pytest.raises(InvalidInput):
            tiers_of([bad])
