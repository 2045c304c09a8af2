"""What is known of an entity when its class is made: where every field is stored, and how."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from hansang.design.codec import EPOCH, Value
from hansang.design.compiled import decode_function, key_function, page_function
from hansang.design.decoding import decode
from hansang.design.normalize import normalize_nfc
from hansang.design.notations import Notation, notation_for
from hansang.design.projecting import projected_slots
from hansang.design.slots import Slot, attribute_name
from hansang.design.soundness import expect_sound
from hansang.design.table import ALL, Index, Table
from hansang.design.templates import Placeholder, Template
from hansang.errors import DesignError, InvalidKey

if TYPE_CHECKING:
    from hansang.design.fields import Field

Item = dict[str, Value]
IndexKeys = Mapping[Index, tuple[str, str | None]]


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
        index_keys: IndexKeys | None = None,
        index: Index | None = None,
        entity: Shape | None = None,
    ) -> None:
        """A view has the index that it is of, and the shape of the entity that the index holds, if it is known.

        A view of no index is some of the fields of its entity.
        """
        self.cls, self.table, self.type_name, self.index, self.entity = cls, table, type_name, index, entity
        composed = self._composed(index_keys or {})
        self._expect_keys(pk, sk)
        self.slots = (
            self._slots(pk, sk, composed) if not self.is_projection else projected_slots(cls, self.entity)
        )
        self.pk = self._bound(pk)
        self.sk = None if sk is None else self._bound(sk)
        self.composed = {
            attribute: self._bound(each)
            for attribute, each in composed.items()
            if each.bare is None
            or each.bare not in self.slots
            or self.slots[each.bare].attribute != attribute
        }
        """Index key attributes that are made of fields by a template of their own."""
        self.derived = dict(cls.__derived__)
        self.key_fields = frozenset((*pk.fields, *(sk.fields if sk else ())))
        self._known = self._known_attributes()
        expect_sound(self)
        self.version = next((slot for slot in self.slots.values() if slot.is_version), None)
        self.touched = tuple(slot for slot in self.slots.values() if slot.is_touched)
        self.rivals: list[Shape] = []
        """Kinds of another type that could have the same key."""
        self.narrower: list[Shape] = [] if entity is None else entity.narrower
        """Kinds whose keys are among those that this one could have; told apart by theirs being the narrower."""
        self.get_pattern = f"{cls.__name__}.get"
        self.key = key_function(self, self._key)
        """The key of the item with these fields."""
        self.decode = decode_function(self, partial(decode, self))
        """The entity of an item, or UnexpectedItem."""
        self.decode_page = page_function(self)
        """The entities of many items; what is not a plain item of this kind is handed to a function."""

    # ── making ────────────────────────────────────────────────────────────────────────────────────

    def _composed(self, index_keys: IndexKeys) -> dict[str, Template]:
        found: dict[str, Template] = {}
        for index, texts in index_keys.items():
            if getattr(index, "table", None) is not self.table:
                raise DesignError(
                    f"{index!r} is not an index of {self.table.__name__}, the table of {self.cls.__name__}."
                )
            if not isinstance(texts, tuple) or len(texts) != 2:
                raise DesignError(
                    f"The key of {index!r} has two halves: give a template for each, None for one that is a field or none."
                )
            if index.is_compound:
                raise DesignError(
                    f"The key of {index!r} is of several attributes, each a field by itself. Leave it out of index_keys."
                )
            for attribute, text in zip((index.pk, index.sk), texts, strict=True):
                if attribute is None or text is None:
                    continue
                template = Template.parse(text)
                if found.setdefault(attribute, template) != template:
                    raise DesignError(
                        f"The index key {attribute} of {self.cls.__name__} is {found[attribute].text} and {template.text}; "
                        "it can be one of them."
                    )
        if self.entity is not None and self.index is not None:
            own = self.entity.composed
            found |= {attribute: own[attribute] for attribute in self.index.keys if attribute in own}
        return found

    def _expect_keys(self, pk: Template, sk: Template | None) -> None:
        name = self.cls.__name__
        if (sk is None) != (self.table.sk is None):
            verb = "has no" if sk is None else "has a"
            raise DesignError(f"{name} {verb} sort key, against its table {self.table.__name__}.")
        for template in (pk, sk):
            for field in template.fields if template else ():
                if field not in self.cls.model_fields:
                    raise DesignError(
                        f"The key {template.text} of {name} has a place for {field}, "  # type: ignore[union-attr]
                        "which is not a field."
                    )

    def _slots(self, pk: Template, sk: Template | None, composed: Mapping[str, Template]) -> dict[str, Slot]:
        in_key = {*pk.fields, *(sk.fields if sk else ())}
        index_keys = {key for index in self.table.indexes for key in index.keys}
        found = {}
        for name, info in self.cls.model_fields.items():
            attribute = attribute_name(info)
            if attribute is None and name == pk.bare:
                attribute = self.table.pk
            elif attribute is None and sk is not None and name == sk.bare:
                attribute = self.table.sk
            elif attribute is None and name not in in_key:
                attribute = name
            attribute = self._in_index_key(name, attribute, composed)
            in_text = name in in_key or any(name in each.fields for each in composed.values())
            is_key = attribute in index_keys
            found[name] = Slot.of(
                self.cls, name, info, attribute, normalizes=in_text or is_key, is_key=is_key
            )
        return found

    def _in_index_key(self, name: str, attribute: str | None, composed: Mapping[str, Template]) -> str | None:
        """Where a view finds a field that its index holds in no other way: in the index's own key, if at all."""
        if self.index is None or attribute is None or self.index.projects(attribute):
            return attribute
        for key in self.index.keys:
            if key in composed and name in composed[key].fields:
                return key if composed[key].bare == name else None
        return attribute

    def _bound(self, template: Template) -> Template:
        return template.bound(lambda place: self._notation(template, place))

    def _notation(self, template: Template, place: Placeholder) -> Notation:
        """How a field is written in a template; a field that only the entity of a view has is its own."""
        owner = self if place.name in self.slots else self.entity
        if owner is None or place.name not in owner.slots:
            raise DesignError(
                f"The key {template.text} of {self.cls.__name__} has a place for {place.name}, which is not a field."
            )
        slot = owner.slots[place.name]
        if slot.codec.serialized is not None:
            raise DesignError(
                f"{slot!r} has a codec of its own, so it cannot be in the key {template.text}. Put a text, a number, a "
                "date, a moment or a UUID there."
            )
        if template.bare is not None and slot.codec.kind in ("N", "B"):
            return Notation(str, None, None, sorts=True)
        try:
            return notation_for(slot.annotation, place.format, slot.codec)
        except DesignError as fault:
            raise DesignError(f"{slot!r} cannot be in the key {template.text}: {fault}.") from None

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
        template = self.template(attribute)
        if template is None:
            return None
        if template.bare is None:
            return "S"
        owner = self if template.bare in self.slots or self.entity is None else self.entity
        return owner.slots[template.bare].codec.kind

    def template(self, attribute: str) -> Template | None:
        """The template of a key attribute of the table or of an index, if it has one."""
        if attribute == self.table.pk:
            return self.pk
        return self.sk if attribute == self.table.sk else self.composed.get(attribute)

    def owns(self, field: Field) -> bool:
        """Whether a field is one of this kind; a view may be asked by the fields of its entity too."""
        return issubclass(self.cls, field.owner) or (self.entity is not None and self.entity.owns(field))

    @property
    def is_view(self) -> bool:
        return self.index is not None or self.is_projection

    @property
    def is_projection(self) -> bool:
        """Whether it is some of the fields of an entity, wherever that is read from."""
        return self.index is None and self.entity is not None

    @property
    def source(self) -> Shape:
        """What DynamoDB reads and filters: of a projection, its entity."""
        return self.entity if self.entity is not None and self.index is None else self

    @property
    def expiry(self) -> str | None:
        return next((slot.attribute for slot in self.slots.values() if slot.codec is EPOCH), None)

    @property
    def attributes(self) -> frozenset[str]:
        return self._known

    def is_whole_in(self, index: Index | None) -> bool:
        """Whether an index holds items of this kind whole, with what the design does not know of them too."""
        return index is None or self.is_view or index.project is ALL

    def shown(self, item: Mapping[str, Value]) -> str:
        """An item's key, for people."""
        return ", ".join(
            f"{name}={next(iter(item[name].values()))}"
            for name in self.table.key_attributes()
            if name in item
        )

    # ── items ─────────────────────────────────────────────────────────────────────────────────────

    def key_templates(self) -> Iterator[tuple[str, Template]]:
        """The attributes that fields are read from when they have none of their own, with their templates.

        Those that keep only a part of a field come last: they are compared with what the others say.
        """
        found = [(self.table.pk, self.pk)]
        if self.sk is not None and self.table.sk is not None:
            found.append((self.table.sk, self.sk))
        if self.index is not None:
            found += [(name, self.composed[name]) for name in self.index.keys if name in self.composed]
        yield from sorted(found, key=lambda each: bool(each[1].partial))

    def _key(self, values: Mapping[str, Any]) -> Item:
        """The key of the item with these fields, part by part."""
        item = {self.table.pk: self.key_value(self.pk, values)}
        if self.sk is not None and self.table.sk is not None:
            item[self.table.sk] = self.key_value(self.sk, values)
        self.expect_own_key(item)
        return item

    def key_value(self, template: Template, values: Mapping[str, Any]) -> Value:
        """What these fields are in a key attribute."""
        bare = template.bare
        slots = self.slots if self.entity is None else {**self.entity.slots, **self.slots}
        if bare is not None and slots[bare].codec.kind != "S":
            found = slots[bare].encode(values[bare])
            assert found is not None
            return found
        text = template.fill(values)
        most = 1024 if template is self.sk else 2048
        if len(text) * 4 > most and len(text.encode()) > most:
            raise InvalidKey(
                "The key {template} has {length:,} bytes; it may have {most:,}.",
                code="design.wide-key",
                values={"template": template.text, "length": len(text.encode()), "most": most},
            )
        return {"S": text}

    def expect_own_key(self, key: Item) -> None:
        """Refuse a key that would be read as another kind's."""
        for other in self.narrower:
            if other.matches_key(key):
                raise InvalidKey(
                    "{key} is the key of a {other}, so no {kind} can have it.",
                    code="design.key-of-other",
                    values={"key": self.shown(key), "other": other.cls.__name__, "kind": self.cls.__name__},
                )

    def index_key(self, attribute: str, values: Mapping[str, Any]) -> Value | None:
        """A composed index key of these fields; None when one of them is, and the item is not in the index."""
        template = self.composed[attribute]
        if any(values[name] is None for name in template.fields):
            return None
        return self.key_value(template, values)

    def derived_value(self, each: Any, source: Any) -> Value | None:
        """What an attribute that is worked out is for a value of its field; texts of keys are normal there too."""
        slot = self.slots[each.of]
        if slot.normalizes and type(source) is str:
            source = normalize_nfc(source)
        found: Value | None = each.encode_from(source)
        is_key = any(each.attribute in index.keys for index in self.table.indexes)
        return {"S": normalize_nfc(found["S"])} if is_key and found is not None and "S" in found else found

    def encode(self, entity: Any) -> Item:
        """The item of an entity."""
        values = entity.__dict__
        item = self.key(values)
        if self.table.type_attribute is not None and self.type_name is not None:
            item[self.table.type_attribute] = {"S": self.type_name}
        for slot in self.slots.values():
            if slot.attribute is not None and slot.attribute not in item:
                found = slot.encode(values[slot.name])
                if found is not None:
                    item[slot.attribute] = found
        for each in self.derived.values():
            found = self.derived_value(each, values[each.of])
            if found is not None:
                item[each.attribute] = found
        for attribute in self.composed:
            found = self.index_key(attribute, values)
            if found is not None:
                item[attribute] = found
        unknown = (entity.__pydantic_private__ or {}).get("_unknown")
        return {**unknown, **item} if unknown else item

    def matches_key(self, item: Item) -> bool:
        """Whether an item's key is of the form of this kind."""
        for template, attribute in ((self.pk, self.table.pk), (self.sk, self.table.sk)):
            if template is None or attribute is None:
                continue
            if template.bare is not None and self.slots[template.bare].codec.kind != "S":
                if self.slots[template.bare].codec.kind not in item[attribute]:
                    return False
                continue
            text = item[attribute].get("S")
            if text is None or not template.matches(text):
                return False
        return True
