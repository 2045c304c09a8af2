"""The grid of a month: rows are codes, columns are people and what they paid together; worked out, not read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from hansang.apps.assets.codes import CodeLists
from hansang.apps.assets.design import Balances, Detail, Entry
from hansang.apps.assets.kinds import KINDS, PUT_BY, USED, EntryKind, KindName, kind_of, parts_of
from hansang.apps.assets.reading import MonthShown
from hansang.apps.assets.sharing import shares

TOGETHER = None
"""The column of what has no person."""


@dataclass(frozen=True, slots=True)
class GridCell:
    """One cell; a column that a row cannot have is off."""

    by: str | None
    parts: tuple[str, ...]
    amount: int | None
    is_off: bool = False
    is_lined: bool = False
    """Whether lines stand behind it, to which one adds."""


@dataclass(frozen=True, slots=True)
class GridLine:
    """One payment behind a row."""

    parts: tuple[str, ...]
    place: int
    detail: Detail


@dataclass(frozen=True, slots=True)
class GridRow:
    """One code, with what each person paid of it."""

    kind: KindName
    code: str
    use: bool
    """Whether it is what was used of a pot, which no total has."""
    cells: list[GridCell]
    before: int
    lines: list[GridLine] = field(default_factory=list)
    balance: int | None = None

    @property
    def key(self) -> str:
        return f"{self.kind}/{self.code}{'/use' if self.use else ''}"

    @property
    def parts(self) -> tuple[str, ...]:
        """What names the entry of the shared column."""
        return self.cells[-1].parts

    @property
    def total(self) -> int:
        return sum(cell.amount or 0 for cell in self.cells)


@dataclass(frozen=True, slots=True)
class GridKind:
    """One kind with its rows."""

    name: str
    rows: list[GridRow]

    @property
    def counted(self) -> list[GridRow]:
        return [row for row in self.rows if not row.use]

    @property
    def total(self) -> int:
        return sum(row.total for row in self.counted)

    @property
    def before(self) -> int:
        return sum(row.before for row in self.counted)

    def column(self, place: int) -> int:
        """The sum of one column."""
        return sum(row.cells[place].amount or 0 for row in self.counted)


@dataclass(frozen=True, slots=True)
class Grid:
    """The whole month."""

    people: list[str]
    kinds: list[GridKind]

    @property
    def columns(self) -> list[str | None]:
        return [*self.people, TOGETHER]

    @property
    def is_empty(self) -> bool:
        return not any(cell.amount for kind in self.kinds for row in kind.rows for cell in row.cells)

    def row(self, key: str) -> GridRow | None:
        return next((row for kind in self.kinds for row in kind.rows if row.key == key), None)


Found = dict[tuple[str, ...], Entry]


def grid_of(shown: MonthShown, before: MonthShown, codes: CodeLists) -> Grid:
    """The grid of a month beside the one before it; codes that are archived stay where they have an amount."""
    found, past = _by_name(shown.entries), before.amounts()
    people = list(dict.fromkeys([*codes.people(), *_names(shown.entries)]))
    return Grid(people, [_kind(kind, people, found, past, codes, shown.balances) for kind in KINDS.values()])


def _by_name(entries: Iterable[Entry]) -> Found:
    return {(kind_of(each).name, *parts_of(each)): each for each in entries}


def _names(entries: Iterable[Entry]) -> list[str]:
    """The people whom entries name, in any way."""
    found: list[str] = []
    for each in entries:
        found += [parts_of(each)[0]] if kind_of(each).name == "income" else []
        found += [line.by for line in each.entries or () if line.by]
    return found


def _kind(
    kind: EntryKind,
    people: Sequence[str],
    found: Found,
    past: dict[tuple[str, ...], int],
    codes: CodeLists,
    balances: Balances | None,
) -> GridKind:
    if kind.name == "income":
        offered = codes.choices(kind, "income_type")
        there = [key[2] for key in found if key[0] == "income"]
        rows = [_income_row(code, people, found, past) for code in dict.fromkeys([*offered, *there])]
        return GridKind(kind.name, rows)
    part = kind.parts[0]
    there = [key[1] for key in found if key[0] == kind.name]
    names = dict.fromkeys([*codes.choices(kind, part), *there])
    if kind.name != "short-savings":
        return GridKind(kind.name, [_row(kind.name, name, (name,), people, found, past) for name in names])
    rows = []
    pots = {} if balances is None else balances.short_savings_balances
    for name in names:
        rows.append(_row(kind.name, name, (name, PUT_BY), people, found, past, pots.get(name, 0)))
        if (kind.name, name, USED) in found or (kind.name, name, USED) in past:
            rows.append(_row(kind.name, name, (name, USED), people, found, past))
    return GridKind(kind.name, rows)


def _income_row(code: str, people: Sequence[str], found: Found, past: dict[tuple[str, ...], int]) -> GridRow:
    """An income is a person's, so nobody has it together."""
    entries = [(name, found.get(("income", name, code))) for name in people]
    cells = [
        GridCell(name, (name, code), None if each is None else each.amount, is_lined=_is_lined(each))
        for name, each in entries
    ]
    lines = [line for name, each in entries for line in _lines((name, code), each, name)]
    before = sum(amount for key, amount in past.items() if key[0] == "income" and key[2] == code)
    return GridRow("income", code, False, [*cells, GridCell(None, (code,), None, is_off=True)], before, lines)


def _row(
    kind: KindName,
    code: str,
    parts: tuple[str, ...],
    people: Sequence[str],
    found: Found,
    past: dict[tuple[str, ...], int],
    balance: int | None = None,
) -> GridRow:
    entry = found.get((kind, *parts))
    present = shares(entry)
    lined = {line.by for line in (entry.entries or () if entry is not None else ())}
    cells = [GridCell(by, parts, present.get(by), is_lined=by in lined) for by in [*people, TOGETHER]]
    before = past.get((kind, *parts), 0)
    return GridRow(kind, code, USED in parts[1:], cells, before, _lines(parts, entry), balance)


def _is_lined(entry: Entry | None) -> bool:
    return entry is not None and bool(entry.entries)


def _lines(parts: tuple[str, ...], entry: Entry | None, by: str | None = None) -> list[GridLine]:
    """The payments of an entry, the newest first."""
    details = [] if entry is None else entry.entries or []
    found = [
        GridLine(parts, place, each if each.by or by is None else each.model_copy(update={"by": by}))
        for place, each in enumerate(details)
    ]
    return sorted(found, key=lambda each: (each.detail.date, each.place), reverse=True)
