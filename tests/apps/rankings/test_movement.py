"""Movers among everyone: found in the background, as a comparison of whole boards would find them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from random import Random
from typing import Any

import pytest

from hansang.apps.rankings.design import BOARDS
from hansang.apps.rankings.histories import Move
from hansang.apps.rankings.movement import DayMovement, movers_of
from hansang.apps.rankings.rules import MOVERS_AMONG, PERIODS
from hansang.apps.rankings.service import Rankings
from hansang.design import Database
from tests.apps.rankings.imports import TABLES, import_day, player, rankings
from tests.apps.rankings.players import DAY, uuid
from tests.clauses import clause
from tests.storing import opened

COUNT = MOVERS_AMONG + 150
EARLIER = {"day": DAY - timedelta(days=1), "week": DAY - timedelta(days=7), "month": DAY - timedelta(days=33)}


def players(seed: int) -> list[dict[str, Any]]:
    """Some of one crowd, with ties by level; the powers have up to 37 digits."""
    chance = Random(seed)
    return [
        player(number, min(60, int(chance.expovariate(0.03))), int(10 ** chance.uniform(0, 37)))
        for number in chance.sample(range(1, COUNT + 60), COUNT)
    ]


@pytest.fixture(scope="module")
def db() -> Iterator[Database]:
    with opened(*TABLES) as db:
        for seed, day in enumerate((*EARLIER.values(), DAY)):
            import_day(db, players(seed), day)
        yield db


@pytest.fixture(scope="module")
def app(db: Database) -> Rankings:
    """With all comparisons made, in pieces of a few hundred players."""
    steps: list[str] = []
    movement = DayMovement(db, rankings(db).days, at_once=300)
    assert movement.is_wanted()
    assert movement.keep(lambda step, rows: steps.append(step)) == len(BOARDS) * len(PERIODS)
    assert (movement.is_wanted(), movement.keep(lambda step, rows: None)) == (False, 0)
    return rankings(db)


def everyone(app: Rankings, board: Any, against: Any) -> list[Move]:
    day = app.days.finished(against)
    pages = [app.reading.page(board, DAY, number, 1000).items for number in range(2)]
    return app.histories.moves(board, [row for page in pages for row in page], day)


def told(moves: list[Move], kind: str) -> list[tuple[int, int | None]]:
    """How far each moved and where to; who it was among equals is left open."""
    return [(getattr(each, kind), each.row.shared_rank) for each in moves]


@clause("X5-25")
@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("period", PERIODS)
def test_movers_are_those_of_everyone(app: Rankings, board: Any, period: Any) -> None:
    moves = everyone(app, board, EARLIER[period])
    found = app.histories.movers(board, period, count=50)
    assert found.against is not None
    assert (found.against.day, found.among) == (EARLIER[period], COUNT)
    old = [each for each in moves if each.rank_before is not None]
    climbed = sorted(old, key=lambda each: (-each.climbed, each.row.shared_rank))[:50]
    fallen = sorted(old, key=lambda each: (each.climbed, each.row.shared_rank))[:50]
    grown = sorted(old, key=lambda each: (-each.grown, each.row.shared_rank))[:50]
    assert told(found.climbed, "climbed") == told(climbed, "climbed")
    assert told(found.fallen, "climbed") == told(fallen, "climbed")
    assert told(found.grown, "grown") == told(grown, "grown")
    new = [each.row.shared_rank for each in moves if each.rank_before is None]
    assert [row.shared_rank for row in found.new] == new[:50]
    assert any((each.row.shared_rank or 0) > MOVERS_AMONG for each in found.fallen)


@clause("X5-25")
def test_movers_of_everyone_cost_two_reads_a_player_that_is_named(db: Database, app: Rankings) -> None:
    fresh = rankings(db)
    fresh.histories.movers("power", "day", count=1)
    with db.meter() as first:
        fresh.histories.movers("power", "day", count=5)
    with db.meter() as again:
        fresh.histories.movers("power", "day", count=5)
    assert (again.requests, again.read) == (3, 4.0)
    assert first.requests <= again.requests + 2 + 40
    assert first.read <= again.read + 2 * 20 * 0.5 + 40 * 0.5


@clause("X5-25", "X5-30")
def test_what_was_found_is_no_longer_shown_when_a_day_has_changed() -> None:
    with opened(*TABLES) as db:
        import_day(db, [player(number, number) for number in range(1, 4)], EARLIER["day"])
        import_day(db, [player(number, COUNT - number) for number in range(1, COUNT + 1)])
        app = rankings(db)
        assert app.histories.movers("level", "day").among == MOVERS_AMONG
        app.movement.keep(lambda step, rows: None)
        assert [each.row.uuid for each in app.histories.movers("level", "day").grown] == [
            uuid(1),
            uuid(2),
            uuid(3),
        ]
        app.privacy.erase(uuid(1))
        assert db.batch_get(movers_of(DAY)) == []
        assert app.histories.movers("level", "day").among == MOVERS_AMONG
        app.movement.keep(lambda step, rows: None)
        again = app.histories.movers("level", "day")
        assert (again.among, [each.row.uuid for each in again.grown]) == (COUNT - 1, [uuid(2), uuid(3)])
        assert db.batch_get(movers_of(DAY))
        app.finisher.roll_back(DAY)
        assert db.batch_get(movers_of(DAY)) == []


def test_a_small_day_is_compared_when_it_is_asked_for() -> None:
    with opened(*TABLES) as db:
        import_day(db, [player(1, 5), player(2, 6)], EARLIER["day"])
        import_day(db, [player(1, 9), player(2, 6)])
        app = rankings(db)
        assert not app.movement.is_wanted()
        found = app.histories.movers("level", "day")
    assert (found.among, [each.row.uuid for each in found.climbed]) == (2, [uuid(1)])
