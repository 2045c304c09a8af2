"""Questions for several kinds of items at once, typed as their union."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar, overload

from hansang.design.expressions import Condition
from hansang.design.planner import plan
from hansang.design.query import Query
from hansang.design.table import Index

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")
E = TypeVar("E")


@overload
def collection(
    a: type[A], /, *, where: Sequence[Condition | bool], index: Index | None = None
) -> Query[A]: ...
@overload
def collection(
    a: type[A], b: type[B], /, *, where: Sequence[Condition | bool], index: Index | None = None
) -> Query[A | B]: ...
@overload
def collection(
    a: type[A], b: type[B], c: type[C], /, *, where: Sequence[Condition | bool], index: Index | None = None
) -> Query[A | B | C]: ...
@overload
def collection(
    a: type[A],
    b: type[B],
    c: type[C],
    d: type[D],
    /,
    *,
    where: Sequence[Condition | bool],
    index: Index | None = None,
) -> Query[A | B | C | D]: ...
@overload
def collection(
    a: type[A],
    b: type[B],
    c: type[C],
    d: type[D],
    e: type[E],
    /,
    *,
    where: Sequence[Condition | bool],
    index: Index | None = None,
) -> Query[A | B | C | D | E]: ...
@overload
def collection(
    *kinds: type[Any], where: Sequence[Condition | bool], index: Index | None = None
) -> Query[Any]: ...
def collection(
    *kinds: type[Any], where: Sequence[Condition | bool], index: Index | None = None
) -> Query[Any]:
    """One question for several kinds of items that share a partition; what lies between them is passed over."""
    return plan(kinds, tuple(where), index)
