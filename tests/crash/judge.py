"""The judge: what must be in the file after a crash, and whether it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from hansang.engine import Engine
from tests.crash.plan import KEYS, LEDGER, TABLES, Item, Place, Touch, triple, write
from tests.engine.model_values import spelled
from tests.engine.streams import stream_records

Record = tuple[str, Item | None, Item | None]
"""The event, the old image and the new one."""


@dataclass
class Judge:
    """Follows every writer's plan as far as it was acknowledged, over all rounds on one file."""

    writers: tuple[str, ...]
    items: dict[Place, Item] = field(default_factory=dict)
    """What the file holds for certain."""
    turns: dict[str, int] = field(default_factory=dict)
    """The next turn of each writer."""
    acknowledged: int = 0
    records: dict[Place, list[Record]] = field(default_factory=dict)
    """The stream records that the round must have left."""
    positions: dict[str, dict[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.turns = dict.fromkeys(self.writers, 1)

    def acknowledge(self, writer: str, turn: int) -> None:
        """The engine has answered this write."""
        assert turn == self.turns[writer], f"{writer} reported turn {turn} instead of {self.turns[writer]}"
        for touch in write(writer, turn).touches:
            self._apply(touch)
        self.turns[writer] = turn + 1
        self.acknowledged += 1

    def _apply(self, touch: Touch) -> None:
        before = self.items.get(touch.place)
        after = touch.after(before)
        if before != after:
            event = "INSERT" if before is None else "REMOVE" if after is None else "MODIFY"
            self.records.setdefault(touch.place, []).append((event, before, after))
        if after is None:
            self.items.pop(touch.place, None)
        else:
            self.items[touch.place] = after

    def verdict(self, engine: Engine) -> list[str]:
        """Everything that is wrong with the file; and what was under way is taken as it is found."""
        tables = {name: scan(engine, name) for name in TABLES}
        stored = {place(name, item): item for name, items in tables.items() for item in items}
        faults = [fault for writer in self.writers for fault in self._settle(writer, stored)]
        faults += _differences(self.items, stored)
        faults += [fault for writer in self.writers for fault in half_transactions(writer, stored)]
        faults += [fault for name in TABLES for fault in index_faults(engine, name, tables[name])]
        faults += [fault for name in TABLES for fault in self._stream_faults(engine, name)]
        self.records.clear()
        return faults

    def _settle(self, writer: str, stored: dict[Place, Item]) -> Iterator[str]:
        """Decide what became of the one write that was under way, and skip its turn."""
        under_way = write(writer, self.turns[writer])
        done = [touch for touch in under_way.touches if self._is_done(touch, stored)]
        changing = [
            touch for touch in under_way.touches if touch.after(self._item(touch)) != self._item(touch)
        ]
        if under_way.whole and done and len(done) != len(changing):
            yield f"{writer} {self.turns[writer]}: {under_way.operation} is half there"
        for touch in done:
            self._apply(touch)
        self.turns[writer] += 1

    def _item(self, touch: Touch) -> Item | None:
        return self.items.get(touch.place)

    def _is_done(self, touch: Touch, stored: dict[Place, Item]) -> bool:
        after = touch.after(self._item(touch))
        return after != self._item(touch) and stored.get(touch.place) == after

    def _stream_faults(self, engine: Engine, name: str) -> Iterator[str]:
        """The stream has, for each key and in order, one record for each change; and no other."""
        found: dict[Place, list[Record]] = {}
        for record in stream_records(engine, name, self.positions.setdefault(name, {})):
            body = record["dynamodb"]
            told = (record["eventName"], body.get("OldImage"), body.get("NewImage"))
            found.setdefault(place(name, body["Keys"]), []).append(told)
        expected = {place: records for place, records in self.records.items() if place[0] == name}
        for where in sorted({*expected, *found}):
            if expected.get(where, []) != found.get(where, []):
                counts = len(expected.get(where, [])), len(found.get(where, []))
                yield f"{where}: the stream has {counts[1]} records where {counts[0]} are due, or other ones"


def place(name: str, item: Item) -> Place:
    pk = item["PK"]["S"]
    return (name, f"{pk}/{item['SK']['S']}" if name == LEDGER else pk)


def scan(engine: Engine, table: str, **options: str) -> list[Item]:
    found: list[Item] = []
    request: dict[str, Any] = {"TableName": table, **options}
    while True:
        page = engine.call("Scan", request)
        found += page["Items"]
        if "LastEvaluatedKey" not in page:
            return found
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def _differences(expected: dict[Place, Item], stored: dict[Place, Item]) -> Iterator[str]:
    for place in sorted({*expected, *stored}):
        if expected.get(place) != stored.get(place):
            due, found = expected.get(place, {}).get("turn"), stored.get(place, {}).get("turn")
            yield f"{place}: turn {due} was acknowledged, {found} is there"


def half_transactions(writer: str, stored: dict[Place, Item]) -> Iterator[str]:
    """Triples are only written in transactions: the three items have one turn, or none is there."""
    for number in range(KEYS):
        turns = [stored.get(place, {}).get("turn") for place in triple(writer, number)]
        if any(left != right for left, right in pairwise(turns)):
            yield f"{writer}, triple {number}: half a transaction, turns {turns}"


def index_faults(engine: Engine, table: str, items: list[Item]) -> Iterator[str]:
    """Each index holds exactly what its table implies."""
    definition = TABLES[table]
    indexes = definition.get("GlobalSecondaryIndexes", []) + definition.get("LocalSecondaryIndexes", [])
    for index in indexes:
        expected = [entry for item in items if (entry := _entry(definition, index, item)) is not None]
        found = scan(engine, table, IndexName=index["IndexName"])
        if spelled(expected) != spelled(found):
            counts = f"{len(found)} entries where {len(expected)} are due"
            yield f"{table}.{index['IndexName']} has {counts}, or other ones"


def _entry(definition: dict[str, Any], index: dict[str, Any], item: Item) -> Item | None:
    keys = {part["AttributeName"] for part in index["KeySchema"]}
    if not keys <= item.keys():
        return None
    if index["Projection"]["ProjectionType"] == "ALL":
        return item
    table_keys = {part["AttributeName"] for part in definition["KeySchema"]}
    held = keys | table_keys | set(index["Projection"].get("NonKeyAttributes", []))
    return {name: value for name, value in item.items() if name in held}
