"""Queries and scans as data, and what the model answers to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from tests.engine.model import Model, Units, read_units
from tests.engine.model_conditions import BeginsWith, Between, Compare, Condition, Placeholders, roots
from tests.engine.model_tables import Index, Table
from tests.engine.model_values import Item, Refused, Unspecified, Value, item_size, normal, order


@dataclass(frozen=True)
class Read:
    """A Query when it has a partition, otherwise a Scan."""

    table: Table
    index: Index
    partition: tuple[Value, ...] = ()
    sort: Condition | None = None
    """One condition on the first attribute of the sort key."""
    where: Condition | None = None
    forward: bool = True
    limit: int | None = None
    consistent: bool = False
    select: str | None = None
    segments: int = 1

    @property
    def operation(self) -> str:
        return "Query" if self.partition else "Scan"

    @property
    def on_base(self) -> bool:
        return self.index == self.table.base

    @property
    def unique(self) -> bool:
        """Whether it can find one item at most; such a query cannot be restarted."""
        whole = not self.index.range or (isinstance(self.sort, Compare) and self.sort.sign == "=")
        return self.on_base and bool(self.partition) and whole

    @property
    def fetches(self) -> bool:
        """A local index that lacks attributes gets them from the table."""
        return self.select == "ALL_ATTRIBUTES" and self.index.include is not None

    def request(self, mode: str) -> dict[str, Any]:
        spell = Placeholders()
        found: dict[str, Any] = {"TableName": self.table.name, "ReturnConsumedCapacity": mode}
        if not self.on_base:
            found["IndexName"] = self.index.name
        if self.partition:
            found |= {"KeyConditionExpression": self._key_text(spell), "ScanIndexForward": self.forward}
        if self.where:
            found["FilterExpression"] = self.where.text(spell)
        options = {"Limit": self.limit, "Select": self.select, "ConsistentRead": self.consistent or None}
        return (
            found | {name: value for name, value in options.items() if value is not None} | spell.parameters()
        )

    def _key_text(self, spell: Placeholders) -> str:
        parts = [
            f"{spell.name(name)} = {spell.value(value)}"
            for name, value in zip(self.index.hash, self.partition, strict=True)
        ]
        return " AND ".join([*parts, *([self.sort.text(spell)] if self.sort else [])])

    def check(self) -> None:
        """Refused, when the request is faulty whatever the table holds."""
        for condition in (self.sort, self.where):
            if condition:
                condition.check()
        for value, name in zip(self.partition, self.index.hash, strict=False):
            _check_key_literal(value, self.table.types[name])
        for value in _literals(self.sort) if self.sort else ():
            _check_key_literal(value, self.table.types[self.index.range[0]])
        if self.partition and self.where and not self._sees(self.where):
            raise Refused
        if self.consistent and not self.index.local:
            raise Refused
        if self.select == "ALL_PROJECTED_ATTRIBUTES" and self.on_base:
            raise Refused
        if self.fetches and not self.index.local:
            raise Refused

    def _sees(self, condition: Condition) -> bool:
        return all(self.index.holds(name, self.table) for name in roots(condition))

    def answer(self, model: Model) -> list[Item]:
        """The entries read, in order and before the filter."""
        self.check()
        entries = [item for item in model.entries(self.table, self.index) if self._reads(item)]
        return entries if self.forward else entries[::-1]

    def _reads(self, item: Item) -> bool:
        wanted = [order(normal(value)) for value in self.partition]
        found = [order(item[name]) for name in self.index.hash[: len(wanted)]]
        return found == wanted and (self.sort is None or self.sort.holds(item))

    def shown(self, model: Model, entries: Sequence[Item]) -> list[Item]:
        """The entries as they are answered: whole where asked for, and only those that pass the filter."""
        if self.fetches and self.where and not self._sees(self.where):
            raise Unspecified
        passed = [item for item in entries if self.where is None or self.where.holds(item)]
        return [self._whole(model, item) for item in passed]

    def _whole(self, model: Model, entry: Item) -> Item:
        return model.items[self.table.name][self.table.key(entry)] if self.fetches else entry

    def units(self, model: Model, entries: Sequence[Item]) -> Units:
        """What it costs to read these entries on one page."""
        place = None if self.on_base else self.index.name
        found: Units = {place: read_units(sum(map(item_size, entries)), self.consistent)}
        if self.fetches:
            rate = 1.0 if self.consistent else 0.5
            sizes = [item_size(self._whole(model, entry)) for entry in entries]
            found[None] = sum(ceil(size / 4096) * rate for size in sizes)
        return found

    def position(self, item: Item) -> list[Any]:
        """Where an answered item stands in the order of the index."""
        return [order(item[name]) for name in self.index.range]

    def start_key(self, item: Item) -> Item:
        """The key after which a next page starts."""
        return {name: item[name] for name in (*self.table.keys, *self.index.keys)}


def _check_key_literal(value: Value, sort: str) -> None:
    if list(normal(value)) != [sort] or not value[sort]:
        raise Refused


def _literals(condition: Condition) -> list[Value]:
    if isinstance(condition, Between):
        return [condition.low, condition.high]
    assert isinstance(condition, Compare | BeginsWith)
    return [condition.value]
