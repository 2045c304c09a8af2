"""What is known of an entity when its class is made: where every field is stored, and how."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from pydantic_core import PydanticUndefined

from hansang.design.codec import EPOCH, Attr, Codec, Value, codec_for, optional, plain
from hansang.design.compiled import decode_function, key_function
from hansang.design.table import Index, Table
from hansang.design.templates import Template
from hansang.errors import DesignError, InvalidKey, UnexpectedItem

Item = dict[str, Value]


_READERS: dict[Any, Callable[[str], Any]] = {str: str, int: int, date: date.fromisoformat}


@dataclass(frozen=True, slots=True)
class Slot:
    """Where a field is stored. A field that is in the key alone has no attribute of its own."""

    name: str
    attribute: str | None
    codec: Codec
    optional: bool
    default: Any
    default_factory: Any
    annotation: Any

    def read(self, text: str) -> Any:
        """The value of a part of a key."""
        if self.annotation in _READERS:
            return _READERS[self.annotation](text)
        return self.codec.decode({self.codec.kind or "S": text})

    def missing(self, shape: Shape, item: Item) -> Any:
        """What the field is when the item lacks the attribute."""
        if self.default is not PydanticUndefined:
            return self.default
        if self.default_factory is not None:
            return self.default_factory()
        if self.optional:
            return None
        raise UnexpectedItem(
            f"The item {shape.shown(item)} has no attribute {self.attribute}, which every {shape.cls.__name__} has."
        )


class Shape:
    """The stored form of one entity or view."""

    def __init__(
        self,
        cls: type[Any],
        table: type[Table],
        pk: Template,
        sk: Template | None,
        *,
        type_name: str | None,
        index_keys: Mapping[Index, tuple[str, str | None]],
    ) -> None:
        self.cls, self.table, self.pk, self.sk, self.type_name = cls, table, pk, sk, type_name
        self.slots = {name: self._slot(name, info) for name, info in cls.model_fields.items()}
        self.derived = dict(cls.__derived__)
        self._check_fields()
        self.composed = self._composed(index_keys)
        self._known = self._known_attributes()
        self._in_key = tuple(slot for slot in self.slots.values() if slot.attribute is None)
        self._stored = tuple(
            slot
            for slot in self.slots.values()
            if slot.attribute is not None and slot.attribute not in table.key_attributes()
        )
        self._readers = tuple(
            (slot.name, slot.attribute, slot.codec.decode)
            for slot in self.slots.values()
            if slot.attribute is not None
        )
        self._field_names = set(self.slots)
        self.key = key_function(self, self._key)
        """The key of the item with these fields."""
        self.decode = decode_function(self, self._decode)
        """The entity of an item."""

    # ── making ────────────────────────────────────────────────────────────────────────────────────

    def _slot(self, name: str, info: Any) -> Slot:
        metadata = tuple(info.metadata)
        try:
            codec = codec_for(plain(info.annotation), metadata)
        except DesignError as fault:
            raise DesignError(f"{self.cls.__name__}.{name}: {fault}") from fault
        return Slot(
            name,
            self._attribute(name, metadata),
            codec,
            optional(info.annotation),
            info.default,
            info.default_factory,
            plain(info.annotation),
        )

    def _attribute(self, name: str, metadata: tuple[Any, ...]) -> str | None:
        given = next((each.name for each in metadata if isinstance(each, Attr)), None)
        if given is not None:
            return given
        if self.pk.bare == name:
            return self.table.pk
        if self.sk is not None and self.sk.bare == name:
            return self.table.sk
        in_key = name in self.pk.fields or (self.sk is not None and name in self.sk.fields)
        return None if in_key else name

    def _check_fields(self) -> None:
        for template in (self.pk, self.sk):
            for name in template.fields if template else ():
                if name not in self.slots:
                    raise DesignError(
                        f"The key {template.text} of {self.cls.__name__} has a place for {name}, "  # type: ignore[union-attr]
                        "and there is no such field."
                    )
        if (self.sk is None) != (self.table.sk is None):
            verb = "has no" if self.sk is None else "has a"
            raise DesignError(
                f"{self.cls.__name__} {verb} sort key, against its table {self.table.__name__}."
            )

    def _composed(self, index_keys: Mapping[Index, tuple[str, str | None]]) -> dict[str, Template]:
        """Index key attributes that are made of fields by a template of their own."""
        found: dict[str, Template] = {}
        for index, (pk, sk) in index_keys.items():
            for attribute, text in ((index.pk, pk), (index.sk, sk)):
                if attribute is not None and text is not None:
                    found[attribute] = Template.parse(text)
        return found

    def _known_attributes(self) -> frozenset[str]:
        stored = [slot.attribute for slot in self.slots.values() if slot.attribute is not None]
        kind = [self.table.type_attribute] if self.table.type_attribute else []
        derived = [each.attribute for each in self.derived.values()]
        return frozenset([*stored, *kind, *derived, *self.composed, *self.table.key_attributes()])

    # ── asking ────────────────────────────────────────────────────────────────────────────────────

    def kind_of(self, attribute: str) -> str | None:
        """The DynamoDB type that this entity gives to an attribute, None if it has no such attribute."""
        for slot in self.slots.values():
            if slot.attribute == attribute:
                return slot.codec.kind
        for each in self.derived.values():
            if each.attribute == attribute:
                return "S" if each.codec is None else each.codec.kind
        if attribute in self.composed or attribute in self.table.key_attributes():
            return "S"
        return None

    @property
    def expiry(self) -> str | None:
        return next((slot.attribute for slot in self.slots.values() if slot.codec is EPOCH), None)

    @property
    def attributes(self) -> frozenset[str]:
        return self._known

    def shown(self, item: Mapping[str, Value]) -> str:
        """An item's key, for people."""
        return ", ".join(
            f"{name}={next(iter(item[name].values()))}"
            for name in self.table.key_attributes()
            if name in item
        )

    # ── items ─────────────────────────────────────────────────────────────────────────────────────

    def _key(self, values: Mapping[str, Any]) -> Item:
        """The key of the item with these fields, part by part."""
        item = {self.table.pk: self._key_value(self.pk, values)}
        if self.sk is not None and self.table.sk is not None:
            item[self.table.sk] = self._key_value(self.sk, values)
        return item

    def _key_value(self, template: Template, values: Mapping[str, Any]) -> Value:
        bare = template.bare
        if bare is not None:
            slot, value = self.slots[bare], values[bare]
            if slot.codec.kind != "S":
                return slot.codec.encode(value)
            if not isinstance(value, str):
                return slot.codec.encode(value)
        return {"S": template.fill(values)}

    def encode(self, entity: Any) -> Item:
        """The item of an entity."""
        values = entity.__dict__
        item = self.key(values)
        if self.table.type_attribute is not None and self.type_name is not None:
            item[self.table.type_attribute] = {"S": self.type_name}
        for slot in self._stored:
            value = values[slot.name]
            if value is not None or not slot.optional:
                item[slot.attribute] = slot.codec.encode(value)  # type: ignore[index]
        for each in self.derived.values():
            found = each.encode(values)
            if found is not None:
                item[each.attribute] = found
        for attribute, template in self.composed.items():
            if all(values[name] is not None for name in template.fields):
                item[attribute] = {"S": template.fill(values)}
        unknown = (entity.__pydantic_private__ or {}).get("_unknown")
        return {**unknown, **item} if unknown else item

    def _decode(self, item: Item) -> Any:
        """The entity of an item, field by field. Attributes that nobody knows are kept for writing back."""
        values: dict[str, Any] = {}
        try:
            for name, attribute, decode in self._readers:
                value = item.get(attribute)
                if value is not None:
                    values[name] = decode(value)
                else:
                    values[name] = self.slots[name].missing(self, item)
        except (KeyError, ValueError, TypeError) as reason:
            raise self._misfit(item) from reason
        if self._in_key:
            self._read_key(item, values)
        unknown = (
            {} if item.keys() <= self._known else {name: item[name] for name in item.keys() - self._known}
        )
        return construct(self.cls, values, unknown, self._field_names)

    def _misfit(self, item: Item) -> UnexpectedItem:
        """Which attribute does not fit."""
        for name, attribute, decode in self._readers:
            try:
                if attribute in item:
                    decode(item[attribute])
            except (KeyError, ValueError, TypeError):
                return UnexpectedItem(
                    f"The attribute {attribute} of the item {self.shown(item)} is {item[attribute]}, "
                    f"which is no {self.cls.__name__}.{name}."
                )
        return UnexpectedItem(f"The item {self.shown(item)} is no {self.cls.__name__}.")

    def _read_key(self, item: Item, values: dict[str, Any]) -> None:
        texts: dict[str, str] = {}
        try:
            for template, attribute in ((self.pk, self.table.pk), (self.sk, self.table.sk)):
                if template is not None and attribute is not None and template.bare is None:
                    texts |= template.read(item[attribute]["S"])
            for slot in self._in_key:
                values[slot.name] = slot.read(texts[slot.name])
        except (InvalidKey, KeyError, ValueError) as reason:
            raise UnexpectedItem(
                f"The item {self.shown(item)} has no key of a {self.cls.__name__}."
            ) from reason

    def matches(self, item: Item) -> bool:
        """Whether an item of the table is one of these."""
        kind = self.table.type_attribute
        if kind is not None and self.type_name is not None:
            return item.get(kind) == {"S": self.type_name}
        for template, attribute in ((self.pk, self.table.pk), (self.sk, self.table.sk)):
            if template is None or attribute is None or template.bare is not None:
                continue
            text = item[attribute].get("S")
            if text is None or not template.matches(text):
                return False
        return True


def recognised(shapes: Iterable[Shape], item: Item) -> Shape | None:
    """The shape that an item has; of several that fit, the one that leaves least of its key open."""
    fitting = [shape for shape in shapes if shape.matches(item)]
    return min(
        fitting,
        key=lambda shape: len(shape.pk.fields) + len(shape.sk.fields if shape.sk else ()),
        default=None,
    )


def construct(cls: Any, values: dict[str, Any], unknown: Item, names: set[str]) -> Any:
    """An instance of what the store has kept, made without asking pydantic again."""
    entity = cls.__new__(cls)
    _set(entity, "__dict__", values)
    _set(entity, "__pydantic_fields_set__", names)
    _set(entity, "__pydantic_extra__", None)
    _set(entity, "__pydantic_private__", {"_unknown": unknown} if unknown else None)
    return entity


_set = object.__setattr__
