"""Changes of parts of a field: which ones can be made without looking at the whole, and what must hold for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from hansang.design.attributes import Update
from hansang.design.expressions import Condition, ExpressionWriter
from hansang.design.fields import Field
from hansang.design.paths import PathField, unmarked_model
from hansang.design.shape import Item, Shape
from hansang.errors import DesignError


def expect_part(shape: Shape, update: Update[Any], *, upsert: bool) -> None:
    """Refuse a change of a part that what is above it would have to be asked about."""
    field = update.field
    assert isinstance(field, PathField)
    root = field.line[0]
    if upsert:
        raise DesignError(
            f"upsert=True may make a new {shape.cls.__name__}, which has no {field!r} to change. Set {root!r} as a whole."
        )
    follower = next((name for name, each in shape.derived.items() if each.of == root.name), None)
    if follower is not None:
        raise DesignError(
            f"{follower} is derived from {root!r}, so that is changed as a whole. Set {root!r}."
        )
    for part in field.line[:-1]:
        _expect_unwatched(part, field)
    parent = field.parent.slot
    is_moved = field.is_entry and (update.verb == "remove" or not field.is_element)
    if is_moved and parent is not None and parent.lengths != (0, None):
        raise DesignError(
            f"The number of members of {field.parent!r} has bounds. Set {field.parent!r} as a whole."
        )
    if update.clause == "REMOVE" and field.slot is not None and field.slot.is_required:
        raise DesignError(
            f"{field!r} cannot be removed: {field.parent!r} could not be read without it. Set it."
        )


def _expect_unwatched(part: Field, field: Field) -> None:
    """A validator that looks at the whole would not see the change of a part."""
    model = unmarked_model(part.slot)
    is_watched = model is not None and bool(model.__pydantic_decorators__.model_validators)
    if is_watched or (part.slot is not None and not part.slot.is_plain):
        raise DesignError(
            f"{part!r} has a validator, which would not see a change of {field!r}. Set {part!r} as a whole."
        )


def expect_apart(updates: Iterable[Update[Any]]) -> None:
    """Refuse changes of which one is inside of another, or moves what another changes."""
    for one, other in combinations(updates, 2):
        lines = [_line(each.field) for each in (one, other)]
        short, long = sorted(lines, key=len)
        if long[: len(short)] == short:
            raise DesignError(f"{one.field!r} and {other.field!r} overlap. One update changes a value once.")
        fields = [each.field for each in (one, other) if isinstance(each.field, PathField)]
        if len(fields) == 2 and any(_moves(each, fields) for each in (one, other)):
            raise DesignError(
                f"{one.field!r} and {other.field!r} are in one list, whose places move when an element is removed. Change "
                "them one by one."
            )


def _line(field: Field) -> tuple[str, ...]:
    return tuple(each.name for each in field.line) if isinstance(field, PathField) else (field.name,)


def _moves(update: Update[Any], fields: list[PathField]) -> bool:
    field = update.field
    if not (update.verb == "remove" and isinstance(field, PathField) and field.is_element):
        return False
    return all(field.parent.name in _line(each) for each in fields)


def based(update: Update[Any]) -> Update[Any]:
    """The change of a part that may be absent, and then is what its default says."""
    field = update.field
    slot = field.slot
    assert isinstance(field, PathField)
    assert slot is not None
    default = None if slot.is_required else slot.absent()
    if update.verb == "remove":
        encoded = None if default is None else slot.encode(default)
        return update if encoded is None else replace(update, clause="SET", verb="set", encoded=encoded)
    if update.verb == "append":
        return replace(update, base=slot.codec.encode(default) if default else None)
    if update.verb == "add":
        start = default if default is not None else 0 if field.is_entry and not field.is_element else None
        return replace(update, clause="SET", base=None if start is None else slot.codec.encode(start))
    return update


def guards(update: Update[Any]) -> Iterator[Condition]:
    """What has to be there, so that the change is of what it names."""
    field = update.field
    assert isinstance(field, PathField)
    needs_itself = field.is_element or (update.verb in ("add", "append") and update.base is None)
    yield Reachable(field if needs_itself else field.parent)


@dataclass(frozen=True, slots=True, eq=False)
class Reachable(Condition):
    """That a part of an item is there, and is no None."""

    field: Field

    def write(self, writer: ExpressionWriter) -> str:
        path = self.field.written(writer)
        return f"attribute_exists({path}) AND NOT attribute_type({path}, {writer.value({'S': 'NULL'})})"

    def is_met(self, item: Item) -> bool:
        """Whether it held of the item that was there."""
        stored = self.field.stored_in(item)
        return stored is not None and "NULL" not in stored

    def fields(self) -> tuple[Field, ...]:
        return (self.field,)

    def __str__(self) -> str:
        return f"{self.field!r} is there"
