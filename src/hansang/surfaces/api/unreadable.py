"""Items that cannot be read, in the answers of the API: named in a page, a line of their own in a file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias, TypeVar

import orjson
from pydantic import BaseModel, Field

from hansang.design import Unreadable
from hansang.surfaces.api.problems import Problem
from hansang.surfaces.api.schemas import WireItem
from hansang.surfaces.naming import NamedItem, Naming

T = TypeVar("T")

Read: TypeAlias = T | Unreadable
"""What comes when a table is walked: an answer, or an item that cannot be read as one."""
Walk: TypeAlias = Callable[[Callable[[Unreadable], object]], Iterable[T]]
"""Gives every answer, and tells of what it cannot read."""


class UnreadableShown(BaseModel):
    """An item that stands among the answers and cannot be read."""

    table: str
    kind: str
    key: WireItem
    reason: str
    address: str | None


class ListPage(BaseModel):
    """What every page of a list has beside its items."""

    unreadable: list[UnreadableShown] = Field(examples=[[]])
    cursor: str | None


def unreadable_shown(naming: Naming, found: Iterable[Unreadable]) -> list[UnreadableShown]:
    """The items of a page that cannot be read."""
    return [
        UnreadableShown(table=each.table, kind=each.kind, key=each.key, reason=each.reason, address=each.path)
        for each in naming.each(found)
    ]


def walked_with(walk: Walk[T]) -> Iterator[Read[T]]:
    """Every answer, and before those that were read together with them, the items that cannot be read."""
    met: list[Unreadable] = []
    for each in walk(met.append):
        yield from met
        met.clear()
        yield each
    yield from met


def documents_of(answers: Iterable[Read[T]], write: Callable[[T], bytes], naming: Naming) -> Iterator[bytes]:
    """Each answer as JSON; that of an item that cannot be read has the member `unreadable`."""
    for each in answers:
        if not isinstance(each, Unreadable):
            yield write(each)
        elif (named := naming.one(each)) is not None:
            yield _line(named)


def _line(named: NamedItem) -> bytes:
    item = {} if named.item is None else {"item": named.item}
    told = {"unreadable": named.reason, "table": named.table, "kind": named.kind, "key": named.key}
    return orjson.dumps(told | item)


def rows_of(answers: Iterable[Read[T]], naming: Naming, title: str) -> Iterator[T]:
    """The answers for a format of columns, in which an item that cannot be read has no place: it ends the file."""
    for each in answers:
        if not isinstance(each, Unreadable):
            yield each
        elif (named := naming.one(each)) is not None:
            raise _refusal(named, title)


def _refusal(named: NamedItem, title: str) -> Problem:
    where = "" if named.path is None else f" Repair it on {named.path}, or"
    way_out = f"{where or ' Repair it, or'} ask for format=jsonl, which has such items as lines of their own."
    return Problem("unexpected-item", f"{named.reason} {title} has no place for it.{way_out}")
