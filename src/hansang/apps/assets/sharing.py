"""Shares of an entry: what each person paid of it, and what they paid together; set one by one or many at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from hansang.apps.assets.design import Detail, Entry
from hansang.apps.assets.entering import Entering, Given, Place, expect_amount, tag_of
from hansang.apps.assets.recording import MOST_AT_ONCE, Recorded, Who
from hansang.clock import Clock
from hansang.design import Database
from hansang.errors import Conflict, InvalidInput
from hansang.parts.receipts import Beside, alone
from hansang.parts.today import seoul_day

_TRIES = 10


@dataclass(frozen=True, slots=True)
class Share:
    """What one person's part of an entry is to become; `by` is None for what they paid together."""

    place: Place
    by: str | None
    amount: int | None
    """None clears it."""
    was: int | None = None
    """What whoever writes has seen there, 0 for nothing; None if they did not look."""
    memo: str | None = None
    date: date | None = None


def shares(entry: Entry | None) -> dict[str | None, int]:
    """What each person paid of an entry, by the lines that say so; the rest is everyone's together."""
    if entry is None:
        return {}
    if not entry.entries:
        return {None: entry.amount}
    found: dict[str | None, int] = {}
    for line in entry.entries:
        found[line.by] = found.get(line.by, 0) + line.amount
    return found


def with_shares(entry: Entry | None, wanted: Mapping[str | None, Share], today: date) -> Given:
    """What an entry has to become so that these people have these shares, and all others the ones they had."""
    kept = [line for line in _lines(entry) if line.by not in wanted]
    given = [
        Detail(date=each.date or today, amount=each.amount, memo=each.memo, by=each.by)
        for each in wanted.values()
        if each.amount is not None and (each.amount or not kept)
    ]
    seen = tag_of(entry)
    if not kept and not given:
        return Given(is_cleared=True, seen=seen)
    if not kept and all(line.by is None and line.memo is None for line in given):
        return Given(amount=sum(line.amount for line in given), seen=seen)
    return Given(details=(*kept, *given), seen=seen)


def _lines(entry: Entry | None) -> Sequence[Detail]:
    if entry is None or entry.entries:
        return [] if entry is None else entry.entries or []
    return [Detail(date=seoul_day(entry.updated_at.timestamp), amount=entry.amount)] if entry.amount else []


class Sharing:
    """Sets shares; whoever has seen another value than the present one is told both (X1-10)."""

    def __init__(self, database: Database, entering: Entering, clock: Clock) -> None:
        self._database, self._entering, self._clock = database, entering, clock

    def set(
        self,
        month: str,
        wanted: Iterable[Share],
        who: Who,
        beside: Beside[Recorded] = alone,
        *,
        verb: str = "set",
    ) -> Recorded:
        """Set shares of up to 45 entries of a month in one transaction, which one undo takes back."""
        by_place: dict[Place, dict[str | None, Share]] = {}
        for share in wanted:
            expect_amount(abs(share.amount or 0))
            by_place.setdefault(share.place, {})[share.by] = share
        if not 0 < len(by_place) <= MOST_AT_ONCE:
            raise InvalidInput(
                "One to {most} entries can be changed at once, and these are {count}.",
                code="assets.too-many-entries",
                values={"most": MOST_AT_ONCE, "count": len(by_place)},
            )
        for _ in range(_TRIES):
            given = [
                (place, self._given(self._database.find(place.key(month), consistent=True), some))
                for place, some in by_place.items()
            ]
            try:
                return self._entering.enter_all(month, given, who, beside, verb=verb)
            except Conflict as fault:
                if fault.code != "assets.changed-meanwhile":
                    raise
                found = fault
        raise found

    def _given(self, entry: Entry | None, wanted: Mapping[str | None, Share]) -> Given:
        present = shares(entry)
        for share in wanted.values():
            theirs = present.get(share.by, 0)
            if share.was is not None and theirs not in (share.was, share.amount or 0):
                raise Conflict(
                    "The amount was changed meanwhile: it is {theirs} now, and you gave {yours}.",
                    entry,
                    code="assets.share-changed",
                    values={"theirs": f"{theirs:,}", "yours": f"{share.amount or 0:,}"},
                )
        return with_shares(entry, wanted, seoul_day(self._clock))
