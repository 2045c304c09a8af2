"""What the fields of random designs are: their types, and small pools of awkward values for each."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Any, Literal, NewType
from unicodedata import normalize

from pydantic import BaseModel

UserId = NewType("UserId", str)
Rank = NewType("Rank", int)
Size = Literal["S", "M", "XL"]
Step = Literal[1, 2, 10]


class Color(str, Enum):  # noqa: UP042 - this form is as common as StrEnum
    """A text of which there are few."""

    RED = "red"
    BLUE = "blue"
    GREEN = "초록"


class Mood(Enum):
    """Members that are no texts themselves."""

    GOOD = "good"
    BAD = "bad"
    SO_SO = "go"


class Level(IntEnum):
    """A number of which there are few."""

    LOW = 1
    MID = 2
    TOP = 10


class Inner(BaseModel):
    """A map inside an item."""

    name: str
    count: int = 0
    tags: set[str] = set()
    note: str | None = None


@dataclass(frozen=True, eq=False)
class Sort:
    """A type of field: its source in a design, and values of it."""

    annotation: str
    values: tuple[Any, ...] = field(repr=False)
    formats: tuple[str, ...] = ("",)
    """How it can stand in a template; empty where it cannot."""
    lossy: tuple[str, ...] = ()
    """Formats that keep less than the value."""
    default: str = ""
    """The source of a value that is not None."""
    is_text: bool = False
    is_ordered: bool = True
    has_members: bool = False
    is_number: bool = False
    """Whether amounts can be added to it."""
    kind: str = "S"
    """DynamoDB's type of it."""


# Characters below and above the separators, letters put together and apart, and the edges of UTF-8 and UTF-16.
LETTERS = (
    *(
        "a",
        "b",
        "A",
        "ab",
        "abc",
        "a b",
        "a!",
        "a~",
        "B",
        "0",
        "9",
        "10",
        "007",
        "z",
        " ",
        "a\0",
        "\0",
        "\x7f",
    ),
    *("가", normalize("NFD", "가"), "각", "한상", normalize("NFD", "한상"), "é", normalize("NFD", "é")),
    *("😀", "\uffee", "\ud7ff", "\ue000", "a😀", "가나", "a.b", "\u1100", "e", "\u0301"),
)
SEPARATED = ("a#b", "a-b", "a_b", "a, b", "-", "_", "#", ",", "a-", "_a", "", "\U0010ffff", "END", "X")
TEXTS = LETTERS * 3 + SEPARATED

ZONES = (
    UTC,
    timezone(timedelta(hours=9)),
    timezone(timedelta(hours=-5)),
    timezone(timedelta(hours=5, minutes=45)),
)
_SECONDS = (
    *(datetime(2026, 1, 1, 0, 0, second, tzinfo=UTC) for second in (0, 1, 2)),
    datetime(2025, 12, 31, 23, 59, 59, tzinfo=UTC),
    datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC),
    datetime(2026, 1, 31, 15, 0, 0, tzinfo=UTC),
    datetime(1926, 1, 1, 0, 0, 0, tzinfo=UTC),
    datetime(1999, 2, 3, 4, 5, 6, tzinfo=UTC),
    datetime(800, 6, 1, 0, 0, 0, tzinfo=UTC),
    datetime(9999, 12, 30, 23, 59, 59, tzinfo=UTC),
)
MOMENTS = tuple(each.astimezone(zone) for each in _SECONDS for zone in ZONES)
FINE_MOMENTS = MOMENTS + tuple(each + timedelta(milliseconds=1) for each in MOMENTS if each.year > 1900)
DAYS = (
    *(date(2026, 1, day) for day in (1, 2, 5, 11, 31)),
    *(date(2025, 1, 1), date(1926, 1, 1), date(2026, 12, 31), date(2024, 2, 29)),
    *(date(900, 3, 4), date(1, 1, 1), date(9999, 12, 31)),
)

TEXT = Sort("str", TEXTS, default="'가나'", is_text=True)
USER = Sort("UserId", TEXTS, default="UserId('u')", is_text=True)
COLOR = Sort("Color", tuple(Color), default="Color.RED", is_text=True)
MOOD = Sort("Mood", tuple(Mood), default="Mood.GOOD")
SIZE = Sort("Size", ("S", "M", "XL"), default="'M'", is_text=True)
WHOLE = Sort(
    "int",
    (0, 1, 2, 9, 10, 11, 99, 100, 9999, 10000, -1, -2, -10, 123456, 10**20),
    ("", "04d", "06d", "02"),
    default="7",
    is_number=True,
    kind="N",
)
SMALL = Sort("int", (0, 1, 2, 9, 10, 99), ("", "04d"), default="1", is_number=True, kind="N")
RANK = Sort("Rank", (0, 1, 5, 10, 42), ("", "03d"), default="Rank(3)", is_number=True, kind="N")
LEVEL = Sort("Level", tuple(Level), ("", "02d"), default="Level.LOW", is_number=True, kind="N")
STEP = Sort("Step", (1, 2, 10), ("", "02d"), default="2", is_number=True, kind="N")
DAY = Sort(
    "date", DAYS, ("", "%Y%m%d", "%d.%m.%Y"), ("%Y-%m", "%m-%d", "%y%m%d", "%Y-%W"), "date(2026, 1, 2)"
)
MOMENT = Sort(
    "Timestamp",
    MOMENTS,
    ("", "%Y%m%d%H%M%S", "%d.%m.%Y %H.%M.%S"),
    ("%Y-%m-%d", "%Y%m", "%m%d%H%M%S", "%Y%m%d%I%M%S"),
    "datetime(2026, 1, 1, tzinfo=UTC)",
)
FINE = Sort(
    "TimestampMs",
    FINE_MOMENTS,
    ("", "%Y%m%d%H%M%S%f"),
    ("%Y%m%dT%H%M%S", "%H%M%S%f"),
    "datetime(2026, 1, 1, tzinfo=UTC)",
)
AMOUNT = Sort(
    "Decimal",
    tuple(map(Decimal, ("0", "1", "1.0", "1.50", "-2.25", "1E+3", "0.001", "-0"))),
    (),
    default="Decimal('1.5')",
    is_number=True,
    kind="N",
)
BINARY = Sort(
    "bytes", (b"a", b"\0", b"a\xff", b"ab", b"", b"\xff"), (), default="b'x'", is_text=True, kind="B"
)

IN_TEXT = (TEXT, TEXT, TEXT, USER, COLOR, MOOD, SIZE, WHOLE, SMALL, RANK, LEVEL, STEP, DAY, MOMENT, FINE)
"""What can stand in a template with others."""
ALONE = (*IN_TEXT, AMOUNT, BINARY)
"""What can be a key by itself."""

FLAG = Sort("bool", (True, False), (), default="True", is_ordered=False, kind="BOOL")
BOUNDED = Sort("Annotated[int, Ge(0), Le(20)]", (0, 1, 5, 20), (), default="0", is_number=True, kind="N")
TAGS = Sort(
    "set[str]",
    ({"a"}, {"a", "b"}, {"가", "c"}, set()),
    (),
    default="{'a'}",
    is_ordered=False,
    has_members=True,
    kind="SS",
)
NUMBERS = Sort(
    "set[int]",
    ({1}, {1, 2}, {-1, 10, 9}, set()),
    (),
    default="{1}",
    is_ordered=False,
    has_members=True,
    kind="NS",
)
MARKS = Sort(
    "frozenset[bytes]",
    (frozenset({b"a"}), frozenset({b"a", b"\xff"}), frozenset()),
    (),
    default="frozenset({b'a'})",
    is_ordered=False,
    has_members=True,
    kind="BS",
)
WORDS = Sort(
    "list[str]",
    (["a"], ["a", "b"], [], ["가", ""]),
    (),
    default="['x']",
    is_ordered=False,
    has_members=True,
    kind="L",
)
SUMS = Sort(
    "list[Decimal | None]",
    ([Decimal("1.50")], [None], []),
    (),
    default="[None]",
    is_ordered=False,
    kind="L",
)
NAMED = Sort("dict[str, int]", ({"a": 1}, {}, {"가": -1}), (), default="{'x': 1}", is_ordered=False, kind="M")
NESTED = Sort(
    "Inner",
    (Inner(name="a"), Inner(name="", count=2, tags={"x"}, note="n")),
    (),
    default="Inner(name='d')",
    is_ordered=False,
    kind="M",
)
NESTS = Sort(
    "list[Inner]",
    ([], [Inner(name="a")], [Inner(name="b", note="x"), Inner(name="a")]),
    (),
    default="[]",
    is_ordered=False,
    kind="L",
)
VALUES = (
    *IN_TEXT,
    *(AMOUNT, BINARY, FLAG, BOUNDED, TAGS, NUMBERS, MARKS, WORDS, SUMS, NAMED, NESTED, NESTS),
)
"""What a field can be that is in no key."""
