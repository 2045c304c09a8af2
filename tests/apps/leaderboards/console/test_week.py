"""The page of a week: who leads, ties, any page, the week before, and one's own player."""

from __future__ import annotations

import pytest

from hansang.apps.leaderboards.service import Leaderboards
from tests.apps.leaderboards.console.conftest import play
from tests.surfaces.console.conftest import Visitor


@pytest.mark.usefixtures("boards")
@pytest.mark.parametrize("language", ["ko", "en"])
def test_the_board_has_a_podium_ties_and_the_rank_of_the_week_before(visitor: Visitor, language: str) -> None:
    page = visitor("viewer", language).get("/leaderboards")
    assert (page.status, page.faults, page.doubled_ids) == (200, [], [])
    assert page.text.count('class="place-') == 3
    assert (page.text.count('role="search"'), 'class="find' in page.text) == (1, False), "one search, not two"
    rows = page.text.split("<tbody>")[1].split("</tbody>")[0]
    assert [rows.index(name) for name in ("Player4", "Player5", "Player6")] == sorted(
        rows.index(name) for name in ("Player4", "Player5", "Player6")
    )
    assert rows.count("동점" if language == "ko" else "Tie") == 2
    assert ("1위" if language == "ko" else "#1") in rows, "the sixth was first in the week before"


@pytest.mark.usefixtures("boards")
def test_another_week_has_its_own_board_and_leads_back(visitor: Visitor, boards: Leaderboards) -> None:
    before = boards.open_weeks[1]
    page = visitor("viewer", "en").get(f"/leaderboards?week={before.start}")
    assert "Player6" in page.shown
    assert "Player1" not in page.shown
    assert "To this week" in page.shown


def test_a_week_without_plays_says_so_and_names_the_leaders_before(
    visitor: Visitor, boards: Leaderboards, shell: object, clock: object
) -> None:
    clock.advance(7 * 86_400)  # type: ignore[attr-defined]
    shown = visitor("viewer", "en").get("/leaderboards").shown
    assert "Nobody has played this week yet" in shown
    assert "Player1" in shown


@pytest.mark.usefixtures("boards")
@pytest.mark.parametrize(
    ("asked", "path"),
    [
        ("Player3", "/leaderboards/players/3"),
        ("3", "/leaderboards/players/3"),
        ("play", "/leaderboards/players/"),
    ],
)
def test_a_name_or_a_number_leads_to_the_player(visitor: Visitor, asked: str, path: str) -> None:
    assert (visitor("viewer").get(f"/leaderboards?player={asked}").location or "").startswith(path)


@pytest.mark.usefixtures("boards")
def test_a_name_that_nobody_has_is_told(visitor: Visitor) -> None:
    viewer = visitor("viewer", "en")
    viewer.get("/leaderboards?player=nobody")
    assert "Nobody is called “nobody”" in viewer.follow().shown


def test_ones_own_player_is_chosen_and_stays_at_the_foot(visitor: Visitor, boards: Leaderboards) -> None:
    viewer = visitor("viewer", "en")
    assert "No player of your own yet" in viewer.get("/leaderboards/me").shown
    viewer.get("/leaderboards/players/5")
    viewer.send("/leaderboards/players/5/choose")
    page = viewer.get("/leaderboards")
    foot = page.text.split("<tfoot>")[1]
    assert "Player5" in foot
    assert "100 to the next" in foot
    play(boards, 5, 650)
    assert "50 to the next" in viewer.get("/leaderboards").text.split("<tfoot>")[1]
    assert viewer.get("/leaderboards/me").location == "/leaderboards/players/5"


@pytest.mark.parametrize("page", ["2", "99", "x", "-1"])
@pytest.mark.usefixtures("boards")
def test_a_page_that_is_not_there_leads_back(visitor: Visitor, page: str) -> None:
    assert visitor("viewer").get(f"/leaderboards?page={page}").status == 200
