"""The sharded index of a week: the same boards as the document's, and the way to it while the week is played."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from hansang.apps.leaderboards.board_rows import SHARDED, BoardRows, week_shard
from hansang.apps.leaderboards.design import UsersLeaderboard
from hansang.apps.leaderboards.reading import TIE_RULES, WeekRank
from hansang.apps.leaderboards.service import Leaderboards
from hansang.apps.leaderboards.settings import LeaderboardsSettings
from hansang.apps.leaderboards.sharded_index import ShardedIndex
from hansang.errors import SettingsError
from tests.apps.leaderboards.games import WEEK, Game, a_game
from tests.clauses import clause

PLAYERS = 40


def answers(boards: Leaderboards) -> list[object]:
    """Everything that is read from the index, by every rule of ties."""
    found: list[object] = [list(boards.rows.each(WEEK))]
    for ties in TIE_RULES:
        found += [boards.reading.page(WEEK, page, 9, ties) for page in range(PLAYERS // 9 + 1)]
        found += [boards.reading.around(WEEK, player, 3, ties) for player in range(1, PLAYERS, 11)]
        found += [boards.reading.rank(WEEK, player, ties) for player in range(1, PLAYERS, 13)]
    return [_without_next(each) for each in found]


def _without_next(found: object) -> object:
    """Of several equals to be beaten next each index has another one first."""
    if not isinstance(found, WeekRank) or found.next is None:
        return found
    return replace(found, next=None), found.next.score


def play_all(game: Game, boards: Leaderboards, chance: Random, plays: int) -> None:
    game.boards = boards
    for _ in range(plays):
        game.play(chance.randint(1, PLAYERS), chance.randrange(30))


@clause("X2-11")
def test_a_live_week_moves_to_the_sharded_index_with_the_same_boards_all_the_way() -> None:
    chance = Random(5)
    with a_game() as game:
        old = game.boards
        play_all(game, old, chance, 40)
        index = ShardedIndex(game.database, 4)
        index.create()
        index.create()
        both = game.another(plays_a_minute=0, week_index="both", index_shards=4)
        play_all(game, both, chance, 15)
        play_all(game, old, chance, 10)  # A worker that was not restarted yet.
        assert 0 < index.unsharded(WEEK) < PLAYERS
        assert index.fill(WEEK) > 0
        assert index.fill(WEEK) == index.unsharded(WEEK) == 0
        play_all(game, both, chance, 10)
        sharded = game.another(plays_a_minute=0, week_index="sharded", index_shards=4)
        assert answers(sharded) == answers(both)
        expected = answers(sharded)
        index.drop_old()
        assert index.names == {SHARDED}
        assert answers(sharded) == expected
        play_all(game, sharded, chance, 20)
        best = next(sharded.rows.each(WEEK)).id
        sharded.operating.hide(best, "cheating", "note")
        assert best not in {row.id for row in sharded.rows.each(WEEK)}
        sharded.operating.restore(best)
        sharded.settle()
        rows = list(sharded.rows.each(WEEK))
        assert [row.score for row in rows] == sorted((row.score for row in rows), reverse=True)
        assert len(rows) == sharded.trees.live(WEEK).total
        parts = {week_shard(WEEK, row.id, 4) for row in rows}
        assert len(parts) == 4


def test_more_shards_may_be_read_than_were_written() -> None:
    with a_game(week_index="both", index_shards=2) as game:
        ShardedIndex(game.database, 2).create()
        play_all(game, game.boards, Random(1), 40)
        grown = BoardRows(game.database, 6)
        assert list(grown.each(WEEK)) == list(BoardRows(game.database).each(WEEK))


@clause("X2-11")
def test_an_improvement_costs_the_same_and_no_partition_has_all_of_it() -> None:
    """The document's index takes 2 units of one partition; the sharded one 2 of one in several."""
    with a_game(week_index="both", index_shards=8) as game:
        index = ShardedIndex(game.database, 8)
        index.create()
        index.drop_old()
        game.boards = game.another(plays_a_minute=0, week_index="sharded", index_shards=8)
        for player in range(40):
            game.play(player, 10)
        keys = {
            item["WeekShard"]["S"]
            for item in game.database.call(
                "Scan", {"TableName": game.database.name(UsersLeaderboard), "IndexName": SHARDED}, ""
            )["Items"]
        }
        assert len(keys) == 8


def test_shards_are_few() -> None:
    with pytest.raises(SettingsError, match="1 to 64 shards"):
        LeaderboardsSettings(index_shards=65)
