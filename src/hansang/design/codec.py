"""Between Python values and attribute values: one codec for each type that a field can have."""

from __future__ import annotations

import binascii
import enum
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from operator import itemgetter
from typing import Annotated, Any, ForwardRef, Literal, NewType, Union, get_args, get_origin

from pydantic import BaseModel, TypeAdapter

from hansang.errors import DesignError

Value = dict[str, Any]

_ISO_LENGTH = len("YYYY-MM-DDTHH:mm:ssZ")


@dataclass(frozen=True, slots=True)
class Codec:
    """How one type is stored: DynamoDB's type, and the way there and back.

    `kind` is None when the type of the attribute depends on the value.
    """

    kind: str | None
    encode: Callable[[Any], Value]
    decode: Callable[[Value], Any]


@dataclass(frozen=True, slots=True)
class Attr:
    """The name of an attribute, where it is another than the field's: `Annotated[str, Attr("authorId")]`."""

    name: str


class _Moment:
    """A moment to the second, stored as `YYYY-MM-DDTHH:mm:ssZ`."""


class _Epoch:
    """A moment to the second, stored as seconds since 1970, as DynamoDB's time to live wants it."""


Timestamp = Annotated[datetime, _Moment()]
Expiry = Annotated[datetime, _Epoch()]


def _whole_second(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise ValueError(f"{moment!r} has no time zone. Give it one, such as datetime.UTC.")
    return moment.astimezone(UTC).replace(microsecond=0)


def _text(value: str) -> Value:
    return {"S": value}


def _number(value: int | Decimal) -> Value:
    return {"N": str(value)}


def _whole(value: Value) -> int:
    return int(value["N"])


def _decimal(value: Value) -> Decimal:
    return Decimal(value["N"])


def _flag(value: bool) -> Value:
    return {"BOOL": value}


def encoded(octets: bytes) -> str:
    return binascii.b2a_base64(octets, newline=False).decode()


def decoded(text: str) -> bytes:
    return binascii.a2b_base64(text)


def _moment_of(value: Value) -> datetime:
    text = value["S"]
    if len(text) != _ISO_LENGTH or text[-1] != "Z":
        raise ValueError(f"{text} is not of the form YYYY-MM-DDTHH:mm:ssZ")
    return datetime.fromisoformat(text)


def _iso(moment: datetime) -> Value:
    return {"S": _whole_second(moment).isoformat()[:-6] + "Z"}


TEXT = Codec("S", _text, itemgetter("S"))
WHOLE = Codec("N", _number, _whole)
DECIMAL = Codec("N", _number, _decimal)
FLAG = Codec("BOOL", _flag, itemgetter("BOOL"))
BINARY = Codec("B", lambda octets: {"B": encoded(octets)}, lambda value: decoded(value["B"]))
MOMENT = Codec("S", _iso, _moment_of)
EPOCH = Codec(
    "N",
    lambda moment: {"N": str(int(_whole_second(moment).timestamp()))},
    lambda value: datetime.fromtimestamp(_whole(value), UTC),
)
DAY = Codec("S", lambda day: {"S": day.isoformat()}, lambda value: date.fromisoformat(value["S"]))

_PLAIN: dict[Any, Codec] = {
    str: TEXT,
    int: WHOLE,
    Decimal: DECIMAL,
    bool: FLAG,
    bytes: BINARY,
    date: DAY,
    datetime: MOMENT,
}


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
    return f"A {name} has no form in DynamoDB. Use str, int, Decimal, bool, bytes, list, dict or set."


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
    if any(isinstance(each, _Epoch) for each in metadata):
        return EPOCH
    if any(isinstance(each, _Moment) for each in metadata):
        return MOMENT
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


def _model_codec(kind: type[BaseModel]) -> Codec:
    """A model as a map; members that it does not know are kept if it takes extra ones."""
    codecs = {
        name: codec_for(plain(field.annotation), tuple(field.metadata))
        for name, field in kind.model_fields.items()
    }
    names = {name: _member_name(name, tuple(field.metadata)) for name, field in kind.model_fields.items()}
    fields = {attribute: name for name, attribute in names.items()}
    keeps = kind.model_config.get("extra") == "allow"

    def encode(model: BaseModel) -> Value:
        members = {name: to_value(member) for name, member in (model.model_extra or {}).items()}
        for name, codec in codecs.items():
            member = getattr(model, name)
            if member is not None:
                members[names[name]] = codec.encode(member)
        return {"M": members}

    def decode(value: Value) -> BaseModel:
        members = value["M"]
        known = {
            fields[name]: codecs[fields[name]].decode(each)
            for name, each in members.items()
            if name in fields
        }
        extra = {name: to_python(each) for name, each in members.items() if keeps and name not in fields}
        return kind(**known, **extra)

    return Codec("M", encode, decode)


def _member_name(name: str, metadata: tuple[Any, ...]) -> str:
    return next((each.name for each in metadata if isinstance(each, Attr)), name)


def _generic_codec(annotation: Any) -> Codec:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return codec_for(arguments[0], tuple(arguments[1:]))
    if origin is Literal:
        return codec_for(type(arguments[0]))
    if origin in (list, tuple, dict, set, frozenset):
        return _collection_codec(origin, arguments)
    if annotation in (Any, object):
        return Codec(None, to_value, to_python)
    if origin in (Union, types.UnionType):
        adapter: TypeAdapter[Any] = TypeAdapter(annotation)
        return Codec(None, to_value, lambda value: adapter.validate_python(to_python(value)))
    if isinstance(annotation, ForwardRef | str):
        raise DesignError(f"The type {annotation!r} is not known where it is used.")
    raise DesignError(_unstorable(annotation))


def _collection_codec(origin: Any, arguments: tuple[Any, ...]) -> Codec:
    if origin is dict:
        member = codec_for(plain(arguments[1])) if arguments else Codec(None, to_value, to_python)
        return Codec(
            "M",
            lambda members: {"M": {name: member.encode(each) for name, each in members.items()}},
            lambda value: {name: member.decode(each) for name, each in value["M"].items()},
        )
    inner = codec_for(plain(arguments[0])) if arguments else Codec(None, to_value, to_python)
    if origin in (set, frozenset):
        return _set_codec(origin, inner)
    return Codec(
        "L",
        lambda members: {"L": [inner.encode(each) for each in members]},
        lambda value: origin([inner.decode(each) for each in value["L"]]),
    )


def _set_codec(origin: Any, inner: Codec) -> Codec:
    if inner.kind not in ("S", "N", "B"):
        raise DesignError("A set holds strings, numbers or bytes, all of one kind.")
    kind, tag = inner.kind, f"{inner.kind}S"
    return Codec(
        tag,
        lambda members: {tag: sorted(inner.encode(each)[kind] for each in members)},
        lambda value: origin(inner.decode({kind: each}) for each in value[tag]),
    )


def optional(annotation: Any) -> bool:
    """Whether None is allowed."""
    return get_origin(annotation) in (Union, types.UnionType) and type(None) in get_args(annotation)


def plain(annotation: Any) -> Any:
    """The annotation without None."""
    if not optional(annotation):
        return annotation
    rest = [each for each in get_args(annotation) if each is not type(None)]
    return rest[0] if len(rest) == 1 else Union[tuple(rest)]  # noqa: UP007
