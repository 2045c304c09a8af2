"""What every path costs, in units of DynamoDB: as the page of the leaderboards says."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from hansang.apps.leaderboards.work import Tier
from hansang.parts.platform import Platform
from hansang.parts.topics import Topics
from tests.apps.leaderboards.games import DAY, WEEK, Game, a_game
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
