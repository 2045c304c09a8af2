"""Rows of a week's board as its index has them, read as they are stored, because every page is."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter
from typing import Any, NamedTuple

from hansang.apps.leaderboards.design import UsersLeaderboard
from hansang.apps.leaderboards.rules import Week
from hansang.design import Database

Item = dict[str, Any]


class ScoreRow(NamedTuple):
    """A player with the best score of a week; `at` is when it was reached, empty if nobody knows."""

    score: int
    at: str
    id: int
    name: str


IN_ORDER = attrgetter("at", "id")
"""Among equals the earlier comes first, then the smaller id (X2-10)."""


class BoardRows:
    """The index of everyone in a week."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def down(self, week: Week, count: int, highest: int | None = None) -> list[ScoreRow]:
        """Rows from a score down, at least so many if there are; the last group of equals is there whole."""
        return self._take(week, count, "<=", highest, forward=False)

    def up(self, week: Week, count: int, above: int) -> list[ScoreRow]:
        """Rows with a higher score, the nearest group last; the uppermost group is there whole."""
        return self._take(week, count, ">", above, forward=True)[::-1] if count else []

    def next_above(self, week: Week, score: int) -> ScoreRow | None:
        """Whoever is to be beaten next: of those with the next higher score, the one the index has first."""
        response = self._query(week, ">", score, True, None, 1)
        return next((row_of(each) for each in response["Items"]), None)

    def each(self, week: Week) -> Iterator[ScoreRow]:
        """Everyone in a week, in the order of the board."""
        group: list[ScoreRow] = []
        for row in self._walked(week):
            if group and row.score != group[0].score:
                yield from sorted(group, key=IN_ORDER)
                group = []
            group.append(row)
        yield from sorted(group, key=IN_ORDER)

    def _walked(self, week: Week) -> Iterator[ScoreRow]:
        start = None
        while True:
            response = self._query(week, "<=", None, False, start, None)
            yield from map(row_of, response["Items"])
            start = response.get("LastEvaluatedKey")
            if start is None:
                return

    def _take(self, week: Week, count: int, sign: str, score: int | None, *, forward: bool) -> list[ScoreRow]:
        """Rows until there are enough and the group of the last one has ended, in the order of the board."""
        found: list[ScoreRow] = []
        start, limit = None, count + 1
        while True:
            response = self._query(week, sign, score, forward, start, limit)
            found += map(row_of, response["Items"])
            start = response.get("LastEvaluatedKey")
            if start is None or (len(found) > count and found[-1].score != found[count - 1].score):
                break
            limit = max(100, count)
        found.sort(key=IN_ORDER, reverse=forward)
        found.sort(key=lambda row: row.score, reverse=not forward)
        if len(found) <= count:
            return found
        last = found[count - 1].score
        return [row for row in found if (row.score <= last if forward else row.score >= last)]

    def _query(
        self, week: Week, sign: str, score: int | None, forward: bool, start: Item | None, limit: int | None
    ) -> Item:
        values: Item = {":week": {"S": str(week)}}
        request: Item = {
            "TableName": self._database.name(UsersLeaderboard),
            "IndexName": UsersLeaderboard.week_top_score.name,
            "KeyConditionExpression": "#w = :week",
            "ExpressionAttributeNames": {"#w": "Week"},
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
