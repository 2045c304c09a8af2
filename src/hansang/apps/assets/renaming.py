"""Renaming a code: every entry that has it is written again under the new one, month by month (X1-15)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hansang.apps.assets.books import chain_start, find_book
from hansang.apps.assets.cascade import Cascade
from hansang.apps.assets.codes import CodeItem, CodeLists, CodeType, listed
from hansang.apps.assets.design import AccountCodes, BalancesKey, Book, Codes, Entry
from hansang.apps.assets.kinds import kind_of, month_of_entry, parts_of
from hansang.apps.assets.plan_renaming import CODE_FIELDS, PlanRenaming
from hansang.apps.assets.recording import Recorder, Who
from hansang.apps.assets.rules import expect_code, months
from hansang.design import Database, Key
from hansang.design.normalize import normalize_nfc
from hansang.errors import Conflict, InvalidInput
from hansang.parts.receipts import Beside, alone

_AT_ONCE = 20
"""Entries of a month in one transaction: each is deleted under its old key and put under its new one."""

Told = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class RenamePreview:
    """What a rename would write again: how many entries of which month, and where the new name is taken."""

    kind: CodeType
    old: str
    new: str
    entries: dict[str, int]
    """By month."""
    clashes: list[str]
    """Months in which there is an entry of the new name already."""

    @property
    def count(self) -> int:
        return sum(self.entries.values())


class Renaming:
    """Renames codes; broken off, the same rename goes on."""

    def __init__(
        self,
        database: Database,
        recorder: Recorder,
        cascade: Cascade,
        codes: CodeLists,
        plans: PlanRenaming,
    ) -> None:
        self._database, self._recorder, self._cascade, self._codes = database, recorder, cascade, codes
        self._plans = plans

    def preview(self, kind: CodeType, old: str, new: str, tell: Told = lambda month: None) -> RenamePreview:
        """What would be written again; nothing is."""
        old, new = self._expected(kind, old, new)
        counts: dict[str, int] = {}
        clashes: list[str] = []
        for month, entries in self._months(tell):
            moved = [
                (each, after) for each in entries if (after := _renamed(each, kind, old, new)) is not None
            ]
            if moved:
                counts[month] = len(moved)
            taken = {(type(each), parts_of(each)) for each in entries}
            if any(
                parts_of(after) != parts_of(each) and (type(after), parts_of(after)) in taken
                for each, after in moved
            ):
                clashes.append(month)
        return RenamePreview(kind, old, new, counts, clashes)

    def rename(
        self,
        kind: CodeType,
        old: str,
        new: str,
        who: Who,
        tell: Told = lambda month: None,
        beside: Beside[RenamePreview] = alone,
    ) -> RenamePreview:
        """Give a code another name everywhere: in its list, in entries, in opening balances and valuations, in plans.

        What is `beside` it is written with its last step.
        """
        preview = self.preview(kind, old, new)
        if preview.clashes:
            raise Conflict(
                "{new} has entries of its own in {months}. Move one of the two first.",
                code="assets.rename-clash",
                values={"new": preview.new, "months": ", ".join(preview.clashes[:5])},
            )
        old, new = preview.old, preview.new
        self._replace_code(kind, old, new, who)
        for month in preview.entries:
            tell(month)
            self._rename_month(month, kind, old, new, who)
        if kind == "ACCOUNT_TYPE":
            self._rename_balances(old, new)
        self._plans.rename(kind, old, new, who)
        self._codes.forget(kind, old, who.actor, lambda transaction, edit: beside(transaction, preview))
        return preview

    # ── its steps ─────────────────────────────────────────────────────────────────────────────────

    def _expected(self, kind: CodeType, old: str, new: str) -> tuple[str, str]:
        old, new = normalize_nfc(old), expect_code(normalize_nfc(new))
        if kind not in CODE_FIELDS:
            raise InvalidInput(
                "The codes of {type} have names that do not change.",
                code="assets.fixed-codes",
                values={"type": kind},
            )
        item = self._codes.get(kind)
        known = {code for code, _, _ in listed(item)}
        is_begun = old in _archived(item) and new in known
        if not is_begun and (old not in known or new in known):
            raise InvalidInput(
                "{old} cannot be renamed to {new}. There are {known}.",
                code="assets.rename",
                values={"old": old, "new": new, "known": ", ".join(sorted(known))},
            )
        return old, new

    def _months(self, tell: Told) -> Iterator[tuple[str, list[Entry]]]:
        book = find_book(self._database)
        if book.first is None or book.last is None:
            return
        for month in months(book.first, book.last):
            tell(month)
            yield month, self._recorder.entries(month)

    def _replace_code(self, kind: CodeType, old: str, new: str, who: Who) -> None:
        """Offer the new name in the place of the old one, which is archived until no entry has it."""

        def replaced(item: CodeItem) -> CodeItem:
            if new in {code for code, _, _ in listed(item)}:
                return item
            labels = {(new if code == old else code): label for code, label in (item.labels or {}).items()}
            changed: dict[str, Any] = {"labels": labels or None}
            if isinstance(item, AccountCodes):
                changed["codes"] = {name: _replaced(codes, old, new) for name, codes in item.codes.items()}
            else:
                changed["codes"] = _replaced(item.codes, old, new)
            return item.model_copy(update=changed)

        self._codes.change(kind, replaced, who.actor, who.request_id)

    def _rename_month(self, month: str, kind: CodeType, old: str, new: str, who: Who) -> None:
        pairs = [
            (each, after)
            for each in self._recorder.entries(month)
            if (after := _renamed(each, kind, old, new)) is not None
        ]
        for start in range(0, len(pairs), _AT_ONCE):
            self._rename_some(month, pairs[start : start + _AT_ONCE], kind, old, new, who)

    def _rename_some(
        self, month: str, pairs: Sequence[tuple[Entry, Entry]], kind: CodeType, old: str, new: str, who: Who
    ) -> None:
        moved = [(each, after) for each, after in pairs if parts_of(each) != parts_of(after)]
        kept = [each for each, after in pairs if parts_of(each) == parts_of(after)]
        keys = [_key(each) for each in kept] + [_key(each) for pair in moved for each in pair]

        def decide(entries: list[Entry | None]) -> list[Entry | None]:
            found: list[Entry | None] = [
                entry and (_renamed(entry, kind, old, new) or entry) for entry in entries[: len(kept)]
            ]
            rest = entries[len(kept) :]
            for before, there in zip(rest[::2], rest[1::2], strict=True):
                after = None if before is None else _renamed(before, kind, old, new)
                found += [None, after] if after is not None and there is None else [before, there]
            return found

        self._recorder.record(month, keys, decide, who, "rename")

    def _rename_balances(self, old: str, new: str) -> None:
        """Rename what balances have by account: opening balances, valuations; the rest follows from them."""
        book = find_book(self._database)
        start = chain_start(book)
        first = book.opening or start
        if first is None or start is None:
            return
        for month in months(first, book.last or first):
            self._rename_in(month, old, new)
        self._cascade.mark(start)
        self._cascade.go_on(None)

    def _rename_in(self, month: str, old: str, new: str) -> None:
        while True:
            book: Book = find_book(self._database)
            there = self._database.find(BalancesKey(year_month=month), consistent=True)
            if there is None:
                return
            short = _with_name(there.short_savings_balances, old, new)
            worth = _with_name(there.investment_valuation or {}, old, new)
            after = there.model_copy(
                update={"short_savings_balances": short, "investment_valuation": worth or None}
            )
            if after == there:
                return
            try:
                with self._database.transaction(name="Balances.rename") as transaction:
                    transaction.put(after)
                    transaction.put(book)
            except Conflict:
                continue
            return


def _renamed(entry: Entry, kind: CodeType, old: str, new: str) -> Entry | None:
    """The entry under the new name; None if it does not have the old one."""
    changed: dict[str, Any] = {}
    if getattr(entry, CODE_FIELDS[kind], None) == old:
        changed[CODE_FIELDS[kind]] = new
    if kind == "NAME" and any(each.by == old for each in entry.entries or ()):
        changed["entries"] = [
            each.model_copy(update={"by": new}) if each.by == old else each for each in entry.entries or ()
        ]
    return entry.model_copy(update=changed) if changed else None


def _key(entry: Entry) -> Key[Any]:
    return kind_of(entry).key_of(month_of_entry(entry), parts_of(entry))


def _replaced(codes: Sequence[str], old: str, new: str) -> list[str]:
    return [new if code == old else code for code in codes]


def _with_name(amounts: dict[str, int], old: str, new: str) -> dict[str, int]:
    found = {name: amount for name, amount in amounts.items() if name != old}
    return found | ({new: amounts[old] + found.get(new, 0)} if old in amounts else {})


def _archived(item: CodeItem) -> list[str]:
    if isinstance(item, Codes):
        return item.archived or []
    return [code for codes in (item.archived or {}).values() for code in codes]
