"""What has to be true of a household's book that somebody writes by hand: the totals follow from the entries."""

from __future__ import annotations

from hansang.apps.assets.design import (
    Entry,
    FixedExpense,
    Income,
    Investment,
    LivingExpense,
    Savings,
    ShortSavings,
    Totals,
    TotalsKey,
)
from hansang.apps.assets.totals import sums
from hansang.design import Database
from hansang.errors import NotAllowed

ENTRIES = (Income, FixedExpense, LivingExpense, Savings, Investment, ShortSavings)


def check_entry(database: Database, before: Entry | None, after: Entry | None) -> None:
    """An entry may not leave the totals of its month wrong (X1-10)."""
    changed = after or before
    assert isinstance(changed, ENTRIES)
    totals = database.find(TotalsKey(year_month=changed.year_month), consistent=True)
    if totals is None:
        return
    entries = _without(_entries(database, changed.year_month), changed)
    _expect(totals, entries if after is None else [*entries, after])


def check_totals(database: Database, before: Totals | None, after: Totals | None) -> None:
    """Totals are what the entries of the month add up to."""
    if after is not None:
        _expect(after, _entries(database, after.year_month))


def _expect(totals: Totals, entries: list[Entry]) -> None:
    for name, expected in sums(entries).items():
        if (found := getattr(totals, name)) != expected:
            raise NotAllowed(
                "The totals of {month} would be wrong: {name} is {found}, and the entries add up to {expected}. "
                "Delete the totals first, and write them again when the entries are right.",
                code="assets.totals-differ",
                values={
                    "month": totals.year_month,
                    "name": name,
                    "found": f"{found:,}",
                    "expected": f"{expected:,}",
                },
            )


def _entries(database: Database, month: str) -> list[Entry]:
    return [each for kind in ENTRIES for each in database.each(kind.of_month(month).consistent())]


def _without(entries: list[Entry], changed: Entry) -> list[Entry]:
    key = changed.__shape__.key(changed.__dict__) if changed.__shape__ is not None else None
    return [each for each in entries if each.__shape__ is None or each.__shape__.key(each.__dict__) != key]
