"""The codes: what can be chosen, kept for a minute in each process and dropped when it is changed here (X1-25)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import Literal, cast, get_args

from hansang.apps.assets.design import (
    INVESTED,
    MOST_CODES,
    SAVED,
    SHORT,
    AccountCodes,
    AccountCodesKey,
    CodeKind,
    Codes,
    CodesKey,
)
from hansang.apps.assets.kinds import PUT_BY, USED, EntryKind
from hansang.apps.assets.rules import months, months_between
from hansang.clock import Clock
from hansang.design import Database
from hansang.errors import AlreadyExists, Busy, Conflict, InvalidInput, NotFound
from hansang.parts.editing import Edit, Editing
from hansang.parts.history import Actor
from hansang.parts.receipts import Beside, alone
from hansang.parts.timestamps import to_whole_second

CodeType = Literal[
    "YEAR_MONTH",
    "NAME",
    "INCOME_TYPE",
    "FIXED_EXPENSE_TYPE",
    "LIVING_EXPENSE_CATEGORY",
    "TRANSACTION_TYPE",
    "ACCOUNT_TYPE",
]
CODE_TYPES: tuple[CodeType, ...] = get_args(CodeType)
CodeItem = Codes | AccountCodes

DecideCodes = Callable[[CodeItem], CodeItem]
"""What a list becomes, given what it is; asked again when somebody else was quicker."""

REMEMBERED_SECONDS = 60
_TRIES = 20
FAMILIES = (SAVED, INVESTED, SHORT)

_BY_FIELD: dict[str, CodeKind] = {
    "name": "NAME",
    "income_type": "INCOME_TYPE",
    "expense_type": "FIXED_EXPENSE_TYPE",
    "category": "LIVING_EXPENSE_CATEGORY",
    "transaction_type": "TRANSACTION_TYPE",
}
DEFAULTS: dict[CodeKind, list[str]] = {
    "YEAR_MONTH": list(months("2025.01", "2026.12")),
    "NAME": ["배우자1", "배우자2"],
    "INCOME_TYPE": ["월급", "상여", "기타수입"],
    "FIXED_EXPENSE_TYPE": ["대출", "주거", "통신", "곗돈", "구독"],
    "LIVING_EXPENSE_CATEGORY": ["식비", "교통비", "의료비", "문화생활", "기타"],
    "TRANSACTION_TYPE": [PUT_BY, USED],
}
"""Those of the document, which a household has until it writes its own (1-04 … 1-09)."""
DEFAULT_ACCOUNTS = {
    SAVED: ["적금1", "적금2", "적금3"],
    INVESTED: ["청약", "연금저축", "주식", "코인"],
    SHORT: ["운동", "여행", "경조비"],
}


class CodeLists:
    """The lists of codes of a household."""

    def __init__(self, database: Database, clock: Clock, editing: Editing) -> None:
        self._database, self._clock, self._editing = database, clock, editing
        self._lock = Lock()
        self._kept: dict[CodeType, tuple[float, CodeItem]] = {}

    # ── reading ───────────────────────────────────────────────────────────────────────────────────

    def get(self, kind: CodeType) -> CodeItem:
        """The codes of a kind, as this process knows them; those of the document if there are none yet."""
        now = self._clock()
        with self._lock:
            kept = self._kept.get(kind)
        if kept is not None and 0 <= now - kept[0] < REMEMBERED_SECONDS:
            return kept[1]
        found = self._find(kind) or _default(kind)
        with self._lock:
            self._kept[kind] = (now, found)
        return found

    def stored(self, kind: CodeType) -> tuple[CodeItem, str | None]:
        """The list as it is stored, with its tag; None if the household has not written it yet."""
        found = self._find(kind)
        return (_default(kind), None) if found is None else (found, self._editing.etag(found))

    def _find(self, kind: CodeType) -> CodeItem | None:
        if kind == "ACCOUNT_TYPE":
            return self._database.find(AccountCodesKey(), consistent=True)
        return self._database.find(CodesKey(kind=kind), consistent=True)

    def plain(self, kind: CodeKind) -> list[str]:
        """The codes of a kind that has a plain list."""
        return cast(Codes, self.get(kind)).codes

    def accounts(self) -> dict[str, list[str]]:
        """The accounts by family, in the order that the household gave (X1-16)."""
        found = cast(AccountCodes, self.get("ACCOUNT_TYPE"))
        order = [*(found.group_order or FAMILIES), *found.codes]
        return {family: found.codes[family] for family in dict.fromkeys(order) if family in found.codes}

    def known_accounts(self, family: str) -> list[str]:
        """The accounts of a family, also those that are archived: balances still have them (X1-15)."""
        found = cast(AccountCodes, self.get("ACCOUNT_TYPE"))
        return [*found.codes.get(family, ()), *(found.archived or {}).get(family, ())]

    def people(self) -> list[str]:
        return self.plain("NAME")

    def choices(self, kind: EntryKind, part: str) -> list[str]:
        """What can stand in a part of the key of an entry (1-28)."""
        if part == "account_name":
            return self.accounts().get(str(kind.family), [])
        return self.plain(_BY_FIELD[part])

    def expect(self, kind: EntryKind, parts: Sequence[str], *, is_there: bool) -> None:
        """Refuse a code that is not one of the household's; what is there already may have one that is archived."""
        for part, code in zip(kind.parts, parts, strict=True):
            if code in self.choices(kind, part) or (is_there and code in self._archived(kind, part)):
                continue
            self._expect_family(kind, part, code)
            where = "ACCOUNT_TYPE" if part == "account_name" else _BY_FIELD[part]
            raise InvalidInput(
                "{given} is not one of the codes of {type}. There are {known}. Add it first: "
                "PUT /api/assets/codes/{type} or hansang assets codes {type} --add.",
                part,
                code="assets.unknown-code",
                values={"given": code, "type": where, "known": ", ".join(self.choices(kind, part))},
            )

    def _expect_family(self, kind: EntryKind, part: str, code: str) -> None:
        """An account of another family is refused by its name (X1-17)."""
        if part != "account_name":
            return
        for family, accounts in self.accounts().items():
            if code in accounts:
                raise InvalidInput(
                    "{account} is an account of {family}, and this entry takes one of {wanted}.",
                    part,
                    code="assets.other-family",
                    values={"account": code, "family": family, "wanted": kind.family},
                )

    def _archived(self, kind: EntryKind, part: str) -> Sequence[str]:
        if part == "account_name":
            accounts = cast(AccountCodes, self.get("ACCOUNT_TYPE"))
            return (accounts.archived or {}).get(str(kind.family), ())
        return cast(Codes, self.get(_BY_FIELD[part])).archived or ()

    # ── writing ───────────────────────────────────────────────────────────────────────────────────

    def drop(self) -> None:
        """Forget what this process knows."""
        with self._lock:
            self._kept.clear()

    def put(
        self,
        item: CodeItem,
        actor: Actor,
        *,
        seen: str | None = None,
        request_id: str | None = None,
        beside: Beside[Edit[CodeItem]] = alone,
    ) -> CodeItem:
        """Store a list; codes that it no longer has are archived, since entries may still have them (X1-15)."""
        return self._store(item, self._find(type_of(item)), actor, seen, request_id, beside)

    def change(
        self, kind: CodeType, decide: DecideCodes, actor: Actor, request_id: str | None = None
    ) -> CodeItem:
        """Let a list become what is decided of it as it is stored now; whoever was quicker is read again."""
        for _ in range(_TRIES):
            there = self._find(kind)
            after = decide(there or _default(kind))
            if after == there:
                return after
            try:
                return self._store(after, there, actor, None, request_id, alone)
            except (Conflict, AlreadyExists, NotFound):
                continue
        raise Busy(
            "The codes of {type} are being changed by somebody else. Try again in a moment.",
            code="assets.codes-busy",
            values={"type": kind},
        )

    def _store(
        self,
        item: CodeItem,
        there: CodeItem | None,
        actor: Actor,
        seen: str | None,
        request_id: str | None,
        beside: Beside[Edit[CodeItem]],
    ) -> CodeItem:
        expect_list(item)
        item = _with_archived(there or _default(type_of(item)), item)
        item = item.model_copy(update={"updated_at": to_whole_second(self._clock())})
        try:
            if there is None:
                self._editing.create(item, actor, request_id, beside)
            else:
                tag = seen or self._editing.etag(there)
                self._editing.replace(item, tag, actor, request_id, beside)
        finally:
            self.drop()
        return item

    def forget(self, kind: CodeType, code: str, actor: Actor, beside: Beside[Edit[CodeItem]] = alone) -> None:
        """Take a code out of the archive, since no entry has it any more."""
        there = self._find(kind)
        if there is None or not there.archived:
            return
        if isinstance(there, Codes):
            archived: object = [each for each in there.archived or () if each != code] or None
        else:
            kept = {
                name: [each for each in codes if each != code]
                for name, codes in (there.archived or {}).items()
            }
            archived = {name: codes for name, codes in kept.items() if codes} or None
        try:
            after = there.model_copy(update={"archived": archived})
            self._editing.replace(after, self._editing.etag(there), actor, None, beside)
        finally:
            self.drop()

    def extend(self, month: str, actor: Actor) -> None:
        """Let a month be among those that can be chosen (X1-18); nothing happens if it is."""
        if month in self.plain("YEAR_MONTH"):
            return

        def extended(item: CodeItem) -> CodeItem:
            there = cast(Codes, item).codes
            _expect_near(there, month)
            return item.model_copy(
                update={"codes": list(months(min(there[0], month), max(there[-1], month)))}
            )

        self.change("YEAR_MONTH", extended, actor)

    def expect_near(self, month: str) -> None:
        """Refuse a month that the list of months could not be extended to."""
        _expect_near(self.plain("YEAR_MONTH"), month)


def _expect_near(known: Sequence[str], month: str) -> None:
    if months_between(min(known[0], month), max(known[-1], month)) >= MOST_CODES:
        raise InvalidInput(
            "{month} is too far from the months that there are: {first} to {last}.",
            code="assets.month-too-far",
            values={"month": month, "first": known[0], "last": known[-1]},
        )


def _default(kind: CodeType) -> CodeItem:
    if kind == "ACCOUNT_TYPE":
        return AccountCodes(codes=DEFAULT_ACCOUNTS, group_order=list(DEFAULT_ACCOUNTS))
    return Codes(kind=kind, codes=DEFAULTS[kind])


def type_of(item: CodeItem) -> CodeType:
    return item.kind if isinstance(item, Codes) else "ACCOUNT_TYPE"


def expect_list(item: CodeItem) -> None:
    """Refuse a list with a code twice, a month that is none, or accounts that no entry could have (X1-17)."""
    if isinstance(item, AccountCodes):
        unknown = sorted(set(item.codes) - set(FAMILIES))
        if unknown:
            raise InvalidInput(
                "{unknown} is not a family of accounts. There are {known}.",
                "codes",
                code="assets.unknown-family",
                values={"unknown": ", ".join(unknown), "known": ", ".join(FAMILIES)},
            )
        _expect_once([account for accounts in item.codes.values() for account in accounts])
        return
    _expect_once(item.codes)
    if item.kind == "YEAR_MONTH" and item.codes != list(months(item.codes[0], item.codes[-1])):
        raise InvalidInput(
            "The months have to follow each other without a gap.", "codes", code="assets.months-gap"
        )
    if item.kind == "TRANSACTION_TYPE" and set(item.codes) != {PUT_BY, USED}:
        raise InvalidInput(
            "The types of transactions are {put_by} and {used}, and no others.",
            "codes",
            code="assets.transaction-types",
            values={"put_by": PUT_BY, "used": USED},
        )


def _expect_once(codes: Sequence[str]) -> None:
    if not codes:
        raise InvalidInput("Give at least one code.", "codes", code="assets.no-codes")
    twice = sorted({code for code in codes if codes.count(code) > 1})
    if twice:
        raise InvalidInput(
            "{twice} is there twice. A code is unique.",
            "codes",
            code="assets.code-twice",
            values={"twice": ", ".join(twice)},
        )


def _with_archived(there: CodeItem, item: CodeItem) -> CodeItem:
    if isinstance(item, AccountCodes) and isinstance(there, AccountCodes):
        named: Mapping[str, list[str]] = item.archived or there.archived or {}
        archived = {
            family: _left(there.codes.get(family, []), named.get(family, []), item.codes.get(family, []))
            for family in dict.fromkeys([*there.codes, *named])
        }
        kept = {family: codes for family, codes in archived.items() if codes}
        return item.model_copy(update={"archived": kept or None})
    assert isinstance(item, Codes)
    assert isinstance(there, Codes)
    if item.kind == "YEAR_MONTH":
        return item
    left = _left(there.codes, item.archived or there.archived or [], item.codes)
    return item.model_copy(update={"archived": left or None})


def _left(before: Sequence[str], archived: Sequence[str], now: Sequence[str]) -> list[str]:
    """The codes that are not offered any more."""
    return [code for code in dict.fromkeys([*archived, *before]) if code not in now]


# ── changing a list ───────────────────────────────────────────────────────────────────────────────


def listed(item: CodeItem) -> list[tuple[str, str | None, str | None]]:
    """The codes of a list with their family, if they have one, and their label."""
    labels = item.labels or {}
    if isinstance(item, Codes):
        return [(code, None, labels.get(code)) for code in item.codes]
    return [(code, family, labels.get(code)) for family, codes in item.codes.items() for code in codes]


def with_changes(
    item: CodeItem, added: Sequence[str], archived: Sequence[str], family: str | None = None
) -> CodeItem:
    """A list with codes more at its end, and without those that are to be archived."""
    known = {code for code, _, _ in listed(item)}
    for code in archived:
        if code not in known:
            raise InvalidInput(
                "{given} is not in the list. There are {known}.",
                code="assets.not-in-list",
                values={"given": code, "known": ", ".join(sorted(known))},
            )
    if isinstance(item, Codes):
        return item.model_copy(update={"codes": [*(c for c in item.codes if c not in archived), *added]})
    if added and family not in FAMILIES:
        raise InvalidInput(
            "Name the family of the account: {known}.",
            code="assets.family-needed",
            values={"known": ", ".join(FAMILIES)},
        )
    kept = {name: [code for code in codes if code not in archived] for name, codes in item.codes.items()}
    if family is not None:
        kept[family] = [*kept.get(family, []), *added]
    return item.model_copy(update={"codes": kept})
