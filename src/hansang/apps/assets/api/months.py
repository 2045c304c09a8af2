"""Months as routes: read one, and set its entries or add to them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date as Date  # noqa: N812 - `date` is the name of a field
from typing import Annotated, Any

from fastapi import Body
from fastapi import Path as InPath
from pydantic import BaseModel, ConfigDict, Field, model_validator
from starlette.responses import Response

from hansang.apps.assets.api.access import (
    PATH,
    TAGGED_ANSWER,
    LedgerRoutes,
    MonthAddress,
    asked_household,
    who,
)
from hansang.apps.assets.api.shown import (
    EntryShown,
    MonthAnswer,
    RecordedAnswer,
    entry_shown,
    month_answer,
    recorded_answer,
)
from hansang.apps.assets.design import LONGEST_MEMO, MOST_DETAILS, Detail
from hansang.apps.assets.entering import Given, Place
from hansang.apps.assets.kinds import KindName
from hansang.apps.assets.recording import AREA, MOST_AT_ONCE, Recorded
from hansang.apps.assets.rules import LONGEST_CODE
from hansang.errors import Conflict
from hansang.parts.permissions import Principal
from hansang.parts.receipts import Beside
from hansang.surfaces.api.endpoints import RouteGroup, answered
from hansang.surfaces.api.problems import Problem
from hansang.surfaces.api.repeats import IdempotencyKey, once
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Gate
from hansang.surfaces.api.tags import IfMatchAtWill, quoted, seen_tag
from hansang.surfaces.shell import Shell

KindAddress = Annotated[KindName, InPath(examples=["living-expense"])]
PartAddress = Annotated[str, InPath(min_length=1, max_length=LONGEST_CODE * 4, examples=["식비"])]
PairKindAddress = Annotated[KindName, InPath(examples=["income"])]
FirstAddress = Annotated[str, InPath(min_length=1, max_length=LONGEST_CODE * 4, examples=["배우자1"])]
SecondAddress = Annotated[str, InPath(min_length=1, max_length=LONGEST_CODE * 4, examples=["월급"])]
Amount = Annotated[int, Field(ge=0, le=10**12)]
Added = Annotated[int, Field(ge=-(10**12), le=10**12)]
Version = Annotated[str | None, Field(max_length=40)]
Code = Annotated[str | None, Field(max_length=LONGEST_CODE)]
Memo = Annotated[str | None, Field(max_length=LONGEST_MEMO)]


class EntryGiven(BaseModel):
    """What an entry becomes: an `amount`, so much more to `add`, or the payments in `entries` that it is the sum of.

    `version` is that of the entry that was seen; if somebody else has changed it since, both amounts are told.
    """

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"example": {"add": 12_000, "memo": "장보기"}}
    )

    amount: Amount | None = None
    add: Added | None = None
    entries: Annotated[list[Detail] | None, Field(max_length=MOST_DETAILS)] = None
    memo: Memo = None
    date: Date | None = None
    by: Code = None
    tag: Code = None
    whom: Code = None
    version: Version = None

    @model_validator(mode="after")
    def _one_of_three(self) -> EntryGiven:
        if sum(each is not None for each in (self.amount, self.add, self.entries)) != 1:
            raise ValueError("Give one of amount, add and entries.")
        return self

    def given(self, seen: str | None = None) -> Given:
        """The same as the core takes it; `seen` is what If-Match says."""
        return Given(
            amount=self.amount,
            add=self.add,
            details=None if self.entries is None else tuple(self.entries),
            memo=self.memo,
            date=self.date,
            by=self.by,
            tag=self.tag,
            whom=self.whom,
            seen=seen_tag(seen) or self.version,
        )


class NamedEntryGiven(EntryGiven):
    """The same with the kind of the entry and what names it."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"example": {"kind": "income", "parts": ["배우자1", "월급"], "amount": 3_500_000}},
    )

    kind: KindName
    parts: Annotated[list[Annotated[str, Field(min_length=1, max_length=LONGEST_CODE)]], Field(max_length=2)]


class EntriesGiven(BaseModel):
    """Several entries of a month, which change together or not at all."""

    model_config = ConfigDict(extra="forbid")

    entries: Annotated[list[NamedEntryGiven], Field(min_length=1, max_length=MOST_AT_ONCE)]


class MonthRoutes(LedgerRoutes):
    """Months and their entries."""

    def __init__(self, shell: Shell, gate: Gate) -> None:
        super().__init__(shell, gate)
        self._group = RouteGroup(f"{PATH}/months", f"{AREA}.months", self._reader)

    def all(self) -> list[ApiRoute]:
        """Every route of them."""
        one, two = "/{ym}/{kind}/{part}", "/{ym}/{kind}/{part}/{second}"
        write: dict[str, Any] = {"rule": self._writer}
        return [
            self._group.route("GET", "/{ym}", self.month, MonthAnswer),
            self._group.route("GET", one, self.entry, EntryShown, extra=TAGGED_ANSWER),
            self._group.route("GET", two, self.entry_pair, EntryShown, extra=TAGGED_ANSWER),
            self._group.route("POST", "/{ym}/entries", self.enter_all, RecordedAnswer, **write),
            self._group.route("PUT", one, self.enter, RecordedAnswer, **write),
            self._group.route("PUT", two, self.enter_pair, RecordedAnswer, **write),
            self._group.route("DELETE", one, self.clear, RecordedAnswer, **write),
            self._group.route("DELETE", two, self.clear_pair, RecordedAnswer, **write),
        ]

    def month(self, ym: MonthAddress, principal: Principal) -> Response:
        """A month: its entries, totals and balances."""
        return answered(month_answer(self._assets.reading.month(ym)))

    def entry(self, ym: MonthAddress, kind: KindAddress, part: PartAddress, principal: Principal) -> Response:
        """An entry that has one name, with its payments."""
        return self._shown(ym, Place.of(kind, (part,)))

    def entry_pair(
        self,
        ym: MonthAddress,
        kind: PairKindAddress,
        part: FirstAddress,
        second: SecondAddress,
        principal: Principal,
    ) -> Response:
        """An entry that has two names, with its payments."""
        return self._shown(ym, Place.of(kind, (part, second)))

    def _shown(self, month: str, place: Place) -> Response:
        shown = entry_shown(self._assets.database.get(place.key(month), consistent=True))
        return answered(shown, ETag=quoted(shown.version))

    def enter(
        self,
        ym: MonthAddress,
        kind: KindAddress,
        part: PartAddress,
        given: Annotated[EntryGiven, Body()],
        seen: IfMatchAtWill,
        key: IdempotencyKey,
        principal: Principal,
    ) -> Response:
        """Set an entry that has one name, or add to it."""
        return self._entered(ym, [(Place.of(kind, (part,)), given.given(seen))], key, principal, given)

    def enter_pair(
        self,
        ym: MonthAddress,
        kind: PairKindAddress,
        part: FirstAddress,
        second: SecondAddress,
        given: Annotated[EntryGiven, Body()],
        seen: IfMatchAtWill,
        key: IdempotencyKey,
        principal: Principal,
    ) -> Response:
        """Set an entry that has two names, such as a person and a type of income, or add to it."""
        place = Place.of(kind, (part, second))
        return self._entered(ym, [(place, given.given(seen))], key, principal, given)

    def enter_all(
        self,
        ym: MonthAddress,
        given: Annotated[EntriesGiven, Body()],
        key: IdempotencyKey,
        principal: Principal,
    ) -> Response:
        """Change several entries of a month together; one undo takes all of them back."""
        wanted = [(Place.of(each.kind, each.parts), each.given()) for each in given.entries]
        return self._entered(ym, wanted, key, principal, given)

    def clear(
        self,
        ym: MonthAddress,
        kind: KindAddress,
        part: PartAddress,
        seen: IfMatchAtWill,
        key: IdempotencyKey,
        principal: Principal,
    ) -> Response:
        """Delete an entry that has one name."""
        cleared = Given(is_cleared=True, seen=seen_tag(seen))
        return self._entered(ym, [(Place.of(kind, (part,)), cleared)], key, principal)

    def clear_pair(
        self,
        ym: MonthAddress,
        kind: PairKindAddress,
        part: FirstAddress,
        second: SecondAddress,
        seen: IfMatchAtWill,
        key: IdempotencyKey,
        principal: Principal,
    ) -> Response:
        """Delete an entry that has two names."""
        cleared = Given(is_cleared=True, seen=seen_tag(seen))
        return self._entered(ym, [(Place.of(kind, (part, second)), cleared)], key, principal)

    def _entered(
        self,
        month: str,
        wanted: list[tuple[Place, Given]],
        key: str | None,
        principal: Principal,
        given: BaseModel | None = None,
    ) -> Response:
        def work(beside: Beside[Recorded]) -> Recorded:
            if len(wanted) == 1:
                [(place, one)] = wanted
                return self._assets.entering.enter(month, place, one, who(principal), beside)
            return self._assets.entering.enter_all(month, wanted, who(principal), beside)

        named = [(place.kind.name, place.parts) for place, _ in wanted]
        body = "DELETE" if given is None else given.model_dump_json()
        asked = f"{asked_household.get()} {PATH}/months/{month}\n{named}\n{body}".encode()
        with _both_values(wanted):
            return once(
                self._shell, principal, key, asked, work, lambda done: answered(recorded_answer(done))
            )


@contextmanager
def _both_values(wanted: list[tuple[Place, Given]]) -> Iterator[None]:
    """Answer a change that came after another one with both amounts as numbers, beside its words (X1-10)."""
    try:
        yield
    except Conflict as late:
        if late.code != "assets.changed-meanwhile":
            raise
        yours = next((each for _, each in wanted if each.seen is not None), wanted[0][1])
        more: dict[str, Any] = {
            "theirs": None if late.item is None else entry_shown(late.item).model_dump(mode="json"),
            "yours": {"amount": yours.amount, "add": yours.add},
            "version": late.values["version"],
        }
        raise Problem("conflict", str(late), said=late.code, values=late.values, more=more) from late
