"""What a correction moved: the totals of its own month, and every balance from that month on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hansang.apps.assets.books import is_recalculating
from hansang.apps.assets.design import Balances, BalancesKey, Book
from hansang.apps.assets.kinds import month_of_entry
from hansang.apps.assets.recording import Rewrite
from hansang.apps.assets.rules import months
from hansang.apps.assets.totals import Effect, net_worth
from hansang.apps.assets.undoing import rewrites_of
from hansang.design import Database
from hansang.parts.history import Change


@dataclass(frozen=True, slots=True)
class BalanceMoved:
    """The balances of one month before and after a correction."""

    month: str
    before: int
    after: int
    is_waiting: bool
    """Whether the stored balances are still the old ones."""


@dataclass(frozen=True, slots=True)
class Consequences:
    """What one change of entries did to the totals of its month and to the balances from there on."""

    month: str
    rewrites: Sequence[Rewrite]
    totals: Mapping[str, int]
    """By how much each total moved."""
    cash: int
    investment: int
    short: Mapping[str, int]
    months: Sequence[BalanceMoved]
    """What is put by altogether, month by month."""

    @property
    def put_by(self) -> int:
        """By how much what is put by moved."""
        return self.cash + self.investment + sum(self.short.values())

    @property
    def done(self) -> int:
        return sum(not each.is_waiting for each in self.months)


def consequences(
    change: Change, book: Book, database: Database, *, cash_includes_surplus: bool = False
) -> Consequences:
    """What a change of entries moved, read from the balances as they are now."""
    rewrites = rewrites_of(change)
    month = month_of_entry(rewrites[0].subject)
    effect = Effect.of([each.after for each in rewrites if each.after is not None]).less(
        Effect.of([each.before for each in rewrites if each.before is not None])
    )
    cash = effect.totals["total_savings"] + (effect.totals["net_asset"] if cash_includes_surplus else 0)
    short = {name: amount for name, amount in effect.short.items() if amount}
    delta = cash + effect.totals["total_investment"] + sum(short.values())
    found: list[BalanceMoved] = []
    if delta and book.last is not None and month <= book.last:
        wanted = [BalancesKey(year_month=each) for each in months(month, book.last)]
        stored = {each.year_month: each for each in database.batch_get(wanted, consistent=True)}
        found = [_moved(each, stored[each], book, delta) for each in sorted(stored)]
    return Consequences(
        month,
        rewrites,
        {name: amount for name, amount in effect.totals.items() if amount},
        cash,
        effect.totals["total_investment"],
        short,
        found,
    )


def _moved(month: str, stored: Balances, book: Book, delta: int) -> BalanceMoved:
    worth, waits = net_worth(stored), is_recalculating(book, month)
    return BalanceMoved(month, worth if waits else worth - delta, worth + delta if waits else worth, waits)
