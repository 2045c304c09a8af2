"""Pasting: a block of cells from Excel, read against the codes of the household, looked at before it is entered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from hansang.apps.assets.amounts import read_amount
from hansang.apps.assets.batches import Batches
from hansang.apps.assets.codes import CodeLists
from hansang.apps.assets.design import Entry
from hansang.apps.assets.entering import Given, Place, tag_of
from hansang.apps.assets.kinds import KINDS, PUT_BY, USED, KindName, kind_of, parts_of
from hansang.apps.assets.reading import LedgerReading
from hansang.apps.assets.recording import Recorded, Who
from hansang.apps.assets.rules import LONGEST_CODE, MONTH
from hansang.apps.assets.seen import SeenVersions, StaleLine, expect_seen, seen_key
from hansang.design.normalize import normalize_nfc
from hansang.errors import InvalidInput
from hansang.parts.history import Change
from hansang.parts.receipts import RequestSteps

MOST_CELLS = 2_000
CellState = Literal["new", "changed", "same", "unknown", "unreadable", "meanwhile"]


@dataclass(frozen=True, slots=True)
class PastedCell:
    """A cell of a block, and what would become of it."""

    row: int
    column: int
    """Both counted from 1."""
    text: str
    name: str
    """What the row is called in the block."""
    month: str
    state: CellState
    place: Place | None = None
    amount: int | None = None
    before: int | None = None
    version: str = ""
    """That of the entry which it was compared with."""


@dataclass(frozen=True, slots=True)
class Pasted:
    """A block as it was read."""

    cells: list[PastedCell]

    @property
    def wanted(self) -> list[PastedCell]:
        """The cells that change something."""
        return [each for each in self.cells if each.state in ("new", "changed")]

    @property
    def seen(self) -> dict[str, str]:
        """The versions that cells were compared with, to be given when they are entered."""
        return {
            seen_key(each.month, each.place): each.version
            for each in self.cells
            if each.version and each.place is not None
        }

    @property
    def stale(self) -> list[StaleLine]:
        """The cells whose entry has changed since it was seen."""
        return [
            StaleLine(each.row, each.month, each.place, each.before, each.amount, each.version)
            for each in self.cells
            if each.state == "meanwhile" and each.place is not None and each.amount is not None
        ]


class Pasting:
    """Reads blocks: a row has a code and amounts; columns are one month, or named by months or people."""

    def __init__(self, reading: LedgerReading, codes: CodeLists, batches: Batches) -> None:
        self._reading, self._codes, self._batches = reading, codes, batches

    def preview(self, text: str, month: str, seen: SeenVersions | None = None) -> Pasted:
        """What a block would change; nothing is written. `seen` are the versions of an earlier preview."""
        rows = [
            line.split("\t") for line in normalize_nfc(text).replace("\r\n", "\n").strip("\n").split("\n")
        ]
        if sum(map(len, rows)) > MOST_CELLS:
            raise InvalidInput(
                "A block has up to {most} cells.", code="assets.block-too-large", values={"most": MOST_CELLS}
            )
        heads = self._heads(rows[0])
        body = rows[1:] if heads else rows
        cells = list(self._cells(body, heads, month, first=2 if heads else 1))
        entries = {
            (month, kind_of(each).name, *parts_of(each)): each
            for month in {cell.month for cell in cells if cell.place}
            for each in self._reading.month(month).entries
        }
        return Pasted([_compared(cell, entries, seen or {}) for cell in cells])

    def take(
        self, pasted: Pasted, who: Who, steps: RequestSteps | None = None
    ) -> tuple[list[Recorded], Change | None]:
        """Enter the cells that change something, each month together; one undo takes the whole block back.

        Nothing is written while a cell is to be decided.
        """
        expect_seen(pasted.stale)
        return self._batches.enter(_by_month(pasted), who, "paste", steps)

    # ── reading ───────────────────────────────────────────────────────────────────────────────────

    def _heads(self, row: Sequence[str]) -> list[str]:
        """The names of columns, if the first row has months or people behind its first cell."""
        names = [cell.strip() for cell in row]
        people = set(self._codes.people())
        known = [each for each in names[1:] if MONTH.fullmatch(each) or each in people]
        return names if known and len(known) == len([each for each in names[1:] if each]) else []

    def _cells(
        self, rows: Sequence[Sequence[str]], heads: Sequence[str], month: str, first: int
    ) -> Iterator[PastedCell]:
        for number, row in enumerate(rows, first):
            names, start = self._row_names(row)
            for column, cell in enumerate(row[start:], start):
                text = cell.strip()
                if not text or text == "-":
                    continue
                head = heads[column] if column < len(heads) else ""
                place = self._place([*names, *([head] if head and not MONTH.fullmatch(head) else [])])
                yield _read(
                    number, column + 1, text, " ".join(names), head if MONTH.fullmatch(head) else month, place
                )

    def _row_names(self, row: Sequence[str]) -> tuple[list[str], int]:
        """The cells of a row before its first amount."""
        names: list[str] = []
        for place, cell in enumerate(row):
            if place and (not cell.strip() or _is_amount(cell)):
                return names, place
            names += [each[:LONGEST_CODE] for each in cell.strip().replace("#", " ").split(" ") if each]
        return names, max(1, len(row))

    def _place(self, names: Sequence[str]) -> Place | None:
        """The entry that names stand for, in any order: a code, with a person for an income."""
        given = set(names)
        people = [each for each in self._codes.people() if each in given]
        for kind in KINDS.values():
            last = kind.parts[-1] if kind.name != "short-savings" else kind.parts[0]
            code = next((each for each in self._codes.choices(kind, last) if each in given), None)
            if code is None or bool(people) != (kind.name == "income"):
                continue
            return self._named(kind.name, code, people, given)
        return None

    def _named(self, kind: KindName, code: str, people: Sequence[str], given: set[str]) -> Place:
        if kind == "income":
            return Place.of(kind, (people[0], code))
        if kind == "short-savings":
            return Place.of(kind, (code, USED if USED in given else PUT_BY))
        return Place.of(kind, (code,))


def _is_amount(text: str) -> bool:
    try:
        read_amount(text)
    except InvalidInput:
        return any(each.isdigit() for each in text)
    return True


def _read(row: int, column: int, text: str, name: str, month: str, place: Place | None) -> PastedCell:
    if place is None:
        return PastedCell(row, column, text, name, month, "unknown")
    try:
        amount = read_amount(text)
    except InvalidInput:
        return PastedCell(row, column, text, name, month, "unreadable", place)
    state: CellState = "new" if amount >= 0 else "unreadable"
    return PastedCell(row, column, text, name, month, state, place, amount)


def _compared(cell: PastedCell, entries: Mapping[tuple[str, ...], Entry], seen: SeenVersions) -> PastedCell:
    if cell.state != "new" or cell.place is None:
        return cell
    entry = entries.get((cell.month, cell.place.kind.name, *cell.place.parts))
    state: CellState = "new" if entry is None else "same" if entry.amount == cell.amount else "changed"
    version = tag_of(entry)
    if state != "same" and seen.get(seen_key(cell.month, cell.place), version) != version:
        state = "meanwhile"
    return replace(cell, state=state, before=None if entry is None else entry.amount, version=version)


def _by_month(pasted: Pasted) -> Iterator[tuple[str, list[tuple[Place, Given]]]]:
    """What the cells that change something come to, month by month; of a place that is there twice the last one."""
    for month in sorted({each.month for each in pasted.wanted}):
        cells = [each for each in pasted.wanted if each.month == month and each.place is not None]
        named = {(cell.place.kind.name, cell.place.parts): cell for cell in cells if cell.place is not None}
        yield (
            month,
            [
                (cell.place, Given(amount=cell.amount, compared=cell.version))
                for cell in named.values()
                if cell.place is not None
            ],
        )
