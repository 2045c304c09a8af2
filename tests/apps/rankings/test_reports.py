"""What pages show of finished days: the first over days, spreads, cut-lines, neighbours, ranks out of place."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from fractions import Fraction

import pytest

from hansang.apps.rankings.service import Rankings
from hansang.backends.embedded import Embedded
from hansang.design import Database
from tests.apps.rankings.imports import TABLES, crowd, import_day, player, rankings
from tests.apps.rankings.players import DAY, uuid
from tests.clauses import clause

PLAYERS = 300
CROWD = crowd(PLAYERS)
BEFORE = DAY - timedelta(days=3)


@pytest.fixture(scope="module")
def app() -> Iterator[Rankings]:
    with Embedded.open(":memory:") as backend:
        database = Database(backend, secret=b"for tests")
        database.create_tables(*TABLES)
        given = [player(1, 9, 30, level_rank=2), player(2, 8, 20, level_rank=1), player(3, 7, 10)]
        import_day(database, given, BEFORE)
        import_day(database, CROWD)
        yield rankings(database)


@pytest.mark.parametrize("board", ["level", "power"])
@pytest.mark.parametrize("bars", [1, 7, 26])
def test_every_player_is_in_one_bar(app: Rankings, board: str, bars: int) -> None:
    scores = [each[board] for each in CROWD]
    found = app.reports.histogram(board, app.days.finished(DAY), bars)  # type: ignore[arg-type]
    assert [each.count for each in found] == [
        sum(each.low <= score <= each.high for score in scores) for each in found
    ]
    assert [each.rank for each in found] == [sum(score > each.high for score in scores) + 1 for each in found]
    assert sum(each.count for each in found) == PLAYERS
    assert 1 <= len(found) <= bars
    assert (found[0].low, found[-1].high) == (min(scores), max(scores))


def test_a_cut_line_is_the_score_of_the_last_of_a_share(app: Rankings) -> None:
    ordered = sorted((each["power"] for each in CROWD), reverse=True)
    found = app.reports.cut_lines("power", app.days.finished(DAY))
    assert [(each.share, each.rank) for each in found] == [
        (Fraction(1), 3),
        (Fraction(5), 15),
        (Fraction(10), 30),
        (Fraction(25), 75),
        (Fraction(50), 150),
    ]
    assert [each.score for each in found] == [ordered[each.rank - 1] for each in found]


@clause("X5-09")
def test_neighbours_are_those_of_the_page_of_everyone(app: Rankings) -> None:
    day = app.days.finished(DAY)
    everyone = app.reading.page("level", DAY, 0, PLAYERS).items
    for place in (0, 1, 150, PLAYERS - 1):
        snapshot = app.reading.snapshot(everyone[place].uuid, day)
        found = app.reports.neighbours("level", day, snapshot)
        assert found == everyone[max(0, place - 1) : place + 2]


@clause("X5-07")
def test_official_ranks_that_the_scores_would_not_give_are_named(app: Rankings) -> None:
    found = app.reports.mismatches("level", app.days.finished(BEFORE))
    assert [(each.row.uuid, each.row.rank, each.rank) for each in found] == [(uuid(2), 1, 2), (uuid(1), 2, 1)]
    assert app.reports.mismatches("power", app.days.finished(BEFORE)) == []


def test_the_first_of_some_days_leave_out_what_is_before_them(app: Rankings) -> None:
    found = app.reports.first_course("power", DAY)
    assert found.days[0] == BEFORE
    assert found.missing == [DAY - timedelta(days=2), DAY - timedelta(days=1)]
    assert [None if rows is None else len(rows) for rows in found.rows] == [3, None, None, 10]
    assert found.reign == 1
    assert app.reports.first_course("power", BEFORE).reign == 1
