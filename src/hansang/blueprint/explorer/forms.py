"""Forms made from types: which fields there are, and what the texts in them mean."""

from __future__ import annotations

import binascii
import enum
import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import ValidationError

from hansang.blueprint.explorer import json_texts
from hansang.blueprint.samples import bare
from hansang.design.codec import optional
from hansang.errors import HansangError, word_key

FieldKind = Literal["text", "whole", "decimal", "day", "moment", "binary", "choice", "json", "either"]
"""How a field is filled in; `either` is a text or JSON, whichever is said beside it."""

Texts = Mapping[str, str]

_KINDS: tuple[tuple[type, FieldKind], ...] = (
    (int, "whole"),
    (Decimal, "decimal"),
    (datetime, "moment"),
    (date, "day"),
    (str, "text"),
    (bytes, "binary"),
)
_FLAGS = {"true": True, "false": False}


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

    @property
    def form_name(self) -> str:
        """The name of the switch beside a field that is a text or JSON."""
        return f"{self.name}:as"


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with what was filled in; the words for it are found by the code."""

    code: str
    detail: str = ""
    """What else there is to say, such as a limit; in English, where it has words of its own."""
    where: str = ""
    """The place inside of the value, if it is one."""
    key: str = ""
    """The key of the words of the detail, if it has any, and the values of their places."""
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Filled:
    """The values of a form, and what is wrong with it, by field."""

    values: dict[str, Any]
    faults: dict[str, Fault]


def form_field(name: str, annotation: Any, default: Any = ..., *, in_key: bool = False) -> FormField:
    """The field for a value of this type; `...` stands for no default."""
    kind, choices = _kind(bare(annotation))
    is_needed = default is ... and not optional(annotation)
    return FormField(
        name,
        kind,
        is_needed,
        choices,
        "" if default is ... or default is None else _default(default),
        may_be_empty=kind in ("text", "either") and is_needed and not in_key,
        in_key=in_key,
    )


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
    if not isinstance(annotation, type):
        return "json", {}
    if issubclass(annotation, bool):
        return "choice", dict(_FLAGS)
    if issubclass(annotation, enum.Enum):
        return "choice", {str(each.value): each for each in annotation}
    return next((kind for known, kind in _KINDS if issubclass(annotation, known)), "json"), {}


# ── reading ───────────────────────────────────────────────────────────────────────────────────────


def fill(fields: Iterable[FormField], texts: Texts) -> Filled:
    """The values of the texts; a field that is left empty and has a default is left out."""
    values: dict[str, Any] = {}
    faults: dict[str, Fault] = {}
    for each in fields:
        text = texts.get(each.name, "").replace("\r\n", "\n")
        if text or each.may_be_empty:
            try:
                values[each.name] = _read(each, text, texts)
            except (ValueError, KeyError, InvalidOperation):
                faults[each.name] = Fault("json" if each.kind == "either" else each.kind)
        elif each.is_needed:
            faults[each.name] = Fault("needed")
    return Filled(values, faults)


def _read(each: FormField, text: str, texts: Texts) -> Any:
    if each.kind == "choice":
        return each.choices[text]
    if each.kind == "either":
        return json_texts.read(text) if texts.get(each.form_name) == "json" else text
    return _READERS[each.kind](text if each.kind == "text" else text.strip())


def _decimal(text: str) -> Decimal:
    number = Decimal(text.replace(",", ""))
    if not number.is_finite():
        raise ValueError(text)
    return number


def _moment(text: str) -> datetime:
    """A moment; without a zone it is one of UTC, as everything that is stored."""
    found = datetime.fromisoformat(text)
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


_READERS: dict[FieldKind, Callable[[str], Any]] = {
    "text": str,
    "whole": lambda text: int(text.replace(",", "")),
    "decimal": _decimal,
    "day": date.fromisoformat,
    "moment": _moment,
    "binary": lambda text: binascii.a2b_base64(text, strict_mode=True),
    "json": json_texts.read,
}


# ── faults that types find ────────────────────────────────────────────────────────────────────────


def faults_of(error: ValidationError) -> dict[str, Fault]:
    """What pydantic found, by the field in which it is."""
    found: dict[str, Fault] = {}
    for each in error.errors():
        name, *inside = (str(part) for part in each["loc"])
        kind, told = each["type"], each.get("ctx") or {}
        if kind in KNOWN_FAULTS and not inside:
            fault = Fault(kind, str(next(iter(told.values()), "")))
        else:
            where = f"{'.'.join(inside)}: " if inside else ""
            fault = Fault("refused", each["msg"], where, f"field.{kind}", told)
        found.setdefault(name, fault)
    return found


def error_fault(code: str, error: HansangError) -> Fault:
    """What an error of ours says, as a fault."""
    key = "" if error.code == type(error).code else word_key(error.code)
    return Fault(code, str(error), key=key, values=error.values)


KNOWN_FAULTS = frozenset(
    {
        "greater_than_equal",
        "less_than_equal",
        "string_pattern_mismatch",
        "string_too_long",
        "string_too_short",
        "too_long",
    }
)
"""The refusals that have words of their own."""
