"""From conditions on key fields to a question: which partition, and which range of sort keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from hansang.design.buckets import between_hint, bucketed, is_whole, kept_in_part
from hansang.design.codec import Value
from hansang.design.comparing import Comparison, Function, Range
from hansang.design.expressions import Condition, condition
from hansang.design.fields import Field
from hansang.design.query import Query, SortCondition
from hansang.design.ranges import hull, narrowed, span_of
from hansang.design.shape import Shape
from hansang.design.sharing import expect_shared, partition_fields, reference, served_hint
from hansang.design.table import Index
from hansang.design.templates import Template
from hansang.errors import DesignError, InvalidKey

RANGE_OF_PARTITIONS, OR_IN_KEY, LEAN_INDEX = "H002", "H003", "H004"
"""The codes under which lint reports what the planner refuses."""


def plan(
    kinds: tuple[type[Any], ...], conditions: tuple[Condition | bool, ...], index: Index | None
) -> Query[Any]:
    """The question that these conditions on key fields mean, or a DesignError."""
    shapes = tuple(shape_of_kind(kind) for kind in kinds)
    if not shapes:
        raise DesignError("A collection needs at least one kind of entity.")
    return Planner(shapes, [condition(each) for each in conditions], index).query()


def shape_of_kind(kind: Any) -> Shape:
    """The shape of an entity or a view, or a DesignError."""
    shape = getattr(kind, "__shape__", None) if isinstance(kind, type) else None
    if not isinstance(shape, Shape) or not issubclass(kind, shape.cls):
        raise DesignError(
            f"{kind!r} is not an entity of a table. Derive it from its key and Entity, with table=…."
        )
    return shape


@dataclass(slots=True)
class KindConditions:
    """The conditions on the fields of one kind: by equality, and others."""

    equal: dict[str, Any] = field(default_factory=dict)
    other: dict[str, Condition] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.equal or self.other)

    def add(self, named: Field, each: Condition) -> None:
        if named.name in self.equal or named.name in self.other:
            raise DesignError(f"{named!r} is asked for twice. A key takes one condition a field.")
        if isinstance(each, Comparison) and each.sign == "=":
            self.equal[named.name] = each.value
        else:
            self.other[named.name] = each


class Planner:
    """Works out which partition and which range of sort keys conditions name."""

    def __init__(self, shapes: tuple[Shape, ...], conditions: list[Condition], index: Index | None) -> None:
        self.shapes, self.index, self.table = shapes, index, shapes[0].table
        self._expect_one_place()
        self.pk, self.sk = (self.table.pk, self.table.sk) if index is None else (index.pk, index.sk)
        self.asked = {shape: KindConditions() for shape in shapes}
        for each in conditions:
            self._sort_out(each)
        self.shape = self._lead()
        self.equal, self.other = self.asked[self.shape].equal, self.asked[self.shape].other
        self.used: set[str] = set()

    def _expect_one_place(self) -> None:
        """All kinds are of one table, and the index is one that holds them whole."""
        for shape in self.shapes:
            if shape.table is not self.table:
                raise DesignError(
                    f"{shape.cls.__name__} is in {shape.table.__name__}, and {self.shapes[0].cls.__name__} in "
                    f"{self.table.__name__}. One question asks one table."
                )
        self._expect_views_own()
        if self.index is None:
            return
        if not isinstance(self.index, Index) or self.index not in self.table.indexes:
            raise DesignError(f"{self.index!r} is not an index of {self.table.__name__}.")
        for shape in self.shapes:
            if not shape.is_whole_in(self.index):
                raise lean(shape, self.index)

    def _expect_views_own(self) -> None:
        for shape in self.shapes:
            if shape.index is not None and shape.index is not self.index:
                raise DesignError(
                    f"{shape.cls.__name__} is what the index {shape.index.name} holds, and can be asked of that alone."
                )

    def _sort_out(self, each: Condition) -> None:
        """Note a condition for the kinds whose field it is on."""
        fields = list(each.fields())
        if len(fields) != 1 or not isinstance(each, Comparison | Range | Function):
            raise DesignError(
                "A question by key takes conditions on single fields, joined by AND; others go into where().",
                rule=OR_IN_KEY,
            )
        owners = [shape for shape in self.shapes if shape.owns(fields[0])]
        if not owners:
            kinds = " or ".join(shape.cls.__name__ for shape in self.shapes)
            raise DesignError(
                f"{fields[0]!r} is not a field of {kinds}. Ask by the fields of the kind itself."
            )
        for shape in owners:
            self.asked[shape].add(fields[0], each)

    def _lead(self) -> Shape:
        """The kind whose fields name the partition."""
        for shape in self.shapes:
            if all(name in self.asked[shape].equal for name in partition_fields(shape, self.pk)):
                return shape
        return next((shape for shape in self.shapes if self.asked[shape]), self.shapes[0])

    def query(self) -> Query[Any]:
        partitions = self._partitions(self.pk)
        for each in partitions:
            expect_shared({shape: asked.equal for shape, asked in self.asked.items()}, self.pk, each)
        buckets = partitions if len(partitions) > 1 else ()
        whole: Query[Any] = Query(self.table, self.index, self.shapes, partitions[0], None, buckets=buckets)
        if self.index is not None and self.index.is_compound:
            return self._compound(whole, self.index)
        if len(self.shapes) > 1:
            return self._several(whole)
        sort = None if self.sk is None else self._sort(self.sk)
        self._expect_all_used()
        return replace(whole, sort=sort)

    def _compound(self, whole: Query[Any], index: Index) -> Query[Any]:
        """The question of an index whose key is of several attributes: all of the partition, the first of the sort key."""
        if len(self.shapes) > 1:
            raise DesignError(
                f"The key of the index {index.name} is of several attributes; ask for one kind at a time."
            )
        found = [(each, SortCondition("=", self._partitions(each))) for each in index.more_pk]
        for attribute in index.sort_keys:
            is_asked = not {*self._names_in(attribute)}.isdisjoint({*self.equal, *self.other} - self.used)
            condition_ = self._sort(attribute) if is_asked else None
            if condition_ is None:
                break
            found.append((attribute, condition_))
            if condition_.sign != "=":
                break
        self._expect_in_order(index)
        self._expect_all_used()
        return replace(whole, further=tuple(found))

    def _expect_in_order(self, index: Index) -> None:
        """Refuse a condition on a sort attribute without those before it."""
        names = [name for each in index.sort_keys for name in self._names_in(each)]
        rest = next((name for name in names if name in {*self.equal, *self.other} - self.used), None)
        if rest is not None:
            before = names[: names.index(rest)]
            raise DesignError(
                f"{self.shape.cls.__name__}.{rest} comes after {', '.join(before)} in the key of the index {index.name}, so "
                f"it can be asked for only with {' and '.join(before)} by equality."
            )

    def _names_in(self, attribute: str) -> tuple[str, ...]:
        """The fields that a sort key is asked by."""
        template = self._template(self.shape, attribute)
        return (self._field_name(attribute),) if template is None else template.fields

    def _several(self, whole: Query[Any]) -> Query[Any]:
        """The question of several kinds: the range that they share, and what is asked of each within it."""
        only = {shape: self._in_sort_key(shape) for shape in self.shapes}
        if not any(only.values()):
            sort = None if self.sk is None or whole.is_alone else self._shared_sort(only)
            return replace(whole, sort=sort)
        for shape, given in only.items():
            if not given:
                raise DesignError(
                    f"The sort keys of these kinds are different, so each has to be asked by its own fields: "
                    f"{shape.cls.__name__} has no condition on its sort key."
                )
        begun = {shape: self._begun(shape, given) for shape, given in only.items()}
        return replace(whole, sort=self._shared_sort(only), only=begun)

    def _begun(self, shape: Shape, given: Mapping[str, Any]) -> tuple[Value, bool]:
        template = shape.template(self.sk or "")
        assert template is not None
        known = {**self.asked[shape].equal, **given}
        if template.bare is not None:
            return shape.key_value(template, known), True
        text, rest = template.begin(known)
        return {"S": text}, not rest

    def _in_sort_key(self, shape: Shape) -> dict[str, Any]:
        """What is asked of one of several kinds beside its partition: the first fields of its sort key."""
        asked = self.asked[shape]
        first, template = partition_fields(shape, self.pk), self.sk and shape.template(self.sk)
        rest = {name: value for name, value in asked.equal.items() if name not in first}
        allowed = template.fields[: len(rest)] if template else ()
        strange = next((name for name in (*asked.other, *rest) if name not in allowed), None)
        if strange is not None:
            raise DesignError(
                f"{shape.cls.__name__}.{strange} cannot be asked for beside other kinds: of several kinds each is asked by "
                "equality of the first fields of its sort key."
            )
        return rest

    def _shared_sort(self, only: Mapping[Shape, Mapping[str, Any]]) -> SortCondition | None:
        """The range of sort keys that kinds have together."""
        assert self.sk is not None
        spans = []
        for shape in self.shapes:
            template = self._template(shape, self.sk)
            known = {**self.asked[shape].equal, **only[shape]}
            spans.append(None if template is None else span_of(template, known))
        return hull(spans)

    def _expect_all_used(self) -> None:
        rest = [name for name in (*self.equal, *self.other) if name not in self.used]
        if not rest:
            return
        where = "the table" if self.index is None else f"the index {self.index.name}"
        named = f"{self.shape.cls.__name__}.{rest[0]}"
        template = None if self.sk is None else self.shape.template(self.sk)
        first = self._template(self.shape, self.pk)
        if first is not None and rest[0] in first.partial:
            if is_whole(first.places[rest[0]], self.other.get(rest[0])):
                return
            raise kept_in_part(first, rest[0])
        if template is not None and rest[0] in template.fields:
            behind = [
                name for name in template.fields[: template.fields.index(rest[0])] if name not in self.equal
            ]
            raise DesignError(
                f"{named} comes after {', '.join(behind)} in the key {template.text}, so {where} can be asked for it "
                f"only with {' and '.join(behind)} by equality."
            )
        raise DesignError(
            f"{named} is not part of the key of {where}. Use an index that has it in its key, or put the condition into "
            "where()."
        )

    # ── partition key ─────────────────────────────────────────────────────────────────────────────

    def _partitions(self, attribute: str) -> tuple[Value, ...]:
        """The partition that is asked; several where a range reaches over the buckets of a time."""
        if attribute == self.table.type_attribute:
            return ({"S": self._only_type()},)
        template = self._template(self.shape, attribute)
        if template is None:
            return (self._equal_field(attribute),)
        spread = next((name for name in template.partial if name in self.other), None)
        missing = [name for name in template.fields if name not in self.equal and name != spread]
        if missing:
            raise DesignError(
                f"The partition key {template.text} needs {', '.join(missing)} by equality: "
                "DynamoDB asks one partition at a time, by its exact key."
                f"{between_hint(template, missing)}{served_hint(self.shape, self.equal)}",
                rule=self._fault_of(missing),
            )
        if len(self.shapes) > 1:
            self._expect_faithful(template, template.fields)
        # What the partition keeps a part of is asked of the sort key too, or the answer would not be exact.
        self.used.update({*template.fields} - {*template.partial})
        if spread is None:
            return (self.shape.key_value(template, self.equal),)
        values = bucketed(template, template.places[spread], self.other[spread])
        return tuple(self.shape.key_value(template, {**self.equal, spread: value}) for value in values)

    def _expect_faithful(self, template: Template, names: Iterable[str]) -> None:
        """Refuse to ask by a value of which the key keeps less than there is."""
        for name in names:
            if name in template.partial:
                raise kept_in_part(template, name)

    def _only_type(self) -> str:
        if len(self.shapes) > 1 or self.shape.type_name is None:
            raise DesignError(
                f"The index {self.index and self.index.name} has one partition for each type; ask for one type."
            )
        return self.shape.type_name

    @staticmethod
    def _template(shape: Shape, attribute: str) -> Template | None:
        """The template of a key attribute that is more than one field as it is."""
        found = shape.template(attribute)
        return None if found is None or found.bare is not None else found

    def _field_name(self, attribute: str) -> str:
        whole = self.shape.template(attribute)
        if whole is not None and whole.bare is not None:
            return whole.bare
        for slot in self.shape.slots.values():
            if slot.attribute == attribute:
                return slot.name
        for label, each in self.shape.derived.items():
            if each.attribute == attribute:
                return str(label)
        raise DesignError(
            f"{self.shape.cls.__name__} has no attribute {attribute}, which is the key of the index."
        )

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
        """A value as it stands in a key attribute of its own."""
        whole = self.shape.template(attribute)
        if whole is not None:
            return self.shape.key_value(whole, {name: value})
        found = self._field(name).encode(value)
        if found in ({"S": ""}, {"B": ""}):
            raise InvalidKey(
                "{field} is empty, and it is the key of an index.",
                code="design.empty-index-key",
                values={"field": repr(self._field(name))},
            )
        return found

    def _fault_of(self, missing: list[str]) -> str:
        return RANGE_OF_PARTITIONS if any(name in self.other for name in missing) else ""

    def _field(self, name: str) -> Field:
        return reference(self.shape, name)

    # ── sort key ──────────────────────────────────────────────────────────────────────────────────

    def _sort(self, attribute: str) -> SortCondition | None:
        template = self._template(self.shape, attribute)
        return self._sort_field(attribute) if template is None else self._sort_text(template)

    def _sort_field(self, attribute: str) -> SortCondition | None:
        if {*self.equal, *self.other} <= self.used:
            return None
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
            raise DesignError(
                f"{given} is not a range of the sort key. Leave it out, or filter what comes back."
            )
        return SortCondition("begins_with", given.values)

    @staticmethod
    def _ordering(given: Comparison) -> str:
        sign = str(given.sign)
        if sign == "<>":
            raise DesignError(
                f"{given.field!r} != … is not a range of the sort key. Leave it out, or filter what comes back."
            )
        return sign

    def _sort_text(self, template: Template) -> SortCondition | None:
        text, rest = template.begin(self.equal)
        given_names = [name for name in template.fields if name not in rest]
        self._expect_faithful(template, given_names)
        self.used.update(given_names)
        if not rest:
            return SortCondition("=", ({"S": text},))
        given = self.other.get(rest[0])
        if given is None:
            return SortCondition("begins_with", ({"S": text},)) if text else None
        self._expect_faithful(template, rest[:1])
        self.used.add(rest[0])
        return narrowed(template, text, template.places[rest[0]], given)


def lean(shape: Shape, index: Index) -> DesignError:
    """Why an entity is not read from an index that holds a part of it."""
    return DesignError(
        f"The index {index.name} does not hold whole items (project=ALL), so a {shape.cls.__name__} read from it would "
        "lack what it does not project. Write a View of what it holds, and db.hydrate() for the whole items.",
        rule=LEAN_INDEX,
    )
