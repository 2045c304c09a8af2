"""Proposing: entries that come back every month, and those of the month before, for cells that are still empty."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from hansang.apps.assets.entering import NO_TAG, Entering, Given, Place
from hansang.apps.assets.kinds import KINDS, KindName
from hansang.apps.assets.reading import LedgerReading
from hansang.apps.assets.recording import MOST_AT_ONCE, Recorded, Who
from hansang.apps.assets.rules import month_after, month_before
from hansang.errors import NotFound
from hansang.parts.receipts import Beside, alone

LOOKED_BACK = 3
"""In how many months in a row an entry has to be there to propose itself."""
COPIED_KINDS: tuple[KindName, ...] = ("income", "fixed-expense", "savings", "investment", "short-savings")
"""What is copied unless somebody says otherwise: what living costs differs from month to month."""

Reason = Literal["recurring", "last-month"]


@dataclass(frozen=True, slots=True)
class Proposal:
    """An entry that a month could have."""

    place: Place
    amount: int
    reason: Reason
    is_steady: bool
    """Whether it had this amount every time."""


class Proposing:
    """What a month could have, and taking it over."""

    def __init__(self, reading: LedgerReading, entering: Entering) -> None:
        self._reading, self._entering = reading, entering

    def recurring(self, month: str) -> list[Proposal]:
        """Entries of each of the last three months that this one does not have yet."""
        shown = self._reading.period(month_after(month, -LOOKED_BACK), month).months
        *past, present = [each.amounts() for each in shown]
        if len(past) < LOOKED_BACK:
            return []
        there = set(present)
        found = []
        for key, amount in past[-1].items():
            amounts = [each.get(key) for each in past]
            if key not in there and amount and all(amounts):
                found.append(_proposal(key, amount, "recurring", is_steady=len(set(amounts)) == 1))
        return found

    def last_month(self, month: str, kinds: Collection[KindName] = COPIED_KINDS) -> list[Proposal]:
        """The entries of the month before that this one does not have yet; what was used of savings is not copied."""
        before, present = (self._reading.month(each) for each in (month_before(month), month))
        there = present.amounts()
        return [
            _proposal(key, amount, "last-month", is_steady=True)
            for key, amount in before.amounts().items()
            if key[0] in kinds and key not in there and amount and key[-1] != "사용"
        ]

    def take(
        self, month: str, proposals: Sequence[Proposal], who: Who, beside: Beside[Recorded] = alone
    ) -> Recorded:
        """Enter proposals together; a cell that was filled meanwhile is not touched, and refuses them all."""
        if not proposals:
            raise NotFound(
                "{month} has nothing to take over.", code="assets.nothing-proposed", values={"month": month}
            )
        wanted = [(each.place, Given(amount=each.amount, seen=NO_TAG)) for each in proposals[:MOST_AT_ONCE]]
        return self._entering.enter_all(month, wanted, who, beside, verb="copy")


def _proposal(key: tuple[str, ...], amount: int, reason: Reason, *, is_steady: bool) -> Proposal:
    kind = next(each for each in KINDS.values() if each.name == key[0])
    return Proposal(Place(kind, key[1:]), amount, reason, is_steady)
