"""Rows of a week's board as its index has them, read as they are stored, because every page is."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import merge
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple
from zlib import crc32

from hansang.apps.leaderboards.design import UsersLeaderboard
from hansang.apps.leaderboards.rules import Week
from hansang.design import Database

Item = dict[str, Any]
_MORE = 4


class ScoreRow(NamedTuple):
    """A player with the best score of a week; `at` is when it was reached, empty if nobody knows."""

    score: int
    at: str
    id: int
    name: str


IN_ORDER = attrgetter("at", "id")
"""Among equals the earlier comes first, then the smaller id (X2-10)."""


SHARDED = "WeekShard-TopScore-Index"
"""The index of our own that spreads a week over several partitions; its key is `2014-05-09, 2014-05-15#3`."""


def week_shard(week: Week, player: int, shards: int) -> str | None:
    """The part of a week that a player's row is in; None where weeks have no parts."""
    return f"{week}#{crc32(str(player).encode()) % shards}" if shards else None


class BoardRows:
    """The index of everyone in a week: the document's, or the sharded one, whose parts are merged."""

    def __init__(self, database: Database, shards: int = 0) -> None:
        """With `shards` the sharded index is read; it has at most so many parts."""
        self._database, self._shards = database, shards

    def down(self, week: Week, count: int, highest: int | None = None) -> list[ScoreRow]:
        """Rows from a score down, at least so many if there are; the last group of equals is there whole."""
        return self._take(week, count, "<=", highest, forward=False)

    def up(self, week: Week, count: int, above: int) -> list[ScoreRow]:
        """Rows with a higher score, the nearest group last; the uppermost group is there whole."""
        return self._take(week, count, ">", above, forward=True)[::-1]

    def next_above(self, week: Week, score: int) -> ScoreRow | None:
        """Whoever is to be beaten next: of those with the next higher score, the one the index has first."""
        return next(self._merged(week, ">", score, 1, forward=True), None)

    def each(self, week: Week) -> Iterator[ScoreRow]:
        """Everyone in a week, in the order of the board."""
        rows = self._merged(week, "<=", None, None, forward=False)
        for _, group in groupby(rows, key=lambda row: row.score):
            yield from sorted(group, key=IN_ORDER)

    def _take(self, week: Week, count: int, sign: str, score: int | None, *, forward: bool) -> list[ScoreRow]:
        """Rows until there are enough and the group of the last one has ended, in the order of the board."""
        found: list[ScoreRow] = []
        if not count:
            return found
        for row in self._merged(week, sign, score, count + 1, forward=forward):
            if len(found) >= count and row.score != found[-1].score:
                break
            found.append(row)
        found.sort(key=IN_ORDER, reverse=forward)
        found.sort(key=lambda row: row.score, reverse=not forward)
        return found

    # ── the index ─────────────────────────────────────────────────────────────────────────────────

    def _merged(
        self, week: Week, sign: str, score: int | None, wanted: int | None, *, forward: bool
    ) -> Iterator[ScoreRow]:
        """Rows in the order of their scores; each part is read as far as it is needed."""
        if not self._shards:
            return self._walked(str(week), sign, score, wanted, forward=forward)
        # A part has its share of the rows that are wanted, and a few more, for a share is never even.
        share = None if wanted is None else wanted // self._shards + min(wanted, _MORE)
        parts = [
            self._walked(f"{week}#{shard}", sign, score, share, forward=forward)
            for shard in range(self._shards)
        ]
        return merge(*parts, key=lambda row: row.score, reverse=not forward)

    def _walked(
        self, key: str, sign: str, score: int | None, limit: int | None, *, forward: bool
    ) -> Iterator[ScoreRow]:
        start, wanted = None, limit
        while True:
            response = self._query(key, sign, score, forward, start, limit)
            yield from map(row_of, response["Items"])
            start = response.get("LastEvaluatedKey")
            if start is None:
                return
            limit = None if wanted is None else max(100, wanted)

    def _query(
        self, key: str, sign: str, score: int | None, forward: bool, start: Item | None, limit: int | None
    ) -> Item:
        values: Item = {":week": {"S": key}}
        index, name = (
            (SHARDED, "WeekShard") if self._shards else (UsersLeaderboard.week_top_score.name, "Week")
        )
        request: Item = {
            "TableName": self._database.name(UsersLeaderboard),
            "IndexName": index,
            "KeyConditionExpression": "#w = :week",
            "ExpressionAttributeNames": {"#w": name},
            "ExpressionAttributeValues": values,
            "ScanIndexForward": forward,
        }
        if score is not None:
            request["KeyConditionExpression"] += f" AND #s {sign} :score"
            request["ExpressionAttributeNames"]["#s"] = "TopScore"
            values[":score"] = {"N": str(score)}
        if start is not None:
            request["ExclusiveStartKey"] = start
        if limit is not None:
            request["Limit"] = limit
        return self._database.call("Query", request, "WeeklyBest.overall")


def row_of(item: Item) -> ScoreRow:
    """A row as it is stored."""
    at = item.get("TopScoreAt")
    return ScoreRow(
        int(item["TopScore"]["N"]), "" if at is None else at["S"], int(item["Id"]["N"]), item["Name"]["S"]
    )
