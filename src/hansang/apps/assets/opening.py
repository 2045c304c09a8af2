"""Opening balances: what a household had before its first month, and what its investments are worth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from hansang.apps.assets.books import expect_near, find_book, has_balances
from hansang.apps.assets.cascade import Cascade
from hansang.apps.assets.codes import CodeLists
from hansang.apps.assets.design import INVESTED, SHORT, Balances, BalancesKey, Book
from hansang.apps.assets.recording import AREA, Who
from hansang.apps.assets.rules import expect_month, month_after, month_before, months
from hansang.clock import Clock
from hansang.design import Database, attr
from hansang.design.codec import to_python
from hansang.design.requests import shape_of
from hansang.design.shape import Item
from hansang.design.transaction import Transaction
from hansang.errors import Busy, Conflict, InvalidInput, NotFound
from hansang.parts.etags import etag
from hansang.parts.history import Change, History, key_of
from hansang.parts.receipts import Beside, alone
from hansang.parts.timestamps import to_whole_second

_TRIES = 40
OPENING, VALUATION = "Opening", "Valuation"
"""What a line of history calls balances that somebody gave."""


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
            balances = self._balances(given)
            line = self._line(OPENING, given.month, self._stored(book), given, who)
            try:
                self._written(book, balances, line, who, _beside(beside, balances))
            except (Conflict, NotFound):
                continue
            return balances
        raise _busy()

    def _balances(self, given: OpeningGiven) -> Balances:
        now = to_whole_second(self._clock())
        there = self._database.find(BalancesKey(year_month=given.month), consistent=True)
        return Balances(
            year_month=given.month,
            cash_accumulated=given.cash,
            investment_accumulated=given.investment,
            short_savings_balances=dict(given.short),
            investment_valuation=None if there is None else there.investment_valuation,
            surplus_accumulated=given.surplus,
            created_at=now if there is None else there.created_at,
            updated_at=now,
        )

    def _stored(self, book: Book) -> OpeningGiven | None:
        """The opening balances as they were given."""
        if book.opening is None:
            return None
        there = self._database.get(BalancesKey(year_month=book.opening), consistent=True)
        return OpeningGiven(
            book.opening,
            there.cash_accumulated,
            there.investment_accumulated,
            there.short_savings_balances,
            there.surplus_accumulated or 0,
        )

    def _line(
        self, kind: str, month: str, before: OpeningGiven | None, after: OpeningGiven | None, who: Who
    ) -> Change:
        line = self._history.line(
            who.actor,
            AREA,
            kind,
            month,
            "set" if who.undoes is None else "undo",
            before=None if before is None else asdict(before),
            after=None if after is None else asdict(after),
            request_id=who.request_id,
        )
        return line.model_copy(update={"undoes": who.undoes and who.undoes.id})

    def _written(
        self, book: Book, balances: Balances | None, line: Change, who: Who, beside: Beside[Change]
    ) -> None:
        """Write the opening balances, or that there are none, with the book and the trace."""
        month = None if balances is None else balances.year_month
        since = book.first if month is None else month_after(month)
        since = None if book.last is None else since
        with self._database.transaction(line.id, "Balances.open") as transaction:
            beside(transaction, line)
            if balances is not None:
                transaction.put(balances)
            for old in _months_dropped(book.opening, month or book.first):
                transaction.delete(BalancesKey(year_month=old))
            transaction.put(book.model_copy(update={"opening": month, "wrong_since": since}))
            _trace(transaction, line, who)
        self._cascade.go_on_briefly()

    def undo(self, change: Change, who: Who, beside: Beside[Change] = alone) -> Change:
        """Put opening balances or a valuation back as they were, if nobody has changed them since."""
        return (self._undo_opening if change.kind == OPENING else self._undo_value)(change, who, beside)

    def _undo_opening(self, change: Change, who: Who, beside: Beside[Change]) -> Change:
        before, after = _given(change.before), _given(change.after)
        for _ in range(_TRIES):
            book = find_book(self._database)
            if self._stored(book) != after:
                raise _changed_since()
            month = (before or after or OpeningGiven("", 0, 0, {})).month
            line = self._line(OPENING, month, after, before, who)
            try:
                self._written(book, None if before is None else self._balances(before), line, who, beside)
            except (Conflict, NotFound):
                self._expect_not_undone(change)
                continue
            return line
        raise _busy()

    def _undo_value(self, change: Change, who: Who, beside: Beside[Change]) -> Change:
        before, after = _worth(change.before), _worth(change.after)
        month = change.subject.rpartition(":")[2]  # Another household than the first stands before it.
        for _ in range(_TRIES):
            book = self._cascade.go_on(None)
            there = self._database.get(BalancesKey(year_month=month), consistent=True)
            if (there.investment_valuation or {}) != after:
                raise _changed_since()
            try:
                return self._valued(book, there, before, who, beside)
            except Conflict:
                self._expect_not_undone(change)
        raise _busy()

    def _expect_not_undone(self, change: Change) -> None:
        if self._history.get(change.id).undone_by is not None:
            raise _changed_since()

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
            try:
                self._valued(book, there, worth, who, _beside(beside, after))
            except Conflict:
                continue
            return after
        raise _busy()

    def _valued(
        self, book: Book, there: Balances, worth: Mapping[str, int], who: Who, beside: Beside[Change]
    ) -> Change:
        after = there.model_copy(update={"investment_valuation": dict(worth) or None})
        line = self._history.line(
            who.actor,
            AREA,
            VALUATION,
            there.year_month,
            "set" if who.undoes is None else "undo",
            before=there.investment_valuation,
            after=dict(worth),
            request_id=who.request_id,
        )
        line = line.model_copy(update={"undoes": who.undoes and who.undoes.id})
        with self._database.transaction(line.id, "Balances.value") as transaction:
            beside(transaction, line)
            transaction.put(after)
            transaction.put(book)
            _trace(transaction, line, who)
        return line

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
        known = self._codes.known_accounts(family)
        unknown = [account for account in amounts if account not in known]
        if unknown:
            raise InvalidInput(
                "{unknown} is not an account of {family}. There are {known}.",
                code="assets.unknown-account",
                values={"unknown": ", ".join(unknown), "family": family, "known": ", ".join(known)},
            )


def _beside(beside: Beside[Balances], balances: Balances) -> Beside[Change]:
    return lambda transaction, _: beside(transaction, balances)


def _trace(transaction: Transaction, line: Change, who: Who) -> None:
    transaction.create(line)
    if who.undoes is not None:
        mark = attr(Change.undone_by)
        transaction.update(key_of(who.undoes.id), mark.set(line.id), when=mark.missing())


def _given(side: Item | None) -> OpeningGiven | None:
    return None if side is None else OpeningGiven(**{name: to_python(each) for name, each in side.items()})


def _worth(side: Item | None) -> dict[str, int]:
    return {name: to_python(each) for name, each in (side or {}).items()}


def _months_dropped(opening: str | None, month: str | None) -> list[str]:
    """The months that have balances no more when the opening moves to a later one, or is there no more."""
    if opening is None:
        return []
    last = month or month_after(opening)
    return [] if last <= opening else list(months(opening, month_before(last)))


def _changed_since() -> Conflict:
    return Conflict(
        "The balances were changed again since. Undo the later changes first, or set them as they should be.",
        code="assets.balances-changed-since",
    )


def _busy() -> Busy:
    return Busy("The household is being changed by somebody else. Try again in a moment.", code="assets.busy")
