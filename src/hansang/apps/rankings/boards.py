"""The two boards: by level and by power, with the same questions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple

from hansang.apps.rankings.design import (
    Board,
    Hanwol,
    LevelRow,
    OfficialLevelRow,
    OfficialPowerRow,
    PowerRow,
    Profile,
    Snapshot,
    SnapshotDay,
)
from hansang.design import Database, Index, Query

Item = dict[str, Any]


class BoardRow(NamedTuple):
    """A player on a board on one day."""

    uuid: str
    name: str
    score: int


class OfficialRow(NamedTuple):
    """A line of an official ranking, as it was delivered or computed."""

    rank: int
    uuid: str
    name: str
    score: int


@dataclass(frozen=True, slots=True)
class BoardDesign:
    """Where the document keeps a board."""

    name: Board
    attribute: str
    internal: Index
    rank_field: Any
    rows: type[Any]
    official: type[Any]

    def score(self, snapshot: Snapshot) -> int:
        return int(getattr(snapshot, self.name))

    def current(self, profile: Profile) -> int:
        return profile.current_level if self.name == "level" else profile.current_power

    def rank(self, snapshot: Snapshot) -> int | None:
        """The official rank, of those who have one."""
        return snapshot.level_rank if self.name == "level" else snapshot.power_rank

    def tree(self, day: SnapshotDay) -> str:
        """The name of the day's tree: that of the last time that the day was finished."""
        return f"{self.name}.{day.day}.{day.generation}"

    def between(self, day: date, low: int, high: int) -> Query[Any]:
        found: Query[Any] = self.rows.between(day, low, high)
        return found

    def official_rows(self, database: Database, day: date, first: int | None = None) -> list[OfficialRow]:
        """The official first hundred of a day, from rank 1, or the first of them."""
        top = self.official.top(day)
        found = database.all(top) if first is None else database.page(top, first).items
        return [
            OfficialRow(getattr(row, f"{self.name}_rank"), row.uuid, row.name, getattr(row, self.name))
            for row in found
        ]

    # ── one player ────────────────────────────────────────────────────────────────────────────────

    def find_score(self, database: Database, uuid: str, day: date) -> tuple[int, int | None] | None:
        """A player's score and official rank on a day: of the item as it is, since it is read for every rank."""
        key = {"PK": {"S": f"USER#{uuid}"}, "SK": {"S": f"SNAP#{day.isoformat()}"}}
        request = {"TableName": database.name(Hanwol), "Key": key}
        item = database.call("GetItem", request, "Snapshot.get").get("Item")
        if item is None or self.attribute not in item:
            return None
        official = item.get(f"{self.attribute}_Rank")
        return int(item[self.attribute]["N"]), None if official is None else int(official["N"])

    # ── everyone ──────────────────────────────────────────────────────────────────────────────────

    def take(
        self,
        database: Database,
        day: date,
        count: int,
        *,
        highest: int | None = None,
        start: Item | None = None,
        skip: int = 0,
    ) -> list[BoardRow]:
        """So many rows of everyone: from a score down, behind the row of a start key, or from the top.

        Those to be skipped are among them, and left out.
        """
        found: list[Item] = []
        while len(found) < count:
            response = self._query(database, day, highest, start, count - len(found))
            found += response["Items"]
            start = response.get("LastEvaluatedKey")
            if start is None:
                break
        return self._rows(found[skip:])

    def each(self, database: Database, day: date) -> Iterator[BoardRow]:
        """Everyone on a day, the highest score first, a page of the index at a time."""
        start = None
        while True:
            response = self._query(database, day, None, start, None)
            yield from self._rows(response["Items"])
            start = response.get("LastEvaluatedKey")
            if start is None:
                return

    def start_behind(self, day: date, key: str, score: int) -> Item:
        """The place in the index behind a row."""
        return {"PK": {"S": key}, "SK": {"S": f"SNAP#{day}"}, self.attribute: {"N": str(score)}}

    def _query(
        self, database: Database, day: date, highest: int | None, start: Item | None, limit: int | None
    ) -> Item:
        names = {"#score": self.attribute} if highest is not None else {}
        values: Item = {":day": {"S": f"SNAP#{day}"}}
        condition = "SK = :day"
        if highest is not None:
            condition += " AND #score <= :highest"
            values[":highest"] = {"N": str(highest)}
        request: Item = {
            "TableName": database.name(Hanwol),
            "IndexName": self.internal.name,
            "KeyConditionExpression": condition,
            "ExpressionAttributeValues": values,
            "ScanIndexForward": False,
        }
        if names:
            request["ExpressionAttributeNames"] = names
        if start is not None:
            request["ExclusiveStartKey"] = start
        if limit is not None:
            request["Limit"] = limit
        return database.call("Query", request, f"{self.rows.__name__}.ranking")

    def _rows(self, items: list[Item]) -> list[BoardRow]:
        # A page has many rows, and the constructor of a named tuple takes twice as long as the tuple.
        new, score = tuple.__new__, self.attribute
        return [
            new(BoardRow, (item["PK"]["S"][5:], item["Name"]["S"], int(item[score]["N"]))) for item in items
        ]


LEVEL = BoardDesign("level", "Level", Hanwol.internal_level, Snapshot.level_rank, LevelRow, OfficialLevelRow)
POWER = BoardDesign("power", "Power", Hanwol.internal_power, Snapshot.power_rank, PowerRow, OfficialPowerRow)
DESIGNS: dict[Board, BoardDesign] = {"level": LEVEL, "power": POWER}
