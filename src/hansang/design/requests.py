"""The requests of single writes, for the database and for transactions alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hansang.design.changes import update_expression
from hansang.design.entity import Entity, Key, View
from hansang.design.expressions import Condition, Presence, Update, Writer, all_of, condition
from hansang.design.shape import Item, Shape
from hansang.design.table import Table
from hansang.errors import AlreadyExists, Conflict, DataError, DesignError, NotFound

if TYPE_CHECKING:
    from hansang.design.runner import Runner


def shape_of(subject: Any) -> Shape:
    """The shape of an entity, or of the entity that a key belongs to."""
    shape: Shape | None = type(subject).__shape__
    if isinstance(subject, View):
        entity = next(
            (b for b in type(subject).__mro__ if issubclass(b, Key) and b.__dict__.get("__entity__")), None
        )
        shape = None if entity is None else entity.__shape__
    if shape is None:
        raise DesignError(
            f"{type(subject).__name__} belongs to no entity. Derive an Entity from it, with its table."
        )
    return shape


def key_of(subject: Key[Any]) -> Item:
    return shape_of(subject).key(subject.__dict__)


def shown(subject: Any) -> str:
    """A key, for people: `Post category_id=c001 id=p001`."""
    shape = shape_of(subject)
    names = dict.fromkeys((*shape.pk.fields, *(shape.sk.fields if shape.sk else ())))
    return " ".join([shape.cls.__name__, *(f"{name}={getattr(subject, name)}" for name in names)])


def _conditional(request: dict[str, Any], writer: Writer, when: Condition | None) -> dict[str, Any]:
    if when is not None:
        request["ConditionExpression"] = when.write(writer)
        request["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
    return request | writer.parameters()


def _given(when: Condition | bool | None) -> Condition | None:
    return None if when is None else condition(when)


def create(runner: Runner, entity: Entity) -> dict[str, Any]:
    shape = shape_of(entity)
    request = {"TableName": runner.name(shape.table), "Item": shape.encode(entity)}
    return _conditional(request, Writer(), Presence(shape.table.pk, there=False))


def put(runner: Runner, entity: Entity, when: Condition | bool | None) -> dict[str, Any]:
    shape = shape_of(entity)
    request = {"TableName": runner.name(shape.table), "Item": shape.encode(entity)}
    return _conditional(request, Writer(), _given(when))


def update(
    runner: Runner,
    key: Key[Any],
    updates: tuple[Update[Any], ...],
    when: Condition | bool | None,
    *,
    upsert: bool,
) -> dict[str, Any]:
    shape, writer = shape_of(key), Writer()
    request: dict[str, Any] = {"TableName": runner.name(shape.table), "Key": key_of(key)}
    request["UpdateExpression"] = update_expression(writer, shape, key.__dict__, updates, upsert=upsert)
    there = None if upsert else Presence(shape.table.pk, there=True)
    conditions = [each for each in (there, _given(when)) if each is not None]
    return _conditional(request, writer, all_of(*conditions) if conditions else None)


def delete(runner: Runner, key: Key[Any], when: Condition | bool | None) -> dict[str, Any]:
    shape = shape_of(key)
    request = {"TableName": runner.name(shape.table), "Key": key_of(key)}
    return _conditional(request, Writer(), _given(when))


def put_item(runner: Runner, table: type[Table], item: Item, when: Condition) -> dict[str, Any]:
    return _conditional({"TableName": runner.name(table), "Item": item}, Writer(), when)


def delete_item(runner: Runner, table: type[Table], key: Item, when: Condition) -> dict[str, Any]:
    return _conditional({"TableName": runner.name(table), "Key": key}, Writer(), when)


def check(runner: Runner, key: Key[Any], when: Condition | bool) -> dict[str, Any]:
    shape = shape_of(key)
    request = {"TableName": runner.name(shape.table), "Key": key_of(key)}
    return _conditional(request, Writer(), condition(when))


# ── what a failed condition means ─────────────────────────────────────────────────────────────────


def already_exists(subject: Any, item: Any) -> DataError:
    return AlreadyExists(f"There is a {shown(subject)} already.", item)


def conflict(subject: Any, item: Any) -> DataError:
    return Conflict(
        f"{shown(subject)} is not as it was when it was read. Read it again and decide anew.", item
    )


def missing_or_conflict(subject: Any, item: Any) -> DataError:
    return not_found(subject) if item is None else conflict(subject, item)


def not_found(subject: Any) -> NotFound:
    return NotFound(f"There is no {shown(subject)}.")
