"""The cascade: balances follow from those of the month before, forward to the last month, some at a time (X1-08)."""

from __future__ import annotations

from typing import Any

from hansang.apps.assets.books import chain_start, find_book
from hansang.apps.assets.design import Balances, BalancesKey, Book, BookKey, ShortSavings, Totals, TotalsKey
from hansang.apps.assets.rules import month_after, month_before, months
from hansang.apps.assets.settings import AssetsSettings
from hansang.apps.assets.totals import NOTHING, TOTAL_FIELDS, Effect, balances_after, no_balances, put_by
from hansang.clock import Clock
from hansang.design import Database
from hansang.errors import Conflict, NotFound
from hansang.parts.jobs import tell_progress
from hansang.parts.timestamps import to_whole_second
from hansang.parts.words import Words

MONTHS_A_STEP = 30
"""How many months one transaction settles; it could have a hundred actions."""
STEPS_AT_ONCE = 5
"""How many steps whoever writes or reads goes on with; the rest is left to the next one, or to the job."""
_LOST_STEPS = 40


class Cascade:
    """Works balances out again from the first month whose balances are wrong, as the book marks it.

    A step writes the balances of some months and moves the mark, in one transaction that goes through only while
    nobody else has written. So a crash between two steps leaves a mark that is right, and doing a step twice is the
    same as doing it once.
    """

    def __init__(self, database: Database, clock: Clock, settings: AssetsSettings) -> None:
        self._database, self._clock, self._settings = database, clock, settings
        self.steps_at_once = STEPS_AT_ONCE

    def go_on_briefly(self, book: Book | None = None) -> Book:
        """Go on for as many steps as somebody may wait for."""
        return self.go_on(self.steps_at_once, book=book)

    def go_on(self, most_steps: int | None, *, book: Book | None = None) -> Book:
        """Go on until all balances are right, or for so many steps; the book as it is then."""
        found, steps, lost = book or find_book(self._database), 0, 0
        while found.wrong_since is not None and (most_steps is None or steps < most_steps):
            try:
                found = self._step(found, found.wrong_since)
                steps += 1
                reached = found.wrong_since or found.last
                tell_progress(Words(f"{reached}까지의 잔액", f"balances until {reached}"))
            except (Conflict, NotFound):
                lost += 1
                if lost > _LOST_STEPS:
                    break
                found = find_book(self._database)
        return found

    def _step(self, book: Book, since: str) -> Book:
        """Settle the balances of some months, and move the mark behind them."""
        if book.last is None or since > book.last:
            return self._database.put(book.model_copy(update={"wrong_since": None}))
        until = min(book.last, month_after(since, MONTHS_A_STEP - 1))
        wanted = list(months(since, until))
        changed = self._changed(book, wanted)
        following = None if until == book.last else month_after(until)
        after = book.model_copy(update={"wrong_since": following})
        with self._database.transaction(name="Balances.cascade") as transaction:
            for each in changed:
                transaction.put(each)
            return transaction.put(after)

    def _changed(self, book: Book, wanted: list[str]) -> list[Balances]:
        """The balances of months in order that are not as they have to be."""
        keys: list[Any] = [TotalsKey(year_month=month) for month in wanted]
        keys += [BalancesKey(year_month=month) for month in wanted]
        found = self._database.batch_get(keys, consistent=True)
        totals = {each.year_month: each for each in found if isinstance(each, Totals)}
        stored = {each.year_month: each for each in found if isinstance(each, Balances)}
        before, changed, now = self._before(book, wanted[0]), list[Balances](), to_whole_second(self._clock())
        for month in wanted:
            there = stored.get(month)
            after = balances_after(
                before,
                month,
                self._effect(month, totals.get(month)),
                now,
                there,
                cash_includes_surplus=self._settings.cash_includes_surplus,
            )
            if after is not there:
                changed.append(after)
            before = after
        return changed

    def _effect(self, month: str, totals: Totals | None) -> Effect:
        """What a month adds: by its totals, which are as its entries are, and by what was put by and used."""
        if totals is None:
            return Effect(NOTHING, {})
        entries = self._database.all(ShortSavings.of_month(month).consistent())
        saved, used = put_by(entries), put_by(entries, "사용")
        short = {name: saved.get(name, 0) - used.get(name, 0) for name in dict.fromkeys([*saved, *used])}
        return Effect({name: getattr(totals, name) for name in TOTAL_FIELDS}, short)

    def _before(self, book: Book, month: str) -> Balances:
        """The balances that those of a month follow from."""
        if month == chain_start(book) and book.opening is None:
            return no_balances(month, to_whole_second(self._clock()))
        return self._database.get(BalancesKey(year_month=month_before(month)), consistent=True)

    def mark(self, month: str) -> Book:
        """Let the balances from a month on be worked out again."""
        book = find_book(self._database)
        start = chain_start(book)
        if start is None or book.last is None:
            return book
        since = min(filter(None, (book.wrong_since, max(month, start))))
        return self._database.put(book.model_copy(update={"wrong_since": since}))


def is_marked(database: Database) -> bool:
    """Whether there are balances to be worked out; half a unit."""
    found = database.find(BookKey())
    return found is not None and found.wrong_since is not None
