"""Importing: the lines of our own sheets, and of Korean banks and cards, looked at before they are entered."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Literal

from hansang.apps.assets.amounts import read_amount
from hansang.apps.assets.codes import CodeLists
from hansang.apps.assets.design import Detail
from hansang.apps.assets.entering import Entering, Given, Place
from hansang.apps.assets.kinds import KINDS, kind_of, parts_of
from hansang.apps.assets.reading import LedgerReading, PeriodShown
from hansang.apps.assets.recording import MOST_AT_ONCE, Recorded, Who
from hansang.apps.assets.rules import LONGEST_CODE, MONTH, book_month
from hansang.apps.assets.settings import AssetsSettings
from hansang.apps.assets.sheets import Row, plain_text
from hansang.errors import HansangError, InvalidInput

LineState = Literal["new", "same", "twice", "unknown", "refused"]
HEADER: tuple[str, ...] = (
    "month", "kind", "name", "second", "amount", "date", "memo", "by", "tag", "whom"
)  # fmt: skip
"""The columns of our own sheets."""
_HEADER_ROWS = 30
"""How many rows are looked at for the names of columns."""
_DAY = re.compile(r"([0-9]{4})[-./년 ]{1,2}([0-9]{1,2})[-./월 ]{1,2}([0-9]{1,2})")


@dataclass(frozen=True, slots=True)
class Preset:
    """How the columns of a bank's or a card's file are called, the most telling first."""

    name: str
    columns: Mapping[str, Sequence[str]]
    is_card: bool = False


PRESETS: tuple[Preset, ...] = (
    Preset("ledger", {each: (each,) for each in HEADER}),
    Preset(
        "card",
        {
            "date": ("이용일자", "이용일시", "이용일", "승인일자", "승인일시", "거래일자", "거래일"),
            "memo": ("이용가맹점", "가맹점명", "가맹점", "이용하신곳", "이용처"),
            "out": ("이용금액(원)", "이용금액", "승인금액", "결제금액", "금액"),
        },
        is_card=True,
    ),
    Preset(
        "bank",
        {
            "date": ("거래일시", "거래일자", "거래일", "일자", "날짜"),
            "memo": ("적요", "거래내용", "내용", "보낸분/받는분", "의뢰인/수취인", "메모"),
            "out": ("출금액(원)", "출금금액", "출금액", "출금(원)", "출금", "찾으신금액"),
            "in": ("입금액(원)", "입금금액", "입금액", "입금(원)", "입금", "맡기신금액"),
        },
    ),
)


@dataclass(frozen=True, slots=True)
class Rules:
    """Where lines go that do not say so themselves: by a word of their memo, else to one place."""

    words: Mapping[str, Place] = field(default_factory=dict)
    otherwise: Place | None = None
    by: str | None = None

    def place(self, memo: str) -> Place | None:
        folded = memo.casefold()
        return next((each for word, each in self.words.items() if word.casefold() in folded), self.otherwise)


@dataclass(frozen=True, slots=True)
class ImportLine:
    """A line of a file, and what would become of it."""

    line: int
    state: LineState
    month: str = ""
    place: Place | None = None
    amount: int = 0
    detail: Detail | None = None
    """None where the line is the whole amount of its month."""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ImportPreview:
    """A file as it was read."""

    preset: str
    lines: list[ImportLine]

    @property
    def wanted(self) -> list[ImportLine]:
        """The lines that are entered: also equal ones of one file, which may well be two payments."""
        return [each for each in self.lines if each.state in ("new", "twice")]


class Importing:
    """Reads files against the household, and enters what is new."""

    def __init__(
        self, reading: LedgerReading, entering: Entering, codes: CodeLists, settings: AssetsSettings
    ) -> None:
        self._reading, self._entering = reading, entering
        self._codes, self._settings = codes, settings

    def preview(self, rows: Iterable[Sequence[str]], rules: Rules | None = None) -> ImportPreview:
        """What a file would enter, and every line that cannot be taken with its reason; nothing is written."""
        numbered = [(number, list(row)) for number, row in enumerate(rows, 1)]
        preset, columns, start = _found_header(numbered)
        lines = [
            self._read(preset, _named(columns, row), number, rules or Rules())
            for number, row in numbered[start:]
            if any(row)
        ]
        return ImportPreview(preset.name, list(self._compared(lines)))

    def take(self, preview: ImportPreview, who: Who) -> list[Recorded]:
        """Enter the lines that are new; each month together."""
        found = []
        for month in sorted({each.month for each in preview.wanted}):
            wanted: dict[tuple[str, ...], tuple[Place, Given]] = {}
            for line in (each for each in preview.wanted if each.month == month):
                assert line.place is not None
                key = (line.place.kind.name, *line.place.parts)
                _, before = wanted.get(key, (line.place, Given()))
                wanted[key] = (line.place, _joined(before, line))
            every = list(wanted.values())
            for start in range(0, len(every), MOST_AT_ONCE):
                some = every[start : start + MOST_AT_ONCE]
                found.append(self._entering.enter_all(month, some, who, verb="import"))
        return found

    # ── reading ───────────────────────────────────────────────────────────────────────────────────

    def _read(self, preset: Preset, values: Mapping[str, str], number: int, rules: Rules) -> ImportLine:
        try:
            if preset.name == "ledger":
                return self._own(values, number)
            return self._foreign(preset, values, number, rules)
        except (HansangError, ValueError) as reason:
            return ImportLine(number, "refused", reason=str(reason)[:200])

    def _own(self, values: Mapping[str, str], number: int) -> ImportLine:
        kind = values.get("kind", "")
        if kind not in KINDS:
            raise InvalidInput(f"{kind[:LONGEST_CODE]!r} is not a kind of entry.")
        names = [each for each in (values.get("name", ""), values.get("second", "")) if each]
        place = Place.of(kind, names)
        self._codes.expect(place.kind, place.parts, is_there=True)
        month = values.get("month", "")
        if not MONTH.fullmatch(month):
            raise InvalidInput(f"{month[:20]!r} is not a month.")
        place.key(month)
        amount = read_amount(values.get("amount", ""))
        if not values.get("date"):
            return ImportLine(number, "new", month, place, amount)
        given = {name: values.get(name) or None for name in ("memo", "by", "tag", "whom")}
        return ImportLine(
            number, "new", month, place, amount, Detail(date=_day(values["date"]), amount=amount, **given)
        )

    def _foreign(self, preset: Preset, values: Mapping[str, str], number: int, rules: Rules) -> ImportLine:
        day, memo = _day(values.get("date", "")), values.get("memo", "")[:200]
        paid, earned = (read_amount(values.get(name) or "0") for name in ("out", "in"))
        amount, place = (paid, rules.place(memo)) if paid else (earned, None)
        if not amount:
            raise InvalidInput("The line has no amount.")
        month = book_month(day, self._settings, is_card=preset.is_card)
        detail = Detail(date=day, amount=amount, memo=memo or None, by=rules.by)
        if place is None:
            reason = "" if paid else "Money that came in is entered by hand."
            return ImportLine(number, "unknown", month, None, amount, detail, reason)
        self._codes.expect(place.kind, place.parts, is_there=False)
        return ImportLine(number, "new", month, place, amount, detail)

    def _compared(self, lines: Sequence[ImportLine]) -> Iterator[ImportLine]:
        """The lines with what is in the book already, and what the file has twice."""
        wanted = [each.month for each in lines if each.state == "new"]
        there = self._there(min(wanted), max(wanted)) if wanted else {}
        seen: set[tuple[object, ...]] = set()
        for line in lines:
            if line.state != "new" or line.place is None:
                yield line
                continue
            key = _key(line)
            if there.get(key, 0):
                there[key] -= 1
                yield replace(line, state="same")
            else:
                yield replace(line, state="twice") if key in seen and line.detail else line
            seen.add(key)

    def _there(self, first: str, last: str) -> dict[tuple[object, ...], int]:
        found: dict[tuple[object, ...], int] = {}
        for line in each_line(self._reading.period(first, last)):
            found[_key(line)] = found.get(_key(line), 0) + 1
        return found


def each_line(period: PeriodShown) -> Iterator[ImportLine]:
    """Every entry of a period as the lines that it would be imported from."""
    for month in period.months:
        for entry in month.entries:
            place = Place(kind_of(entry), parts_of(entry))
            for each in entry.entries or ():
                yield ImportLine(0, "new", month.month, place, each.amount, each)
            if not entry.entries:
                yield ImportLine(0, "new", month.month, place, entry.amount)


def sheet_rows(period: PeriodShown) -> Iterator[Row]:
    """A period as the rows of our own sheet."""
    yield HEADER
    for each in each_line(period):
        assert each.place is not None
        detail = each.detail
        names = [*each.place.parts, ""][:2]
        rest = (
            (None,) * 5 if detail is None else (detail.date, detail.memo, detail.by, detail.tag, detail.whom)
        )
        yield (each.month, each.place.kind.name, *names, each.amount, *rest)


def _key(line: ImportLine) -> tuple[object, ...]:
    assert line.place is not None
    what = None if line.detail is None else (line.detail.date, line.detail.memo)
    return (line.month, line.place.kind.name, *line.place.parts, line.amount, what)


def _joined(before: Given, line: ImportLine) -> Given:
    if line.detail is None:
        return Given(amount=line.amount)
    return Given(added=(*(before.added or ()), line.detail))


def _found_header(rows: Sequence[tuple[int, list[str]]]) -> tuple[Preset, dict[str, int], int]:
    """The preset whose columns are named in one of the first rows, where each stands, and the row behind them."""
    for place, (_, row) in enumerate(rows[:_HEADER_ROWS]):
        names = [re.sub(r"\s", "", cell) for cell in row]
        for preset in PRESETS:
            found = {
                field: names.index(name)
                for field, choices in preset.columns.items()
                for name in [next((each for each in choices if each in names), "")]
                if name
            }
            if found.keys() >= ({"month", "kind", "amount"} if preset.name == "ledger" else {"date", "out"}):
                return preset, found, place + 1
    raise InvalidInput(
        "The file has no row that names its columns. Give it the columns of hansang assets export, or those of a bank "
        "or a card.",
        code="assets.no-columns",
    )


def _named(columns: Mapping[str, int], row: Sequence[str]) -> dict[str, str]:
    return {name: plain_text(row[place]) for name, place in columns.items() if place < len(row)}


def _day(text: str) -> date:
    found = _DAY.match(text)
    if found is None:
        raise InvalidInput(f"{text[:20]!r} is not a day.")
    return date(int(found[1]), int(found[2]), int(found[3]))
