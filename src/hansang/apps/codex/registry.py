"""The types of the one table, and the form in which programs read and write them (4-39).

An item is written as the document writes it: its attributes by their own names, times as `YYYY-MM-DDTHH:mm:ssZ`,
`expiresAt` as seconds. A new type is one line here; see docs/codex.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    create_model,
)
from pydantic.fields import FieldInfo

from hansang.apps.codex.design import Banner, Category, ContactInquiry, CorpInfo, Post, User
from hansang.design import Entity, References, Stamped
from hansang.design.inputs import input_mark
from hansang.design.reasons import reason_of
from hansang.design.shape import Shape
from hansang.design.slots import Slot
from hansang.design.timestamps import Epoch, Seconds, parse_seconds, seconds_text, to_second
from hansang.errors import InvalidInput, NotFound

TYPE = "Type"
_LATEST_EXPIRY = 253_402_300_799


def _exact(given: Any) -> Any:
    """A text of exactly the one form of times; nothing is cut off (X4-15)."""
    return parse_seconds(given) if isinstance(given, str) else given


ExactMoment = Annotated[datetime, BeforeValidator(_exact), AfterValidator(to_second)]
ExpirySeconds = Annotated[int, Field(ge=0, le=_LATEST_EXPIRY)]


@dataclass(frozen=True, slots=True)
class EntityType:
    """A type of the table: its kind, the last part of its addresses, and what the ids of new ones begin with."""

    kind: type[Entity]
    plural: str
    prefix: str = ""
    """Empty for what there is one of."""

    @property
    def name(self) -> str:
        """Its `Type`; a kind of our own has none in the table, and is called after its class."""
        return self.shape.type_name or self.kind.__name__

    @property
    def shape(self) -> Shape:
        found = self.kind.__shape__
        assert found is not None
        return found

    @property
    def is_single(self) -> bool:
        """Whether there is one of it, under a fixed key."""
        return not self.shape.key_fields

    @property
    def references(self) -> dict[str, str]:
        """The fields that name another entity, with its type."""
        marks = {name: input_mark(info, References) for name, info in self.kind.model_fields.items()}
        return {name: mark.kind for name, mark in marks.items() if mark is not None}

    def slots(self) -> Iterator[tuple[str, Slot, FieldInfo]]:
        """Its attributes by their names in the table."""
        for slot in self.shape.slots.values():
            if slot.attribute is not None:
                yield slot.attribute, slot, self.kind.model_fields[slot.name]

    def attribute(self, field: str) -> str:
        """The name that a field has in the table."""
        return self.shape.slots[field].attribute or field

    def read(self, given: BaseModel | Mapping[str, Any]) -> dict[str, Any]:
        """The fields of what somebody gives, or InvalidInput with the attribute that is not as it has to be."""
        checked = given if isinstance(given, BaseModel) else self._checked(given)
        values = checked.model_dump(exclude_unset=True)
        return {
            slot.name: _moment(values[name]) if input_mark(info, Epoch) is not None else values[name]
            for name, slot, info in self.slots()
            if name in values
        }

    def _checked(self, given: Mapping[str, Any]) -> BaseModel:
        try:
            return given_model(self).model_validate(given)
        except ValidationError as fault:
            raise _invalid(self.name, fault) from fault

    def entity(self, fields: Mapping[str, Any]) -> Entity:
        """The entity of these fields, or InvalidInput."""
        try:
            return self.kind(**fields)
        except ValidationError as fault:
            raise _invalid(self.name, fault, {slot.name: name for name, slot, _ in self.slots()}) from fault

    def document(self, entity: Entity) -> dict[str, Any]:
        """An entity as the document writes it; what is absent is None."""
        found: dict[str, Any] = {TYPE: self.name}
        for attribute, slot, info in self.slots():
            is_expiry = input_mark(info, Epoch) is not None
            found[attribute] = written(getattr(entity, slot.name), as_seconds=is_expiry)
        return found


def written(value: Any, *, as_seconds: bool = False) -> Any:
    """A value as the document writes it."""
    if isinstance(value, datetime):
        return int(value.timestamp()) if as_seconds else seconds_text(value)
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, list):
        return [written(each) for each in value]
    return value


def _moment(seconds: int | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


def _invalid(name: str, fault: ValidationError, names: Mapping[str, str] | None = None) -> InvalidInput:
    first = fault.errors(include_url=False, include_input=False)[0]
    field, *rest = (str(each) for each in first["loc"] or ("",))
    path = ".".join([(names or {}).get(field, field), *rest])
    return InvalidInput(
        "{type}.{attribute}: {reason}.",
        path,
        code="codex.not-valid",
        values={"type": name, "attribute": path or "?", "reason": reason_of(first)},
    )


# ── models of what is given and shown ─────────────────────────────────────────────────────────────


@cache
def given_model(entity_type: EntityType) -> type[BaseModel]:
    """What somebody gives of a type: the id and the times may be left out."""
    kind: Any = Literal[entity_type.name]
    fields: dict[str, Any] = {TYPE: (kind | None, None)}
    fields |= {attribute: _given(slot, info) for attribute, slot, info in entity_type.slots()}
    return create_model(
        f"{entity_type.name}Given",
        __config__=ConfigDict(extra="forbid"),
        __doc__=entity_type.kind.__doc__,
        **fields,
    )


def _given(slot: Slot, info: FieldInfo) -> tuple[Any, Any]:
    if input_mark(info, Stamped) is not None or input_mark(info, Seconds) is not None:
        return ExactMoment | None, None
    if input_mark(info, Epoch) is not None:
        return ExpirySeconds | None, None
    if slot.name == "id":
        return str | None, None
    return info.annotation, copy(info)


@cache
def shown_model(entity_type: EntityType, left_out: frozenset[str] = frozenset()) -> type[BaseModel]:
    """A type as it is shown, for the description of the API."""
    kind: Any = Literal[entity_type.name]
    fields: dict[str, Any] = {TYPE: (kind, entity_type.name)}
    fields |= {
        attribute: _shown(slot, info)
        for attribute, slot, info in entity_type.slots()
        if attribute not in left_out
    }
    suffix = "Listed" if left_out else "Document"
    return create_model(f"{entity_type.name}{suffix}", __doc__=entity_type.kind.__doc__, **fields)


def _shown(slot: Slot, info: FieldInfo) -> tuple[Any, Any]:
    if input_mark(info, Epoch) is not None:
        return int | None, None
    if slot.name == "id" or input_mark(info, Seconds) is not None:
        return (datetime | None, None) if slot.name != "id" else (str, ...)
    return _bare(info.annotation), (... if info.is_required() else None)


def _bare(annotation: Any) -> Any:
    """A type without what checks its values: what is stored is shown as it is."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _bare(inner[0])
    if origin in (Union, UnionType):
        return Union[tuple(_bare(each) for each in inner)]  # noqa: UP007 - made of what is found
    return list_of(_bare(inner[0])) if origin is list else annotation


def list_of(kind: Any) -> Any:
    """The type of lists of a model that is made while the program runs."""
    lists: Any = list
    return lists[kind]


# ── the types ─────────────────────────────────────────────────────────────────────────────────────


class Registry:
    """The types by name, in their order."""

    def __init__(self, *types: EntityType) -> None:
        self._types = {each.name: each for each in types}

    def __iter__(self) -> Iterator[EntityType]:
        return iter(self._types.values())

    def get(self, name: str) -> EntityType:
        """The type of this name, or NotFound."""
        found = self._types.get(name)
        if found is None:
            raise NotFound(
                "Type {type} not found. There are {known}.",
                code="codex.no-type",
                values={"type": name, "known": ", ".join(self._types)},
            )
        return found

    def of(self, kind: type[Entity]) -> EntityType:
        """The type of a kind."""
        return next(each for each in self if each.kind is kind)

    def extended(self, *types: EntityType) -> Registry:
        """These types and some more; none of the others is touched (4-40)."""
        return Registry(*self, *types)


REGISTRY = Registry(
    EntityType(User, "users", "u"),
    EntityType(Category, "categories", "c"),
    EntityType(Post, "posts", "p"),
    EntityType(Banner, "banners", "bn"),
    EntityType(CorpInfo, "corp-info"),
    EntityType(ContactInquiry, "inquiries", "inq"),
)
"""The types that every site has."""
