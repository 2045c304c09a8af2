"""The requests of single writes, for the database and for transactions alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hansang.design.attributes import Update
from hansang.design.changes import Bound, Changes
from hansang.design.codec import Value
from hansang.design.decoding import construct
from hansang.design.entity import Entity, Key, Model, View
from hansang.design.expressions import (
    Condition,
    ExpressionWriter,
    Presence,
    StoredAs,
    all_of,
    condition,
)
from hansang.design.fields import Field
from hansang.design.kinds import is_of
from hansang.design.normalize import normalize_nfc
from hansang.design.path_changes import Reachable
from hansang.design.paths import field_of
from hansang.design.shape import Item, Shape
from hansang.design.table import Table
from hansang.errors import (
    AlreadyExists,
    Conflict,
    DataError,
    DesignError,
    InvalidInput,
    NotFound,
    UnexpectedItem,
)

if TYPE_CHECKING:
    from hansang.design.runner import Runner


@dataclass(frozen=True, slots=True)
class Write:
    """A request that writes one item, and what it means when its condition does not hold."""

    table: type[Table]
    request: dict[str, Any]
    pattern: str
    explain: Callable[[Item | None], DataError]
    """The error for the item that was there, if there was one."""
    entity: Any = None
    """The entity as it is written."""


# ── what is written to ────────────────────────────────────────────────────────────────────────────


def shape_of(subject: Any) -> Shape:
    """The shape of an entity, or of the entity that a key belongs to."""
    found: Shape | None = getattr(type(subject), "__shape__", None)
    if found is not None and found.index is None and found.entity is None:
        return found  # Asking pydantic's classes what is an instance of them takes longer than the rest.
    if isinstance(subject, type) and issubclass(subject, Model):
        raise DesignError(f"{subject.__name__} is a class. Give an instance of it: {subject.__name__}(…).")
    if not isinstance(subject, Model):
        raise DesignError(
            f"{subject!r} is not a key. Give a key such as PostKey(id='p1'), or an entity that was read."
        )
    shape = type(subject).__shape__
    if isinstance(subject, View):
        shape = None if shape is None else shape.entity
    if shape is None:
        raise DesignError(
            f"{type(subject).__name__} belongs to no entity. Derive an Entity from it, with its table."
        )
    return shape


def entity_shape(entity: Any) -> Shape:
    """The shape of a whole entity; a key or a view has too little to be stored."""
    shape = shape_of(entity)
    if not isinstance(entity, Entity):
        raise DesignError(
            f"A {type(entity).__name__} is a part of a {shape.cls.__name__}, and only a whole one can be stored. "
            f"Make a {shape.cls.__name__}."
        )
    if type(entity) is not shape.cls:
        raise DesignError(
            f"{type(entity).__name__} has no table of its own, and a {shape.cls.__name__} would be stored of it. Give it a "
            f"table and a key, or make a {shape.cls.__name__}."
        )
    return shape


def key_of(subject: Key[Any] | Entity) -> Item:
    return shape_of(subject).key(subject.__dict__)


def shown(subject: Any) -> str:
    """A key, for people: `Post category_id=c001 id=p001`."""
    shape = shape_of(subject)
    names = dict.fromkeys((*shape.pk.fields, *(shape.sk.fields if shape.sk else ())))
    return " ".join([shape.cls.__name__, *(f"{name}={getattr(subject, name)}" for name in names)])


def stamped(runner: Runner, shape: Shape, entity: Any, version: int | None) -> Any:
    """The entity with what the database keeps up: its version, and the time of this write."""
    spelled = _normalized(shape, entity)
    if not shape.touched and shape.version is None and not spelled:
        return entity
    values = entity.__dict__ | spelled
    for slot in shape.touched:
        values[slot.name] = runner.now()
    if shape.version is not None and version is not None:
        values[shape.version.name] = version
    unknown = (entity.__pydantic_private__ or {}).get("_unknown") or {}
    return construct(shape.cls, values, unknown, set(shape.slots))


def _normalized(shape: Shape, entity: Any) -> dict[str, Any]:
    """The texts of keys in NFC, as they are stored, where they were given otherwise."""
    found = {}
    for slot in shape.slots.values():
        value = entity.__dict__.get(slot.name)
        if slot.normalizes and type(value) is str and not value.isascii() and normalize_nfc(value) != value:
            found[slot.name] = normalize_nfc(value)
    return found


def _expect_known(shape: Shape, when: Condition) -> Condition:
    for field in when.fields():
        if not shape.owns(field):
            raise DesignError(
                f"{field!r} is not a field of {shape.cls.__name__}, so it cannot be tested of one."
            )
    for field in when.compared():
        if field.in_key:
            raise DesignError(
                f"{field!r} is part of the key that is written to, so there is nothing to test. Leave the condition out."
            )
    return when


def _given(shape: Shape, when: Condition | bool | None, *, anew: bool = False) -> list[Condition]:
    """The condition that was given; what compares a value is of an item that is there, unless one may be made."""
    if when is None:
        return []
    found = _expect_known(shape, condition(when))
    if anew or len([*found.compared()]) != len([*found.fields()]):
        return [found]  # Who asks whether something is there has thought of an item that is not.
    return [Presence(shape.table.pk, there=True), found]


def _of_type(shape: Shape, *, anew: bool) -> list[Condition]:
    """That an item is of this type, where others could have its key."""
    kind = shape.table.type_attribute
    if not shape.rivals or kind is None:
        return []
    own: Value | None = None if shape.type_name is None else {"S": shape.type_name}
    return [StoredAs(kind, (own, None) if anew and own is not None else (own,))]


def _conditional(
    request: dict[str, Any], writer: ExpressionWriter, conditions: Sequence[Condition]
) -> dict[str, Any]:
    if conditions:
        request["ConditionExpression"] = all_of(*conditions).write(writer)
        request["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
    return request | writer.parameters()


# ── writes ────────────────────────────────────────────────────────────────────────────────────────


def create(runner: Runner, entity: Entity) -> Write:
    shape = entity_shape(entity)
    written = stamped(runner, shape, entity, 1)
    request = {"TableName": runner.name(shape.table), "Item": shape.encode(written)}
    request = _conditional(request, ExpressionWriter(), [Presence(shape.table.pk, there=False)])

    def explain(item: Item | None) -> DataError:
        return AlreadyExists(
            "{subject} already exists.",
            readable(shape, item),
            code="design.exists",
            values={"subject": shown(entity)},
        )

    return Write(shape.table, request, f"{shape.cls.__name__}.create", explain, written)


def put(
    runner: Runner, entity: Entity, when: Condition | bool | None, seen: Sequence[Condition] = ()
) -> Write:
    shape = entity_shape(entity)
    guards, version = list(seen), None
    if shape.version is not None:
        version = getattr(entity, shape.version.name)
        guards += [as_read(shape, entity)]
    given = _given(shape, when)
    if given or seen:
        guards += _of_type(shape, anew=True)
    written = stamped(runner, shape, entity, None if version is None else version + 1)
    request = {"TableName": runner.name(shape.table), "Item": shape.encode(written)}
    request = _conditional(request, ExpressionWriter(), [*guards, *given])
    return Write(
        shape.table, request, f"{shape.cls.__name__}.put", _explanation(shape, entity, guards, given), written
    )


def replace(runner: Runner, entity: Entity, seen: Entity, by: object) -> Write:
    """A put in place of what was seen, told by the field that differs with every version."""
    shape = entity_shape(entity)
    if type(seen) is not type(entity) or key_of(seen) != key_of(entity):
        raise DesignError(
            f"{shown(entity)} cannot replace {shown(seen)}: replacing keeps the kind and the key."
        )
    if by is None and shape.version is None:
        raise DesignError(
            f"{shape.cls.__name__} has no Version. Give it one (version: Version = 0), or say which field differs with "
            "every version: by=Post.updated_at."
        )
    by = field_of(by)
    if by is not None and not isinstance(by, Field):
        raise DesignError(
            f"{by!r} is not a field. Write by=Post.updated_at, with the class and not an instance."
        )
    if by is not None and (not shape.owns(by) or by.name not in shape.slots):
        raise DesignError(f"{by!r} is not a field of {shape.cls.__name__}.")
    slot = shape.version if by is None else shape.slots[by.name]
    assert slot is not None
    if slot.is_touched:
        raise DesignError(
            f"{slot!r} is to the second, so two writes of one second could not be told apart. Give "
            f"{shape.cls.__name__} a Version: version: Version = 0."
        )
    there = Presence(shape.table.pk, there=True)
    if slot.is_version:
        return put(runner, entity.model_copy(update={slot.name: getattr(seen, slot.name)}), None, [there])
    written = stamped(runner, shape, entity, None)
    if getattr(written, slot.name) == getattr(seen, slot.name):
        raise InvalidInput(
            f"{slot!r} is {getattr(seen, slot.name)!r} as before, so two writers could not be told apart. Raise it with "
            "every write, or use a Version, which the database raises.",
            slot.name,
        )
    assert slot.attribute is not None
    return put(runner, entity, None, [there, StoredAs(slot.attribute, slot.forms(getattr(seen, slot.name)))])


def update(
    runner: Runner,
    key: Key[Any],
    updates: tuple[Update[Any], ...],
    when: Condition | bool | None,
    *,
    upsert: bool,
) -> Write:
    shape = shape_of(key)
    writer = ExpressionWriter()
    is_seen = isinstance(key, Entity)
    known = key.__dict__ if is_seen else {name: getattr(key, name) for name in shape.key_fields}
    known = known | {name: text for name, text in _normalized(shape, key).items() if name in known}
    changes = Changes(shape, known, updates, upsert, runner.now(), seen=is_seen)
    request: dict[str, Any] = {"TableName": runner.name(shape.table), "Key": key_of(key)}
    request["UpdateExpression"] = changes.write(writer)
    there = [] if upsert else [Presence(shape.table.pk, there=True)]
    given, kind = _given(shape, when, anew=True), _of_type(shape, anew=upsert)
    request = _conditional(request, writer, [*there, *kind, *changes.guards, *given])
    explain = _explanation(shape, key, [*kind, *changes.guards], given, anew=upsert)
    return Write(shape.table, request, f"{shape.cls.__name__}.update", explain)


def delete(runner: Runner, key: Key[Any], when: Condition | bool | None) -> Write:
    shape = shape_of(key)
    guards = _of_type(shape, anew=True)
    if shape.version is not None and isinstance(key, Entity):
        guards.append(as_read(shape, key))
    given = _given(shape, when)
    request = {"TableName": runner.name(shape.table), "Key": key_of(key)}
    request = _conditional(request, ExpressionWriter(), [*guards, *given])
    return Write(
        shape.table, request, f"{shape.cls.__name__}.delete", _explanation(shape, key, guards, given)
    )


def check(runner: Runner, key: Key[Any], when: Condition | bool) -> Write:
    shape = shape_of(key)
    given, guards = _given(shape, when), _of_type(shape, anew=True)
    request = {"TableName": runner.name(shape.table), "Key": key_of(key)}
    request = _conditional(request, ExpressionWriter(), [*guards, *given])
    return Write(shape.table, request, f"{shape.cls.__name__}.check", _explanation(shape, key, guards, given))


def put_item(runner: Runner, table: type[Table], item: Item, when: Condition) -> dict[str, Any]:
    return _conditional({"TableName": runner.name(table), "Item": item}, ExpressionWriter(), [when])


def delete_item(runner: Runner, table: type[Table], key: Item, when: Condition) -> dict[str, Any]:
    return _conditional({"TableName": runner.name(table), "Key": key}, ExpressionWriter(), [when])


def as_read(shape: Shape, entity: Any) -> Condition:
    """That an item has the version that was read; one that was never written with a version has none."""
    assert shape.version is not None
    assert shape.version.attribute is not None
    return StoredAs(shape.version.attribute, shape.version.forms(getattr(entity, shape.version.name)))


# ── what a failed condition means ─────────────────────────────────────────────────────────────────


def readable(shape: Shape, item: Item | None) -> Any:
    """The entity of an item, or the item itself where it cannot be read."""
    try:
        return None if item is None else shape.decode(item)
    except UnexpectedItem:
        return item


def _explanation(
    shape: Shape,
    subject: Any,
    guards: Sequence[Condition],
    given: Sequence[Condition],
    *,
    anew: bool = False,
) -> Callable[[Item | None], DataError]:
    def explain(item: Item | None) -> DataError:
        if item is None and anew:
            unmet = " and ".join(map(str, (*guards, *given)))
            return Conflict(
                "{subject} was not created, because a new one does not meet this condition: {unmet}.",
                code="design.unmet-new",
                values={"subject": shown(subject), "unmet": unmet},
            )
        if item is None:
            return not_found(subject)
        kind = shape.table.type_attribute
        if shape.rivals and kind is not None and not is_of(shape, item):
            return Conflict(
                "The item of {subject} is not of kind {kind}, and was left as it is.",
                item,
                code="design.other-kind",
                values={"subject": shown(subject), "kind": shape.cls.__name__},
            )
        found = readable(shape, item)
        if any(_has_changed(guard, item) for guard in guards):
            return Conflict(
                "{subject} has changed since it was read. Read it again and decide again.",
                found,
                code="design.changed",
                values={"subject": shown(subject)},
            )
        unmet = " and ".join(str(each) for each in (*guards, *given) if not _is_met(each, item))
        return Conflict(
            "{subject} was left as it is, because it does not meet this condition: {unmet}.",
            found,
            code="design.unmet",
            values={"subject": shown(subject), "unmet": unmet},
        )

    return explain


def _has_changed(guard: Condition, item: Item) -> bool:
    return isinstance(guard, StoredAs) and item.get(guard.attribute) not in guard.values


def _is_met(each: Condition, item: Item) -> bool:
    """Whether a condition certainly holds, so that it is not what stood in the way."""
    if isinstance(each, StoredAs):
        return item.get(each.attribute) in each.values
    if isinstance(each, Bound | Reachable):
        return each.is_met(item)
    return isinstance(each, Presence) and each.there


def not_found(subject: Any) -> NotFound:
    return NotFound("{subject} not found.", code="design.not-found", values={"subject": shown(subject)})
