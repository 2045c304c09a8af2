"""From conditions on key fields to a question: which partition, and which range of sort keys."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

from hansang.design.codec import Value
from hansang.design.expressions import Comparison, Condition, Field, Function, Range, condition
from hansang.design.query import Query, SortCondition
from hansang.design.shape import Shape
from hansang.design.table import Index
from hansang.design.templates import Place, Template
from hansang.errors import DesignError

_LAST = "\U0010ffff"

RANGE_OF_PARTITIONS, OR_IN_KEY = "H002", "H003"
"""The codes under which lint reports what the planner refuses."""


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
