"""A design before it is written: tables, keys, entities, views and patterns as plain data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from hansang.blueprint.inference.facts import IndexFacts, TableFacts
from hansang.blueprint.inference.guesses import TypeGuess
from hansang.design.shape import Item


@dataclass(frozen=True)
class PlaceDraft:
    """A field in a key template."""

    field: str
    format: str = ""

    @property
    def text(self) -> str:
        return f"{{{self.field}:{self.format}}}" if self.format else f"{{{self.field}}}"


@dataclass(frozen=True)
class TemplateDraft:
    """A key template: constants, and fields between them."""

    parts: tuple[str | PlaceDraft, ...]

    @property
    def text(self) -> str:
        return "".join(part if isinstance(part, str) else part.text for part in self.parts)

    @property
    def fields(self) -> tuple[str, ...]:
        return tuple(part.field for part in self.parts if isinstance(part, PlaceDraft))


@dataclass(frozen=True)
class FieldDraft:
    """A field of an entity; one without an attribute stands in the key alone."""

    name: str
    attribute: str | None
    type: TypeGuess
    optional: bool = False


@dataclass(frozen=True)
class DerivedDraft:
    """An attribute that follows from a field."""

    name: str
    attribute: str
    of: str
    by: str


@dataclass(frozen=True)
class PatternDraft:
    """A question: the conditions that it has, and the index that it is asked of."""

    name: str
    fields: tuple[FieldDraft, ...]
    index: str | None
    meaning: str
    others: tuple[str, ...] = ()
    """The other kinds of the partition, where it asks for all of them."""


@dataclass
class EntityDraft:
    """A kind of item."""

    name: str
    type_name: str | None
    pk: TemplateDraft
    sk: TemplateDraft | None
    key_fields: list[FieldDraft]
    fields: list[FieldDraft]
    derived: list[DerivedDraft]
    composed: dict[str, TemplateDraft]
    """Index key attributes that are made of fields."""
    items: list[Item]
    left_out: dict[str, str]
    """Attributes that are no field, with the reason."""
    mixed: dict[str, Mapping[str, int]] = field(default_factory=dict)
    """Attributes of several types, with how many items have each."""
    patterns: list[PatternDraft] = field(default_factory=list)

    def named(self, attribute: str) -> FieldDraft | None:
        """The field that is stored as an attribute."""
        return next((each for each in self.all_fields() if each.attribute == attribute), None)

    def field(self, name: str) -> FieldDraft:
        return next(each for each in self.all_fields() if each.name == name)

    def all_fields(self) -> Iterator[FieldDraft]:
        yield from self.key_fields
        yield from self.fields

    def taken(self) -> set[str]:
        return {*(each.name for each in self.all_fields()), *(each.name for each in self.derived)}


@dataclass
class ViewDraft:
    """What an index holds of an entity."""

    name: str
    entity: EntityDraft
    index: IndexFacts
    fields: list[FieldDraft]
    patterns: list[PatternDraft]


@dataclass(frozen=True)
class Unplaced:
    """An item that is of no kind, or of none that can be told from the others."""

    key: Item
    reason: str


@dataclass
class TableDraft:
    """A table with its kinds of items."""

    name: str
    facts: TableFacts
    type_attribute: str | None
    labels: dict[str, str]
    """What the indexes are called in the class, by their names."""
    entities: list[EntityDraft]
    views: list[ViewDraft]
    unplaced: list[Unplaced]
    notes: list[str]

    def key_of(self, item: Item) -> Item:
        """The key of an item, as far as it has one."""
        return {key: item[key] for key in self.facts.keys if key in item}

    @property
    def expires(self) -> Literal["on", "off", "none"]:
        """Whether the time to live is on, or off although an entity has an attribute for it."""
        has_expiry = any(
            each.type.form == "Expiry" for entity in self.entities for each in entity.all_fields()
        )
        return "none" if not has_expiry else "on" if self.facts.expiry else "off"


@dataclass
class Corrections:
    """What a first draft had wrong, by entity and attribute."""

    left_out: dict[tuple[str, str], str] = field(default_factory=dict)
    """Attributes that cannot be fields, with the reason."""
    plain: set[tuple[str, str]] = field(default_factory=set)
    """Attributes that follow from no other."""

    def left_out_of(self, entity: str) -> dict[str, str]:
        return {attribute: why for (owner, attribute), why in self.left_out.items() if owner == entity}

    def plain_of(self, entity: str) -> set[str]:
        return {attribute for owner, attribute in self.plain if owner == entity}
