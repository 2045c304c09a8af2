"""Access patterns: typed questions that become one Query of one table or index."""

from __future__ import annotations

import dis
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, update_wrapper
from itertools import pairwise
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from hansang.design.codec import Value
from hansang.design.compiled import Strange
from hansang.design.expressions import (
    Condition,
    ExpressionWriter,
    all_of,
)
from hansang.design.fields import Field
from hansang.design.kinds import is_another, recognised
from hansang.design.notations import LAST
from hansang.design.projecting import columns, expect_selectable
from hansang.design.shape import Item, Shape
from hansang.design.table import Index, Table
from hansang.errors import DesignError, UnexpectedItem

P = ParamSpec("P")
R = TypeVar("R", covariant=True)
V = TypeVar("V")
O = TypeVar("O")  # noqa: E741
Q = TypeVar("Q", bound="Query[Any]")


@dataclass(frozen=True, slots=True)
class SortCondition:
    """What is asked of the sort key: `=`, `<`, `BETWEEN`, `begins_with` …, with its values."""

    sign: str
    values: tuple[Value, ...]

    def may_meet(self, prefix: str, *, is_whole: bool) -> bool:
        """Whether keys that begin with a text, or are the text as a whole, can be among those asked for."""
        if self.sign not in ("=", "BETWEEN", "begins_with") or "S" not in self.values[0]:
            return True
        low = str(self.values[0]["S"])
        high = low + LAST if self.sign == "begins_with" else str(self.values[-1]["S"])
        return prefix <= high and (prefix if is_whole else prefix + LAST) >= low

    def write(self, writer: ExpressionWriter, attribute: str) -> str:
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
    only: Mapping[Shape, tuple[Value, bool]] = field(default_factory=dict)
    """How the sort key of each of several kinds begins, and whether that is the whole of it."""
    further: tuple[tuple[str, SortCondition], ...] = ()
    """What is asked of the other attributes of a key that has several in a half."""
    columns: tuple[str, ...] = ()
    """The attributes that are sent, where these are not all."""
    buckets: tuple[Value, ...] = ()
    """All partitions, in the order of time, where a range reaches over several."""
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

    def select(self, kind: type[V]) -> Query[V]:
        """Some of the fields alone, typed: `class Headline(PostKey, View, of=Post)`. What is read is paid for whole."""
        shape = expect_selectable(self.shapes, self.index, kind)
        found: Query[Any] = replace(self, shapes=(shape,), columns=columns(shape, self.index))
        return found

    def consistent(self) -> Query[R]:
        """Read what was written last, at twice the cost. A global index cannot."""
        if self.index is not None and self.index.is_global:
            raise DesignError(
                f"The global index {self.index.name} is eventually consistent and cannot be read otherwise. "
                "Read the table, or a local index."
            )
        return replace(self, strong=True)

    def _expect_readable(self, each: Field) -> None:
        if not any(shape.owns(each) for shape in self.shapes):
            kinds = " or ".join(shape.cls.__name__ for shape in self.shapes)
            raise DesignError(f"{each!r} is not a field of {kinds}, so it cannot filter them.")
        self._expect_no_key(each)
        for shape in self.shapes:
            if each.stored not in shape.source.attributes:
                raise DesignError(
                    f"{shape.cls.__name__} has no {each.stored}, so a filter by {each!r} would leave all of them out. Ask "
                    "for the kinds one by one."
                )
        if len({_meaning(shape.source, each.stored) for shape in self.shapes}) > 1:
            raise DesignError(
                f"{each.stored} means different things in these kinds where it is not stored. Ask for the kinds one by one."
            )
        if self.index is not None and not self.index.projects(each.stored):
            raise DesignError(
                f"The index {self.index.name} does not project {each.attribute}, so it cannot filter by it."
            )

    def _expect_no_key(self, each: Field) -> None:
        if each.stored in self.key_attributes:
            raise DesignError(
                f"{each!r} is {each.stored}, the key that this question is by, and DynamoDB filters by no key. Ask for it "
                "in query() by equality or a range, or look at what comes back."
            )

    @property
    def operation(self) -> str:
        """What DynamoDB is asked for."""
        return "Query"

    @property
    def is_filtered(self) -> bool:
        """Whether DynamoDB leaves out some of what it reads."""
        return self.filter is not None

    def request(self, table_name: str, partition: Value | None = None) -> dict[str, Any]:
        """The request of its operation; of several partitions, for the first or for this one."""
        asked = self.partitions[0] if partition is None else partition
        if asked != self.partition:
            return replace(self, partition=asked, buckets=()).request(table_name)
        return {"TableName": table_name, **self._request}

    @property
    def partitions(self) -> tuple[Value, ...]:
        """The partitions that are read, one after the other."""
        if not self.buckets:
            return (self.partition,)
        return self.buckets if self.forward else self.buckets[::-1]

    def partition_after(self, partition: Value) -> Value | None:
        """The partition that is read next, None behind the last."""
        at = self.partitions.index(partition) + 1
        return self.partitions[at] if at < len(self.partitions) else None

    @cached_property
    def _request(self) -> dict[str, Any]:
        writer = ExpressionWriter()
        pk, sk = self.keys
        parts = [f"{writer.name(pk)} = {writer.value(self.partition)}"]
        if self.sort is not None and sk is not None:
            parts.append(self.sort.write(writer, sk))
        parts += [each.write(writer, attribute) for attribute, each in self.further]
        request: dict[str, Any] = {"KeyConditionExpression": " AND ".join(parts)}
        if self.index is not None:
            request["IndexName"] = self.index.name
        if self.filter is not None:
            request["FilterExpression"] = self.filter.write(writer)
        if not self.forward:
            request["ScanIndexForward"] = False
        if self.strong:
            request["ConsistentRead"] = True
        if self.columns:
            request["ProjectionExpression"] = ", ".join(map(writer.name, self.columns))
        return request | writer.parameters()

    @property
    def key_attributes(self) -> tuple[str, ...]:
        """All attributes of the key that the question is by."""
        return self.table.key_attributes() if self.index is None else self.index.keys

    @property
    def partition_keys(self) -> tuple[str, ...]:
        """The attributes of the partition key that the question is by."""
        return (self.table.pk,) if self.index is None else self.index.partition_keys

    @property
    def keys(self) -> tuple[str, str | None]:
        return (self.table.pk, self.table.sk) if self.index is None else (self.index.pk, self.index.sk)

    def decode_page(self, items: list[Item], strange: Strange) -> list[R]:
        """The entities of items that this question found; what is not one of its kinds goes to `strange`."""
        if len(self.shapes) == 1:
            return self.shapes[0].decode_page(items, strange)
        found: list[R] = []
        for item in items:
            shape = recognised(self.shapes, item)
            if shape is not None and not self._is_asked(shape, item):
                continue
            try:
                if shape is None:
                    strange(item, found)
                else:
                    found.append(shape.decode(item))
            except UnexpectedItem:
                strange(item, found)
        return found

    def _is_asked(self, shape: Shape, item: Item) -> bool:
        _, sk = self.keys
        if shape not in self.only or sk is None:
            return True
        begun, is_whole = self.only[shape]
        return item[sk] == begun if is_whole else str(item[sk].get("S")).startswith(begun["S"])

    def decode(self, item: Item) -> R:
        """The entity of an item that this question found."""
        shape = self.shapes[0] if len(self.shapes) == 1 else recognised(self.shapes, item)
        if shape is None:
            kinds = " nor ".join(shape.cls.__name__ for shape in self.shapes)
            raise UnexpectedItem(f"The item {self.shapes[0].shown(item)} is neither {kinds}.", item)
        found: R = shape.decode(item)
        return found

    @property
    def is_alone(self) -> bool:
        """Whether no other kind of the table can lie among the items that are read."""
        asked = [shape if shape.entity is None else shape.entity for shape in self.shapes]
        return not self.only and not any(
            self._may_meet(other) for other in self.table.shapes if other not in asked
        )

    def _may_meet(self, other: Shape) -> bool:
        pk, sk = self.keys
        if pk == self.table.type_attribute:
            return self.partition == {"S": other.type_name}
        if other.kind_of(pk) is None or (sk is not None and other.kind_of(sk) is None):
            return False
        partition = other.template(pk)
        composed = None if partition is None or partition.bare is not None else partition
        if composed is not None and not any(composed.matches(each["S"]) for each in self.partitions):
            return False
        template = None if sk is None else other.template(sk)
        return (
            template is None
            or self.sort is None
            or self.sort.may_meet(template.prefix, is_whole=not template.fields)
        )

    def is_another(self, item: Item) -> bool:
        """Whether an item is of a kind that this question did not ask for."""
        return is_another(self.shapes, item, self.index)


def _meaning(shape: Shape, attribute: str) -> str:
    """What the absence of an attribute means to a kind."""
    slot = next((each for each in shape.slots.values() if each.attribute == attribute), None)
    return "" if slot is None or slot.is_required else repr(slot.absent())


# ── patterns ──────────────────────────────────────────────────────────────────────────────────────


class Pattern(Generic[O, P, Q]):
    """A named access pattern of an entity."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise DesignError(f"The pattern {self.label} is not in a class. Write it inside an Entity or a View.")

    def __init__(self, function: Callable[Concatenate[O, P], Q]) -> None:
        self.function = function
        self.owner: type[Any] | None = None
        self.label = function.__name__
        update_wrapper(self, function)

    def __set_name__(self, owner: type[Any], name: str) -> None:
        self.owner, self.label = owner, name

    def __get__(self, instance: object, owner: type[Any]) -> Callable[P, Q]:
        def ask(*args: P.args, **kwargs: P.kwargs) -> Q:
            query = self.function(owner, *args, **kwargs)  # type: ignore[arg-type]
            if not isinstance(query, Query):
                raise DesignError(
                    f"The pattern {owner.__name__}.{self.label} returned {query!r}, and a pattern returns a question: "
                    "cls.query(…) or collection(…)."
                )
            if query.operation != "Query":
                raise DesignError(
                    f"The pattern {owner.__name__}.{self.label} returned a scan, which reads the whole table whatever it is "
                    "asked. Give the question an index, or run the scan where it is needed: db.each(…)."
                )
            names = self.function.__code__.co_varnames[1 : self.function.__code__.co_argcount]
            given = dict(zip(names, args, strict=False)) | kwargs
            return replace(query, name=f"{owner.__name__}.{self.label}", arguments=given)

        update_wrapper(ask, self.function)
        ask.pattern = self  # type: ignore[attr-defined]
        return ask


def patterns(owner: type[Any]) -> list[Pattern[Any, Any, Any]]:
    """The access patterns that an entity or a view has, in the order of its text."""
    return [each for each in vars(owner).values() if isinstance(each, Pattern)]


def indexes_named(function: Callable[..., Any], table: type[Table]) -> Iterator[Index]:
    """The indexes of a table that a pattern names, found in its code before it can be called."""
    around = dict(function.__globals__)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        with suppress(ValueError):  # The class itself is not there yet.
            around[name] = cell.cell_contents
    for holder, member in pairwise(dis.get_instructions(function)):
        if member.opname == "LOAD_ATTR" and around.get(str(holder.argval)) is table:
            found = vars(table).get(member.argval)
            if isinstance(found, Index):
                yield found


def pattern(function: Callable[Concatenate[O, P], Q]) -> Pattern[O, P, Q]:
    """Make a method an access pattern: it returns a question and reads nothing."""
    return Pattern(function)
