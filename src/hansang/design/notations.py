"""How a value stands in a key: its text, how it is read back, and whether the texts sort as the values do."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import Enum
from typing import Annotated, Any, Literal, NewType, get_args, get_origin
from uuid import UUID

from hansang.design.buckets import following_bucket
from hansang.design.codec import Codec
from hansang.design.normalize import normalize_nfc
from hansang.design.plain_codecs import parse_uuid
from hansang.design.timestamps import (
    in_utc,
    milliseconds_text,
    parse_day,
    parse_milliseconds,
    parse_seconds,
    seconds_text,
)
from hansang.errors import DesignError

LAST = "\U0010ffff"
"""Sorts behind every text that a key can have, since no key may hold it."""

_WIDTH = re.compile(r"0([1-9]\d*)d?")


@dataclass(frozen=True, slots=True)
class Notation:
    """How the values of one type stand in a key.

    `forms` is the regular expression of the texts, None for text of any kind. `step` goes to the next value
    up or down; only notations of one width, whose texts sort as the values do, have it.
    """

    write: Callable[[Any], str]
    read: Callable[[str], Any] | None
    forms: str | None
    sorts: bool
    step: Callable[[Any, int], Any] | None = None
    width: int | None = None
    is_text: bool = False
    choices: tuple[str, ...] = ()
    """The texts that there are, where the type lists them."""
    following: Callable[[Any], Any] | None = None
    """The first value of the next bucket, where texts stand for stretches of time: the next month for `%Y-%m`."""
    remedy: str = ""
    """What to do where a range is asked of values that do not sort in this notation."""

    @property
    def varies(self) -> bool:
        """Whether texts have different lengths, so that something has to end them."""
        return self.width is None


def width_of(format_: str) -> int | None:
    """How many digits a number has, where the format fixes it: `06d`."""
    match = _WIDTH.fullmatch(format_) if format_ else None
    return int(match[1]) if match else None


def notation_for(annotation: Any, format_: str, codec: Codec) -> Notation:
    """The notation of a field in a place with this format, or a DesignError."""
    kind, choices, read = _bare(annotation)
    if kind is bool or kind not in (str, int, date, datetime, UUID):
        raise DesignError("a key is made of strings, whole numbers, dates, moments and UUIDs")
    if kind is str:
        return _text(format_, choices, read)
    if kind is int:
        return _whole(format_, choices, read)
    if kind is UUID:
        return _identifier(format_)
    if format_:
        return _formatted(kind, format_, milliseconds=_is_fine(codec))
    if kind is date:
        return Notation(date.isoformat, parse_day, r"\d{4}-\d{2}-\d{2}", True, _next_day, 10)
    if _is_fine(codec):
        return Notation(
            milliseconds_text, parse_milliseconds, _MOMENT + r"\.\d{3}Z", True, _next(_MILLISECOND), 24
        )
    return Notation(seconds_text, parse_seconds, _MOMENT + "Z", True, _next(_SECOND), 20)


def _is_fine(codec: Codec) -> bool:
    return codec.kind == "S" and codec.encode(datetime(2000, 1, 1, tzinfo=UTC))["S"].endswith(".000Z")


def _bare(annotation: Any) -> tuple[Any, tuple[Any, ...], Callable[[Any], Any]]:
    """The plain type of an annotation, the values it is limited to, and the way from a plain value back."""
    if isinstance(annotation, NewType):
        return _bare(annotation.__supertype__)
    if get_origin(annotation) is Annotated:
        return _bare(get_args(annotation)[0])
    if get_origin(annotation) is Literal:
        choices = get_args(annotation)
        return type(choices[0]), choices, lambda value: value
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        choices = tuple(member.value for member in annotation)
        return type(choices[0]), choices, annotation
    if isinstance(annotation, type):
        for plain in (bool, str, int, datetime, date):
            if issubclass(annotation, plain):
                return plain, (), (lambda value: value) if annotation is plain else annotation
    return annotation, (), lambda value: value


def _plain(value: object) -> object:
    return value.value if isinstance(value, Enum) else value


# ── text and numbers ──────────────────────────────────────────────────────────────────────────────


def _text(format_: str, choices: tuple[str, ...], read: Callable[[Any], Any]) -> Notation:
    if format_:
        raise DesignError(f"the format {format_!r} is for numbers and dates, and this is text")
    strange = next(
        (each for each in choices if not isinstance(each, str) or normalize_nfc(each) != each), None
    )
    if strange is not None:
        raise DesignError(f"{strange!r} is among its values. Write them as texts that are normalized to NFC")
    forms = "|".join(map(re.escape, choices)) if choices else None
    return Notation(_written_text, read, forms, sorts=True, is_text=True, choices=choices)


def _written_text(value: Any) -> str:
    text = _plain(value)
    if not isinstance(text, str):
        raise TypeError("it is not text")
    found = normalize_nfc(text)
    found.encode()
    return found


def _whole(format_: str, choices: tuple[int, ...], read: Callable[[Any], Any]) -> Notation:
    width = width_of(format_)
    if format_ and width is None:
        raise DesignError(f"the format {format_!r} cannot be read back. Write a width, such as 08d")
    texts = tuple(format(each, format_) for each in choices)
    listed = "|".join(map(re.escape, texts))
    if width is None:
        return Notation(
            lambda value: str(_integer(value)),
            lambda text: read(int(text)),
            listed or r"(?:0|-?[1-9]\d*)",
            sorts=False,
            choices=texts,
            remedy="Give the number a width, such as {NAME:010d}, so that its text sorts by size.",
        )
    most = 10**width - 1

    def write(value: Any) -> str:
        number = _integer(value)
        if number < 0:
            raise ValueError("a number of fixed width in a key cannot be negative")
        if number > most:
            raise ValueError(f"that is wider than its {width} digits")
        return format(number, format_)

    def step(value: Any, by: int) -> int:
        return _integer(value) + by

    return Notation(
        write, lambda text: read(int(text)), listed or rf"\d{{{width}}}", True, step, width, choices=texts
    )


def _identifier(format_: str) -> Notation:
    if format_:
        raise DesignError(f"the format {format_!r} is for numbers and dates, and this is a UUID")

    def write(value: Any) -> str:
        if not isinstance(value, UUID):
            raise TypeError("it is not a UUID")
        return str(value)

    def step(value: UUID, by: int) -> UUID | None:
        return UUID(int=value.int + by) if 0 <= value.int + by < 1 << 128 else None

    forms = "-".join(f"[0-9a-f]{{{count}}}" for count in (8, 4, 4, 4, 12))
    return Notation(write, parse_uuid, forms, True, step, 36)


def _integer(value: Any) -> int:
    found: object = _plain(value)
    if isinstance(found, bool) or not isinstance(found, int):
        raise TypeError("it is not a whole number")
    return int(found)


# ── days and moments ──────────────────────────────────────────────────────────────────────────────

_MOMENT = r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}"
_SECOND, _MILLISECOND = timedelta(seconds=1), timedelta(milliseconds=1)


def _next_day(day: date, by: int) -> date | None:
    try:
        return day + timedelta(days=by)
    except OverflowError:
        return None


def _next(unit: timedelta) -> Callable[[datetime, int], datetime | None]:
    def step(moment: datetime, by: int) -> datetime | None:
        try:
            return in_utc(moment) + by * unit
        except OverflowError:
            return None

    return step


_DIRECTIVE = re.compile(r"%(.)")
_SOME = tuple(
    datetime(year, month, 2, 3, 4, 5, 6_000, tzinfo=UTC) for year in (1999, 2026) for month in (1, 12)
)


def _formatted(kind: Any, format_: str, *, milliseconds: bool) -> Notation:
    """A day or a moment in a format of its own, which may keep less of it than there is."""
    widths = {len(each.strftime(format_)) for each in _SOME}
    if len(widths) != 1:
        raise DesignError(
            f"the format {format_!r} has no fixed width. Write numbers with their zeros, as in %Y-%m-%d"
        )
    [width] = widths
    clock = () if kind is date else ("H", "M", "S", *(("f",) if milliseconds else ()))
    given = tuple(_DIRECTIVE.findall(format_))
    wholes = [(*day, *clock) for day in (("Y", "m", "d"), ("Y", "j"))]
    is_whole = any({*given} == {*whole} for whole in wholes)

    def write(value: Any) -> str:
        moment = in_utc(value) if isinstance(value, datetime) else value
        if moment.year < 1000:
            raise ValueError(f"the format {format_!r} writes no year before 1000")
        return str(moment.strftime(format_))

    def read(text: str) -> Any:
        moment = datetime.strptime(text, format_).replace(tzinfo=UTC)
        found = moment.date() if kind is date else moment
        if write(found) != text:
            raise ValueError(f"{text} is not of the form {format_}")
        return found

    step = _next_day if kind is date else _next(_MILLISECOND if milliseconds else _SECOND)
    return Notation(
        write,
        read if is_whole else None,
        ".{" + str(width) + "}",
        sorts=given in wholes,
        step=step,
        width=width,
        following=following_bucket(given),
        remedy="Write it in an order that sorts by time, such as %Y-%m-%d.",
    )


# ── text that comes before ────────────────────────────────────────────────────────────────────────


def before(text: str) -> str:
    """The last text of a key that sorts before this one."""
    if text[-1] == "\0":
        return text[:-1]
    code = ord(text[-1]) - 1
    if 0xD800 <= code <= 0xDFFF:
        code = 0xD7FF
    return text[:-1] + chr(code) + LAST


def after(text: str) -> str:
    """The first text that sorts behind this one."""
    return text + "\0"
