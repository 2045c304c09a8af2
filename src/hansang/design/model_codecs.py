"""Codecs of models inside an attribute, and of unions of models that a discriminator tells apart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel, Discriminator
from pydantic.fields import FieldInfo

from hansang.design.annotations import Attr, optional, plain, said_of, unmarked
from hansang.design.plain_codecs import Codec, Value, nullable, to_python, to_value
from hansang.errors import DesignError

CodecOf = Callable[[Any, tuple[Any, ...]], Codec]
"""The codec of an annotation and of what is said beside it."""

UNKNOWN = "_unknown"
"""Under which a model keeps what its design does not know, as it is stored."""

_making: list[type[BaseModel]] = []


def model_codec(kind: type[BaseModel], codec_of: CodecOf) -> Codec:
    """A model as a map; members that it does not know are kept, and written back with it."""
    aliased = next((name for name, field in kind.model_fields.items() if field.alias is not None), None)
    if aliased is not None:
        raise DesignError(f"{kind.__name__}.{aliased} has an alias. Name the attribute with Attr instead.")
    if kind in _making:
        raise DesignError(f"{kind.__name__} contains itself, so it cannot be stored. Use a dict.")
    _making.append(kind)
    try:
        members = [Member.of(name, field, codec_of) for name, field in kind.model_fields.items()]
    finally:
        _making.pop()
    named = {member.attribute: member for member in members}
    keeps = kind.model_config.get("extra") == "allow"

    def encode(model: BaseModel) -> Value:
        found = dict((model.__pydantic_private__ or {}).get(UNKNOWN, {}))
        found |= {name: to_value(each) for name, each in (model.model_extra or {}).items()}
        for member in members:
            each = getattr(model, member.name)
            if not member.is_absent(each):
                found[member.attribute] = member.codec.encode(each)
        return {"M": found}

    def decode(value: Value) -> BaseModel:
        found = value["M"]
        known = {
            named[name].name: named[name].codec.decode(each) for name, each in found.items() if name in named
        }
        rest = {name: each for name, each in found.items() if name not in named}
        if keeps or not rest:
            return kind(**known, **{name: to_python(each) for name, each in rest.items()})
        model = kind(**known)
        private = {**(model.__pydantic_private__ or {}), UNKNOWN: rest}
        object.__setattr__(model, "__pydantic_private__", private)
        return model

    return Codec("M", encode, decode)


@dataclass(frozen=True, slots=True)
class Member:
    """A field of a model inside an attribute."""

    name: str
    attribute: str
    codec: Codec
    default: Any

    @classmethod
    def of(cls, name: str, field: FieldInfo, codec_of: CodecOf) -> Member:
        metadata = tuple(field.metadata)
        codec = codec_of(plain(field.annotation), said_of(field))
        if optional(field.annotation):
            codec = nullable(codec)
        default = field.get_default(call_default_factory=True, validated_data={})
        attribute = next((each.name for each in metadata if isinstance(each, Attr)), name)
        return cls(name, attribute, codec, default)

    def is_absent(self, value: Any) -> bool:
        """Whether the member says no more than its absence does."""
        return (value is None or value in (set(), frozenset())) and value == self.default


# ── unions ────────────────────────────────────────────────────────────────────────────────────────


def discriminator_of(metadata: tuple[Any, ...]) -> str | None:
    """The field that tells the members of a union apart, if one is named."""
    for each in metadata:
        found = each.discriminator if isinstance(each, Discriminator | FieldInfo) else None
        if isinstance(found, Discriminator):
            found = found.discriminator
        if found is not None and not isinstance(found, str):
            raise DesignError(
                "A discriminator that is a function cannot be stored. Name a field: discriminator='kind'."
            )
        if found is not None:
            return found
    return None


def discriminated(members: tuple[Any, ...], tag: str, codec_of: CodecOf) -> Codec:
    """The codec of a union of models that have a Literal field of one name, each with values of its own."""
    codecs: dict[Any, Codec] = {}
    kinds: dict[str, Codec] = {}
    attributes = set()
    for each in members:
        kind = unmarked(each)
        values = _tags(kind, tag)
        codecs[kind] = codec_of(kind, ())
        attributes.add(Member.of(tag, kind.model_fields[tag], codec_of).attribute)
        for value in values:
            if value in kinds:
                raise DesignError(
                    f"Two members of the union have the {tag} {value!r}. Give each a value of its own."
                )
            kinds[value] = codecs[kind]
    if len(attributes) != 1:
        raise DesignError(
            f"The members of the union store {tag} in different attributes. Give it one name, with Attr."
        )
    [attribute] = attributes

    def encode(model: BaseModel) -> Value:
        return codecs[type(model)].encode(model)

    def decode(value: Value) -> Any:
        said = value["M"][attribute]["S"]
        if said not in kinds:
            raise ValueError(f"{said!r} is not one of {', '.join(map(repr, kinds))}")
        return kinds[said].decode(value)

    return Codec("M", encode, decode)


def _tags(kind: Any, tag: str) -> tuple[str, ...]:
    """The values of a discriminator that a model has."""
    if not (isinstance(kind, type) and issubclass(kind, BaseModel)):
        raise DesignError(f"A discriminator tells models apart, and {kind!r} is none.")
    annotation = kind.model_fields[tag].annotation if tag in kind.model_fields else None
    values = get_args(unmarked(annotation)) if get_origin(unmarked(annotation)) is Literal else ()
    if not values or not all(isinstance(each, str) for each in values) or optional(annotation):
        raise DesignError(
            f"{kind.__name__} has no field {tag} that is a Literal of texts, which tells it from others."
        )
    return values
