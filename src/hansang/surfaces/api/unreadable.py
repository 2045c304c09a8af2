"""Items that cannot be read, in the answers of the API: named in a page, a line of their own in a file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias, TypeVar

import orjson
from pydantic import BaseModel, Field

from hansang.design import Unreadable
from hansang.surfaces.api.problems import Problem
from hansang.surfaces.naming import Named, Naming

T = TypeVar("T")

Read: TypeAlias = T | Unreadable
"""What comes when a table is walked: an answer, or an item that cannot be read as one."""
Walk: TypeAlias = Callable[[Callable[[Unreadable], object]], Iterable[T]]
"""Gives every answer, and tells of what it cannot read."""


class UnreadableShown(BaseModel):
    """An item that stands among the answers and cannot be read."""

    table: str
    kind: str = Field(description="What it should be.")
    key: dict[str, Any] = Field(description="Its key, in DynamoDB's JSON.")
    reason: str = Field(description="Why it cannot be read, in English.")
    address: str | None = Field(
        description="The page of the console on which it can be seen and repaired, if there is one."
    )


class ListPage(BaseModel):
    """What every page of a list has beside its items."""

    unreadable: list[UnreadableShown] = Field(
        description="What stands among these items and cannot be read; it is not among them."
    )
    cursor: str | None = Field(description="Leads to the next page; null on the last one.")


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


def json_lines_of(answers: Iterable[Read[T]], write: Callable[[T], bytes], naming: Naming) -> Iterator[bytes]:
    """One JSON document a line; that of an item that cannot be read has the member `unreadable`."""
    for each in answers:
        if not isinstance(each, Unreadable):
            yield write(each) + b"\n"
        elif (named := naming.one(each)) is not None:
            yield _line(named)


def _line(named: Named) -> bytes:
    item = {} if named.item is None else {"item": named.item}
    told = {"unreadable": named.reason, "table": named.table, "kind": named.kind, "key": named.key}
    return orjson.dumps(told | item) + b"\n"


def rows_of(answers: Iterable[Read[T]], naming: Naming) -> Iterator[T]:
    """The answers for a table of columns, in which an item that cannot be read has no place: it ends the file."""
    for each in answers:
        if not isinstance(each, Unreadable):
            yield each
        elif (named := naming.one(each)) is not None:
            raise _refusal(named)


def _refusal(named: Named) -> Problem:
    where = "" if named.path is None else f" Repair it on {named.path}, or"
    way_out = f"{where or ' Repair it, or'} ask for format=jsonl, which has such items as lines of their own."
    return Problem("unexpected-item", f"{named.reason} CSV has no place for it.{way_out}")
