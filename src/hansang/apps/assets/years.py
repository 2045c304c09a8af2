"""A year as people look at it: each code against its own usual month, and which way the money went."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median_low
from typing import Literal

from hansang.apps.assets.kinds import KIND_NAMES
from hansang.apps.assets.reports import YearShown

HeatBy = Literal["usual", "amount"]
EXPENSES = ("fixed-expense", "living-expense")
_STEPS = ((60, -2), (88, -1), (115, 0), (140, 1), (200, 2))
"""Up to how many percent of the usual month a colour goes; what is above has the last."""
_MOST = 3
_NEARLY = 15
"""Below how many hundredths of a percent two years are called alike."""
_LEAVES = 3
_FEWEST = 3
"""How many months it takes before one of them can be called usual."""


@dataclass(frozen=True, slots=True)
class HeatCell:
    """A month of a code; the level says how it differs, and is None for a month that is not over or not in the book."""

    month: str
    amount: int
    level: int | None
    is_running: bool = False


@dataclass(frozen=True, slots=True)
class HeatRow:
    """A code over a year."""

    kind: str
    name: str
    cells: list[HeatCell]

    @property
    def total(self) -> int:
        return sum(each.amount for each in self.cells)

    @property
    def mean(self) -> int:
        """Of the months that are over."""
        over = [each.amount for each in self.cells if each.level is not None]
        return sum(over) // len(over) if over else 0

    @property
    def peaks(self) -> list[str]:
        """The months with twice as much as usual."""
        return [each.month for each in self.cells if each.level == _MOST]


@dataclass(frozen=True, slots=True)
class Against:
    """What one kind came to in this year and the one before, in the same months."""

    kind: str
    before: int
    now: int

    @property
    def percent(self) -> float | None:
        """By how much it differs; None where there is nothing to compare, nothing where it is nearly the same."""
        if not self.before:
            return None
        change = (self.now - self.before) * 100 / abs(self.before)
        return 0.0 if abs(change) * 100 < _NEARLY else round(change, 1)


@dataclass(frozen=True, slots=True)
class FlowPart:
    """A part of the year's money, and what it is made of."""

    kind: str
    name: str
    amount: int
    parts: list[FlowPart] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Flows:
    """Where the money of a year came from and where it went; what is left is a part of it."""

    sources: list[FlowPart]
    uses: list[FlowPart]
    income: int

    @property
    def percents(self) -> list[int]:
        """The share of each use, whole ones that add up to 100 where all of the income went somewhere."""
        return whole_percents([each.amount for each in self.uses], self.income)


def whole_percents(amounts: list[int], whole: int) -> list[int]:
    """Shares of a whole in whole percents: those with the largest remainders are the ones rounded up."""
    if whole <= 0:
        return [0] * len(amounts)
    found = [amount * 100 // whole for amount in amounts]
    missing = (sum(amounts) * 100 + whole // 2) // whole - sum(found)
    by_remainder = sorted(range(len(amounts)), key=lambda place: -(amounts[place] * 100 % whole))
    for place in by_remainder[:missing]:
        found[place] += 1
    return found


def months_over(year: int, present: str) -> int:
    """How many months of a year are over in the present one."""
    now = int(present[:4])
    return 12 if year < now else int(present[5:]) - 1 if year == now else 0


def heat(year: YearShown, present: str, span: tuple[str, str] | None, by: HeatBy = "usual") -> list[HeatRow]:
    """The expenses of a year: each row against its own median, since rent would be the only dark one otherwise.

    Only months of the book count, from its first to its last; with few of them nothing is unusual.
    """
    over = months_over(year.year, present)
    names = [f"{year.year:04d}.{number:02d}" for number in range(1, 13)]
    counted = [place for place in range(over) if span and span[0] <= names[place] <= span[1]]
    rows = [(kind, " ".join(parts), amounts) for (kind, *parts), amounts in year.rows.items()]
    spent = [row for row in rows if row[0] in EXPENSES]
    largest = max((amounts[place] for _, _, amounts in spent for place in counted), default=0)

    def level(place: int, amounts: list[int]) -> int | None:
        if place not in counted:
            return None
        if by == "amount":
            return _share(amounts[place], largest)
        if len(counted) < _FEWEST:
            return 0
        return _level(amounts[place], median_low([amounts[each] for each in counted]))

    def cell(place: int, amounts: list[int]) -> HeatCell:
        is_running = place == over and year.year == int(present[:4])
        return HeatCell(names[place], amounts[place], level(place, amounts), is_running=is_running)

    return [
        HeatRow(kind, name, [cell(place, amounts) for place in range(12)]) for kind, name, amounts in spent
    ]


def _level(amount: int, usual: int) -> int:
    if not usual:
        return _MOST if amount else 0
    percent = amount * 100 / usual
    return next((level for most, level in _STEPS if percent <= most), _MOST)


def _share(amount: int, largest: int) -> int:
    return -(-amount * _MOST // largest) if largest else 0


def sums_of_kinds(year: YearShown) -> dict[str, list[int]]:
    """What each kind came to in each month; of purposes what was put by, without what was used."""
    found: dict[str, list[int]] = {kind: [0] * 12 for kind in KIND_NAMES}
    for (kind, *names), amounts in year.rows.items():
        if "사용" not in names[1:]:
            found[kind] = [sum(pair) for pair in zip(found[kind], amounts, strict=True)]
    return found


def against_before(year: YearShown, before: YearShown, through: int) -> list[Against]:
    """Two years side by side, in the months that both have had; what is left of them comes last."""
    now, past = sums_of_kinds(year), sums_of_kinds(before)
    rows = [Against(kind, sum(past[kind][:through]), sum(now[kind][:through])) for kind in KIND_NAMES]
    left = [sum(each.totals["net_asset"][:through]) for each in (before, year)]
    return [*rows, Against("left", *left)]


def flows(year: YearShown, through: int) -> Flows:
    """The year's money so far: from each income, to each kind and its largest codes."""
    sources: list[FlowPart] = []
    uses: dict[str, list[FlowPart]] = {kind: [] for kind in KIND_NAMES}
    for (kind, *names), amounts in year.rows.items():
        amount = sum(amounts[:through])
        if not amount or "사용" in names[1:]:
            continue
        name = " ".join(names) if kind == "income" else names[0]
        (sources if kind == "income" else uses[kind]).append(FlowPart(kind, name, amount))
    kinds = [
        FlowPart(kind, "", sum(each.amount for each in parts), _largest(parts, kind))
        for kind, parts in uses.items()
        if parts
    ]
    left = sum(year.totals["net_asset"][:through])
    if left > 0:
        kinds.append(FlowPart("left", "", left, [FlowPart("left", "", left)]))
    return Flows(_largest(sources, "income"), kinds, sum(each.amount for each in sources))


def _largest(parts: list[FlowPart], kind: str) -> list[FlowPart]:
    """The largest, and the others as one without a name."""
    found = sorted(parts, key=lambda each: -each.amount)
    rest = sum(each.amount for each in found[_LEAVES:])
    return [*found[:_LEAVES], *([FlowPart(kind, "", rest)] if rest else [])]
