"""Tables and indexes page by page, as they are stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import orjson

from hansang.blueprint.explorer.key_texts import key_value
from hansang.design import Database, Index, Query, Table
from hansang.design.codec import Value
from hansang.design.query import SortCondition
from hansang.design.shape import Item
from hansang.errors import NotFound

Sign = Literal["begins_with", "=", ">=", "<="]
"""What can be asked of a sort key without code; the beginning of it only where it is a text."""

SIGNS: tuple[Sign, ...] = get_args(Sign)
BROWSE = "browse"
"""The pattern under which browsing is counted."""
LOOKED_AT = 2_000
"""How many items are read at most for one page of a list that leaves some out."""
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Source:
    """A table, or one of its indexes."""

    table: type[Table]
    index: Index | None = None

    @property
    def name(self) -> str:
        return self.table.name if self.index is None else self.index.name

    @property
    def partition_keys(self) -> tuple[str, ...]:
        """The attributes of its partition key; of an index there may be several."""
        return (self.table.pk,) if self.index is None else self.index.partition_keys

    @property
    def sort_keys(self) -> tuple[str, ...]:
        """The attributes of its sort key, in their order."""
        return self.table.key_attributes()[1:] if self.index is None else self.index.sort_keys

    @property
    def keys(self) -> tuple[str, ...]:
        """The attributes of its key, then those of the table's."""
        return tuple(dict.fromkeys((*self.partition_keys, *self.sort_keys, *self.table.key_attributes())))

    @property
    def signs(self) -> tuple[Sign, ...]:
        """What can be asked of the sort key, or of one of its attributes."""
        found = [self.signs_of(name) for name in self.sort_keys]
        return max(found, key=len, default=())

    def signs_of(self, attribute: str) -> tuple[Sign, ...]:
        """What can be asked of an attribute of the sort key."""
        return SIGNS if self.table.kind_of(attribute) == "S" else SIGNS[1:]


def sources(table: type[Table]) -> list[Source]:
    """The table, then its indexes."""
    return [Source(table), *(Source(table, index) for index in table.indexes)]


def source(table: type[Table], name: str) -> Source:
    """The table itself, or the index of this name; NotFound if there is none."""
    for each in sources(table):
        if not name or each.name == name:
            return each
    known = ", ".join(index.name for index in table.indexes)
    raise NotFound(
        "{table} has no index {name}. There are {known}.",
        code="surfaces.no-index",
        values={"table": table.name, "name": name, "known": known or "none"},
    )


@dataclass(frozen=True, slots=True)
class Search:
    """Which items are wanted; without a partition key, all of them."""

    source: Source
    partition: str = ""
    sort: str = ""
    sign: Sign = "begins_with"
    is_forward: bool = True
    limit: int = 25
    cursor: str | None = None
    keep: Callable[[Item], bool] | None = None
    """Which items are not left out; without it all of them are wanted."""
    further: Mapping[str, str] = field(default_factory=dict)
    """What is asked of the attributes behind the first, where a half of the key has several."""

    def text(self, attribute: str) -> str:
        """What is asked of an attribute of the key; empty if nothing is."""
        first = {
            **dict.fromkeys(self.source.sort_keys[:1], self.sort),
            self.source.partition_keys[0]: self.partition,
        }
        return first.get(attribute, self.further.get(attribute, ""))

    @property
    def is_by_key(self) -> bool:
        """Whether a partition is asked for."""
        return any(self.text(name) for name in self.source.partition_keys)

    @property
    def is_sorted_by_key(self) -> bool:
        """Whether something is asked of the sort key."""
        return any(self.text(name) for name in self.source.sort_keys)


@dataclass(frozen=True, slots=True)
class Found:
    """One page of items, what the request was, and what it cost."""

    items: list[Item]
    cursor: str | None
    offset: int
    """How many items came before."""
    operation: str
    request: dict[str, Any]
    read_units: float


def browse(database: Database, search: Search) -> Found:
    """One page of what is wanted, in the order of the sort key within a partition."""
    operation, request = _request(database, search)
    subject = f"{BROWSE} {operation} {orjson.dumps(request, option=orjson.OPT_SORT_KEYS).decode()}"
    start, offset = (None, 0) if not search.cursor else database.unsealed(subject, search.cursor)

    def read(start: Item | None, limit: int) -> tuple[list[Item], Item | None]:
        place = {"ExclusiveStartKey": start} if start else {}
        answer = database.call(operation, {**request, "Limit": limit, **place}, BROWSE)
        return answer["Items"], answer.get("LastEvaluatedKey")

    with database.meter() as cost:
        items, following = read(start, search.limit) if search.keep is None else _kept(search, read, start)
    cursor = None if following is None else database.sealed(subject, [following, offset + len(items)])
    return Found(items, cursor, offset, operation, request | {"Limit": search.limit}, cost.read)


Reading = Callable[[Item | None, int], tuple[list[Item], Item | None]]
"""Reads so many items from a place on, and says where to go on."""


def _kept(search: Search, read: Reading, start: Item | None) -> tuple[list[Item], Item | None]:
    """The first items that are not left out, and where to go on; a page may have fewer, so that it comes soon."""
    found: list[Item] = []
    for _ in range(LOOKED_AT // _AT_ONCE):
        items, following = read(start, _AT_ONCE)
        for number, item in enumerate(items, 1):
            if search.keep is None or search.keep(item):
                found.append(item)
            if len(found) == search.limit:
                is_last = number == len(items)
                return found, following if is_last else {name: item[name] for name in search.source.keys}
        start = following
        if start is None:
            break
    return found, start


def _request(database: Database, search: Search) -> tuple[str, dict[str, Any]]:
    source, name = search.source, database.name(search.source.table)
    if search.is_by_key:
        return "Query", _question(search).request(name)
    index = {} if source.index is None else {"IndexName": source.index.name}
    return "Scan", {"TableName": name, **index}


def _question(search: Search) -> Query[Any]:
    source = search.source
    first, *more = ((name, _value(search, name)) for name in source.partition_keys)
    equal = ((name, SortCondition("=", (value,))) for name, value in more)
    return Query(
        source.table,
        source.index,
        (),
        first[1],
        None,
        further=(*equal, *_sort(search)),
        forward=search.is_forward,
    )


def _sort(search: Search) -> list[tuple[str, SortCondition]]:
    """What is asked of the sort key: the last attribute that is given by the sign, those before it by equality."""
    names = search.source.sort_keys
    given = [name for name in names if search.text(name)]
    if not given:
        return []
    *before, last = names[: names.index(given[-1]) + 1]
    sign = search.sign if search.sign in search.source.signs_of(last) else "="
    asked = [*((name, "=") for name in before), (last, sign)]
    return [(name, SortCondition(sign, (_value(search, name),))) for name, sign in asked]


def _value(search: Search, attribute: str) -> Value:
    return key_value(attribute, search.source.table.kind_of(attribute), search.text(attribute))
