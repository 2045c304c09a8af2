"""Access patterns: typed questions that become one Query of one table or index."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import update_wrapper
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from hansang.design.codec import Value
from hansang.design.expressions import (
    Condition,
    Field,
    Writer,
    all_of,
)
from hansang.design.shape import Item, Shape, recognised
from hansang.design.table import Index, Table
from hansang.errors import DesignError, UnexpectedItem

P = ParamSpec("P")
R = TypeVar("R", covariant=True)
O = TypeVar("O")  # noqa: E741
Q = TypeVar("Q", bound="Query[Any]")


@dataclass(frozen=True, slots=True)
class SortCondition:
    """What is asked of the sort key: `=`, `<`, `BETWEEN`, `begins_with` …, with its values."""

    sign: str
    values: tuple[Value, ...]

    def write(self, writer: Writer, attribute: str) -> str:
        name, values = writer.name(attribute), [writer.value(value) for value in self.values]
        if self.sign == "BETWEEN":
            return f"{name} BETWEEN {values[0]} AND {values[1]}"
        if self.sign == "begins_with":
            return f"begins_with({name}, {values[0]})"
        return f"{name} {self.sign} {values[0]}"


@dataclass(frozen=True)
class Query(Generic[R]):
    """A question, ready to be run; making it reads nothing."""

    table: type[Table]
    index: Index | None
    shapes: tuple[Shape, ...]
    partition: Value
    sort: SortCondition | None
    filter: Condition | None = None
    forward: bool = True
    strong: bool = False
    name: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def descending(self) -> Query[R]:
        """From the largest sort key to the smallest."""
        return replace(self, forward=False)

    def where(self, *conditions: Condition | bool) -> Query[R]:
        """Leave out what does not fit. It is read and paid for all the same."""
        wanted = all_of(*conditions)
        for each in wanted.fields():
            self._expect_readable(each)
        return replace(self, filter=wanted if self.filter is None else all_of(self.filter, wanted))

    def consistent(self) -> Query[R]:
        """Read what was written last, at twice the cost. A global index cannot."""
        if self.index is not None and self.index.is_global:
            raise DesignError(
                f"The global index {self.index.name} is eventually consistent and cannot be read otherwise. "
                "Read the table, or a local index."
            )
        return replace(self, strong=True)

    def _expect_readable(self, each: Field) -> None:
        keys = self.table.key_attributes() if self.index is None else self.index.keys
        if each.in_key or each.attribute in keys:
            raise DesignError(
                f"{each!r} is part of the key of this question. Ask for it in query(), not in where()."
            )
        if self.index is not None and not self.index.projects(each.attribute):
            raise DesignError(
                f"The index {self.index.name} does not project {each.attribute}, so it cannot filter by it."
            )

    def request(self, table_name: str) -> dict[str, Any]:
        """The Query request."""
        writer = Writer()
        pk, sk = self.keys
        parts = [f"{writer.name(pk)} = {writer.value(self.partition)}"]
        if self.sort is not None and sk is not None:
            parts.append(self.sort.write(writer, sk))
        request: dict[str, Any] = {"TableName": table_name, "KeyConditionExpression": " AND ".join(parts)}
        if self.index is not None:
            request["IndexName"] = self.index.name
        if self.filter is not None:
            request["FilterExpression"] = self.filter.write(writer)
        if not self.forward:
            request["ScanIndexForward"] = False
        if self.strong:
            request["ConsistentRead"] = True
        return request | writer.parameters()

    @property
    def keys(self) -> tuple[str, str | None]:
        return (self.table.pk, self.table.sk) if self.index is None else (self.index.pk, self.index.sk)

    @property
    def decoder(self) -> Callable[[Item], R]:
        """What makes an entity of an item that this question found."""
        return self.shapes[0].decode if len(self.shapes) == 1 else self.decode

    def decode(self, item: Item) -> R:
        """The entity of an item that this question found."""
        shape = recognised(self.shapes, item)
        if shape is None:
            raise self._stranger(item)
        found: R = shape.decode(item)
        return found

    def _stranger(self, item: Item) -> Exception:
        kinds = " or ".join(shape.cls.__name__ for shape in self.shapes)
        return UnexpectedItem(f"The item {self.shapes[0].shown(item)} is neither {kinds}.")


# ── patterns ──────────────────────────────────────────────────────────────────────────────────────


class Pattern(Generic[O, P, Q]):
    """A named access pattern of an entity."""

    def __init__(self, function: Callable[Concatenate[O, P], Q]) -> None:
        self.function = function
        self.owner: type[Any] | None = None
        self.label = function.__name__
        update_wrapper(self, function)  # type: ignore[arg-type]

    def __set_name__(self, owner: type[Any], name: str) -> None:
        self.owner, self.label = owner, name

    def __get__(self, instance: object, owner: type[Any]) -> Callable[P, Q]:
        def ask(*args: P.args, **kwargs: P.kwargs) -> Q:
            query = self.function(owner, *args, **kwargs)  # type: ignore[arg-type]
            names = self.function.__code__.co_varnames[1 : self.function.__code__.co_argcount]
            given = dict(zip(names, args, strict=False)) | kwargs
            return replace(query, name=f"{owner.__name__}.{self.label}", arguments=given)

        update_wrapper(ask, self.function)
        ask.pattern = self  # type: ignore[attr-defined]
        return ask


def patterns(owner: type[Any]) -> list[Pattern[Any, Any, Any]]:
    """The access patterns that an entity or a view has, in the order of its text."""
    return [each for each in vars(owner).values() if isinstance(each, Pattern)]


def pattern(function: Callable[Concatenate[O, P], Q]) -> Pattern[O, P, Q]:
    """Make a method an access pattern: it returns a question and reads nothing."""
    return Pattern(function)
