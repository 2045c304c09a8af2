"""Everyone: any page, the way to a page and to a player, modes, the spread and the cut-lines."""

from __future__ import annotations

import pytest

from hansang.apps.rankings.console.links import AREA
from hansang.apps.rankings.design import Board, SnapshotDay
from hansang.apps.rankings.reports import CutLine
from hansang.apps.rankings.service import Rankings
from tests.apps.rankings.console.club import HIDDEN, SECRET_NAME, Club, courses, crowd
from tests.apps.rankings.players import uuid
from tests.clauses import clause

PATH = "/rankings/everyone"


@clause("5-15", "X5-08")
def test_a_page_has_its_ranks_and_the_next_one_follows(club: Club) -> None:
    first, last = club.get(PATH), club.get(f"{PATH}?page=3")
    assert "#1 to #50" in first.shown
    assert "?page=2" in first.links
    assert "?page=3" in first.links
    assert "#101 to #130" in last.shown
    assert "한월130" in last.shown
    assert "?page=2" in last.links


def test_a_page_beyond_the_last_says_which_is_the_last(club: Club) -> None:
    page = club.get(f"{PATH}?page=999")
    assert "The last page is 3." in page.shown
    assert "?page=3" in page.links
    assert "#1 to #50" in club.sees(f"{PATH}?page=nonsense")


@pytest.mark.parametrize("typed", ["한월120", "ㅎㅇ120", uuid(120)])
def test_a_player_is_found_by_name_initials_or_id(club: Club, typed: str) -> None:
    answer = club.get(f"{PATH}?board=level&player={typed}")
    assert (answer.status, answer.location) == (303, f"{PATH}?board=level&page=3&at={uuid(120)}#at")
    there = club.get(answer.location)
    assert there.all("tr", id="at")[0]["data-uuid"] == uuid(120)


@clause("X5-30")
@pytest.mark.parametrize("typed", ["nobody", SECRET_NAME, uuid(HIDDEN)])
def test_whoever_is_not_there_or_hidden_is_not_found(club: Club, typed: str) -> None:
    answer = club.get(f"{PATH}?player={typed}")
    assert answer.status == 303
    assert f"No player called {typed} on this day." in club.sees(answer.location)


@clause("X5-05", "X5-06")
def test_both_modes_have_every_player_once(club: Club) -> None:
    for mode in ("all", "below_official"):
        pages = [club.get(f"{PATH}?mode={mode}&page={number}") for number in (1, 2, 3)]
        rows = [each["data-uuid"] for page in pages for each in page.all("tr") if "data-uuid" in each]
        assert len(rows) == 130
        assert len({*rows}) == 130


@clause("X5-11", "X5-13")
def test_a_page_whose_day_is_imported_again_meanwhile_is_made_again(
    club: Club, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = club.shell.once(AREA, lambda: Rankings(club.shell.database, club.shell.clock))
    cut_lines, asked = app.reports.cut_lines, list[int]()

    def imported_meanwhile(board: Board, day: SnapshotDay) -> list[CutLine]:
        if not asked:
            app.finisher.reopen(day.day)
            app.import_day(day.day, crowd(3))
        asked.append(day.revision)
        return cut_lines(board, day)

    monkeypatch.setattr(app.reports, "cut_lines", imported_meanwhile)
    assert "#1 to #50" in club.sees(PATH)
    assert len(asked) == 2
    assert asked[1] == app.days.finished().revision > asked[0]


def test_the_spread_leads_to_pages_and_shows_the_place_of_one(club: Club) -> None:
    plain = courses(club.get(PATH))["histogram"]
    assert sum(each["count"] for each in plain["bars"]) == 130
    assert plain["bars"][0]["href"] == f"{PATH}?page=3"
    assert plain["here"] is None
    at = courses(club.get(f"{PATH}?page=3&at={uuid(120)}"))["histogram"]
    assert at["name"] == "한월120 80.0M"
    assert at["about"] == "Top 92.31% · #120"


def test_cut_lines_have_the_line_of_whoever_is_looked_for_in_its_place(club: Club) -> None:
    said = club.sees(f"{PATH}?at={uuid(20)}")
    assert said.index("Top 10%") < said.index("Top 15.38% 한월20 #20") < said.index("Top 25%")
