"""Types from values: the narrowest that every value has and that gives every value back."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from hansang.design.codec import Value
from hansang.design.timestamps import (
    milliseconds_text,
    parse_day,
    parse_milliseconds,
    parse_seconds,
    seconds_text,
)

_MOST_MEMBERS = 60
_PRESENT = 0.5
_MEMBER = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_COUNTED = re.compile(r".*[0-9]{2}|[0-9a-f-]{8,}", re.DOTALL)
IN_KEYS = frozenset({"str", "int", "date", "Timestamp", "TimestampMs"})
"""The types whose values can stand in a composed key."""


@dataclass(frozen=True)
class TypeGuess:
    """A type: a plain one by its name; a list, dict, frozenset or union of others; or a model."""

    form: str
    inner: tuple[TypeGuess, ...] = ()
    members: tuple[MemberGuess, ...] = ()
    nullable: bool = False
    """Whether NULL stands among the values."""

    @property
    def has_models(self) -> bool:
        return self.form == "model" or any(each.has_models for each in self.inner)


@dataclass(frozen=True)
class MemberGuess:
    """A member of a model; an optional one is absent in some maps."""

    attribute: str
    type: TypeGuess
    optional: bool


ANYTHING = TypeGuess("Any")
TEXT, WHOLE, EXPIRY = TypeGuess("str"), TypeGuess("int"), TypeGuess("Expiry")


def guess(values: Sequence[Value]) -> TypeGuess:
    """The type of some attribute values."""
    said = [value for value in values if "NULL" not in value]
    if not said:
        return replace(ANYTHING, nullable=bool(values))
    kinds = sorted({next(iter(value)) for value in said})
    found = (
        _of_kind(kinds[0], [value[kinds[0]] for value in said]) if len(kinds) == 1 else _union(kinds, said)
    )
    return replace(found, nullable=len(said) < len(values))


def _of_kind(kind: str, contents: Sequence[object]) -> TypeGuess:
    return _GUESSES[kind](contents)


def _union(kinds: Sequence[str], said: Sequence[Value]) -> TypeGuess:
    """Each kind in its broadest form; what is inside of lists and maps may be anything."""
    whole = all(is_whole(value["N"]) for value in said if "N" in value)
    forms = {"S": TEXT, "N": WHOLE if whole else TypeGuess("Decimal"), "BOOL": TypeGuess("bool")}
    forms |= {
        "B": TypeGuess("bytes"),
        "L": TypeGuess("list", (ANYTHING,)),
        "M": TypeGuess("dict", (ANYTHING,)),
    }
    if not set(kinds) <= forms.keys():
        return ANYTHING
    return TypeGuess(
        "union", tuple(forms[kind] for kind in ("S", "N", "BOOL", "B", "M", "L") if kind in kinds)
    )


# ── texts and numbers ─────────────────────────────────────────────────────────────────────────────


def text_type(texts: Sequence[str]) -> TypeGuess:
    """What some texts are: days, moments, or just texts."""
    for form, same in (("date", _same_day), ("Timestamp", _same_second), ("TimestampMs", _same_millisecond)):
        if all(map(same, texts)):
            return TypeGuess(form)
    return TEXT


def _unchanged(again: Callable[[str], str]) -> Callable[[str], bool]:
    def same(text: str) -> bool:
        try:
            return again(text) == text
        except ValueError:
            return False

    return same


_same_day = _unchanged(lambda text: parse_day(text).isoformat())
_same_second = _unchanged(lambda text: seconds_text(parse_seconds(text)))
_same_millisecond = _unchanged(lambda text: milliseconds_text(parse_milliseconds(text)))


def is_whole(text: str) -> bool:
    return re.fullmatch(r"-?[0-9]+", text) is not None


def is_digits(text: str) -> bool:
    return re.fullmatch(r"[0-9]{1,18}", text) is not None


def is_moment(text: str) -> bool:
    """Whether a number can be a moment in seconds: of the years 2001 to 2100."""
    return is_whole(text) and 10**9 <= int(text) < 4_102_444_800


def _numbers(texts: Sequence[str]) -> TypeGuess:
    return WHOLE if all(map(is_whole, texts)) else TypeGuess("Decimal")


# ── collections ───────────────────────────────────────────────────────────────────────────────────


def _lists(lists: Sequence[Sequence[Value]]) -> TypeGuess:
    return TypeGuess("list", (guess([member for each in lists for member in each]),))


def _maps(maps: Sequence[Mapping[str, Value]]) -> TypeGuess:
    """A model where the maps have the same few names, a dict where names are values themselves."""
    by_name: dict[str, list[Value]] = {}
    for each in maps:
        for name, value in each.items():
            by_name.setdefault(name, []).append(value)
    types = {name: guess(values) for name, values in by_name.items()}
    filled = sum(1 for each in maps if each)
    if _is_model(by_name, types, filled):
        optional = {name: len(values) < len(maps) for name, values in by_name.items()}
        if not any(types[name].nullable and optional[name] for name in types):
            members = tuple(MemberGuess(name, types[name], optional[name]) for name in types)
            return TypeGuess("model", members=members)
        return TypeGuess("dict", (ANYTHING,))
    return TypeGuess("dict", (guess([value for values in by_name.values() for value in values]),))


def _is_model(by_name: Mapping[str, Sequence[Value]], types: Mapping[str, TypeGuess], filled: int) -> bool:
    if not by_name or len(by_name) > _MOST_MEMBERS:
        return False
    if sum(map(len, by_name.values())) < len(by_name) * filled * _PRESENT:
        return False
    is_uniform = len(set(types.values())) == 1
    if not is_uniform:
        return all(name.isidentifier() or _MEMBER.fullmatch(name) for name in by_name)
    counted = sum(1 for name in by_name if _COUNTED.fullmatch(name))
    return all(_MEMBER.fullmatch(name) for name in by_name) and counted * 2 < len(by_name)


def _set_of(inner: Callable[[Sequence[str]], TypeGuess]) -> Callable[[Sequence[Sequence[str]]], TypeGuess]:
    return lambda sets: TypeGuess("frozenset", (inner([member for each in sets for member in each]),))


_GUESSES: dict[str, Callable[..., TypeGuess]] = {
    "S": text_type,
    "N": _numbers,
    "B": lambda _: TypeGuess("bytes"),
    "BOOL": lambda _: TypeGuess("bool"),
    "L": _lists,
    "M": _maps,
    "SS": _set_of(lambda _: TEXT),
    "NS": _set_of(_numbers),
    "BS": _set_of(lambda _: TypeGuess("bytes")),
}


# ── parts of keys ─────────────────────────────────────────────────────────────────────────────────


def key_part(texts: Sequence[str]) -> tuple[TypeGuess, str]:
    """What a part of a key is, and in which format it stands there."""
    found = text_type(texts)
    if found != TEXT:
        return found, ""
    if all(map(_is_compact_day, texts)):
        return TypeGuess("date"), "%Y%m%d"
    if all(map(is_digits, texts)):
        width = number_format(texts)
        # One number alone may be the beginning of any text; one with zeros before it is a number of that width.
        if width is not None and (len({*texts}) > 1 or len(width) > 0):
            return WHOLE, width
    return TEXT, ""


def number_format(texts: Sequence[str]) -> str | None:
    """The format of whole numbers in keys, empty where they are as they are; None where there is none."""
    widths = {len(text) for text in texts}
    if any(text != str(int(text)) for text in texts):
        return f"0{widths.pop()}d" if len(widths) == 1 else None
    # Seconds and milliseconds since 1970 keep their width for centuries, and sort by it.
    is_clock = widths in ({10}, {13}) and all(is_moment(text[:10]) for text in texts)
    return f"0{widths.pop()}d" if is_clock else ""


def _is_compact_day(text: str) -> bool:
    match = re.fullmatch(r"((?:19|20)[0-9]{2})([0-9]{2})([0-9]{2})", text)
    return match is not None and _same_day("-".join(match.groups()))
