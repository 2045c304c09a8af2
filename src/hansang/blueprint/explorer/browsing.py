"""Tables and indexes page by page, as they are stored."""

from __future__ import annotations

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from typing import Any, Literal, get_args

import orjson

from hansang.blueprint.explorer.key_texts import key_value
from hansang.design import Database, Index, Query, Table
from hansang.design.query import SortCondition
from hansang.design.shape import Item
from hansang.errors import InvalidCursor, NotFound

Sign = Literal["begins_with", "=", ">=", "<="]
"""What can be asked of a sort key without code; the beginning of it only where it is a text."""

SIGNS: tuple[Sign, ...] = get_args(Sign)
BROWSE = "browse"
"""The pattern under which browsing is counted."""


@dataclass(frozen=True, slots=True)
class Source:
    """A table, or one of its indexes."""

    table: type[Table]
    index: Index | None = None

    @property
    def name(self) -> str:
        return self.table.name if self.index is None else self.index.name

    @property
    def pk(self) -> str:
        return self.table.pk if self.index is None else self.index.pk

    @property
    def sk(self) -> str | None:
        return self.table.sk if self.index is None else self.index.sk

    @property
    def keys(self) -> tuple[str, ...]:
        """The attributes of its key, then those of the table's."""
        own = (self.pk,) if self.sk is None else (self.pk, self.sk)
        return tuple(dict.fromkeys((*own, *self.table.key_attributes())))

    @property
    def signs(self) -> tuple[Sign, ...]:
        """What can be asked of the sort key."""
        if self.sk is None:
            return ()
        return SIGNS if self.table.kind_of(self.sk) == "S" else SIGNS[1:]


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
    start, offset = _place(search.cursor)
    shown = dict(request)
    sent = request | {"Limit": search.limit} | ({"ExclusiveStartKey": start} if start else {})
    with database.meter() as cost:
        answer = database.call(operation, sent, BROWSE)
    items: list[Item] = answer["Items"]
    following = answer.get("LastEvaluatedKey")
    cursor = None if following is None else _cursor(following, offset + len(items))
    return Found(items, cursor, offset, operation, shown | {"Limit": search.limit}, cost.read)


def _request(database: Database, search: Search) -> tuple[str, dict[str, Any]]:
    source, name = search.source, database.name(search.source.table)
    if search.partition:
        return "Query", _question(search).request(name)
    index = {} if source.index is None else {"IndexName": source.index.name}
    return "Scan", {"TableName": name, **index}


def _question(search: Search) -> Query[Any]:
    source = search.source
    partition = key_value(source.pk, source.table.kind_of(source.pk), search.partition)
    return Query(source.table, source.index, (), partition, _sort(search), forward=search.is_forward)


def _sort(search: Search) -> SortCondition | None:
    source = search.source
    if source.sk is None or not search.sort:
        return None
    sign = search.sign if search.sign in source.signs else "="
    return SortCondition(sign, (key_value(source.sk, source.table.kind_of(source.sk), search.sort),))


# A cursor is not signed: whoever may read a table may begin to read it anywhere.
def _cursor(start: Item, offset: int) -> str:
    return urlsafe_b64encode(orjson.dumps([start, offset])).decode().rstrip("=")


def _place(cursor: str | None) -> tuple[Item | None, int]:
    if not cursor:
        return None, 0
    try:
        start, offset = orjson.loads(urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (binascii.Error, ValueError, TypeError) as reason:
        raise _strange_cursor() from reason
    if not isinstance(start, dict) or not isinstance(offset, int):
        raise _strange_cursor()
    return start, offset


def _strange_cursor() -> InvalidCursor:
    return InvalidCursor(
        "This place in the table cannot be read. Start again without a cursor.", code="surfaces.no-place"
    )
