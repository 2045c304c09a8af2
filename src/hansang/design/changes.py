"""What an update of an entity writes: the changes asked for, what follows from them, and what must hold for that."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal, localcontext
from typing import Any

from hansang.design.attributes import Update, attr, write_updates
from hansang.design.codec import Codec, Value, to_value
from hansang.design.expressions import Condition, ExpressionWriter, StoredAs
from hansang.design.fields import Field
from hansang.design.path_changes import based, expect_apart, expect_part, guards
from hansang.design.shape import Item, Shape
from hansang.design.slots import Slot
from hansang.errors import DesignError

_RAW = Codec(None, lambda value: value, lambda value: value)
_HOLDS = {">=": operator.ge, ">": operator.gt, "<=": operator.le, "<": operator.lt}


@dataclass
class Changes:
    """All that one update writes, and the conditions without which it would be wrong."""

    shape: Shape
    key: Mapping[str, Any]
    """The fields that are known of the item: those of its key, or all as they were seen."""
    updates: tuple[Update[Any], ...]
    upsert: bool
    now: Any
    seen: bool = False
    """Whether the item was read, and has to be as it was then where it has a version."""
    guards: list[Condition] = field(default_factory=list)
    """That what was seen and is written again is still so, and that sums stay within their bounds."""

    def __post_init__(self) -> None:
        if not self.updates:
            raise DesignError(
                "Nothing to update. Give at least one change, such as attr(Post.title).set('…')."
            )
        self.changed: dict[str, Update[Any]] = {}
        self._absents: dict[int, Any] = {}
        for update in self.updates:
            self._expect_own(update)
            self.changed[update.field.name] = update
        expect_apart(self.updates)
        self.following = dict(self.changed)
        for slot in self.shape.touched:
            field_ = Field(self.shape.cls, slot.name, slot.attribute, slot.codec, slot)
            self.following[slot.name] = Update(field_, "SET", "set", self.now, slot.encode(self.now))

    def write(self, writer: ExpressionWriter) -> str:
        """The expression of the changes and of what follows from them."""
        written = [*map(self._based, self.updates), *self._kept_up(), *self._following()]
        for update in self.updates:
            self._guard_sum(update)
        if self.upsert:
            self._expect_whole()
            written += self._founding({update.field.attribute for update in written})
            if all(update.clause != "SET" for update in written) and not any(
                u.clause == "ADD" for u in written
            ):
                raise DesignError(
                    f"These changes write nothing into a new {self.shape.cls.__name__}. Use put to make one."
                )
        return write_updates(writer, written)

    def _absent(self, slot: Slot) -> Any:
        """What a field is where it is not stored, the same each time."""
        if id(slot) not in self._absents:
            self._absents[id(slot)] = slot.absent()
        return self._absents[id(slot)]

    # ── what is refused ───────────────────────────────────────────────────────────────────────────

    def _expect_own(self, update: Update[Any]) -> None:
        if isinstance(update, Condition):
            named = next(iter(update.fields()), None)
            raise DesignError(
                f"{update} is a condition, and an update takes changes: attr({named!r}).set(…). Conditions go into when=."
            )
        if not isinstance(update, Update):
            raise DesignError(f"{update!r} is not a change. Write attr(Post.title).set('…').")
        field_ = update.field
        if not self.shape.owns(field_):
            raise DesignError(f"{field_!r} is not a field of {self.shape.cls.__name__}.")
        if field_.in_key:
            raise DesignError(
                f"{field_!r} is part of the key and cannot change. Delete the item and create another."
            )
        if field_.name in self.shape.derived:
            raise DesignError(
                f"{field_!r} is derived from {self.shape.derived[field_.name].of}; change that instead."
            )
        if field_.name in self.changed:
            raise DesignError(f"{field_!r} is changed twice. One update changes a field once.")
        if field_.is_nested:
            expect_part(self.shape, update, upsert=self.upsert)
            return
        slot = self.shape.slots[field_.name]
        if slot.is_version or slot.is_touched:
            raise DesignError(f"{field_!r} is set by the database with every write. Leave it out.")
        if update.verb == "if_missing" and slot.keeps_null:
            raise DesignError(
                f"{field_!r} may be stored as None, which set_if_missing would take for a value. Use set, with "
                f"when=attr({field_!r}).missing()."
            )
        if update.clause == "REMOVE" and slot.is_required:
            raise DesignError(
                f"{field_!r} cannot be removed: without it the item could not be read as a "
                f"{self.shape.cls.__name__}. Set it, or give it a default."
            )

    def _expect_whole(self) -> None:
        """An item that the update makes must have all that an item needs."""
        lacking = [
            slot.name
            for slot in self.shape.slots.values()
            if slot.is_required
            and slot.name not in self.changed
            and slot.name not in self.shape.key_fields
            and not (slot.is_version or slot.is_touched)
        ]
        if lacking:
            raise DesignError(
                f"upsert=True may make a new {self.shape.cls.__name__}, and these changes leave out {', '.join(lacking)}. "
                "Set them, or give them with set_if_missing."
            )

    # ── what follows ──────────────────────────────────────────────────────────────────────────────

    def _kept_up(self) -> Iterator[Update[Any]]:
        """The version and the times that the database writes itself."""
        version = self.shape.version
        if version is not None and version.attribute is not None:
            yield Update(self._raw(version.attribute), "ADD", "add", 1, {"N": "1"})
            if self.seen:
                self.guards.append(StoredAs(version.attribute, version.forms(self.key[version.name])))
        for slot in self.shape.touched:
            assert slot.attribute is not None
            yield Update(self._raw(slot.attribute), "SET", "set", self.now, slot.encode(self.now))

    def _following(self) -> Iterator[Update[Any]]:
        """Derived attributes and composed index keys whose fields change."""
        for each in self.shape.derived.values():
            if each.of in self.following:
                value = self.shape.derived_value(each, self._new_value(each.of, each.attribute))
                yield self._assigned(each.attribute, value)
        followed = [
            attribute
            for attribute, template in self.shape.composed.items()
            if not self.following.keys().isdisjoint(template.fields)
        ]
        for attribute in followed:
            yield self._assigned(attribute, self._index_key(attribute))
        for attribute in self._beside(followed):
            yield self._assigned(attribute, self.shape.index_key(attribute, self.key))

    def _beside(self, followed: list[str]) -> list[str]:
        """The other halves of index keys, where the item's own key tells them: it may not have been indexed before."""
        halves = {
            key
            for index in self.shape.table.indexes
            for key in index.keys
            if not {*followed}.isdisjoint(index.keys)
        }
        return [
            attribute
            for attribute, template in self.shape.composed.items()
            if attribute in halves - {*followed} and self.shape.key_fields.issuperset(template.fields)
        ]

    def _index_key(self, attribute: str) -> Value | None:
        """A composed index key after the changes; what it borrows from the item as it was seen must still be so."""
        template = self.shape.composed[attribute]
        values: dict[str, Any] = {}
        for name in template.fields:
            if name in self.following:
                values[name] = self._new_value(name, attribute)
            elif name in self.key:
                values[name] = self.key[name]
        if any(name in self.following and values[name] is None for name in template.fields):
            return None  # Whatever the others are, the item leaves the index.
        missing = [name for name in template.fields if name not in values]
        if missing:
            raise DesignError(
                f"The index key {attribute} is {template.text}, so it needs {', '.join(missing)} too, which these changes "
                "do not give. Give all its fields together, update the entity that was read, or replace the item."
            )
        for name in template.fields:
            if name not in self.following and name not in self.shape.key_fields:
                slot = self.shape.slots[name]
                assert slot.attribute is not None
                self.guards.append(StoredAs(slot.attribute, slot.forms(self.key[name])))
        return self.shape.index_key(attribute, values)

    def _new_value(self, name: str, attribute: str) -> Any:
        update = self.following[name]
        if update.verb == "remove":
            return self._absent(self.shape.slots[name])
        if update.verb != "set":
            raise DesignError(
                f"{attribute} follows {update.field!r}, whose new value is not known here. "
                "Set it to a value, or replace the item."
            )
        return update.value

    def _assigned(self, attribute: str, value: Value | None) -> Update[Any]:
        return Update(self._raw(attribute), "REMOVE" if value is None else "SET", "set", value, value)

    def _raw(self, attribute: str) -> Field:
        return Field(self.shape.cls, attribute, attribute, _RAW)

    # ── what is there, or would be by default ─────────────────────────────────────────────────────

    def _based(self, update: Update[Any]) -> Update[Any]:
        """The change of a field that may be absent, and then is what its default says."""
        if update.field.is_nested:
            found = based(update)
            self.guards += guards(found)
            return found
        slot = self.shape.slots[update.field.name]
        if update.verb == "remove":
            default = None if slot.is_required else self._absent(slot)
            encoded = None if default is None else slot.encode(default)
            return update if encoded is None else replace(update, clause="SET", verb="set", encoded=encoded)
        if update.verb not in ("add", "append", "discard"):
            return update
        if slot.keeps_null:
            self.guards.append(attr(update.field).exists())
        base = None if slot.is_required else self._absent(slot)
        if update.verb == "append":
            encoded = slot.codec.encode(base) if base else {"L": []}
            return replace(update, base=encoded)
        if not base:
            return update
        if slot.is_set:
            raise DesignError(
                f"{update.field!r} is {base!r} where it is not stored, which {update.verb} would not see. Set the whole set."
            )
        return replace(update, clause="SET", base=slot.codec.encode(base))

    # ── sums ──────────────────────────────────────────────────────────────────────────────────────

    def _guard_sum(self, update: Update[Any]) -> None:
        """A sum that would leave the bounds of its field is not written, nor a collection that gets too long."""
        slot = update.field.slot
        assert slot is not None
        base = None if slot.is_required else self._absent(slot)
        if update.verb == "add" and slot.codec.kind == "N":
            amount = slot.check_part(update.value)
            for sign, bound in slot.bounds:
                is_first_right = _HOLDS[sign]((base or 0) + amount, bound)
                self.guards.append(Bound(update.field, sign, bound, amount, is_first_right))
        elif update.verb in ("add", "append", "discard"):
            count = len(slot.check_part(update.value))
            self.guards += _lengths(update, slot.lengths, count, len(base or ()))

    # ── an item that is not there yet ─────────────────────────────────────────────────────────────

    def _founding(self, written: set[str | None]) -> Iterator[Update[Any]]:
        """What a new item has by its type, its key and its defaults, and an update alone would not write."""
        shape, found = self.shape, dict[str, Value | None]()
        if shape.table.type_attribute is not None and shape.type_name is not None:
            found[shape.table.type_attribute] = {"S": shape.type_name}
        known = {name: self.key[name] for name in shape.key_fields}
        for slot in shape.slots.values():
            if slot.name in self.changed or slot.is_version or slot.is_touched:
                continue
            if slot.name not in known and not slot.is_required:
                known[slot.name] = self._absent(slot)
            if slot.attribute is not None and slot.name in known:
                found[slot.attribute] = slot.encode(known[slot.name])
        for each in shape.derived.values():
            if each.of in known:
                found[each.attribute] = self._founded(
                    each.attribute, (each.of,), shape.derived_value(each, known[each.of])
                )
        for attribute, template in shape.composed.items():
            if all(name in known for name in template.fields):
                value = shape.index_key(attribute, known)
                found[attribute] = self._founded(attribute, template.fields, value)
        apart = {*shape.table.key_attributes(), *written}
        for attribute, value in found.items():
            if attribute not in apart and value is not None:
                yield Update(self._raw(attribute), "SET", "if_missing", value, value)

    def _founded(self, attribute: str, names: Iterable[str], value: Value | None) -> Value | None:
        """What follows a default belongs to a new item: one that is there must have it already, and keeps it."""
        rest = [name for name in names if name not in self.shape.key_fields]
        if rest and value is not None:
            self.guards.append(NewOrHas(self.shape.table.pk, attribute))
        return value


@dataclass(frozen=True, slots=True, eq=False)
class NewOrHas(Condition):
    """That an item is not there, or has an attribute."""

    key: str
    attribute: str

    def write(self, writer: ExpressionWriter) -> str:
        return f"attribute_not_exists({writer.name(self.key)}) OR attribute_exists({writer.name(self.attribute)})"

    def __str__(self) -> str:
        return f"it is new, or has {self.attribute}, which follows a default (update it without upsert)"


def _lengths(
    update: Update[Any], bounds: tuple[int, int | None], count: int, first: int
) -> Iterator[Condition]:
    least, most = bounds
    if update.verb == "discard" and least:
        yield Length(update.field, ">=", least, -count, first - count >= least)
    elif update.verb != "discard" and most is not None:
        yield Length(update.field, "<=", most, count, first + count <= most)


@dataclass(frozen=True, slots=True, eq=False)
class Bound(Condition):
    """That a stored number stays within a bound when an amount is added to it."""

    field: Field
    sign: str
    bound: Any
    amount: Any
    is_first_right: bool
    """Whether it does where nothing is stored."""

    def write(self, writer: ExpressionWriter) -> str:
        name = self.field.written(writer)
        with localcontext(prec=80):
            rest = to_value(self.bound - self.amount)
        written = f"{self._measured(name)} {self.sign} {writer.value(rest)}"
        return f"{written} OR attribute_not_exists({name})" if self.is_first_right else written

    def _measured(self, name: str) -> str:
        return name

    def is_met(self, item: Item) -> bool:
        """Whether it held of the item that was there."""
        stored = self.field.stored_in(item)
        if stored is None:
            return self.is_first_right
        try:
            return bool(_HOLDS[self.sign](self._measure(stored) + self.amount, self.bound))
        except (KeyError, TypeError, ArithmeticError):
            return False

    def _measure(self, stored: Value) -> Any:
        return Decimal(stored["N"])

    def fields(self) -> tuple[Field, ...]:
        return (self.field,)

    def __str__(self) -> str:
        change = f"- {-self.amount}" if self.amount < 0 else f"+ {self.amount}"
        return f"{self.field!r} {change} {self.sign} {self.bound}"


class Length(Bound):
    """That a collection has not too many and not too few members when some are added or taken out."""

    def _measured(self, name: str) -> str:
        return f"size({name})"

    def _measure(self, stored: Value) -> Any:
        return len(next(iter(stored.values())))

    def __str__(self) -> str:
        return f"the number of {super().__str__()}"
