"""Opening balances: what a household had before its first month, and what its investments are worth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hansang.apps.assets.books import expect_near, find_book, has_balances
from hansang.apps.assets.cascade import Cascade
from hansang.apps.assets.codes import CodeLists
from hansang.apps.assets.design import INVESTED, SHORT, Balances, BalancesKey, Book
from hansang.apps.assets.recording import AREA, Who
from hansang.apps.assets.rules import expect_month, month_after
from hansang.clock import Clock
from hansang.design import Database
from hansang.design.requests import shape_of
from hansang.errors import Busy, Conflict, InvalidInput, NotFound
from hansang.parts.etags import etag
from hansang.parts.history import History
from hansang.parts.receipts import Beside, alone
from hansang.parts.timestamps import to_whole_second

_TRIES = 40


@dataclass(frozen=True, slots=True)
class OpeningGiven:
    """What there was at the end of a month, the one before the first that has entries."""

    month: str
    cash: int
    investment: int
    short: Mapping[str, int]
    surplus: int = 0


class Opening:
    """The balances that somebody gives, since they follow from no entry (X1-07)."""

    def __init__(
        self, database: Database, clock: Clock, history: History, codes: CodeLists, cascade: Cascade
    ) -> None:
        self._database, self._clock, self._history = database, clock, history
        self._codes, self._cascade = codes, cascade

    def find(self) -> Balances | None:
        """The opening balances, if there are any."""
        book = find_book(self._database)
        if book.opening is None:
            return None
        return self._database.find(BalancesKey(year_month=book.opening), consistent=True)

    def set(
        self, given: OpeningGiven, who: Who, beside: Beside[Balances] = alone, *, seen: str | None = None
    ) -> Balances:
        """Set the opening balances; all later ones follow. `seen` is the tag of those that were looked at."""
        expect_month(given.month)
        self._expect_accounts(SHORT, given.short)
        for _ in range(_TRIES):
            book = find_book(self._database)
            self._expect_seen(book.opening, seen)
            if book.first is not None and given.month >= book.first:
                raise InvalidInput(
                    "There are entries from {first} on, so the opening balances belong to an earlier month than "
                    "{month}.",
                    "month",
                    code="assets.opening-too-late",
                    values={"first": book.first, "month": given.month},
                )
            expect_near(book, given.month)
            try:
                return self._written(book, given, who, beside)
            except (Conflict, NotFound):
                continue
        raise _busy()

    def _written(self, book: Book, given: OpeningGiven, who: Who, beside: Beside[Balances]) -> Balances:
        now = to_whole_second(self._clock())
        there = self._database.find(BalancesKey(year_month=given.month), consistent=True)
        balances = Balances(
            year_month=given.month,
            cash_accumulated=given.cash,
            investment_accumulated=given.investment,
            short_savings_balances=dict(given.short),
            investment_valuation=None if there is None else there.investment_valuation,
            surplus_accumulated=given.surplus,
            created_at=now if there is None else there.created_at,
            updated_at=now,
        )
        following = month_after(given.month) if book.last is not None else None
        after = book.model_copy(update={"opening": given.month, "wrong_since": following})
        line = self._history.line(
            who.actor,
            AREA,
            "Opening",
            given.month,
            "set",
            after={"cash": given.cash, "investment": given.investment, "short": dict(given.short)},
            request_id=who.request_id,
        )
        with self._database.transaction(line.id, "Balances.open") as transaction:
            beside(transaction, balances)
            transaction.put(balances)
            if book.opening is not None and book.opening < given.month:
                for old in _months_dropped(book.opening, given.month):
                    transaction.delete(BalancesKey(year_month=old))
            transaction.put(after)
            transaction.create(line)
        self._cascade.go_on_briefly()
        return balances

    def value(
        self,
        month: str,
        worth: Mapping[str, int],
        who: Who,
        beside: Beside[Balances] = alone,
        *,
        seen: str | None = None,
    ) -> Balances:
        """Note what investments are worth at the end of a month, beside what was paid in (X1-24)."""
        expect_month(month)
        self._expect_accounts(INVESTED, worth)
        for _ in range(_TRIES):
            book = self._cascade.go_on(None)
            if not has_balances(book, month) and month != book.opening:
                raise NotFound(
                    "{month} has no balances yet. Enter something in it first.",
                    code="assets.no-balances",
                    values={"month": month},
                )
            self._expect_seen(month, seen)
            there = self._database.get(BalancesKey(year_month=month), consistent=True)
            after = there.model_copy(update={"investment_valuation": dict(worth) or None})
            line = self._history.line(
                who.actor,
                AREA,
                "Valuation",
                month,
                "set",
                before=there.investment_valuation,
                after=dict(worth),
                request_id=who.request_id,
            )
            try:
                with self._database.transaction(line.id, "Balances.value") as transaction:
                    beside(transaction, after)
                    transaction.put(after)
                    transaction.put(book)
                    transaction.create(line)
            except Conflict:
                continue
            return after
        raise _busy()

    def _expect_seen(self, month: str | None, seen: str | None) -> None:
        if seen is None:
            return
        there = None if month is None else self._database.find(BalancesKey(year_month=month), consistent=True)
        if there is None or etag(shape_of(there).encode(there)) != seen:
            raise Conflict(
                "The balances were changed meanwhile. Read them again and decide again.",
                there,
                code="assets.balances-changed",
            )

    def _expect_accounts(self, family: str, amounts: Mapping[str, int]) -> None:
        known = self._codes.accounts().get(family, [])
        unknown = [account for account in amounts if account not in known]
        if unknown:
            raise InvalidInput(
                "{unknown} is not an account of {family}. There are {known}.",
                code="assets.unknown-account",
                values={"unknown": ", ".join(unknown), "family": family, "known": ", ".join(known)},
            )


def _months_dropped(opening: str, month: str) -> list[str]:
    """The months that have balances no more when the opening moves to a later one."""
    found = [opening]
    while month_after(found[-1]) < month:
        found.append(month_after(found[-1]))
    return found


def _busy() -> Busy:
    return Busy("The household is being changed by somebody else. Try again in a moment.", code="assets.busy")
