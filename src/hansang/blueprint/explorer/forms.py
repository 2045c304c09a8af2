"""Forms made from types: which fields there are, how each is filled in, and what is wrong with what was."""

from __future__ import annotations

import enum
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Literal, Union, get_args, get_origin

from annotated_types import MinLen
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic.types import StringConstraints
from pydantic_core import PydanticUndefined

from hansang.blueprint.explorer import json_texts
from hansang.blueprint.samples import bare
from hansang.design.codec import marks, optional
from hansang.design.inputs import Input, Moment, References, Stamped, example_of, input_mark
from hansang.errors import HansangError, InvalidInput, word_key

FieldKind = Literal[
    "text",
    "whole",
    "decimal",
    "day",
    "moment",
    "binary",
    "choice",
    "json",
    "either",
    "rows",
    "map",
    "lines",
]
"""How a field is filled in; `either` is a text or JSON, whichever is said beside it."""

_KINDS: tuple[tuple[type, FieldKind], ...] = (
    (int, "whole"),
    (Decimal, "decimal"),
    (datetime, "moment"),
    (date, "day"),
    (str, "text"),
    (bytes, "binary"),
)
_FLAGS = {"true": True, "false": False}
_LISTS = (list, set, frozenset)
_SIMPLE = frozenset({"text", "whole", "decimal", "day", "moment", "choice"})
KEY, VALUE = "key", "value"
"""The two fields of a row of a map."""


@dataclass(frozen=True, slots=True)
class FormField:
    """One thing to fill in."""

    name: str
    kind: FieldKind
    is_needed: bool
    choices: Mapping[str, Any] = field(default_factory=dict)
    """The values that can be chosen, by their texts."""
    default: str = ""
    may_be_empty: bool = False
    """Whether nothing written means an empty text, and not that there is no value."""
    in_key: bool = False
    widget: str = ""
    """What the design says of how it is filled in, such as `month`; see `Input`."""
    example: str = ""
    """A value of the right format."""
    parts: tuple[FormField, ...] = ()
    """The fields of each row, where there are rows."""
    model: str = ""
    """The name of the model that a row is."""
    stamped: Moment | None = None
    """When it is written by itself, if it is."""
    references: References | None = None

    @property
    def form_name(self) -> str:
        """The name of the switch beside a field that is a text or JSON."""
        return f"{self.name}:as"

    @property
    def is_optional(self) -> bool:
        """Whether it may be left empty."""
        return not self.is_needed or self.may_be_empty

    @property
    def is_fixed(self) -> bool:
        """Whether there is nothing to choose: one value that it has by default."""
        return self.kind == "choice" and list(self.choices) == [self.default]


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with what was filled in; the words for it are found by the code, or by what was found."""

    code: str
    found: Mapping[str, Any] = field(default_factory=dict)
    """What a validator found, with its `type`, its `ctx` and an `example` of the right format."""
    inside: tuple[str | int, ...] = ()
    """The place inside of the value, if it is one."""
    key: str = ""
    """The key of the words of an error, and the values of their places; without words, what it says."""
    values: Mapping[str, Any] = field(default_factory=dict)
    detail: str = ""


def form_field(
    name: str, annotation: Any, default: Any = ..., *, in_key: bool = False, info: FieldInfo | None = None
) -> FormField:
    """The field for a value of this type; `...` stands for no default, and `info` has the marks of a design."""
    known = info or FieldInfo.from_annotation(annotation)
    inner = bare(annotation)
    kind, choices = _kind(inner)
    is_needed = default is ... and not optional(annotation)
    mark, stamp = input_mark(known, Input), input_mark(known, Stamped)
    found = FormField(
        name,
        kind,
        is_needed,
        choices,
        "" if default is ... or default is None else _default(default),
        may_be_empty=kind in ("text", "either") and is_needed and not in_key and not _shortest(known),
        in_key=in_key,
        widget="" if mark is None else mark.widget,
        example=example_of(known),
        stamped=None if stamp is None else stamp.when,
        references=input_mark(known, References),
    )
    return _with_parts(found, inner)


def model_field(model: type[BaseModel], name: str, *, in_key: bool = False) -> FormField:
    """The field of a model's field."""
    info = model.model_fields[name]
    default = info.default if info.default is not PydanticUndefined else None if info.default_factory else ...
    return form_field(name, info.annotation, default, in_key=in_key, info=info)


def _with_parts(found: FormField, annotation: Any) -> FormField:
    arguments = get_args(annotation)
    if found.kind == "rows":
        model = bare(arguments[0])
        parts = tuple(model_field(model, each) for each in model.model_fields)
        return replace(found, parts=parts, model=model.__name__, widget="")
    if found.kind == "map":
        key, value = form_field(KEY, str, in_key=True), form_field(VALUE, arguments[1])
        return replace(found, parts=(key, replace(value, widget=found.widget)), widget="")
    return found


def _shortest(info: FieldInfo) -> int:
    """How many characters a text has at least."""
    found = [each.min_length for each in marks(info) if isinstance(each, StringConstraints | MinLen)]
    return max((each for each in found if each is not None), default=0)


def _default(value: Any) -> str:
    if isinstance(value, enum.Enum):
        value = value.value
    return value if isinstance(value, str) else json_texts.written(value).strip('"')


def _kind(annotation: Any) -> tuple[FieldKind, dict[str, Any]]:
    origin = get_origin(annotation)
    if origin is Literal:
        return "choice", {str(each): each for each in get_args(annotation)}
    if origin in (Union, types.UnionType):
        return ("either" if str in get_args(annotation) else "json"), {}
    if origin in _LISTS:
        return _list_kind(bare(get_args(annotation)[0])), {}
    if origin is dict:
        return _map_kind(*map(bare, get_args(annotation))), {}
    if not isinstance(annotation, type):
        return "json", {}
    if issubclass(annotation, bool):
        return "choice", dict(_FLAGS)
    if issubclass(annotation, enum.Enum):
        return "choice", {str(each.value): each for each in annotation}
    return next((kind for known, kind in _KINDS if issubclass(annotation, known)), "json"), {}


def _list_kind(member: Any) -> FieldKind:
    if not isinstance(member, type):
        return "json"
    if issubclass(member, BaseModel):
        kinds = {_kind(bare(each.annotation))[0] for each in member.model_fields.values()}
        return "rows" if kinds <= _SIMPLE else "json"
    return "lines" if issubclass(member, str) and not issubclass(member, enum.Enum) else "json"


def _map_kind(key: Any, value: Any) -> FieldKind:
    return "map" if key is str and _kind(value)[0] in ("text", "whole", "decimal") else "json"


# ── faults that types find ────────────────────────────────────────────────────────────────────────


def faults_of(error: ValidationError, examples: Mapping[str, str]) -> dict[str, Fault]:
    """What pydantic found, by the field in which it is; `examples` are values of the right format, by field."""
    found: dict[str, Fault] = {}
    for each in error.errors(include_url=False, include_input=False):
        name, *inside = each["loc"] or ("",)
        told = {"type": each["type"], "ctx": each.get("ctx"), "example": examples.get(str(name), "")}
        found.setdefault(str(name), Fault("found", told, tuple(inside)))
    return found


def error_fault(code: str, error: HansangError) -> Fault:
    """What an error of ours says, as a fault."""
    if isinstance(error, InvalidInput) and error.found is not None:
        return Fault("found", error.found)
    key = "" if error.code == type(error).code else word_key(error.code)
    return Fault(code, key=key, values=error.values, detail=str(error))


def part_name(name: str, row: str | int, part: str) -> str:
    """The name of a field of a row: `entries.0.date`."""
    return f"{name}.{row}.{part}"


def rows_in(name: str, texts: Sequence[str] | Mapping[str, str]) -> list[str]:
    """The rows of a field that were filled in, in their order."""
    begin = f"{name}."
    found = (each.removeprefix(begin).partition(".")[0] for each in texts if each.startswith(begin))
    return list(dict.fromkeys(each for each in found if each.isdecimal()))
