"""Entering: an amount is set or added to, or is the sum of payments; alone or several at once (X1-11)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from hansang.apps.assets.cascade import Cascade
from hansang.apps.assets.codes import CodeLists
from hansang.apps.assets.design import MOST_DETAILS, Detail, Entry
from hansang.apps.assets.kinds import KIND_NAMES, KINDS, EntryKind, KindName
from hansang.apps.assets.recording import MOST_AT_ONCE, Recorded, Recorder, Who
from hansang.apps.assets.rules import expect_month
from hansang.clock import Clock
from hansang.design import Key
from hansang.design.normalize import normalize_nfc
from hansang.design.requests import shape_of
from hansang.errors import Conflict, InvalidInput
from hansang.parts.etags import etag
from hansang.parts.receipts import Beside, alone
from hansang.parts.timestamps import to_whole_second
from hansang.parts.today import seoul_day

LARGEST_AMOUNT = 10**12
LARGEST_ENTRY = 300_000
"""In bytes of its item, well below the 400 KB that it can have."""
NO_TAG = "none"
"""The tag of an entry that is not there."""


@dataclass(frozen=True, slots=True)
class Given:
    """What an entry is to become: an amount, so much more, the sum of payments, or nothing at all.

    `seen` is the tag of the entry that whoever writes has looked at.
    """

    amount: int | None = None
    add: int | None = None
    details: tuple[Detail, ...] | None = None
    added: tuple[Detail, ...] | None = None
    """Payments that come to those that there are."""
    known: tuple[Detail, ...] | None = None
    """Of a file, the lines that the entry had already when it was read; None where `added` comes in any case."""
    memo: str | None = None
    date: date | None = None
    by: str | None = None
    tag: str | None = None
    whom: str | None = None
    is_cleared: bool = False
    seen: str | None = None
    compared: str | None = None
    """The tag that a preview has compared with: whoever wrote the same amount meanwhile is in nobody's way."""

    @property
    def has_detail(self) -> bool:
        return any(each is not None for each in (self.memo, self.date, self.by, self.tag, self.whom))


@dataclass(frozen=True, slots=True)
class Place:
    """Which entry: its kind, and what names it within its month."""

    kind: EntryKind
    parts: tuple[str, ...]

    @classmethod
    def of(cls, kind: KindName, parts: Sequence[str]) -> Place:
        return cls(KINDS[kind], tuple(normalize_nfc(part) for part in parts))

    @classmethod
    def parse(cls, text: str) -> Place:
        """An entry as people and files write it: living-expense/식비, income/서연/월급."""
        kind, _, names = text.partition("/")
        found = next((each for each in KIND_NAMES if each == kind), None)
        if found is None or not names:
            raise InvalidInput(
                "{text} is not an entry. Write its kind and its name, such as living-expense/food.",
                code="assets.not-an-entry",
                values={"text": text[:200]},
            )
        return cls.of(found, names.split("/"))

    @property
    def text(self) -> str:
        """The same as text."""
        return "/".join((self.kind.name, *self.parts))

    def key(self, month: str) -> Key[Any]:
        return self.kind.key_of(month, self.parts)


def tag_of(entry: Entry | None) -> str:
    """The tag of an entry as it is stored."""
    return NO_TAG if entry is None else etag(shape_of(entry).encode(entry))


class Entering:
    """The verbs that change entries."""

    def __init__(self, recorder: Recorder, cascade: Cascade, codes: CodeLists, clock: Clock) -> None:
        self._recorder, self._cascade, self._codes, self._clock = recorder, cascade, codes, clock

    def enter(
        self,
        month: str,
        place: Place,
        given: Given,
        who: Who,
        beside: Beside[Recorded] = alone,
    ) -> Recorded:
        """Set one entry, add to it, or clear it; totals and balances follow."""
        return self.enter_all(month, [(place, given)], who, beside, verb=_verb(given))

    def enter_all(
        self,
        month: str,
        wanted: Sequence[tuple[Place, Given]],
        who: Who,
        beside: Beside[Recorded] = alone,
        *,
        verb: str = "enter",
        is_kept_whole: bool = False,
    ) -> Recorded:
        """Change several entries of a month in one transaction, which one undo takes back.

        With `is_kept_whole`, more of them than the history can keep, and so than could be undone, are refused.
        """
        expect_month(month)
        places = [place for place, _ in wanted]
        if not wanted or len(wanted) > MOST_AT_ONCE:
            raise InvalidInput(
                "One to {most} entries can be changed at once, and these are {count}.",
                code="assets.too-many-entries",
                values={"most": MOST_AT_ONCE, "count": len(wanted)},
            )
        if len({(place.kind.name, place.parts) for place in places}) < len(places):
            raise InvalidInput("An entry is named twice. Name each once.", code="assets.entry-twice")

        def decide(entries: list[Entry | None]) -> list[Entry | None]:
            return [
                self._decided(month, place, given, entry)
                for (place, given), entry in zip(wanted, entries, strict=True)
            ]

        keys = [place.key(month) for place in places]
        self._codes.extend(month, who.actor)
        done = self._recorder.record(month, keys, decide, who, verb, beside, is_kept_whole=is_kept_whole)
        self._cascade.go_on_briefly(done.book)
        return done

    # ── deciding ──────────────────────────────────────────────────────────────────────────────────

    def _decided(self, month: str, place: Place, given: Given, entry: Entry | None) -> Entry | None:
        self._codes.expect(place.kind, place.parts, is_there=entry is not None)
        if given.seen is not None and given.seen != tag_of(entry):
            raise changed_meanwhile(entry, given)
        if given.compared is not None and given.compared != tag_of(entry) and not _is_that(entry, given):
            raise changed_meanwhile(entry, given)
        if given.is_cleared:
            return None
        details = self._details(given, entry)
        amount = self._amount(given, entry, details)
        if entry is not None and entry.amount == amount and entry.entries == details:
            return entry
        return self._entry(month, place, amount, details, entry)

    def _amount(self, given: Given, entry: Entry | None, details: list[Detail] | None) -> int:
        if details is not None:
            amount = sum(each.amount for each in details)
        elif given.add is not None:
            amount = given.add + (0 if entry is None else entry.amount)
        elif given.amount is not None:
            amount = given.amount
        else:
            raise InvalidInput("Give an amount, or what to add.", "amount", code="assets.no-amount")
        return expect_amount(amount)

    def _details(self, given: Given, entry: Entry | None) -> list[Detail] | None:
        """The payments that the amount is the sum of; an entry that has none has the amount alone."""
        if given.details is not None:
            return list(given.details) or None
        if given.added is not None:
            return [*payments_of(entry), *_missing(given, entry)]
        if given.add is not None:
            if not given.has_detail and (entry is None or not entry.entries):
                return None
            return [*payments_of(entry), self._detail(given, given.add)]
        if given.amount is not None and given.has_detail:
            return [self._detail(given, given.amount)]
        return None

    def _detail(self, given: Given, amount: int) -> Detail:
        expect_amount(abs(amount))
        return Detail(
            date=given.date or seoul_day(self._clock),
            amount=amount,
            memo=given.memo,
            by=given.by,
            tag=given.tag,
            whom=given.whom,
        )

    def _entry(
        self, month: str, place: Place, amount: int, details: list[Detail] | None, entry: Entry | None
    ) -> Entry:
        now = to_whole_second(self._clock())
        expect_size(details)
        if entry is not None:
            return entry.model_copy(update={"amount": amount, "entries": details, "updated_at": now})
        named = dict(zip(place.kind.parts, place.parts, strict=True))
        stored = {"amount": amount, "entries": details, "created_at": now, "updated_at": now}
        return place.kind.entity.model_validate(
            {"year_month": month, **named, **place.kind.stored_family, **stored}
        )


def payments_of(entry: Entry | None) -> list[Detail]:
    """The payments of an entry; one that has an amount alone has it as one payment."""
    if entry is None or (not entry.entries and not entry.amount):
        return []
    return entry.entries or [Detail(date=seoul_day(entry.updated_at.timestamp), amount=entry.amount)]


def what_of(detail: Detail) -> tuple[object, ...]:
    """What tells the payments of files apart within an entry."""
    return detail.amount, detail.date, detail.memo


def _missing(given: Given, entry: Entry | None) -> Iterator[Detail]:
    """The payments to add; of a file only those that nobody has entered since it was read."""
    if given.known is None:
        yield from given.added or ()
        return
    there = Counter(map(what_of, (entry.entries or ()) if entry else ()))
    there.subtract(map(what_of, given.known))
    for detail in given.added or ():
        if there[what_of(detail)] > 0:
            there[what_of(detail)] -= 1
        else:
            yield detail


def expect_amount(amount: int) -> int:
    """An amount that an entry can have, or InvalidInput (X1-22)."""
    if not 0 <= amount <= LARGEST_AMOUNT:
        raise InvalidInput(
            "The amount would be {amount}. It has to be from 0 to {most} won.",
            "amount",
            code="assets.amount-range",
            values={"amount": f"{amount:,}", "most": f"{LARGEST_AMOUNT:,}"},
        )
    return amount


def expect_size(details: Iterable[Detail] | None) -> None:
    """Refuse more payments than an item can hold (X1-11)."""
    found = list(details or ())
    size = sum(len(each.model_dump_json().encode()) for each in found)
    if len(found) > MOST_DETAILS or size > LARGEST_ENTRY:
        raise InvalidInput(
            "An entry has up to {most} payments and {size} bytes of them. Put some into another entry.",
            "entries",
            code="assets.too-many-payments",
            values={"most": MOST_DETAILS, "size": LARGEST_ENTRY},
        )


def changed_meanwhile(entry: Entry | None, given: Given) -> Conflict:
    """That somebody else has written: both values, so that whoever comes second decides (X1-10)."""
    yours = given.amount if given.add is None else given.add
    return Conflict(
        "The entry was changed meanwhile: it is {theirs} now, and you gave {yours}. Decide, and send it again with "
        "the version {version}.",
        entry,
        code="assets.changed-meanwhile",
        values={
            "theirs": "nothing" if entry is None else f"{entry.amount:,}",
            "yours": "nothing" if yours is None else f"{yours:,}",
            "version": tag_of(entry),
        },
    )


def _is_that(entry: Entry | None, given: Given) -> bool:
    """Whether an entry has become by itself what it is to become."""
    return entry is not None and not entry.entries and entry.amount == given.amount and not given.has_detail


def _verb(given: Given) -> str:
    if given.is_cleared:
        return "delete"
    return "add" if given.add is not None else "set"
