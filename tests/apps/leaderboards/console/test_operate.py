"""The page of operators: writes against the ceiling, evidence, several hidden at once, and what was done lately."""

from __future__ import annotations

import json
import re

import pytest

from hansang.apps.leaderboards.service import Leaderboards
from hansang.apps.leaderboards.submitting import GivenPlay
from hansang.apps.leaderboards.work import Suspect
from hansang.errors import InvalidInput
from hansang.surfaces.shell import Shell
from tests.clauses import clause
from tests.surfaces.console.conftest import Visitor
from tests.surfaces.shells import SetClock


@clause("X2-11")
@pytest.mark.parametrize("language", ["ko", "en"])
def test_improvements_a_second_stand_below_the_ceiling(
    visitor: Visitor, boards: Leaderboards, language: str
) -> None:
    for score in range(1000, 1030):
        boards.submitter.submit(GivenPlay(1, "Player1", score))
    page = visitor("owner", language).get("/leaderboards/operate")
    assert (page.status, page.faults, page.doubled_ids) == (200, [], [])
    spec = json.loads(re.findall(r'data-chart="writes".*?<script[^>]*>(.*?)</script>', page.text, re.S)[0])
    writes, ceiling = (each["values"] for each in spec["series"])
    assert set(ceiling) == {500}
    assert sum(writes) * 60 >= 30 - len(writes) * 3, "each improvement was counted once, to a tenth a second"


@pytest.mark.usefixtures("boards")
def test_half_an_hour_without_improvements_says_so_in_place_of_a_chart(
    visitor: Visitor, clock: SetClock
) -> None:
    clock.advance(3600)
    page = visitor("owner", "en").get("/leaderboards/operate")
    assert "No new bests in the last 30 minutes" in page.shown
    assert 'data-chart="writes"' not in page.text


def test_a_suspicious_record_is_shown_with_its_evidence_and_answered(
    visitor: Visitor, boards: Leaderboards
) -> None:
    week = boards.weeks.current
    boards.submitter.submit(GivenPlay(6, "Player6", 90_000))
    owner = visitor("owner", "en")
    page = owner.get("/leaderboards/operate")
    assert "180.0 times the best before, 500" in page.shown
    owner.send("/leaderboards/players/6/judge")
    assert "marked as fine" in owner.follow().shown
    assert [each.state for each in boards.database.all(Suspect.of_week(week.start))] == ["cleared"]
    boards.submitter.submit(GivenPlay(5, "Player5", 90_000))
    owner.send("/leaderboards/players/5/hide", reason="cheating", period="ever")
    states = {each.id: each.state for each in boards.database.all(Suspect.of_week(week.start))}
    assert states == {5: "hidden", 6: "cleared"}


def test_several_are_hidden_at_once_and_it_is_undone(
    visitor: Visitor, boards: Leaderboards, shell: Shell
) -> None:
    owner = visitor("owner", "en")
    owner.get("/leaderboards/operate")
    assert owner.send("/leaderboards/operate/hide", players="2 x", reason="test", period="ever").status == 422
    assert (
        owner.send("/leaderboards/operate/hide", players="2 77", reason="test", period="ever").status == 404
    )
    owner.send("/leaderboards/operate/hide", players="2, 3\n4", reason="test", period="ever")
    assert "3 players are hidden" in owner.follow().shown
    assert boards.reading.rank(boards.weeks.current, 5).rank == 2
    last = next(iter(shell.history.page("leaderboards")))
    owner.send(f"/leaderboards/operate/undo/{last.id}")
    assert "It was undone" in owner.follow().shown
    assert not boards.players.get(int(last.subject)).is_hidden
    assert boards.reading.page(boards.weeks.current, 0, 10).total == 4
    owner.send(f"/leaderboards/operate/undo/{last.id}")
    assert "undone already" in owner.follow().shown


@pytest.mark.parametrize("language", ["ko", "en"])
def test_refusals_are_counted_by_their_reason(visitor: Visitor, boards: Leaderboards, language: str) -> None:
    for score in (10**6, 10**7, 10**8):
        with pytest.raises(InvalidInput):
            boards.submitter.submit(GivenPlay(1, "Player1", score))
    page = visitor("owner", language).get("/leaderboards/operate")
    assert ("너무 높은 점수 3" if language == "ko" else "Score too high 3") in " ".join(page.shown.split())


@pytest.mark.parametrize("language", ["ko", "en"])
def test_a_hiding_that_would_be_over_is_not_brought_back_and_the_page_says_so(
    visitor: Visitor, boards: Leaderboards, shell: Shell, clock: SetClock, language: str
) -> None:
    owner = visitor("owner", language)
    owner.get("/leaderboards/operate")
    owner.send("/leaderboards/players/2/hide", reason="test", period="day")
    owner.follow()
    owner.send("/leaderboards/players/2/restore")
    last = next(each for each in shell.history.page("leaderboards") if each.verb == "restore")
    clock.advance(2 * 86_400)
    owner.get("/leaderboards/operate")
    owner.send(f"/leaderboards/operate/undo/{last.id}")
    said = "되돌릴 숨김이 없습니다" if language == "ko" else "There is nothing to bring back"
    assert said in owner.follow().shown
    assert not boards.players.get(2).is_hidden


@pytest.mark.parametrize("language", ["ko", "en"])
def test_an_older_hiding_is_not_undone_and_the_page_says_what_to_undo_first(
    visitor: Visitor, boards: Leaderboards, shell: Shell, clock: SetClock, language: str
) -> None:
    owner = visitor("owner", language)
    owner.get("/leaderboards/operate")
    for reason in ("test", "cheating"):
        owner.send("/leaderboards/players/2/hide", reason=reason, period="ever")
        owner.follow()
        clock.advance(1)
    older = next(
        each
        for each in shell.history.page("leaderboards")
        if (each.after or {}).get("reason") == {"S": "test"}
    )
    owner.send(f"/leaderboards/operate/undo/{older.id}")
    said = "나중 조치를 먼저 되돌리십시오" if language == "ko" else "Undo the newer step first"
    assert said in owner.follow().shown
    assert boards.players.get(2).hide_reason == "cheating"
