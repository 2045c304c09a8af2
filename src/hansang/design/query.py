"""Access patterns: typed questions that become one Query of one table or index."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import update_wrapper
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from hansang.design.codec import Value
from hansang.design.expressions import (
    Comparison,
    Condition,
    Field,
    Function,
    Range,
    Writer,
    all_of,
    condition,
)
from hansang.design.shape import Item, Shape
from hansang.design.table import Index, Table
from hansang.design.templates import Place, Template
from hansang.errors import DesignError, UnexpectedItem

P = ParamSpec("P")
R = TypeVar("R", covariant=True)
O = TypeVar("O")  # noqa: E741
Q = TypeVar("Q", bound="Query[Any]")

_LAST = "\U0010ffff"

RANGE_OF_PARTITIONS, OR_IN_KEY = "H002", "H003"
"""The codes under which lint reports what the planner refuses."""


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
        found: R
        for shape in self.shapes:
            if len(self.shapes) == 1 or shape.matches(item):
                found = shape.decode(item)
                break
        else:
            raise self._stranger(item)
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


# ── planning ──────────────────────────────────────────────────────────────────────────────────────


def collection(
    *kinds: type[Any], where: Sequence[Condition | bool], index: Index | None = None
) -> Query[Any]:
    """One question for several kinds of items that share a partition."""
    return plan(kinds, tuple(where), index)


def plan(
    kinds: tuple[type[Any], ...], conditions: tuple[Condition | bool, ...], index: Index | None
) -> Query[Any]:
    """The question that these conditions on key fields mean, or a DesignError."""
    shapes = tuple(kind.__shape__ for kind in kinds)
    return Planner(shapes, [condition(each) for each in conditions], index).query()


class Planner:
    """Works out which partition and which range of sort keys conditions name."""

    def __init__(self, shapes: tuple[Shape, ...], conditions: list[Condition], index: Index | None) -> None:
        self.shapes, self.index = shapes, index
        self.shape, self.table = shapes[0], shapes[0].table
        self.equal: dict[str, Any] = {}
        self.other: dict[str, Condition] = {}
        for each in conditions:
            self._sort_out(each)
        self.used: set[str] = set()

    def _sort_out(self, each: Condition) -> None:
        fields = list(each.fields())
        if len(fields) != 1 or not isinstance(each, Comparison | Range | Function):
            raise DesignError(
                "A question by key takes conditions on single fields, joined by AND; others go into where().",
                rule=OR_IN_KEY,
            )
        name = fields[0].name
        if name in self.equal or name in self.other:
            raise DesignError(f"{fields[0]!r} is asked for twice. A key takes one condition a field.")
        if isinstance(each, Comparison) and each.sign == "=":
            self.equal[name] = each.value
        else:
            self.other[name] = each

    def query(self) -> Query[Any]:
        pk, sk = (self.table.pk, self.table.sk) if self.index is None else (self.index.pk, self.index.sk)
        partition = self._partition(pk)
        sort = None if sk is None else self._sort(sk)
        self._expect_all_used()
        return Query(self.table, self.index, self.shapes, partition, sort)

    def _expect_all_used(self) -> None:
        rest = [name for name in (*self.equal, *self.other) if name not in self.used]
        if rest:
            where = "the table" if self.index is None else f"the index {self.index.name}"
            raise DesignError(
                f"{self.shape.cls.__name__}.{rest[0]} is not part of the key of {where}, or stands behind a part that "
                "is not given. Use an index that has it in its key, or put the condition into where()."
            )

    # ── partition key ─────────────────────────────────────────────────────────────────────────────

    def _partition(self, attribute: str) -> Value:
        if attribute == self.table.type_attribute:
            return {"S": self._only_type()}
        template = self._template(attribute)
        if template is None:
            return self._equal_field(attribute)
        missing = [name for name in template.fields if name not in self.equal]
        if missing:
            raise DesignError(
                f"The partition key {template.text} needs {', '.join(missing)} by equality: "
                "DynamoDB asks one partition at a time, by its exact key.",
                rule=self._fault_of(missing),
            )
        self.used.update(template.fields)
        return {"S": template.fill(self.equal)}

    def _only_type(self) -> str:
        if len(self.shapes) > 1 or self.shape.type_name is None:
            raise DesignError(
                f"The index {self.index and self.index.name} has one partition for each type; ask for one type."
            )
        return self.shape.type_name

    def _template(self, attribute: str) -> Template | None:
        """The template of an attribute, None when the attribute is a field as it is."""
        return _template_of(self.shape, attribute)

    def _field_name(self, attribute: str) -> str:
        whole = _key_template(self.shape, attribute)
        if whole is not None and whole.bare is not None:
            return whole.bare
        for slot in self.shape.slots.values():
            if slot.attribute == attribute:
                return slot.name
        for label, each in self.shape.derived.items():
            if each.attribute == attribute:
                return str(label)
        raise DesignError(f"{self.shape.cls.__name__} has no attribute {attribute}, which the index is by.")

    def _equal_field(self, attribute: str) -> Value:
        name = self._field_name(attribute)
        if name not in self.equal:
            raise DesignError(
                f"The partition key {attribute} needs {self.shape.cls.__name__}.{name} by equality: "
                "DynamoDB asks one partition at a time, by its exact key.",
                rule=self._fault_of([name]),
            )
        self.used.add(name)
        return self._value(attribute, name, self.equal[name])

    def _value(self, attribute: str, name: str, value: Any) -> Value:
        """A value as it stands in an attribute; the text of a key is composed there (NFC)."""
        whole = _key_template(self.shape, attribute)
        if whole is not None and isinstance(value, str):
            return {"S": whole.fill({name: value})}
        return self._field(name).encode(value)

    def _fault_of(self, missing: list[str]) -> str:
        return RANGE_OF_PARTITIONS if any(name in self.other for name in missing) else ""

    def _field(self, name: str) -> Field:
        found: Field = self.shape.cls.__references__[name]
        return found

    # ── sort key ──────────────────────────────────────────────────────────────────────────────────

    def _sort(self, attribute: str) -> SortCondition | None:
        template = self._template(attribute)
        if any(_template_of(shape, attribute) != template for shape in self.shapes):
            return None
        return self._sort_field(attribute) if template is None else self._sort_text(template)

    def _sort_field(self, attribute: str) -> SortCondition | None:
        name = self._field_name(attribute)
        if name in self.equal:
            self.used.add(name)
            return SortCondition("=", (self._value(attribute, name, self.equal[name]),))
        given = self.other.get(name)
        if given is None:
            return None
        self.used.add(name)
        if isinstance(given, Range):
            ends = (self._value(attribute, name, each) for each in (given.low, given.high))
            return SortCondition("BETWEEN", tuple(ends))
        if isinstance(given, Function):
            return self._beginning(given)
        assert isinstance(given, Comparison)
        return SortCondition(self._ordering(given), (self._value(attribute, name, given.value),))

    @staticmethod
    def _beginning(given: Function) -> SortCondition:
        if given.name != "begins_with":
            raise DesignError(f"A sort key cannot be asked for by {given.name}; put it into where().")
        return SortCondition("begins_with", given.values)

    @staticmethod
    def _ordering(given: Comparison) -> str:
        sign = str(given.sign)
        if sign == "<>":
            raise DesignError("A sort key cannot be asked for by inequality; put it into where().")
        return sign

    def _sort_text(self, template: Template) -> SortCondition | None:
        text, rest = template.begin(self.equal)
        self.used.update(name for name in template.fields if name not in rest)
        if not rest:
            return SortCondition("=", ({"S": text},))
        given = self.other.get(rest[0])
        if given is None:
            return SortCondition("begins_with", ({"S": text},)) if text else None
        self.used.add(rest[0])
        place = next(part for part in template.parts if isinstance(part, Place) and part.name == rest[0])
        low, high = _bounds(template, place, given, last=len(rest) == 1 and template.parts[-1] is place)
        if low is None and high is None:
            assert isinstance(given, Function)
            return SortCondition("begins_with", ({"S": text + str(given.plain)},))
        return SortCondition("BETWEEN", ({"S": text + (low or "")}, {"S": text + (high or _LAST)}))


def _key_template(shape: Shape, attribute: str) -> Template | None:
    """The template of a key attribute, if it has one."""
    if attribute == shape.table.pk:
        return shape.pk
    return shape.sk if attribute == shape.table.sk else shape.composed.get(attribute)


def _template_of(shape: Shape, attribute: str) -> Template | None:
    """The template of a key attribute that is more than one field as it is."""
    found = _key_template(shape, attribute)
    return None if found is None or found.bare is not None else found


def _bounds(
    template: Template, place: Place, given: Condition, *, last: bool
) -> tuple[str | None, str | None]:
    """The first and the last text that a condition on one place of a template allows."""
    end = "" if last else _LAST
    if isinstance(given, Range):
        return template.place(place, given.low), template.place(place, given.high) + end
    if isinstance(given, Function):
        if given.name != "begins_with":
            raise DesignError(f"A sort key cannot be asked for by {given.name}; put it into where().")
        return None, None
    assert isinstance(given, Comparison)
    if given.sign in (">", ">="):
        value = given.value if given.sign == ">=" else _neighbour(given, 1)
        return template.place(place, value), _LAST
    if given.sign in ("<", "<="):
        value = given.value if given.sign == "<=" else _neighbour(given, -1)
        return "", template.place(place, value) + end
    raise DesignError("A sort key cannot be asked for by inequality; put it into where().")


def _neighbour(given: Comparison, step: int) -> Any:
    """The next value up or down, for keys that can only be asked for with both ends included."""
    if isinstance(given.value, date):
        return given.value + timedelta(days=step)
    if isinstance(given.value, int):
        return given.value + step
    raise DesignError(
        f"{given.field!r} {given.sign} … cannot be asked of a text inside a key. Use <=, >= or between."
    )
