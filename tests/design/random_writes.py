"""Random writes to a random design, and what has to be stored after each of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from hansang.design import Database, Update, attr
from hansang.design.decoding import construct
from tests.design.random_designs import KEPT_UP, Design, Field, Plan
from tests.design.random_questions import (
    Demand,
    Draw,
    Pools,
    Stored,
    demands,
    filter_verbs,
    holds,
    key_text,
    plain,
)

MISSING = object()
"""What an attribute is that an item does not have."""

Wanted = dict[str, Any]
"""The fields of an entity that a write has to leave, without those that the database keeps up."""


def raw_items(db: Database) -> dict[str, dict[str, Any]]:
    """Every stored item in a form that can be compared, by its key."""
    items = db.backend.call("Scan", {"TableName": "Random"})["Items"]
    return {repr(sorted((name, item[name]) for name in ("PK", "SK") if name in item)): item for item in items}


def comparable(value: Any) -> Any:
    """An attribute value with one form for each number and no order in sets."""
    [(kind, content)] = value.items()
    if kind == "N":
        return (kind, Decimal(content))
    if kind in ("SS", "BS"):
        return (kind, frozenset(content))
    if kind == "NS":
        return (kind, frozenset(map(Decimal, content)))
    if kind == "L":
        return (kind, [comparable(each) for each in content])
    if kind == "M":
        return (kind, {name: comparable(each) for name, each in content.items()})
    return (kind, content)


def comparable_item(item: dict[str, Any]) -> dict[str, Any]:
    return {name: comparable(value) for name, value in item.items()}


# ── changes of an entity ──────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Change:
    """One change of one field."""

    name: str
    verb: str
    value: Any = None

    def update(self, kind: Any) -> Update[Any]:
        made = getattr(attr(kind.__references__[self.name]), self.verb)
        found: Update[Any] = made() if self.verb == "remove" else made(self.value)
        return found

    def after(self, before: Any, slot: Any) -> Any:
        """The field after the change; `before` is MISSING where nothing is stored of it."""
        found = self._after(before)
        if found is MISSING or (found is None and not slot.keeps_null):
            return slot.absent()
        # An empty set is stored by its absence, which must not make a set with members of it.
        is_empty = slot.is_set and found is not None and not found
        return slot.absent() if is_empty and not slot.absent() else found

    def _after(self, before: Any) -> Any:
        if self.verb == "remove":
            return MISSING
        if self.verb == "set":
            return self.value
        if self.verb == "set_if_missing":
            return self.value if before is MISSING else before
        if self.verb == "discard":
            return before if before is MISSING else before - self.value
        if before is MISSING:
            return self.value
        return before | self.value if isinstance(self.value, set | frozenset) else before + self.value


def change_verbs(each: Field) -> tuple[str, ...]:
    found = ["set", "set", "set", "set_if_missing", "remove"]
    if each.sort.is_number:
        found += ["add"]
    if each.sort.kind in ("SS", "NS", "BS"):
        found += ["add", "discard"]
    if each.sort.kind == "L":
        found += ["append"]
    return tuple(found)


@st.composite
def changes(draw: DrawFn, plan: Plan, pools: Pools) -> tuple[Change, ...]:
    """Changes of some fields of an entity, now and then of one that cannot change."""
    open_to = [each for each in plan.fields if each.sort not in KEPT_UP]
    fields = open_to if draw(st.integers(0, 15)) else list(plan.all_fields)
    chosen = draw(st.lists(st.sampled_from(fields), min_size=1, max_size=4, unique=True))
    found = []
    for each in chosen:
        verb = draw(st.sampled_from(change_verbs(each)))
        value = None if each.sort in KEPT_UP else pools.value(draw, plan, each)
        found.append(Change(each.name, verb, value))
    return tuple(found)


# ── writes ────────────────────────────────────────────────────────────────────────────────────────

Send = Callable[[Any], Any]
"""Sends a write by a database or a transaction."""


@dataclass(frozen=True)
class Write:
    """A write of one item: how it is sent, and what has to be stored afterwards, None for no item."""

    described: str
    key: str
    send: Send
    after: Callable[[Any], Wanted | None]
    """From the entity that was stored before, None for none."""
    kind: Any = None
    may: Callable[[Any], bool] = lambda before: True
    """Whether its condition holds of what was stored before."""
    deletes: bool = False

    def __repr__(self) -> str:
        return self.described


def fields_of(entity: Any) -> Wanted:
    shape = type(entity).__shape__
    return {
        name: plain(getattr(entity, name), slot.normalizes)
        for name, slot in shape.slots.items()
        if not slot.is_version and not slot.is_touched
    }


@st.composite
def writes(draw: DrawFn, design: Design, stored: Stored, history: list[Any], pools: Pools) -> Write:
    """A write of any form; what it is by may be an entity that has changed since."""
    plan = design.plans[draw(st.sampled_from(sorted(design.plans)))]
    seen = [each for each in history if type(each) is design.classes[plan.name]]
    entity = pools.entity(draw, design, plan)
    if seen and draw(st.integers(0, 3)) > 0:
        entity = _at_the_key_of(entity, draw(st.sampled_from(seen[-4:])), plan)
    form = draw(
        st.sampled_from(("create", "put", "put", "replace", "update", "update", "update", "update", "delete"))
    )
    if form in ("create", "put"):
        return _put(draw, form, entity, plan, stored)
    target = draw(st.sampled_from(seen[-4:])) if seen else entity
    if form == "replace":
        return _replace(draw, entity, target, plan)
    if form == "delete":
        return _delete(draw, design, plan, target)
    return _update(draw, design, plan, target, pools)


def _at_the_key_of(entity: Any, other: Any, plan: Plan) -> Any:
    """An entity of drawn fields that has the key of another, and its version."""
    taken = {each.name: getattr(other, each.name) for each in plan.key_fields}
    taken |= {each.name: getattr(other, each.name) for each in plan.fields if each.sort in KEPT_UP}
    return construct(type(entity), {**entity.__dict__, **taken}, {}, set(entity.__dict__))


@dataclass(frozen=True)
class When:
    """What a write waits for, if it does."""

    kind: Any
    demand: Demand | None

    def condition(self) -> Any:
        return None if self.demand is None else self.demand.condition(self.kind)

    def holds(self, before: Any) -> bool:
        """Whether it is true of what is stored, None for no item."""
        if self.demand is None:
            return True
        return holds(self.demand.verb, None, []) if before is None else self.demand.holds(before)

    def __repr__(self) -> str:
        return repr(self.demand)


def _when(draw: Draw, plan: Plan, kind: Any) -> When:
    fitting = [each for each in plan.fields if each.sort not in KEPT_UP]
    if not fitting or draw(st.integers(0, 3)):
        return When(kind, None)
    each = draw(st.sampled_from(fitting))
    return When(kind, draw(demands(each, each.sort.values[:3], filter_verbs(each))))


def _put(draw: Draw, form: str, entity: Any, plan: Plan, stored: Stored) -> Write:
    if form == "create":
        return Write(
            f"create({entity!r})",
            safe_key(entity),
            lambda to: to.create(entity),
            lambda before: fields_of(entity),
            type(entity),
            lambda before: before is None,
        )
    when = _when(draw, plan, type(entity))
    return Write(
        f"put({entity!r}, when={when})",
        safe_key(entity),
        lambda to: to.put(entity, when.condition()),
        lambda before: fields_of(entity),
        type(entity),
        when.holds,
    )


def _replace(draw: Draw, entity: Any, seen: Any, plan: Plan) -> Write:
    renewed = _at_the_key_of(entity, seen, plan)
    touched = [each.name for each in plan.fields if each.sort in KEPT_UP]
    by = (
        type(entity).__references__[draw(st.sampled_from(touched))]
        if touched and draw(st.booleans())
        else None
    )
    return Write(
        f"replace({renewed!r}, seen={seen!r}, by={by!r})",
        safe_key(renewed),
        lambda to: to.replace(renewed, seen=seen, by=by),
        lambda before: fields_of(renewed),
        type(entity),
        lambda before: before is not None or getattr(seen, "version", None) == 0,
    )


def _delete(draw: Draw, design: Design, plan: Plan, target: Any) -> Write:
    kind = type(target)
    subject = target if draw(st.booleans()) else key_of(design, plan, target)
    when = _when(draw, plan, kind)
    return Write(
        f"delete({subject!r}, when={when})",
        safe_key(target),
        lambda to: to.delete(subject, when.condition()),
        lambda before: None,
        kind,
        when.holds,
        deletes=True,
    )


def key_of(design: Design, plan: Plan, entity: Any) -> Any:
    """The key of an entity by itself."""
    return design.classes[f"{plan.name}Key"](
        **{each.name: getattr(entity, each.name) for each in plan.key_fields}
    )


def _update(draw: Draw, design: Design, plan: Plan, target: Any, pools: Pools) -> Write:
    kind = type(target)
    subject = target if draw(st.booleans()) else key_of(design, plan, target)
    drawn = draw(changes(plan, pools))
    upsert = draw(st.integers(0, 3)) == 0
    when = _when(draw, plan, kind)
    if upsert:
        drawn = _completed(draw, plan, drawn, pools)

    def send(to: Any) -> Any:
        return to.update(
            subject, *(each.update(kind) for each in drawn), when=when.condition(), upsert=upsert
        )

    return Write(
        f"update({subject!r}, {drawn}, when={when}, upsert={upsert})",
        safe_key(target),
        send,
        lambda before: updated(before, target, drawn),
        kind,
        lambda before: (upsert or before is not None) and when.holds(before),
    )


def _completed(draw: Draw, plan: Plan, drawn: tuple[Change, ...], pools: Pools) -> tuple[Change, ...]:
    """The changes with those that a new item cannot be without."""
    named = {each.name for each in drawn}
    lacking = [
        each
        for each in plan.fields
        if each.name not in named and not each.default and each.sort not in KEPT_UP
    ]
    verbs = ("set", "set", "set_if_missing")
    return (
        *drawn,
        *(Change(each.name, draw(st.sampled_from(verbs)), pools.value(draw, plan, each)) for each in lacking),
    )


def updated(before: Any, target: Any, drawn: tuple[Change, ...]) -> Wanted:
    """The fields after these changes, of an item that was there or of a new one with its defaults."""
    shape = type(target).__shape__
    slots = {name: slot for name, slot in shape.slots.items() if not slot.is_version and not slot.is_touched}
    if before is None:
        found = {name: getattr(target, name) if name in shape.key_fields else MISSING for name in slots}
    else:
        found = {name: _stored(getattr(before, name), slot) for name, slot in slots.items()}
    for each in drawn:
        found[each.name] = each.after(found[each.name], slots[each.name])
    return {
        name: plain(slot.absent() if found[name] is MISSING else found[name], slot.normalizes)
        for name, slot in slots.items()
    }


def _stored(value: Any, slot: Any) -> Any:
    """A field's value, MISSING where nothing is stored of it."""
    if (value is None and not slot.keeps_null) or (slot.is_set and value is not None and not value):
        return MISSING
    return value


def safe_key(entity: Any) -> str:
    """The text of a key, or nothing where the entity has none."""
    try:
        return key_text(entity)
    except ValueError:
        return ""


def stored_by_batch(entity: Any) -> Write:
    """What a batch does that stores an entity."""
    return Write(
        "batch_write",
        safe_key(entity),
        lambda to: to.batch_write(puts=[entity]),
        lambda before: fields_of(entity),
        type(entity),
    )


def deleted_by_batch(entity: Any) -> Write:
    """What a batch does that deletes an entity."""
    return Write(
        "batch_write",
        safe_key(entity),
        lambda to: to.batch_write(deletes=[entity]),
        lambda before: None,
        type(entity),
        deletes=True,
    )
