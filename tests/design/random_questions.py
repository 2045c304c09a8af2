"""Random questions to a random design, and what a plain filter of its entities answers to them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from typing import Any
from unicodedata import normalize

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from hansang.design import Condition, Database, Query, all_of, attr, none_of
from hansang.errors import DesignError, HansangError, InvalidInput, InvalidKey
from tests.design.random_designs import KEPT_UP, VERSION, Design, Field, IndexPlan, Plan
from tests.design.random_fields import MOMENTS

REFUSED = (DesignError, InvalidKey, InvalidInput)
"""How a question is refused; whatever else is raised is a fault."""

Draw = Callable[[SearchStrategy[Any]], Any]
"""Draws a value, in a strategy or in a test."""

Stored = dict[str, Any]
"""The entities of a table by the text of their keys."""


# ── values ────────────────────────────────────────────────────────────────────────────────────────


def plain(value: Any, normalizes: bool) -> Any:
    """A value as it is compared: texts of keys in NFC, members as their values, moments in UTC."""
    if isinstance(value, Enum):
        return plain(value.value, normalizes)
    if isinstance(value, str) and normalizes:
        return normalize("NFC", value)
    if isinstance(value, datetime):
        return value.astimezone(UTC)
    return value


def value_of(entity: Any, name: str) -> Any:
    """A field as it is compared; None where nothing is stored of it."""
    slot = type(entity).__shape__.slots.get(name)
    found = getattr(entity, name)
    if isinstance(found, set | frozenset) and not found:
        return None
    return plain(found, slot is not None and slot.normalizes)


def canonical(entity: Any, names: Iterable[str] | None = None) -> dict[str, Any]:
    """What tells two entities apart, once texts of keys are put together and times are moments."""
    slots = type(entity).__shape__.slots
    return {
        name: plain(getattr(entity, name), slots[name].normalizes)
        for name in (slots if names is None else names)
    }


def key_text(entity: Any) -> str:
    """The key of an entity, or of a view of it, as one text."""
    shape = type(entity).__shape__
    key = (shape if shape.entity is None else shape.entity).key(entity.__dict__)
    return " / ".join(f"{name}={_one_form(key[name])}" for name in sorted(key))


def _one_form(value: dict[str, str]) -> str:
    """A key attribute's text; one number has many."""
    [(kind, text)] = value.items()
    return str(Decimal(text).normalize() + 0) if kind == "N" else text


# ── entities ──────────────────────────────────────────────────────────────────────────────────────


class Pools:
    """A few values for each field, so that items meet in partitions and questions meet items."""

    def __init__(self, draw: Draw, design: Design) -> None:
        self._few: dict[tuple[str, Field], list[Any]] = {}
        for plan in design.plans.values():
            for each in plan.all_fields:
                if each.sort not in KEPT_UP:
                    self._few[self._place(plan, each)] = self._drawn(draw, plan, each)

    @staticmethod
    def _place(plan: Plan, each: Field) -> tuple[str, Field]:
        return ("" if each in plan.pk.fields else plan.name), each

    @staticmethod
    def _drawn(draw: Draw, plan: Plan, each: Field) -> list[Any]:
        most = 2 if each in plan.pk.fields or each.name.startswith("p") else 5
        return list(draw(st.lists(st.sampled_from(each.values), min_size=1, max_size=most)))

    def value(self, draw: Draw, plan: Plan, each: Field) -> Any:
        if draw(st.integers(0, 9)) == 0:
            return draw(st.sampled_from(each.values))
        return draw(st.sampled_from(self._few[self._place(plan, each)]))

    def entity(self, draw: Draw, design: Design, plan: Plan) -> Any:
        """An entity of this kind, not stored yet."""
        drawn = [each for each in plan.all_fields if each.sort not in KEPT_UP]
        values = {each.name: self.value(draw, plan, each) for each in drawn}
        return design.classes[plan.name](**values)


def filled(draw: Draw, design: Design, db: Database, pools: Pools, most: int = 14) -> Stored:
    """Put entities of every kind; those whose keys are refused are not there."""
    stored: Stored = {}
    for plan in design.plans.values():
        for _ in range(draw(st.integers(1, most))):
            entity = pools.entity(draw, design, plan)
            try:
                written = db.put(entity)
            except HansangError:
                continue
            stored[key_text(written)] = written
    return stored


# ── conditions ────────────────────────────────────────────────────────────────────────────────────

ORDERS: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
COMPARISONS = {"==": operator.eq, "!=": operator.ne, **ORDERS}


@dataclass(frozen=True)
class Demand:
    """One condition on one field."""

    name: str
    verb: str
    arguments: tuple[Any, ...] = ()

    def condition(self, *owners: Any) -> Condition:
        """The condition in the language, by the first class that has the field."""
        owner = next(each for each in owners if self.name in each.__references__)
        field = owner.__references__[self.name]
        found: Condition = (
            COMPARISONS[self.verb](field, *self.arguments)
            if self.verb in COMPARISONS
            else getattr(attr(field), self.verb)(*self.arguments)
        )
        return found

    def holds(self, entity: Any) -> bool:
        """Whether it is true of an entity."""
        value = value_of(entity, self.name)
        slot = type(entity).__shape__.slots.get(self.name)
        arguments = [plain(each, slot is not None and slot.normalizes) for each in self.arguments]
        return holds(self.verb, value, arguments)

    def __repr__(self) -> str:
        return f"{self.name} {self.verb} {', '.join(map(repr, self.arguments))}"


def holds(verb: str, value: Any, arguments: list[Any]) -> bool:
    """Whether something is true of a value; of none, only that it is missing or other than something."""
    if value is None:
        return verb in ("missing", "!=")
    if verb in COMPARISONS:
        return bool(COMPARISONS[verb](value, *arguments))
    if verb == "between":
        return bool(arguments[0] <= value <= arguments[1])
    if verb == "begins_with":
        return bool(value.startswith(arguments[0]))
    if verb == "contains":
        return bool(arguments[0] in value)
    return verb == "exists" or (verb == "one_of" and value in arguments)


@st.composite
def demands(draw: DrawFn, each: Field, values: tuple[Any, ...], verbs: tuple[str, ...]) -> Demand:
    """A condition on a field with some of these values."""
    verb = draw(st.sampled_from(verbs))
    if verb in ("exists", "missing"):
        return Demand(each.name, verb)
    given = [value for value in values if value is not None] or list(each.sort.values)
    first = draw(st.sampled_from(given))
    if verb == "between":
        return Demand(each.name, verb, tuple(sorted((first, draw(st.sampled_from(given))), key=_order)))
    if verb == "one_of":
        return Demand(each.name, verb, (first, draw(st.sampled_from(given))))
    if verb == "contains":
        member = min(first, default=None) if each.sort.has_members else plain(first, False)[:1]
        return Demand(each.name, verb, (member,)) if member else Demand(each.name, "exists")
    if verb == "begins_with":
        beginning = plain(first, False)[: draw(st.integers(1, 3))]
        return Demand(each.name, verb, (beginning,)) if beginning else Demand(each.name, "exists")
    return Demand(each.name, verb, (first,))


def _order(value: Any) -> Any:
    found = plain(value, normalizes=True)
    return found if found is not None else Decimal(0)


def key_verbs(each: Field) -> tuple[str, ...]:
    """What can be asked of a field behind those that are given by equality."""
    return (*ORDERS, "between", *(("begins_with",) * 2 if each.sort.is_text else ()))


def filter_verbs(each: Field) -> tuple[str, ...]:
    """What can be asked of a field that is in no key."""
    found = ["==", "!=", "exists", "missing", "one_of"]
    if each.sort.is_ordered:
        found += [*ORDERS, "between"]
    if each.sort.is_text:
        found += ["begins_with", "contains"]
    if each.sort.has_members:
        found += ["contains"]
    return tuple(found)


# ── questions ─────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Question:
    """Conditions on a key, filters beside them, and a direction."""

    kind: Any
    entity: Any
    label: str | None
    conditions: tuple[Demand, ...]
    filters: tuple[Demand, ...]
    is_denied: bool
    """Whether the filters leave out what they fit."""
    backward: bool

    def query(self, design: Design) -> Query[Any]:
        """The question in the language, or one of the refusals."""
        conditions = [each.condition(self.kind, self.entity) for each in self.conditions]
        if self.kind is self.entity:
            index = None if self.label is None else getattr(design.table, self.label)
            query: Query[Any] = self.kind.query(*conditions, index=index)
        else:
            query = self.kind.query(*conditions)
        if self.filters:
            wanted = [each.condition(self.kind, self.entity) for each in self.filters]
            query = query.where(none_of(*wanted) if self.is_denied else all_of(*wanted))
        return query.descending() if self.backward else query

    def answer(self, stored: Stored, design: Design) -> Stored:
        """What a plain filter finds."""
        return {key: entity for key, entity in stored.items() if self._fits(entity, design)}

    def _fits(self, entity: Any, design: Design) -> bool:
        if type(entity) is not self.entity or not all(each.holds(entity) for each in self.conditions):
            return False
        filters = [each.holds(entity) for each in self.filters]
        if filters and (any(filters) if self.is_denied else not all(filters)):
            return False
        return self.label is None or is_in_index(entity, getattr(design.table, self.label))


def is_in_index(entity: Any, index: Any) -> bool:
    return bool(type(entity).__shape__.encode(entity).keys() >= set(index.keys))


def key_paths(design: Design, plan: Plan, index: IndexPlan | None) -> tuple[list[Field], list[Field]] | None:
    """The fields of the partition key and of the sort key by which a kind can be asked, if it can."""
    sort = list(plan.sk.fields) if plan.sk else []
    if index is None:
        return list(plan.pk.fields), sort
    if index.is_composed:
        texts = plan.index_keys.get(index.label)
        if texts is None:
            return None
        return list(texts[0].fields), list(texts[1].fields) if texts[1] else []
    named = {each.attribute: each for each in plan.fields if each.attribute is not None}
    last = [named[index.sk]] if index.sk in named else []
    if index.is_local or index.pk == design.table.type_attribute:
        return (list(plan.pk.fields) if index.is_local else []), last
    return ([named[index.pk]], last) if index.pk in named else None


@st.composite
def questions(draw: DrawFn, design: Design, stored: Stored, pools: Pools) -> Question | None:
    """A question to the table or to an index, of an entity or of a view."""
    plan = design.plans[draw(st.sampled_from(sorted(design.plans)))]
    entity = design.classes[plan.name]
    indexes = {each.label: each for each in design.indexes}
    label = draw(st.sampled_from([None, *indexes])) if indexes else None
    paths = key_paths(design, plan, None if label is None else indexes[label])
    if paths is None:
        return None
    known = [each for each in stored.values() if type(each) is entity]
    sample = draw(st.sampled_from(known)) if known and draw(st.integers(0, 9)) > 0 else None
    conditions = _key_conditions(draw, plan, paths, sample, pools)
    filters = _filters(draw, plan, known)
    kind = _kind(draw, design, plan, label)
    return Question(
        kind, entity, label, conditions, filters, draw(st.integers(0, 3)) == 0, draw(st.booleans())
    )


def _kind(draw: Draw, design: Design, plan: Plan, label: str | None) -> Any:
    """The entity itself, or its view of the index, which is the only way to ask a lean one."""
    view = None if label is None else design.classes.get(f"{plan.name}{label.upper()}")
    is_lean = label is not None and repr(getattr(design.table, label).project) != "ALL"
    if view is None or (not is_lean and draw(st.booleans())):
        return design.classes[plan.name]
    return view


def _key_conditions(
    draw: Draw, plan: Plan, paths: tuple[list[Field], list[Field]], sample: Any, pools: Pools
) -> tuple[Demand, ...]:
    """Equality on the partition key and some of the sort key, and one comparison of the next field."""
    partition, sort = paths
    count = draw(st.integers(0, len(sort)))
    names = {each.name: each for each in (*partition, *sort[:count])}
    found = [_equal(draw, plan, each, sample, pools) for each in names.values()]
    if count < len(sort) and sort[count].name not in names and draw(st.integers(0, 4)):
        values = _values(draw, plan, sort[count], sample, pools)
        found.append(draw(demands(sort[count], values, key_verbs(sort[count]))))
    return tuple(each for each in found if each is not None)


def _equal(draw: Draw, plan: Plan, each: Field, sample: Any, pools: Pools) -> Demand | None:
    value = _values(draw, plan, each, sample, pools)[0]
    return None if value is None else Demand(each.name, "==", (value,))


def _values(draw: Draw, plan: Plan, each: Field, sample: Any, pools: Pools) -> tuple[Any, ...]:
    own = () if sample is None else (getattr(sample, each.name),)
    if each.sort in KEPT_UP:
        return own or (1 if each.sort is VERSION else MOMENTS[0],)
    return (*own, pools.value(draw, plan, each), pools.value(draw, plan, each))


def _filters(draw: Draw, plan: Plan, known: list[Any]) -> tuple[Demand, ...]:
    found = []
    for _ in range(draw(st.sampled_from((0, 0, 1, 1, 2)))):
        each = draw(st.sampled_from(plan.all_fields))
        values = tuple(getattr(entity, each.name) for entity in known[:6])
        if each.sort not in KEPT_UP:
            found.append(draw(demands(each, values + each.sort.values[:3], filter_verbs(each))))
    return tuple(found)
