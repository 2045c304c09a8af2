"""Between Python values and attribute values: one codec for each type that a field can have."""

from __future__ import annotations

import enum
import types
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any, ForwardRef, Literal, NewType, Union, get_args, get_origin
from uuid import UUID

from pydantic import BaseModel, TypeAdapter

from hansang.design.annotations import Attr, marks, optional, plain, said_of, unmarked
from hansang.design.model_codecs import UNKNOWN, discriminated, discriminator_of, model_codec
from hansang.design.plain_codecs import (
    BINARY,
    DAY,
    DECIMAL,
    EPOCH,
    FLAG,
    IDENTIFIER,
    MILLISECOND,
    MOMENT,
    TEXT,
    WHOLE,
    Codec,
    Value,
    decoded,
    encoded,
    nullable,
    to_python,
    to_value,
    unstorable,
)
from hansang.design.serialized import Serialized
from hansang.design.timestamps import Epoch, Milliseconds, Seconds
from hansang.errors import DesignError

__all__ = [
    "BINARY",
    "DAY",
    "DECIMAL",
    "EPOCH",
    "FLAG",
    "IDENTIFIER",
    "MILLISECOND",
    "MOMENT",
    "TEXT",
    "UNKNOWN",
    "WHOLE",
    "Attr",
    "Codec",
    "Value",
    "codec_for",
    "decoded",
    "encoded",
    "marks",
    "nullable",
    "optional",
    "plain",
    "said_of",
    "to_python",
    "to_value",
    "unmarked",
]

_PLAIN: dict[Any, Codec] = {
    str: TEXT,
    int: WHOLE,
    Decimal: DECIMAL,
    bool: FLAG,
    bytes: BINARY,
    UUID: IDENTIFIER,
    date: DAY,
    datetime: MOMENT,
}

_MARKED = {Epoch: EPOCH, Seconds: MOMENT, Milliseconds: MILLISECOND}


def codec_for(annotation: Any, metadata: tuple[Any, ...] = ()) -> Codec:
    """The codec of a field with this annotation; a type that cannot be stored is a DesignError."""
    for each in metadata:
        if type(each) in _MARKED:
            return _MARKED[type(each)]
        if isinstance(each, Serialized):
            return each.codec(codec_for(each.stored))
    if isinstance(annotation, NewType):
        return codec_for(annotation.__supertype__, metadata)
    if annotation in _PLAIN:
        return _PLAIN[annotation]
    if isinstance(annotation, type):
        found = _class_codec(annotation)
        if found is not None:
            return found
    return _generic_codec(annotation, metadata)


def _class_codec(kind: type[Any]) -> Codec | None:
    if issubclass(kind, enum.Enum):
        if any(isinstance(member.value, float) for member in kind):
            raise DesignError(unstorable(float))
        inner = to_value(next(iter(kind)).value)
        tag = next(iter(inner))
        return Codec(tag, lambda member: to_value(member.value), lambda value: kind(to_python(value)))
    if issubclass(kind, BaseModel):
        return model_codec(kind, codec_for)
    found = next((_PLAIN[each] for each in (bool, str, int, Decimal, bytes) if issubclass(kind, each)), None)
    if found is not None:
        decode = found.decode
        return Codec(found.kind, found.encode, lambda value: kind(decode(value)))
    if kind is float:
        raise DesignError(unstorable(kind))
    return None


def _generic_codec(annotation: Any, metadata: tuple[Any, ...]) -> Codec:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return codec_for(arguments[0], (*arguments[1:], *metadata))
    if origin is Literal:
        return _literal_codec(arguments)
    if origin in (list, tuple, dict, set, frozenset):
        return _collection_codec(origin, arguments)
    if annotation in (Any, object):
        return Codec(None, to_value, to_python)
    if origin in (Union, types.UnionType):
        tag = discriminator_of(metadata)
        if tag is not None:
            return discriminated(arguments, tag, codec_for)
        _expect_apart(arguments)
        adapter: TypeAdapter[Any] = TypeAdapter(annotation)
        return Codec(None, to_value, lambda value: adapter.validate_python(to_python(value)))
    if isinstance(annotation, ForwardRef | str):
        raise DesignError(f"The type {annotation!r} is not known where it is used.")
    raise DesignError(unstorable(annotation))


def _expect_apart(members: tuple[Any, ...]) -> None:
    """Refuse a union whose members are stored alike, because one would be read as the other."""
    codecs = [codec_for(plain(each)) for each in members if each is not type(None)]
    if any(codec.serialized is not None for codec in codecs):
        raise DesignError("A type with a codec of its own cannot be a member of a union.")
    if any(codec in (EPOCH, MILLISECOND) for codec in codecs):
        raise DesignError("A union holds moments to the second alone, as Timestamp or datetime.")
    kinds = [codec.kind for codec in codecs]
    if len({*kinds}) != len(kinds):
        raise DesignError(
            "Two members of the union are stored alike, so they could not be told apart when they are read. Tell models "
            "apart by a field: Annotated[Card | Transfer, Field(discriminator='kind')]."
        )


def _literal_codec(choices: tuple[Any, ...]) -> Codec:
    if len({*map(type, choices)}) != 1:
        raise DesignError("The values of a Literal are of one type; None is written beside it, as … | None.")
    inner, allowed = codec_for(type(choices[0])), frozenset(choices)
    decode_one = inner.decode

    def decode(value: Value) -> Any:
        found = decode_one(value)
        if found not in allowed:
            raise ValueError(f"{found!r} is not one of {', '.join(map(repr, choices))}")
        return found

    return Codec(inner.kind, inner.encode, decode)


def _collection_codec(origin: Any, arguments: tuple[Any, ...]) -> Codec:
    if origin is dict:
        if arguments and not _is_text(arguments[0]):
            raise DesignError("The keys of a map are texts. Use dict[str, …].")
        member = _inner_codec(arguments[1]) if arguments else Codec(None, to_value, to_python)
        return Codec(
            "M",
            lambda members: {"M": {name: member.encode(each) for name, each in members.items()}},
            lambda value: {name: member.decode(each) for name, each in value["M"].items()},
            member,
        )
    if origin is tuple and arguments[1:] != (...,):
        raise DesignError("A tuple is stored as a list of one type. Write tuple[int, ...].")
    inner = _inner_codec(arguments[0]) if arguments else Codec(None, to_value, to_python)
    if origin in (set, frozenset):
        return _set_codec(origin, inner)
    return Codec(
        "L",
        lambda members: {"L": [inner.encode(each) for each in members]},
        lambda value: origin([inner.decode(each) for each in value["L"]]),
        inner,
    )


def _is_text(annotation: Any) -> bool:
    while get_origin(annotation) is Annotated or isinstance(annotation, NewType):
        annotation = annotation.__supertype__ if isinstance(annotation, NewType) else get_args(annotation)[0]
    is_listed = get_origin(annotation) is Literal and all(
        isinstance(each, str) for each in get_args(annotation)
    )
    return is_listed or annotation is str


def _inner_codec(annotation: Any) -> Codec:
    found = codec_for(plain(annotation))
    return nullable(found) if optional(annotation) else found


def _set_codec(origin: Any, inner: Codec) -> Codec:
    if inner.kind not in ("S", "N", "B"):
        raise DesignError("A set holds strings, numbers or bytes, all of one kind.")
    kind, tag = inner.kind, f"{inner.kind}S"

    def encode(members: Any) -> Value:
        if not members:
            raise ValueError("an empty set cannot be stored here; leave it out")
        return {tag: sorted(inner.encode(each)[kind] for each in members)}

    return Codec(tag, encode, lambda value: origin(inner.decode({kind: each}) for each in value[tag]), inner)
