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
from hansang.design import Database, Unreadable
from hansang.design.requests import key_of
from hansang.design.shape import Item
from hansang.errors import NotAllowed

ENTRIES = (Income, FixedExpense, LivingExpense, Savings, Investment, ShortSavings)


def check_entry(database: Database, before: Entry | None, after: Entry | None) -> None:
    """An entry may not leave the totals of its month wrong (X1-10)."""
    changed = after or before
    assert isinstance(changed, ENTRIES)
    totals = database.find(TotalsKey(year_month=changed.year_month), consistent=True)
    if totals is None:
        return
    entries = _entries(database, changed.year_month, besides=key_of(changed))
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


def _entries(database: Database, month: str, besides: Item | None = None) -> list[Entry]:
    """The entries of a month, without the one that has this key."""
    bad: list[Unreadable] = []
    found = [
        each
        for kind in ENTRIES
        for each in database.each(kind.of_month(month).consistent(), unreadable=bad.append)
    ]
    if any(each.key != besides for each in bad):
        raise NotAllowed(
            "An entry of {month} cannot be read, so its totals cannot be checked. Repair it first.",
            code="assets.unreadable-entry",
            values={"month": month},
        )
    return [each for each in found if key_of(each) != besides]
