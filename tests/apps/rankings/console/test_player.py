"""One player: figures, courses with gaps, names, milestones, neighbours, pinning, and who is not shown."""

from __future__ import annotations

import pytest

from tests.apps.rankings.console.club import DAYS, HIDDEN, RENAMED, SECRET_NAME, Club, courses
from tests.apps.rankings.players import uuid
from tests.clauses import clause


def path(number: int, more: str = "") -> str:
    return f"/rankings/players/{uuid(number)}{more}"


@clause("X5-10", "5-16")
def test_the_card_has_both_ranks_with_movement_and_both_scores(club: Club) -> None:
    said = club.sees(path(101))
    assert "Official #100" in said
    assert "Top 76.92%" in said
    assert "Rank by power #100 Up 1" in said
    assert "#101 the day before" in said
    assert "+1,501,000 since the day before" in said or "+1.50M since the day before" in said
    assert "Recorded since 17 Feb 2026" in said


def test_the_card_of_a_player_is_shared_from_the_page(club: Club) -> None:
    assert f"{path(1)}/share?board=level" in club.get(path(1, "?board=level")).links


def test_the_live_profile_is_told_apart_from_the_ranks(club: Club) -> None:
    assert "Now Level 61 Ranked with the next day" in club.sees(path(1))
    assert "Nothing live" in club.sees(path(5))


@clause("X5-26")
def test_the_courses_have_one_span_and_a_gap_for_the_missing_day(club: Club) -> None:
    page = club.get(path(101))
    found = courses(page)
    assert {*found} == {"rank", "power", "level"}
    assert {each["group"] for each in found.values()} == {"player"}
    assert [each["gaps"] for each in found.values()] == [[2], [2], [2]]
    [rank] = found["rank"]["series"]
    assert (rank["values"], rank["firm"]) == (
        [101, 101, None, 101, 100],
        [False, False, False, False, True],
    )
    assert found["rank"]["flags"] == [{"at": 4, "value": 100, "text": "21 Feb: first in the top 100"}]
    assert "No data on 19 Feb, so these days are left empty" in page.shown


def test_a_span_is_chosen_by_a_button_or_from_day_to_day(club: Club) -> None:
    chosen = courses(club.get(path(1, f"?from={DAYS[0]}&to={DAYS[1]}")))["rank"]
    assert chosen["labels"] == ["17 Feb", "18 Feb"]
    assert "?days=30" in club.get(path(1)).links
    empty = club.get(path(1, "?from=2020-01-01&to=2020-01-09"))
    assert "No data in this span" in empty.shown
    assert club.get(path(1, "?from=2020-01-09&to=2020-01-01")).status == 200


@clause("X5-22")
def test_names_and_milestones_stand_beside_the_courses(club: Club) -> None:
    said = club.sees(path(RENAMED))
    assert "한월2 since 18 Feb Before 17 Feb – 17 Feb" in said
    assert "First in the top 100, at #2" in said
    assert "Best rank: #2" in said


def test_neighbours_have_the_gap(club: Club) -> None:
    said = club.sees(path(50, "?board=power"))
    assert "#49 한 한월49 +1.00M" in said
    assert "#51 한 한월51 −1.00M" in said


@clause("X5-30")
def test_a_hidden_player_is_said_to_be_hidden_and_not_named(club: Club) -> None:
    page = club.get(path(HIDDEN), "ko")
    assert (page.status, "본인 요청으로 숨긴 플레이어입니다" in page.shown) == (404, True)
    assert SECRET_NAME not in page.text


def test_whoever_is_not_there_leads_to_the_search(club: Club) -> None:
    page = club.get("/rankings/players/nobody")
    assert (page.status, "Player not found" in page.shown, "/search" in page.links) == (404, True, True)


def test_a_pinned_player_stays_at_the_foot_of_the_board_until_let_go(club: Club) -> None:
    browser = club.browse("viewer en")
    browser.get(path(120))
    answer = browser.send(path(120, "/pin"), next="/rankings")
    assert answer.location == "/rankings"
    page = browser.follow()
    assert "Pinned in this browser" in page.shown
    assert page.shown.count("한월120") == 1
    assert "한월120" in page.text[page.text.index("<tfoot>") :]
    assert browser.get(path(120)).all("button", **{"data-key": "p"})[0]["aria-pressed"] == "true"
    browser.send(path(120, "/pin"), next="/rankings")
    assert "<tfoot>" not in browser.follow().text


@pytest.mark.parametrize("number", [HIDDEN, 999])
def test_whoever_is_hidden_or_not_there_is_not_pinned(club: Club, number: int) -> None:
    browser = club.browse("viewer en")
    browser.get(path(1))
    assert browser.send(path(number, "/pin")).status == 404
