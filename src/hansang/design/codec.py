"""Between Python values and attribute values: one codec for each type that a field can have."""

from __future__ import annotations

import binascii
import enum
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from operator import itemgetter
from typing import Annotated, Any, ForwardRef, Literal, NewType, Union, get_args, get_origin

from pydantic import BaseModel, TypeAdapter
from pydantic.fields import FieldInfo

from hansang.design.timestamps import (
    Epoch,
    Milliseconds,
    Seconds,
    from_epoch,
    milliseconds_text,
    parse_day,
    parse_milliseconds,
    parse_seconds,
    seconds_text,
    to_epoch,
)
from hansang.errors import DesignError

Value = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Codec:
    """How one type is stored: DynamoDB's type, and the way there and back.

    `kind` is None when the type of the attribute depends on the value; `member` is the codec of what a
    collection holds.
    """

    kind: str | None
    encode: Callable[[Any], Value]
    decode: Callable[[Value], Any]
    member: Codec | None = None


@dataclass(frozen=True, slots=True)
class Attr:
    """The name of an attribute, where it is another than the field's: `Annotated[str, Attr("authorId")]`."""

    name: str


_GREATEST_EXPONENT = 130


def _number(value: int | Decimal) -> Value:
    """A number as DynamoDB writes it: without an exponent, and without zeros that say nothing."""
    if isinstance(value, int):
        return {"N": str(value)}
    if not value.is_finite() or abs(value.adjusted()) > _GREATEST_EXPONENT:
        raise ValueError("DynamoDB keeps numbers from 1E-130 to 9.99E+125")
    text = format(value, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return {"N": "0" if text in ("-0", "") else text}


def encoded(raw: bytes) -> str:
    return binascii.b2a_base64(raw, newline=False).decode()


def decoded(text: str) -> bytes:
    return binascii.a2b_base64(text)


TEXT = Codec("S", lambda text: {"S": text}, itemgetter("S"))
WHOLE = Codec("N", _number, lambda value: int(value["N"]))
DECIMAL = Codec("N", _number, lambda value: Decimal(value["N"]))
FLAG = Codec("BOOL", lambda flag: {"BOOL": flag}, itemgetter("BOOL"))
BINARY = Codec("B", lambda raw: {"B": encoded(raw)}, lambda value: decoded(value["B"]))
MOMENT = Codec("S", lambda moment: {"S": seconds_text(moment)}, lambda value: parse_seconds(value["S"]))
MILLISECOND = Codec(
    "S", lambda moment: {"S": milliseconds_text(moment)}, lambda value: parse_milliseconds(value["S"])
)
EPOCH = Codec("N", lambda moment: {"N": str(to_epoch(moment))}, lambda value: from_epoch(value["N"]))
DAY = Codec("S", lambda day: {"S": day.isoformat()}, lambda value: parse_day(value["S"]))

_PLAIN: dict[Any, Codec] = {
    str: TEXT,
    int: WHOLE,
    Decimal: DECIMAL,
    bool: FLAG,
    bytes: BINARY,
    date: DAY,
    datetime: MOMENT,
}


_MARKED = {Epoch: EPOCH, Seconds: MOMENT, Milliseconds: MILLISECOND}


# ── values of any type ────────────────────────────────────────────────────────────────────────────


def to_value(value: Any) -> Value:
    """Any Python value as an attribute value."""
    if value is None:
        return {"NULL": True}
    for kind, codec in ((bool, FLAG), (str, TEXT), (int, WHOLE), (Decimal, DECIMAL), (bytes, BINARY)):
        if isinstance(value, kind):
            return codec.encode(value)
    if isinstance(value, Mapping):
        return {"M": {str(name): to_value(member) for name, member in value.items()}}
    if isinstance(value, list | tuple):
        return {"L": [to_value(member) for member in value]}
    if isinstance(value, set | frozenset):
        return _to_set(value)
    if isinstance(value, datetime):
        return MOMENT.encode(value)
    if isinstance(value, date):
        return DAY.encode(value)
    raise TypeError(_unstorable(type(value)))


def _unstorable(kind: Any) -> str:
    if kind is float:
        return "A float is not exact and is not stored. Use int or Decimal."
    name = getattr(kind, "__name__", kind)
    return f"A {name} cannot be stored in DynamoDB. Use str, int, Decimal, bool, bytes, list, dict or set."


def _to_set(members: set[Any] | frozenset[Any]) -> Value:
    values = [to_value(member) for member in sorted(members)]
    kinds = {next(iter(value)) for value in values}
    if len(kinds) != 1 or not kinds <= {"S", "N", "B"}:
        raise TypeError("A set holds strings, numbers or bytes, all of one kind, and at least one of them.")
    [kind] = kinds
    return {f"{kind}S": [value[kind] for value in values]}


def to_python(value: Value) -> Any:
    """An attribute value as the Python value that it stands for."""
    [(tag, content)] = value.items()
    return _FROM[tag](content)


def _exact(text: str) -> int | Decimal:
    return int(text) if "." not in text else Decimal(text)


_FROM: dict[str, Callable[[Any], Any]] = {
    "S": lambda text: text,
    "N": _exact,
    "B": decoded,
    "BOOL": lambda flag: flag,
    "NULL": lambda _: None,
    "L": lambda members: [to_python(member) for member in members],
    "M": lambda members: {name: to_python(member) for name, member in members.items()},
    "SS": set,
    "NS": lambda texts: {_exact(text) for text in texts},
    "BS": lambda texts: {decoded(text) for text in texts},
}


# ── from an annotation to a codec ─────────────────────────────────────────────────────────────────


def codec_for(annotation: Any, metadata: tuple[Any, ...] = ()) -> Codec:
    """The codec of a field with this annotation; a type that cannot be stored is a DesignError."""
    for each in metadata:
        if type(each) in _MARKED:
            return _MARKED[type(each)]
    if isinstance(annotation, NewType):
        return codec_for(annotation.__supertype__, metadata)
    if annotation in _PLAIN:
        return _PLAIN[annotation]
    if isinstance(annotation, type):
        found = _class_codec(annotation)
        if found is not None:
            return found
    return _generic_codec(annotation)


def _class_codec(kind: type[Any]) -> Codec | None:
    if issubclass(kind, enum.Enum):
        if any(isinstance(member.value, float) for member in kind):
            raise DesignError(_unstorable(float))
        inner = to_value(next(iter(kind)).value)
        tag = next(iter(inner))
        return Codec(tag, lambda member: to_value(member.value), lambda value: kind(to_python(value)))
    if issubclass(kind, BaseModel):
        return _model_codec(kind)
    found = next((_PLAIN[each] for each in (bool, str, int, Decimal, bytes) if issubclass(kind, each)), None)
    if found is not None:
        decode = found.decode
        return Codec(found.kind, found.encode, lambda value: kind(decode(value)))
    if kind is float:
        raise DesignError(_unstorable(kind))
    return None


UNKNOWN = "_unknown"
"""Under which a model keeps what its design does not know, as it is stored."""

_making: list[type[BaseModel]] = []


def _model_codec(kind: type[BaseModel]) -> Codec:
    """A model as a map; members that it does not know are kept, and written back with it."""
    aliased = next((name for name, field in kind.model_fields.items() if field.alias is not None), None)
    if aliased is not None:
        raise DesignError(f"{kind.__name__}.{aliased} has an alias. Name the attribute with Attr instead.")
    if kind in _making:
        raise DesignError(f"{kind.__name__} contains itself, so it cannot be stored. Use a dict.")
    _making.append(kind)
    try:
        members = [_Member.of(name, field) for name, field in kind.model_fields.items()]
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
class _Member:
    """A field of a model inside an attribute."""

    name: str
    attribute: str
    codec: Codec
    default: Any

    @classmethod
    def of(cls, name: str, field: FieldInfo) -> _Member:
        metadata = tuple(field.metadata)
        codec = codec_for(plain(field.annotation), metadata)
        if optional(field.annotation):
            codec = nullable(codec)
        default = field.get_default(call_default_factory=True, validated_data={})
        attribute = next((each.name for each in metadata if isinstance(each, Attr)), name)
        return cls(name, attribute, codec, default)

    def is_absent(self, value: Any) -> bool:
        """Whether the member says no more than its absence does."""
        return (value is None or value in (set(), frozenset())) and value == self.default


def _generic_codec(annotation: Any) -> Codec:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return codec_for(arguments[0], tuple(arguments[1:]))
    if origin is Literal:
        return _literal_codec(arguments)
    if origin in (list, tuple, dict, set, frozenset):
        return _collection_codec(origin, arguments)
    if annotation in (Any, object):
        return Codec(None, to_value, to_python)
    if origin in (Union, types.UnionType):
        _expect_apart(arguments)
        adapter: TypeAdapter[Any] = TypeAdapter(annotation)
        return Codec(None, to_value, lambda value: adapter.validate_python(to_python(value)))
    if isinstance(annotation, ForwardRef | str):
        raise DesignError(f"The type {annotation!r} is not known where it is used.")
    raise DesignError(_unstorable(annotation))


def _expect_apart(members: tuple[Any, ...]) -> None:
    """Refuse a union whose members are stored alike, because one would be read as the other."""
    codecs = [codec_for(plain(each)) for each in members if each is not type(None)]
    if any(codec in (EPOCH, MILLISECOND) for codec in codecs):
        raise DesignError("A union holds moments to the second alone, as Timestamp or datetime.")
    kinds = [codec.kind for codec in codecs]
    if len({*kinds}) != len(kinds):
        raise DesignError(
            "Two members of the union are stored alike, so they could not be told apart when they are read."
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


def nullable(codec: Codec) -> Codec:
    """The same codec with None as DynamoDB's NULL."""
    return Codec(
        codec.kind,
        lambda value: {"NULL": True} if value is None else codec.encode(value),
        lambda value: None if "NULL" in value else codec.decode(value),
        codec.member,
    )


def _set_codec(origin: Any, inner: Codec) -> Codec:
    if inner.kind not in ("S", "N", "B"):
        raise DesignError("A set holds strings, numbers or bytes, all of one kind.")
    kind, tag = inner.kind, f"{inner.kind}S"

    def encode(members: Any) -> Value:
        if not members:
            raise ValueError("an empty set cannot be stored here; leave it out")
        return {tag: sorted(inner.encode(each)[kind] for each in members)}

    return Codec(tag, encode, lambda value: origin(inner.decode({kind: each}) for each in value[tag]), inner)


def optional(annotation: Any) -> bool:
    """Whether None is allowed."""
    return get_origin(annotation) in (Union, types.UnionType) and type(None) in get_args(annotation)


def marks(info: FieldInfo) -> tuple[Any, ...]:
    """What is said of a field beside its type, also inside of `Annotated[…] | None`."""
    inner = plain(info.annotation)
    return (*info.metadata, *(get_args(inner)[1:] if get_origin(inner) is Annotated else ()))


def unmarked(annotation: Any) -> Any:
    """The annotation without None and without what `Annotated` says of it."""
    inner = plain(annotation)
    return get_args(inner)[0] if get_origin(inner) is Annotated else inner


def plain(annotation: Any) -> Any:
    """The annotation without None."""
    if not optional(annotation):
        return annotation
    rest = [each for each in get_args(annotation) if each is not type(None)]
    return rest[0] if len(rest) == 1 else Union[tuple(rest)]  # noqa: UP007
