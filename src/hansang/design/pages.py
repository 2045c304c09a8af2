"""Reading the answers to a question: pages of them, and the items among them that cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from hansang.design.codec import Value
from hansang.design.kinds import recognised
from hansang.design.query import Pattern, Query
from hansang.design.runner import Runner
from hansang.design.shape import Item
from hansang.design.table import Table
from hansang.errors import DesignError, InvalidInput, UnexpectedItem

R = TypeVar("R")

_NEXT = ""
"""Under which a place that is the beginning of the next partition has its key; no attribute has this name."""

READ_AT_ONCE = 1000
"""How many items a page reads at least when some of them are left out: one request, and few units."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """An item among the answers that its entity cannot read; `db.repair` mends it."""

    table: type[Table]
    kind: type[Any]
    """What it should have been."""
    key: Item
    item: Item
    """What was found of it; an index may hold a part."""
    reason: str
    attribute: str = ""
    """Which attribute is missing or cannot be read, if it is one."""


@dataclass(frozen=True, slots=True)
class Page(Generic[R]):
    """A page of answers. `cursor` leads to the next one; `offset` is how many items came before."""

    items: list[R]
    cursor: str | None
    offset: int
    unreadable: list[Unreadable] = field(default_factory=list)
    """What stands among these items and cannot be read; it is not among `items`."""

    def __iter__(self) -> Iterator[R]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


class QueryAnswers(Generic[R]):
    """The answers to one question, as they are read."""

    def __init__(
        self, runner: Runner, query: Query[R], unreadable: Callable[[Unreadable], object] | None = None
    ) -> None:
        """Without `unreadable`, an item that cannot be read is an error."""
        self.query: Query[R] = expect_query(query)
        self.runner, self._unreadable = runner, unreadable
        self._broken: dict[int, UnexpectedItem] = {}

    def request(self, start: Item | None, limit: int | None, **extra: Any) -> dict[str, Any]:
        query, name = self.query, self.runner.name(self.query.table)
        partition = self._partition(start)
        request = query.request(name, partition) | extra if query.buckets else query.request(name) | extra
        if start is not None and _NEXT not in start:
            request["ExclusiveStartKey"] = start
        if limit is not None:
            request["Limit"] = limit
        response = self.runner.call(query.operation, request, query.name or "query")
        if query.buckets and "LastEvaluatedKey" not in response:
            following = query.partition_after(partition)
            return response if following is None else response | {"LastEvaluatedKey": {_NEXT: following}}
        return response

    def _partition(self, start: Item | None) -> Value:
        """The partition that is read from a place on."""
        if start is None:
            return self.query.partitions[0]
        return start[_NEXT] if _NEXT in start else start[self.query.keys[0]]

    def take(self, limit: int, start: Item | None) -> tuple[list[R], Item | None]:
        """At most this many answers from a place on, and the place behind them, None at the end."""
        found: list[R] = []
        asked = self._first_limit(limit)
        while True:
            response = self.request(start, asked)
            asked = max(limit, READ_AT_ONCE)
            items, start = response["Items"], response.get("LastEvaluatedKey")
            decoded = self.query.decode_page(items, self._strange)
            if len(found) + len(decoded) > limit:
                wanted = limit - len(found)
                end = self._end(items, wanted)
                self._tell(items[:end])
                return found + decoded[:wanted], self._place_of(items[end - 1])
            self._tell(items)
            found += decoded
            if start is None or len(found) == limit:
                return found, start

    def _first_limit(self, limit: int) -> int:
        """How many items to ask for at first; what others have left open is never asked for one by one."""
        return max(limit, READ_AT_ONCE) if self.query.is_filtered else limit

    def first(self, limit: int) -> Iterator[R]:
        """The first answers, read as they are used."""
        start: Item | None = None
        while limit > 0:
            found, start = self.take(min(limit, READ_AT_ONCE), start)
            yield from found
            limit -= len(found)
            if start is None:
                return

    def _end(self, items: list[Item], wanted: int) -> int:
        """How many items there are up to the one with which the page is full."""
        for end, item in enumerate(items, 1):
            wanted -= len(self.query.decode_page([item], self._strange))
            if not wanted:
                return end
        raise AssertionError("a page that is too full has an item that fills it")

    def _place_of(self, item: Item) -> Item:
        names = dict.fromkeys((*self.query.table.key_attributes(), *self.query.key_attributes))
        return {name: item[name] for name in names}

    def pages(self, **extra: Any) -> Iterator[dict[str, Any]]:
        start = None
        while True:
            response = self.request(start, None, **extra)
            yield response
            start = response.get("LastEvaluatedKey")
            if start is None:
                return

    def decode(self, items: list[Item]) -> list[R]:
        found = self.query.decode_page(items, self._strange)
        self._tell(items)
        return found

    def _strange(self, item: Item, found: list[Any]) -> None:
        """Whatever is no plain item of the kind: one with more attributes, one of another kind, or a broken one."""
        try:
            found.append(self.query.decode(item))
        except UnexpectedItem as fault:
            if not self.query.is_another(item):
                self._broken[id(item)] = fault

    def _tell(self, items: list[Item]) -> None:
        """Hand over what could not be read of these items, once, or raise it."""
        broken, self._broken = self._broken, {}
        for item in items if broken else ():
            fault = broken.get(id(item))
            if fault is not None and self._unreadable is None:
                raise fault
            if fault is not None and self._unreadable is not None:
                self._unreadable(self._told(item, fault))

    def _told(self, item: Item, fault: UnexpectedItem) -> Unreadable:
        shape = recognised(self.query.shapes, item) or self.query.shapes[0]
        kind = shape if shape.entity is None else shape.entity
        key = {name: item[name] for name in self.query.table.key_attributes()}
        return Unreadable(self.query.table, kind.cls, key, item, str(fault), fault.attribute)


def expect_limit(limit: Any, least: int = 1) -> None:
    if type(limit) is not int or limit < least:
        raise InvalidInput(
            "A limit is a whole number of at least {least}, not {limit!r}.",
            "limit",
            code="design.limit",
            values={"least": least, "limit": limit},
        )


def expect_query(query: Any) -> Any:
    """The question itself, or a DesignError that says what was given instead."""
    if isinstance(query, Query):
        return query
    named = getattr(query, "pattern", None)
    if isinstance(named, Pattern):
        owner = "" if named.owner is None else f"{named.owner.__name__}."
        raise DesignError(
            f"{owner}{named.label} is a pattern and was not called. Write {owner}{named.label}(…)."
        )
    raise DesignError(
        f"{query!r} is not a question. Give a pattern's, such as Post.latest(), or Post.query(…)."
    )
