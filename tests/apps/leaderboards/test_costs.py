"""What every path costs, in units of DynamoDB: as the page of the leaderboards says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest

from hansang.apps.leaderboards.design import UsersLeaderboard
from hansang.apps.leaderboards.work import Tier
from hansang.backends.embedded import Embedded
from hansang.design import Database
from hansang.engine import Engine
from hansang.errors import HansangError
from hansang.parts.platform import Platform
from hansang.parts.topics import Topics
from tests.apps.leaderboards.games import DAY, WEEK, Game, a_game
from tests.apps.leaderboards.test_design import weekly
from tests.clauses import clause

PLAYERS = 400


@pytest.fixture(scope="module")
def counted() -> Iterator[Game]:
    """A week of four hundred players, counted, in which the first has ten friends."""
    with a_game() as game:
        for player in range(1, PLAYERS + 1):
            game.play(player, player * 10)
        for friend in range(2, 12):
            game.boards.friends.befriend(1, friend)
        game.boards.settle()
        yield game


def cost(game: Game, work: Callable[[], object]) -> tuple[float, float]:
    """Write units and read units."""
    with game.database.meter() as found:
        work()
    return found.write, found.read


@clause("X2-09", "X2-12", "X2-26", "2-21")
def test_what_every_read_costs(counted: Game) -> None:
    reading = counted.boards.reading
    week = WEEK
    found = {
        "top 10": cost(counted, lambda: reading.page(week, 0, 10)),
        "page 30": cost(counted, lambda: reading.page(week, 30, 10)),
        "around, 5 to either side": cost(counted, lambda: reading.around(week, 200, 5)),
        "rank": cost(counted, lambda: reading.rank(week, 200)),
        "histogram": cost(counted, lambda: reading.histogram(week, 20)),
        "friends' board": cost(counted, lambda: reading.friends_board(week, 1)),
        "best": cost(counted, lambda: reading.best(1)),
        "weeks": cost(counted, lambda: reading.scores(1, 20)),
    }
    assert found == {
        "top 10": (0, 2.5),
        "page 30": (0, 2.5),
        "around, 5 to either side": (0, 3),
        "rank": (0, 2.5),
        "histogram": (0, 1),
        "friends' board": (0, 2.5),
        "best": (0, 1),
        "weeks": (0, 1),
    }


@clause("X2-11", "X2-13", "X2-14", "X2-16", "X2-19", "X2-22")
def test_what_every_write_costs() -> None:
    with a_game() as game:
        boards = game.boards
        for player in (1, 2, 3):
            game.play(player, player * 10)
        boards.settle()
        found = {
            "befriend": cost(game, lambda: boards.friends.befriend(1, 2)),
            "fan-out to one friend, nothing new": cost(game, lambda: boards.fan_outs.bring(1, WEEK)),
            "unfriend": cost(game, lambda: boards.friends.unfriend(1, 2)),
            "rename": cost(game, lambda: boards.players.rename(1, "Other")),
            "correct": cost(game, lambda: boards.operating.correct(1, WEEK, 15, "why")),
            "hide": cost(game, lambda: boards.operating.hide(2, "test")),
            "hidden play": cost(game, lambda: game.play(2, 99)),
            "restore": cost(game, lambda: boards.operating.restore(2)),
        }
        game.now += 7 * DAY
        boards.closing.close(WEEK, [Tier(name="gold", rank=1)])
        found["deliver"] = cost(game, lambda: boards.closing.deliver(WEEK, 1, "mail", "me"))
    assert found == {
        "befriend": (14, 4),
        "fan-out to one friend, nothing new": (2, 3),
        "unfriend": (10, 0),
        "rename": (12, 2),
        "correct": (12, 2),
        "hide": (16, 3),
        "hidden play": (8, 5),
        "restore": (16, 3),
        "deliver": (2, 2),
    }


def test_telling_of_a_new_best_costs_a_unit_for_its_player_and_one_for_its_board() -> None:
    with a_game() as game:
        game.database.create_tables(Platform)
        topics = Topics(game.database, lambda: game.now, pause=0)
        boards = type(game.boards)(
            game.database, lambda: game.now, game.boards.settings, publish=topics.publish
        )
        with game.database.meter() as found:
            boards.topics.player(WEEK, 1)
    assert found.write == 2.0


@clause("X2-11")
def test_where_the_ceiling_is_when_the_engine_throttles_as_aws_does() -> None:
    """Five players improve within one second: each stays below what its own key takes, the week's key does not."""
    now = [1_000_000.0]
    with Engine.open(":memory:", sweep_seconds=None, clock=lambda: now[0], throttling=True) as engine:
        database = Database(Embedded(engine, attempts=1))
        database.create_tables(UsersLeaderboard)
        for player in range(5):
            database.put(weekly(player, 0))
        now[0] += 60
        in_a_second = taken(database, 1)
        now[0] += 1
        in_the_next = taken(database, 10_000)
    assert (in_a_second, in_the_next) == (500, 500)


def taken(database: Database, first: int) -> int:
    """How many improvements by five players are taken, from a score on, until one is refused."""
    done = 0
    with suppress(HansangError):
        while True:
            database.put(weekly(done % 5, first + done))
            done += 1
    return done


@clause("X2-22")
def test_what_closing_a_week_costs_beside_its_rewards() -> None:
    tiers: tuple[list[Tier], ...] = ([], [Tier(name="gold", rank=3)], [Tier(name="all", percent=100)])
    found = []
    for given in tiers:
        with played(10) as game:
            game.now += 7 * DAY
            found.append(cost(game, lambda: game.boards.closing.close(WEEK, given)))  # noqa: B023 - called at once
    assert found == [(4, 8.5), (4 + 3, 8.5), (4 + 10, 8.5)], (
        "one unit for each reward, and no more for each player"
    )


@clause("X2-13", "X2-22")
def test_what_erasing_a_player_costs_by_friends_and_of_a_final_week() -> None:
    found = {}
    for friends in (0, 3):
        with played(4) as game:
            for other in range(2, 2 + friends):
                game.boards.friends.befriend(1, other)
            game.boards.settle()
            found[f"{friends} friends"] = cost(game, lambda: game.boards.erasing.erase(1))
    with played(4) as game:
        game.now += 7 * DAY
        game.boards.closing.close(WEEK, [])
        found["final"] = cost(game, lambda: game.boards.erasing.erase(1))
    # Refused plays lie by day, and each of 33 days is looked at.
    assert found == {"0 friends": (17, 42.5), "3 friends": (17 + 3 * 6, 42.5 + 3), "final": (19, 43)}


@clause("X2-12")
def test_a_board_that_is_read_from_the_weeks_of_very_many_friends_costs_half_a_unit_for_each() -> None:
    with played(12, many_friends=2) as game:
        found = []
        for friends in (range(2, 6), range(6, 12)):
            for other in friends:
                game.boards.friends.befriend(1, other)
            assert game.boards.reading.friends_board(WEEK, 1).is_direct
            found.append(cost(game, lambda: game.boards.reading.friends_board(WEEK, 1)))
    assert found == [(0, 2 + 4 / 2), (0, 2 + 10 / 2)]


@contextmanager
def played(players: int, **settings: Any) -> Iterator[Game]:
    """A week of a few players, counted."""
    with a_game(**settings) as game:
        for player in range(1, players + 1):
            game.play(player, player * 10)
        game.boards.settle()
        yield game
