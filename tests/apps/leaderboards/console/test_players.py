"""The pages of a player: the rank and what comes next, friends, past weeks; and what operators do."""

from __future__ import annotations

import json
import re

import pytest

from hansang.apps.leaderboards.service import Leaderboards
from hansang.surfaces.shell import Shell
from tests.apps.leaderboards.console.conftest import A_WEEK
from tests.surfaces.console.conftest import Visitor
from tests.surfaces.shells import SetClock


@pytest.mark.usefixtures("boards")
@pytest.mark.parametrize("language", ["ko", "en"])
def test_a_player_sees_the_rank_the_gap_and_the_place_among_all(visitor: Visitor, language: str) -> None:
    page = visitor("viewer", language).get("/leaderboards/players/6")
    assert (page.status, page.faults, page.doubled_ids) == (200, [], [])
    assert (
        "600점이면 4위와 동점" if language == "ko" else "With 600 points it is level with #4"
    ) in page.shown
    assert ("상위 100.0%" if language == "ko" else "top 100.0%") in page.shown
    spec = json.loads(re.findall(r'data-course="spread".*?<script[^>]*>(.*?)</script>', page.text, re.S)[0])
    assert sum(each["count"] for each in spec["bars"]) == 6
    assert spec["bars"][spec["here"]]["count"] == 6, "all of them are in the lowest bar"
    assert "990" in page.shown, "the best ever"


@pytest.mark.usefixtures("boards")
def test_the_first_has_nobody_ahead_and_whoever_did_not_play_no_rank(
    visitor: Visitor, boards: Leaderboards
) -> None:
    viewer = visitor("viewer", "en")
    assert "Nobody is ahead" in viewer.get("/leaderboards/players/1").shown
    before = boards.open_weeks[1]
    assert "No score in this week" in viewer.get(f"/leaderboards/players/1?week={before.start}").shown
    assert viewer.get("/leaderboards/players/77").status == 404
    assert viewer.get("/leaderboards/players/x").status == 404


def test_friends_stand_with_both_ranks_and_whoever_waits_below(
    visitor: Visitor, boards: Leaderboards
) -> None:
    boards.friends.befriend(6, 2)
    boards.settle()
    page = visitor("viewer", "en").get("/leaderboards/players/6/friends")
    assert "301 more points to get ahead of Player2" in page.shown
    assert "#6" in page.shown
    assert page.faults == page.doubled_ids == []


def test_friends_say_how_far_away_each_is_and_what_who_waits_had(
    visitor: Visitor, boards: Leaderboards, clock: SetClock
) -> None:
    for other in (2, 3, 5, 6):
        boards.friends.befriend(4, other)
    boards.settle()
    page = visitor("viewer", "en").get("/leaderboards/players/4/friends")
    rows = [
        re.sub(r"<[^>]+>", " ", each).split() for each in re.findall("<tr>.*?</tr>|<tr .*?</tr>", page.text)
    ]
    assert [(row[2], row[-3:]) for row in rows if len(row) > 4 and row[2].startswith("Player")] == [
        ("Player2", ["#2", "+200", "800"]),
        ("Player3", ["#3", "+100", "700"]),
        ("Player4", ["#4", "–", "600"]),
        ("Player5", ["#4", "Equal", "600"]),
        ("Player6", ["#6", "−100", "500"]),
    ]
    assert page.text.count(">Tie<") == 2
    assert "Rank 2 among friends · 700 points" in page.shown
    clock.advance(A_WEEK)
    assert "500 the week before" in visitor("viewer", "en").get("/leaderboards/players/4/friends").shown


def test_a_friend_who_is_hidden_waits_for_operators_alone(visitor: Visitor, boards: Leaderboards) -> None:
    boards.friends.befriend(6, 2)
    boards.operating.hide(2, "cheating")
    boards.settle()
    path = "/leaderboards/players/6/friends"
    seen, whole = (visitor(each, "en").get(path).shown for each in ("viewer", "owner"))
    assert ("Player2" in seen, "Player2" in whole) == (False, True)
    # Nor is the friend counted where nobody is named.
    assert ("0 friends" in seen, "1 friend" in whole) == (True, True)
    assert re.search(r"Friends without a score\s+0\s+Everyone has played", seen)


@pytest.mark.usefixtures("boards")
def test_the_tabs_lead_to_ones_own_friends(visitor: Visitor) -> None:
    owner = visitor("owner", "en")
    assert "No player of your own yet" in owner.get("/leaderboards/me/friends").shown
    owner.get("/leaderboards/players/6")
    owner.send("/leaderboards/players/6/choose")
    owner.get("/leaderboards/me/friends")
    page = owner.get("/leaderboards/players/6/friends")
    assert re.findall(r'href="([^"]*)" aria-current="page"[^>]*>Friends<', page.text) == [
        "/leaderboards/me/friends"
    ]
    assert page.faults == page.doubled_ids == []


@pytest.mark.usefixtures("boards")
def test_past_weeks_have_their_first_three(visitor: Visitor) -> None:
    page = visitor("viewer", "en").get("/leaderboards/weeks")
    assert page.text.count('class="leaders"') == 2
    assert page.faults == []


@pytest.mark.usefixtures("boards")
def test_the_palette_finds_a_player(visitor: Visitor) -> None:
    found = visitor("viewer", "en").client.get("/search/results?q=player3").json()
    assert "/leaderboards/players/3" in [item["href"] for group in found["groups"] for item in group["items"]]


# ── operators ─────────────────────────────────────────────────────────────────────────────────────


def test_an_operator_hides_and_restores_a_player_and_ranks_close_up(
    visitor: Visitor, boards: Leaderboards, shell: Shell
) -> None:
    owner, viewer = visitor("owner", "en"), visitor("viewer", "en")
    page = owner.get("/leaderboards/players/2/operate")
    assert "From #3 on, 4 players move up by one" in page.shown
    owner.send("/leaderboards/players/2/hide", reason="cheating", period="week", note="speed hack")
    assert "The player is hidden" in owner.follow().shown
    assert "speed hack" in owner.get("/leaderboards/operate").shown
    assert "Player2" not in viewer.get("/leaderboards").shown
    assert viewer.get("/leaderboards/players/2").status == 404
    assert boards.reading.rank(boards.weeks.current, 3).rank == 2
    owner.send("/leaderboards/players/2/restore")
    assert boards.reading.rank(boards.weeks.current, 2).rank == 2
    assert {each.verb for each in shell.history.page(area="leaderboards").items} >= {"restore", "hide"}


def test_an_operator_corrects_a_score_with_a_note(visitor: Visitor, boards: Leaderboards) -> None:
    owner = visitor("owner", "en")
    owner.get("/leaderboards/players/1/operate")
    assert owner.send("/leaderboards/players/1/correct", score="many", note="x").status == 422
    assert owner.send("/leaderboards/players/1/correct", score="650", note="").status == 422
    owner.send("/leaderboards/players/1/correct", score="650", note="counted twice")
    assert boards.reading.rank(boards.weeks.current, 1).rank == 3


@pytest.mark.usefixtures("boards")
@pytest.mark.parametrize("path", ["/leaderboards/operate", "/leaderboards/players/2/operate"])
def test_nobody_else_operates(visitor: Visitor, path: str) -> None:
    assert visitor("editor").get(path).status == 403
