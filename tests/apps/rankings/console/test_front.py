"""The front page: the official hundred, what moved, the cut-line, the first ten over days, days that are not there."""

from __future__ import annotations

import pytest

from tests.apps.rankings.console.club import HIDDEN, MISSING, SECRET_NAME, Club, courses
from tests.apps.rankings.players import DAY, uuid
from tests.clauses import clause
from tests.surfaces.console.conftest import Visitor


@clause("5-13", "X5-25")
def test_the_newest_day_shows_its_official_hundred_with_what_moved(club: Club) -> None:
    page = club.get("/rankings")
    rows = page.all("tr")
    assert page.shown.count("한월") >= 100
    assert "As of 21 Feb 2026" in page.shown
    assert "130 players" in page.shown
    assert len([each for each in rows if each.get("data-uuid") == uuid(1)]) == 1
    assert "NEW" in page.shown
    assert "OUT" in page.shown
    assert "Cut-line of #100 100M" in page.shown
    assert "Came in · went out 1 · 1" in page.shown


def test_power_is_written_in_the_units_of_each_language_and_in_full_for_whoever_points_at_it(
    club: Club,
) -> None:
    korean = club.get("/rankings", "ko")
    assert "1억 9,900만" in korean.shown
    assert korean.all("span", title="199,003,000")
    assert "199M" in club.sees("/rankings")


def test_the_other_board_and_one_kind_of_movement_are_a_link_away(club: Club) -> None:
    page = club.get("/rankings")
    assert {"?board=level", "?move=new", "?period=week"} <= {*page.links}
    fresh = club.get("/rankings?move=new")
    assert [each["data-uuid"] for each in fresh.all("tr") if each.get("data-uuid")] == [uuid(101)]
    assert "60" in club.sees("/rankings?board=level")
    assert "No player moved like this" in club.sees("/rankings?move=up&board=level")


def test_the_first_ten_of_two_weeks_have_a_gap_where_no_day_is(club: Club) -> None:
    bump = courses(club.get("/rankings"))["bump"]
    assert bump["gaps"] == [2]
    assert [each["values"][-1] for each in bump["series"]] == [*range(1, 11)]
    assert bump["series"][0]["values"] == [1, 1, None, 1, 1]
    assert "19 Feb" in club.sees("/rankings")


@clause("X5-30")
def test_a_hidden_player_keeps_the_place_and_has_no_name(club: Club) -> None:
    page = club.get("/rankings")
    assert "Hidden player" in page.shown
    assert SECRET_NAME not in page.text
    assert not any(uuid(HIDDEN) in link for link in page.links)
    assert courses(page)["bump"]["series"][HIDDEN - 1]["name"] == "Hidden player"


def test_a_day_that_is_missing_leads_to_the_newest_and_both_are_named(club: Club) -> None:
    said = club.sees(f"/rankings?date={MISSING}")
    assert "19 Feb 2026 has no finished ranking. This is 21 Feb 2026." in said
    assert "has no finished ranking" not in club.sees(f"/rankings?date={DAY}")
    assert club.get("/rankings?date=nonsense").status == 200


def test_the_days_beside_a_day_are_finished_ones(club: Club) -> None:
    before = club.get(f"/rankings?date={DAY}").all("a", **{"data-key": "["})
    assert before[0]["href"] == "?date=2026-02-20"
    page = club.get("/rankings?date=2026-02-20")
    assert [page.all("a", **{"data-key": key})[0]["href"] for key in "[]"] == [
        "?date=2026-02-18",
        "?date=2026-02-21",
    ]
    assert not club.get("/rankings?date=2026-02-17").all("a", **{"data-key": "["})


@pytest.mark.parametrize(("name", "has_way"), [("viewer", False), ("editor", True)])
def test_without_a_day_editors_are_shown_the_way(visitor: Visitor, name: str, has_way: bool) -> None:
    page = visitor(name).get("/rankings")
    assert "아직 완료된 날이 없습니다" in page.shown
    assert ("/rankings/days" in page.links) == has_way
