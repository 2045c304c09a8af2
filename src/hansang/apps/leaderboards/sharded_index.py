"""From the document's index of a week to one that is spread over several partitions, while the week is played (X2-11).

1. `create` adds the index. Nothing is in it yet, and it costs nothing.
2. Every worker is started with HANSANG_LEADERBOARDS_WEEK_INDEX=both: rows that are written get their shard.
3. `fill` gives a shard to every row that has none. `unsharded` has to be 0 then.
4. Every worker is started with HANSANG_LEADERBOARDS_WEEK_INDEX=sharded: boards are read from the new index.
5. `drop_old` deletes the document's index, whose one partition was full.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any

from hansang.apps.leaderboards.board_rows import SHARDED, BoardRows, week_shard
from hansang.apps.leaderboards.design import UsersLeaderboard, WeeklyBest, WeeklyBestKey
from hansang.apps.leaderboards.rules import Week
from hansang.design import Database, all_of, attr
from hansang.errors import Conflict, NotFound
from hansang.parts.retry import PATIENT, Sleep, retry

_THREADS = 8
_KEYS = {"Id": "N", "Week": "S", "TopScore": "N", "WeekShard": "S"}


class ShardedIndex:
    """The way from one index to the other, step by step; each can be done again."""

    def __init__(self, database: Database, shards: int, *, sleep: Sleep = time.sleep) -> None:
        self._database, self._shards, self._sleep = database, shards, sleep

    @property
    def names(self) -> set[str]:
        """The global indexes that the table has now."""
        return {each["IndexName"] for each in self._described()}

    def create(self) -> None:
        """Add the sharded index, if it is not there."""
        if SHARDED in self.names:
            return
        key = [
            {"AttributeName": "WeekShard", "KeyType": "HASH"},
            {"AttributeName": "TopScore", "KeyType": "RANGE"},
        ]
        index = {"IndexName": SHARDED, "KeySchema": key, "Projection": {"ProjectionType": "ALL"}}
        self._update({"Create": index})

    def fill(self, week: Week, progress: Callable[[int], object] = abs) -> int:
        """Give every row of a week that has none its shard; how many that were."""
        done = 0
        with ThreadPoolExecutor(_THREADS, thread_name_prefix="hansang-shards") as pool:
            players = (row.id for row in BoardRows(self._database).each(week))
            for changed in pool.map(partial(self._give, week), players):
                done += changed
                progress(1)
        return done

    def unsharded(self, week: Week) -> int:
        """How many rows of a week the document's index has, and the sharded one has not."""
        return self._count(BoardRows(self._database).each(week)) - self._count(
            BoardRows(self._database, self._shards).each(week)
        )

    def drop_old(self) -> None:
        """Delete the document's index; its writes are no longer held up by one partition."""
        old = UsersLeaderboard.week_top_score.name
        if old in self.names:
            self._update({"Delete": {"IndexName": old}})

    def _give(self, week: Week, player: int) -> bool:
        shard = week_shard(week, player, self._shards)
        key = WeeklyBestKey(id=player, start=week.start, end=week.end)
        lacks = all_of(attr(WeeklyBest.week_shard).missing(), attr(WeeklyBest.top_score).exists())
        given = attr(WeeklyBest.week_shard).set(shard)
        with suppress(Conflict, NotFound):
            retry(lambda: self._database.update(key, given, when=lacks), self._sleep, PATIENT)
            return True
        return False

    @staticmethod
    def _count(rows: Iterator[object]) -> int:
        return sum(1 for _ in rows)

    def _update(self, change: dict[str, Any]) -> None:
        attributes = [{"AttributeName": name, "AttributeType": kind} for name, kind in _KEYS.items()]
        request: dict[str, Any] = {
            "TableName": self._database.name(UsersLeaderboard),
            "GlobalSecondaryIndexUpdates": [change],
        }
        if "Create" in change:
            request["AttributeDefinitions"] = attributes
        self._database.call("UpdateTable", request, "")
        while any(each.get("IndexStatus", "ACTIVE") != "ACTIVE" for each in self._described()):
            self._sleep(2)

    def _described(self) -> list[dict[str, Any]]:
        request = {"TableName": self._database.name(UsersLeaderboard)}
        found: list[dict[str, Any]] = self._database.call("DescribeTable", request, "")["Table"].get(
            "GlobalSecondaryIndexes", []
        )
        return found
