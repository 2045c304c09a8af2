"""Importing: the lines of our own sheets, and of Korean banks and cards, looked at before they are entered."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Literal

from hansang.apps.assets.amounts import read_amount
from hansang.apps.assets.batches import Batches
from hansang.apps.assets.books import expect_open
from hansang.apps.assets.codes import CodeLists
from hansang.apps.assets.design import Book, Detail, Entry
from hansang.apps.assets.entering import (
    Given,
    Place,
    expect_amount,
    expect_size,
    payments_of,
    tag_of,
    what_of,
)
from hansang.apps.assets.kinds import KINDS, kind_of, parts_of
from hansang.apps.assets.presets import HEADER, Layout, Preset, Presets, Rules
from hansang.apps.assets.reading import LedgerReading, MonthShown
from hansang.apps.assets.recording import Recorded, Who
from hansang.apps.assets.rules import LONGEST_CODE, book_month, expect_month
from hansang.apps.assets.seen import SeenVersions, StaleLine, expect_seen, seen_key
from hansang.apps.assets.settings import AssetsSettings
from hansang.apps.assets.sheets import Row
from hansang.errors import HansangError, InvalidInput
from hansang.parts.history import Change
from hansang.parts.receipts import RequestSteps

_DAY = re.compile(r"([0-9]{4})[-./년 ]{1,2}([0-9]{1,2})[-./월 ]{1,2}([0-9]{1,2})")

LineState = Literal["new", "changed", "same", "twice", "unknown", "refused", "left", "meanwhile"]
_ENTERED: tuple[LineState, ...] = ("new", "changed", "twice")


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
    code: str = ""
    """What the reason is called, with the values that its words have."""
    values: Mapping[str, object] = field(default_factory=dict)
    before: int | None = None
    """What a whole amount would replace."""
    version: str = ""
    """That of the entry which a whole amount was compared with."""


@dataclass(frozen=True, slots=True)
class ImportPreview:
    """A file as it was read."""

    layout: Layout
    rules: Rules
    lines: list[ImportLine]

    @property
    def preset(self) -> str:
        return self.layout.preset.name

    @property
    def wanted(self) -> list[ImportLine]:
        """The lines that are entered: also equal ones of one file, which may well be two payments."""
        return [each for each in self.lines if each.state in _ENTERED]

    @property
    def left_out(self) -> list[ImportLine]:
        """The lines that are not entered, each with its reason."""
        return [each for each in self.lines if each.state not in _ENTERED]

    @property
    def seen(self) -> dict[str, str]:
        """The versions that whole amounts were compared with, to be given when they are entered."""
        return {
            seen_key(each.month, each.place): each.version
            for each in self.lines
            if each.version and each.place is not None
        }

    @property
    def stale(self) -> list[StaleLine]:
        """The whole amounts whose entry has changed since it was seen."""
        return [
            StaleLine(each.line, each.month, each.place, each.before, each.amount, each.version)
            for each in self.lines
            if each.state == "meanwhile" and each.place is not None
        ]


@dataclass(frozen=True, slots=True)
class Imported:
    """What came of a file: what each month became, and the change that takes all of it back."""

    months: list[Recorded]
    change: Change | None
    entered: int
    """How many lines were entered; those that somebody else entered meanwhile are not among them."""


class Importing:
    """Reads files against the household, and enters what is new."""

    def __init__(
        self,
        reading: LedgerReading,
        codes: CodeLists,
        settings: Callable[[], AssetsSettings],
        batches: Batches,
        presets: Presets,
    ) -> None:
        self._reading, self._codes, self._settings, self._batches = reading, codes, settings, batches
        self.presets = presets

    def preview(
        self,
        rows: Iterable[Sequence[str]],
        rules: Rules | None = None,
        columns: Mapping[str, str] | None = None,
        *,
        is_card: bool = False,
        seen: SeenVersions | None = None,
    ) -> ImportPreview:
        """What a file would enter, and every line that cannot be taken with its reason; nothing is written.

        `columns` are the names of its columns by what they mean; without them they are recognised by a preset.
        `seen` are the versions of an earlier preview; whole amounts whose entry has another one now are to be decided.
        """
        numbered = [(number, list(row)) for number, row in enumerate(rows, 1)]
        layout, kept = self.presets.layout(numbered, columns, is_card=is_card)
        found = rules or kept or Rules()
        book = self._reading.book()
        lines = [
            self._read(layout, layout.named(row), number, found, book)
            for number, row in numbered[layout.start :]
            if any(row)
        ]
        entries = self._entries({each.month for each in lines if each.state == "new"})
        compared = list(_compared(lines, entries, found.left, seen or {}))
        return ImportPreview(layout, found, list(self._limited(compared, entries)))

    def take(self, preview: ImportPreview, who: Who, steps: RequestSteps | None = None) -> Imported:
        """Enter the lines that are new, each month together; one undo takes the whole file back.

        Nothing is written while a line is to be decided.
        """
        expect_seen(preview.stale)
        months, change = self._batches.enter(_by_month(preview), who, "import", steps)
        return Imported(months, change, _entered(preview, months))

    # ── reading ───────────────────────────────────────────────────────────────────────────────────

    def _read(
        self, layout: Layout, values: Mapping[str, str], number: int, rules: Rules, book: Book
    ) -> ImportLine:
        try:
            is_own = layout.preset.name == "ledger"
            found = (
                self._own(values, number) if is_own else self._foreign(layout.preset, values, number, rules)
            )
            expect_open(book, found.month)
            self._codes.expect_near(found.month)
        except HansangError as fault:
            return _refused(ImportLine(number, "new"), fault)
        except ValueError as fault:
            return ImportLine(number, "refused", reason=str(fault)[:200], code="assets.line-unusable")
        return found

    def _own(self, values: Mapping[str, str], number: int) -> ImportLine:
        kind = values.get("kind", "")
        if kind not in KINDS:
            raise InvalidInput(
                "{kind} is not a kind of entries.",
                code="assets.no-kind",
                values={"kind": kind[:LONGEST_CODE] or "–"},
            )
        names = [each for each in (values.get("name", ""), values.get("second", "")) if each]
        place = Place.of(kind, names)
        self._codes.expect(place.kind, place.parts, is_there=True)
        month = expect_month(values.get("month", "")[:20])
        place.key(month)
        amount = read_amount(values.get("amount", ""))
        if not values.get("date"):
            return ImportLine(number, "new", month, place, expect_amount(amount))
        expect_amount(abs(amount))
        given = {name: values.get(name) or None for name in ("memo", "by", "tag", "whom")}
        return ImportLine(
            number, "new", month, place, amount, Detail(date=_day(values["date"]), amount=amount, **given)
        )

    def _foreign(self, preset: Preset, values: Mapping[str, str], number: int, rules: Rules) -> ImportLine:
        day, memo = _day(values.get("date", "")), values.get("memo", "")[:200]
        paid, earned = (read_amount(values.get(name) or "0") for name in ("out", "in"))
        amount, place = paid or earned, rules.place(number, memo, is_income=not paid)
        if not amount:
            raise InvalidInput("The line has no amount.", code="assets.line-no-amount")
        expect_amount(abs(amount))
        month = book_month(day, self._settings(), is_card=preset.is_card)
        detail = Detail(date=day, amount=amount, memo=memo or None, by=rules.by if paid else None)
        if place is None and paid:
            return ImportLine(number, "unknown", month, None, amount, detail)
        if place is None:
            reason = "Choose an income for money that came in."
            return ImportLine(
                number, "unknown", month, None, amount, detail, reason, code="assets.line-income"
            )
        self._codes.expect(place.kind, place.parts, is_there=False)
        return ImportLine(number, "new", month, place, amount, detail)

    def _entries(self, months: set[str]) -> dict[tuple[str, ...], Entry]:
        """Every entry of these months, as `_entry_key` calls it."""
        return {
            (month.month, kind_of(each).name, *parts_of(each)): each
            for month in self._reading.each_month(sorted(months))
            for each in month.entries
        }

    def _limited(
        self, lines: Sequence[ImportLine], entries: Mapping[tuple[str, ...], Entry]
    ) -> Iterator[ImportLine]:
        """The lines, those refused that their entry could not take: a file is entered without breaking off."""
        wanted = defaultdict[tuple[str, ...], list[ImportLine]](list)
        for line in lines:
            if line.state in _ENTERED:
                wanted[_entry_key(line)].append(line)
        faults = dict[tuple[str, ...], HansangError]()
        for key, some in wanted.items():
            try:
                self._expect_enterable(some, entries.get(key))
            except HansangError as fault:
                faults[key] = fault
        for line in lines:
            refusal = faults.get(_entry_key(line)) if line.state in _ENTERED else None
            yield line if refusal is None else _refused(line, refusal)

    def _expect_enterable(self, lines: Sequence[ImportLine], entry: Entry | None) -> None:
        place = lines[0].place
        assert place is not None
        self._codes.expect(place.kind, place.parts, is_there=entry is not None)
        details = [each.detail for each in lines if each.detail is not None]
        if details:
            after = [*payments_of(entry), *details]
            expect_size(after)
            expect_amount(sum(each.amount for each in after))


def _refused(line: ImportLine, fault: HansangError) -> ImportLine:
    return replace(line, state="refused", reason=str(fault)[:200], code=fault.code, values=fault.values)


def _compared(
    lines: Sequence[ImportLine],
    entries: Mapping[tuple[str, ...], Entry],
    left: frozenset[int],
    versions: SeenVersions,
) -> Iterator[ImportLine]:
    """The lines with what is in the book already, and what the file has twice."""
    there = Counter(_key(line) for (month, *_), each in entries.items() for line in _lines_of(month, each))
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
            if line.detail is None:
                line = _replacing(line, entries.get(_entry_key(line)), versions)
            elif key in seen:
                line = replace(line, state="twice")
            yield replace(line, state="left") if line.line in left else line
        seen.add(key)


def each_line(months: Iterable[MonthShown]) -> Iterator[ImportLine]:
    """Every entry of some months as the lines that it would be imported from."""
    for month in months:
        for entry in month.entries:
            yield from _lines_of(month.month, entry)


def _lines_of(month: str, entry: Entry) -> Iterator[ImportLine]:
    place = Place(kind_of(entry), parts_of(entry))
    for each in entry.entries or ():
        yield ImportLine(0, "new", month, place, each.amount, each)
    if not entry.entries:
        yield ImportLine(0, "new", month, place, entry.amount)


def sheet_rows(months: Iterable[MonthShown]) -> Iterator[Row]:
    """Some months as the rows of our own sheet."""
    yield HEADER
    for each in each_line(months):
        assert each.place is not None
        detail = each.detail
        names = [*each.place.parts, ""][:2]
        rest = (
            (None,) * 5 if detail is None else (detail.date, detail.memo, detail.by, detail.tag, detail.whom)
        )
        yield (each.month, each.place.kind.name, *names, each.amount, *rest)


def _key(line: ImportLine) -> tuple[object, ...]:
    return (*_entry_key(line), line.amount if line.detail is None else what_of(line.detail))


def _entry_key(line: ImportLine) -> tuple[str, ...]:
    assert line.place is not None
    return (line.month, line.place.kind.name, *line.place.parts)


def _replacing(line: ImportLine, entry: Entry | None, versions: SeenVersions) -> ImportLine:
    """A whole amount beside the entry that it replaces; to be decided if that is not the one that was seen."""
    assert line.place is not None
    version = tag_of(entry)
    is_seen = versions.get(seen_key(line.month, line.place), version) == version
    state: LineState = "meanwhile" if not is_seen else "new" if entry is None else "changed"
    return replace(line, state=state, before=None if entry is None else entry.amount, version=version)


def _joined(before: Given, line: ImportLine, known: Sequence[Detail]) -> Given:
    if line.detail is None:
        return Given(amount=line.amount, compared=line.version)
    return Given(added=(*(before.added or ()), line.detail), known=tuple(known))


def _entered(preview: ImportPreview, months: Iterable[Recorded]) -> int:
    """How many of the wanted lines the entries have gained."""
    gained = Counter[tuple[object, ...]]()
    for done in months:
        for each in done.rewrites:
            gained.update(map(_key, _lines_of(done.month, each.after) if each.after else ()))
            gained.subtract(map(_key, _lines_of(done.month, each.before) if each.before else ()))
    return (Counter(map(_key, preview.wanted)) & gained).total()


def _day(text: str) -> date:
    found = _DAY.match(text)
    if found is None:
        raise InvalidInput(
            "{day} is not a day. Write it as 2025-01-31.",
            code="assets.line-day",
            values={"day": text[:20] or "–"},
        )
    return date(int(found[1]), int(found[2]), int(found[3]))


def _by_month(preview: ImportPreview) -> Iterator[tuple[str, list[tuple[Place, Given]]]]:
    """What the lines that are entered come to, month by month."""
    known = defaultdict[tuple[str, ...], list[Detail]](list)
    for line in preview.lines:
        if line.state == "same" and line.detail is not None:
            known[_entry_key(line)].append(line.detail)
    for month in sorted({each.month for each in preview.wanted}):
        wanted: dict[tuple[str, ...], tuple[Place, Given]] = {}
        for line in (each for each in preview.wanted if each.month == month):
            assert line.place is not None
            key = _entry_key(line)
            _, before = wanted.get(key, (line.place, Given()))
            wanted[key] = (line.place, _joined(before, line, known[key]))
        yield month, list(wanted.values())
