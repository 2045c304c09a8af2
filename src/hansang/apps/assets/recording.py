"""Recording: entries change together with the totals of their month, the balances, and the trace of who did it (X1-10)."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from hansang.apps.assets.books import base_month, expect_open, find_book, has_balances, is_right, with_month
from hansang.apps.assets.design import (
    AssetManager,
    Balances,
    BalancesKey,
    Book,
    Entry,
    Totals,
    TotalsKey,
)
from hansang.apps.assets.kinds import KINDS
from hansang.apps.assets.settings import AssetsSettings
from hansang.apps.assets.totals import NOTHING, TOTAL_FIELDS, Effect, balances_after, no_balances
from hansang.clock import Clock
from hansang.design import Database, Key, attr
from hansang.design.requests import key_of, shape_of
from hansang.design.shape import Item
from hansang.design.transaction import Transaction
from hansang.errors import AlreadyExists, Busy, Conflict, InvalidInput, NotFound
from hansang.parts.history import Actor, Change, History, image, subject_of
from hansang.parts.history import key_of as change_key_of
from hansang.parts.receipts import Beside, alone
from hansang.parts.retry import Sleep, retry
from hansang.parts.timestamps import to_whole_second

AREA = "assets"
MOST_AT_ONCE = 45
"""How many entries one transaction changes, beside totals, balances, book, trace and receipt."""
_TRIES = 40

Decide = Callable[[list[Entry | None]], Sequence[Entry | None]]
"""What entries become, given what they are; asked again when somebody else was quicker."""


@dataclass(frozen=True, slots=True)
class Who:
    """Who changes something, with which request, and what it takes back, if anything."""

    actor: Actor
    request_id: str | None = None
    undoes: Change | None = None


@dataclass(frozen=True, slots=True)
class Rewrite:
    """An entry as it was and as it is; None where there is none."""

    before: Entry | None
    after: Entry | None

    @property
    def subject(self) -> Entry:
        found = self.after or self.before
        assert found is not None
        return found

    @property
    def is_change(self) -> bool:
        return _encoded(self.before) != _encoded(self.after)


@dataclass(frozen=True, slots=True)
class Recorded:
    """What came of it: the entries, the totals of their month, its balances if they are known, and the trace."""

    month: str
    rewrites: tuple[Rewrite, ...]
    totals: Totals
    balances: Balances | None
    book: Book
    change: Change | None


class Recorder:
    """Writes entries, each time in one transaction with all that follows from them in their month."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        history: History,
        settings: AssetsSettings,
        sleep: Sleep = time.sleep,
        told: Callable[[int], object] = lambda version: None,
    ) -> None:
        self._database, self._clock, self._history = database, clock, history
        self._settings, self._sleep, self._told = settings, sleep, told

    def record(
        self,
        month: str,
        keys: Sequence[Key[Any]],
        decide: Decide,
        who: Who,
        verb: str,
        beside: Beside[Recorded] = alone,
        *,
        is_kept_whole: bool = False,
    ) -> Recorded:
        """Let entries of a month become what is decided; whoever was quicker is read again, and it is decided again.

        With `is_kept_whole`, several that the history could not keep together are refused.
        """
        for _ in range(_TRIES):
            state = self._read(month, keys)
            after = decide(list(state.entries))
            rewrites = tuple(Rewrite(old, new) for old, new in zip(state.entries, after, strict=True))
            changed = tuple(each for each in rewrites if each.is_change)
            if not changed:
                return Recorded(month, rewrites, state.shown_totals, state.balances, state.book, None)
            try:
                return self._send(state, changed, who, verb, beside, is_kept_whole)
            except (Conflict, AlreadyExists, NotFound):
                continue
        raise Busy(
            "The month {month} is being changed by somebody else. Try again in a moment.",
            code="assets.month-busy",
            values={"month": month},
        )

    def _read(self, month: str, keys: Sequence[Key[Any]]) -> _State:
        """Entries, totals and balances as they are now: the book first, so that its version stands for all."""
        book = find_book(self._database)
        expect_open(book, month)
        base = base_month(book, month)
        wanted: list[Key[Any]] = [*keys, TotalsKey(year_month=month), BalancesKey(year_month=month)]
        wanted += [BalancesKey(year_month=base)] if base and base != month else []
        found = {_place(each): each for each in self._database.batch_get(wanted, consistent=True)}
        now = to_whole_second(self._clock())
        before = found.get(_place(BalancesKey(year_month=base))) if base else None
        return _State(
            month,
            [found.get(_place(key)) for key in keys],
            found.get(_place(TotalsKey(year_month=month))),
            found.get(_place(BalancesKey(year_month=month))),
            no_balances(month, now) if base == "" else before,
            book,
        )

    def _send(
        self,
        state: _State,
        changed: tuple[Rewrite, ...],
        who: Who,
        verb: str,
        beside: Beside[Recorded],
        is_kept_whole: bool,
    ) -> Recorded:
        effect = Effect.of([each.after for each in changed if each.after is not None]).less(
            Effect.of([each.before for each in changed if each.before is not None])
        )
        totals = self._totals(state, changed, effect)
        balances = self._balances(state, effect)
        book = with_month(state.book, state.month, is_settled=balances is not None)
        change = self._trace(state.month, changed, who, verb)
        if is_kept_whole and len(changed) > 1:
            _expect_kept(change)
        recorded = Recorded(
            state.month,
            changed,
            totals,
            balances,
            book.model_copy(update={"version": book.version + 1}),
            change,
        )

        def send() -> None:
            with self._database.transaction(change.id, f"Entry.{verb}") as transaction:
                beside(transaction, recorded)
                for each in changed:
                    _write(transaction, each)
                self._write_totals(transaction, state, totals, effect)
                if balances is not None:
                    transaction.put(balances)
                transaction.put(book)
                transaction.create(change)
                if who.undoes is not None:
                    undone = attr(Change.undone_by)
                    transaction.update(
                        change_key_of(who.undoes.id), undone.set(change.id), when=undone.missing()
                    )

        retry(send, self._sleep)
        self._told(recorded.book.version)
        return recorded

    def _totals(self, state: _State, changed: tuple[Rewrite, ...], effect: Effect) -> Totals:
        """The totals when the entries have changed; of a month that has none yet, from all of its entries."""
        now = to_whole_second(self._clock())
        if state.totals is not None:
            sums = {name: getattr(state.totals, name) + effect.totals[name] for name in TOTAL_FIELDS}
            return state.totals.model_copy(update={**sums, "updated_at": now})
        touched = {_place(each.subject) for each in changed}
        others = [each for each in self.entries(state.month) if _place(each) not in touched]
        after = [each.after for each in changed if each.after is not None]
        sums = dict(Effect.of([*others, *after]).totals)
        return Totals(year_month=state.month, **sums, created_at=now, updated_at=now)

    def totals_from(self, month: str, effect: Effect, stored: Totals | None) -> Totals:
        """The totals of a month, worked out anew; when they were first written stays (X1-09)."""
        now = to_whole_second(self._clock())
        created_at = now if stored is None else stored.created_at
        return Totals(year_month=month, **effect.totals, created_at=created_at, updated_at=now)

    def find(self, key: Key[Any]) -> Entry | None:
        """An entry as it was last written."""
        found: Entry | None = self._database.find(key, consistent=True)
        return found

    def entries(self, month: str) -> list[Entry]:
        """Every entry of a month as it was last written: one question for each kind."""
        return [
            each for kind in KINDS.values() for each in self._database.each(kind.of_month(month).consistent())
        ]

    def _write_totals(self, transaction: Transaction, state: _State, totals: Totals, effect: Effect) -> None:
        if state.totals is None:
            transaction.create(totals)
            return
        changes = [attr(getattr(Totals, name)).add(effect.totals[name]) for name in TOTAL_FIELDS]
        transaction.update(
            TotalsKey(year_month=state.month), *changes, attr(Totals.updated_at).set(totals.updated_at)
        )

    def _balances(self, state: _State, effect: Effect) -> Balances | None:
        """The balances of the month itself, where they follow from what was read; else the cascade finds them."""
        now = to_whole_second(self._clock())
        includes = self._settings.cash_includes_surplus
        is_known = has_balances(state.book, state.month) and is_right(state.book, state.month)
        if is_known and state.balances is not None:
            return balances_after(
                state.balances, state.month, effect, now, state.balances, cash_includes_surplus=includes
            )
        if state.base is None or state.totals is not None or state.balances is not None:
            return None
        return balances_after(state.base, state.month, effect, now, cash_includes_surplus=includes)

    def _trace(self, month: str, changed: tuple[Rewrite, ...], who: Who, verb: str) -> Change:
        """The line of history: of one entry that of its item, of several one line for all of them."""
        shared: dict[str, Any] = {
            "area": AREA,
            "table": AssetManager.name,
            "verb": verb,
            "request_id": who.request_id,
            "undoes": None if who.undoes is None else who.undoes.id,
        }
        if len(changed) == 1:
            [one] = changed
            key = key_of(one.subject)
            return self._history.draft(
                who.actor,
                kind=type(one.subject).__name__,
                subject=subject_of(AssetManager, key),
                key=key,
                before_image=image(_encoded(one.before)),
                after_image=image(_encoded(one.after)),
                **shared,
            )
        return self._history.draft(
            who.actor,
            kind=SEVERAL,
            subject=f"{AREA}/{month}",
            before_image=image(_listed([each.before for each in changed])),
            after_image=image(_listed([each.after for each in changed])),
            **shared,
        )


SEVERAL = "Entries"
"""What a line of history calls several entries that changed together."""


@dataclass(frozen=True, slots=True)
class _State:
    """What was read before something is decided."""

    month: str
    entries: list[Any]
    totals: Totals | None
    balances: Balances | None
    base: Balances | None
    """The balances that those of the month follow from; None if they are not known to be right."""
    book: Book

    @property
    def shown_totals(self) -> Totals:
        return self.totals or no_totals(self.month)


def no_totals(month: str) -> Totals:
    """The totals of a month that has no entries; never stored."""
    at = to_whole_second(0)
    return Totals(year_month=month, **NOTHING, created_at=at, updated_at=at)


def _expect_kept(change: Change) -> None:
    if any(each is not None and each.text is None for each in (change.before_image, change.after_image)):
        raise InvalidInput(
            "These entries are too large to be changed together. Change fewer at once.",
            code="assets.too-large-together",
        )


def _place(subject: Any) -> tuple[str, str]:
    key = key_of(subject)
    return str(key["PK"]["S"]), str(key["SK"]["S"])


def _encoded(entry: Entry | None) -> Item | None:
    return None if entry is None else shape_of(entry).encode(entry)


def _listed(entries: Sequence[Entry | None]) -> Item:
    """Several entries as one image; where there is none, null."""
    return {
        "items": {"L": [{"NULL": True} if item is None else {"M": item} for item in map(_encoded, entries)]}
    }


def _write(transaction: Transaction, rewrite: Rewrite) -> None:
    before, after = _encoded(rewrite.before), _encoded(rewrite.after)
    if after is None:
        assert before is not None
        transaction.delete_item(AssetManager, before)
    else:
        transaction.put_item(AssetManager, after, before)
