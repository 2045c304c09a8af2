"""Households as routes: which there are, who belongs to them, how they count; and undo in each of them."""

from __future__ import annotations

from typing import Annotated, TypeVar

from fastapi import Body
from fastapi import Path as InPath
from fastapi import Query as InAddress
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from hansang.apps.assets.api.access import (
    MONTH_PATTERN,
    PATH,
    LedgerAsked,
    LedgerRoutes,
    asked_household,
    who,
)
from hansang.apps.assets.households import FIRST, expect_allowed
from hansang.apps.assets.plans import HOUSEHOLD_ID, MOST_MEMBERS, Household, HouseRules, MemberRole
from hansang.apps.assets.recording import AREA
from hansang.apps.assets.settings import AssetsSettings, CardMonth
from hansang.parts.editing import Edit
from hansang.parts.history import Change
from hansang.parts.permissions import Principal
from hansang.parts.receipts import Beside
from hansang.surfaces.api.endpoints import RouteGroup, answered
from hansang.surfaces.api.repeats import IdempotencyKey, once
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Gate
from hansang.surfaces.shell import Shell

E = TypeVar("E", Household, HouseRules)

HouseholdAddress = Annotated[str, InPath(alias="id", pattern=f"^{HOUSEHOLD_ID}$", examples=["parents"])]
ChangeAddress = Annotated[str, InPath(alias="id", min_length=1, max_length=60)]
Title = Annotated[str, Field(min_length=1, max_length=100)]
Members = Annotated[dict[str, MemberRole], Field(min_length=1, max_length=MOST_MEMBERS)]


class HouseholdBody(BaseModel):
    """A household to make."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"example": {"id": "parents", "title": "부모님 댁"}}
    )

    id: Annotated[str, Field(pattern=f"^{HOUSEHOLD_ID}$")]
    title: Title


class MembersBody(BaseModel):
    """The title of a household, and what each person may do there, by sign-in name."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"example": {"title": "부모님 댁", "members": {"seoyeon": "owner"}}},
    )

    title: Title
    members: Members


class HouseholdShown(BaseModel):
    """A household that whoever asks may see; the id of the first one is first, and it has everyone."""

    id: str
    title: str
    members: dict[str, MemberRole] | None
    pocket_of: str | None


class HouseholdsAnswer(BaseModel):
    """The households that whoever asks may see."""

    households: list[HouseholdShown]


class PocketBody(BaseModel):
    """A private pocket to make, of whoever asks."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": {"title": "서연의 주머니"}})

    title: Title


class PocketShown(BaseModel):
    """What the others see of a private pocket: what it is called, and what was spent of it in the month."""

    title: str
    spent: int


class PocketsAnswer(BaseModel):
    """The private pockets of a household in a month."""

    month: str
    pockets: list[PocketShown]


class PocketsAsked(LedgerAsked):
    """Which month; this month unless another is named."""

    month: Annotated[str | None, Field(pattern=MONTH_PATTERN, examples=["2025.01"])] = None


class RulesBody(BaseModel):
    """When a month begins, and which month a card's line belongs to."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": {"month_starts_on": 25}})

    month_starts_on: Annotated[int, Field(ge=1, le=28)] = 1
    card_month: CardMonth = "use"
    card_payment_day: Annotated[int, Field(ge=1, le=28)] = 14


class UndoneAnswer(BaseModel):
    """The change that took another one back; undoing it brings that one again."""

    id: str
    undoes: str


class HouseholdsRoutes(LedgerRoutes):
    """Households, and what is the same in each."""

    def __init__(self, shell: Shell, gate: Gate) -> None:
        super().__init__(shell, gate)
        self._group = RouteGroup(f"{PATH}/households", f"{AREA}.households", gate.allow(AREA, "read"))
        self._own = RouteGroup(PATH, AREA, self._reader)
        self._admin = gate.allow(AREA, "admin")

    def all(self) -> list[ApiRoute]:
        """Every route of them."""
        writer = self._gate.allow(AREA, "write")
        return [
            self._group.route("GET", "", self.index, HouseholdsAnswer),
            self._group.route("POST", "", self.create, HouseholdShown, 201, rule=self._admin),
            self._group.route("POST", "/{id}/members", self.members, HouseholdShown, rule=writer),
            self._own.route("GET", "/rules", self.rules, RulesBody),
            self._own.route("POST", "/rules", self.set_rules, RulesBody, rule=self._writer),
            self._own.route("GET", "/pockets", self.pockets, PocketsAnswer),
            self._own.route("POST", "/pockets", self.create_pocket, HouseholdShown, 201, rule=self._writer),
            self._own.route("POST", "/undo/{id}", self.undo, UndoneAnswer, rule=self._writer),
        ]

    def index(self, principal: Principal) -> Response:
        """The households that whoever asks may see, the first one first."""
        first = HouseholdShown(id=FIRST, title="", members=None, pocket_of=None)
        found = [_shown(each) for each in self._households.seen_by(principal)]
        return answered(HouseholdsAnswer(households=[first, *found]))

    def create(
        self, given: Annotated[HouseholdBody, Body()], key: IdempotencyKey, principal: Principal
    ) -> Response:
        """Make a household with a table of its own; whoever makes it is its owner."""

        def work(beside: Beside[Household]) -> Household:
            wanted = Household(id=given.id, title=given.title, members={principal.name: "owner"})
            return self._households.create(wanted, who(principal), _edited(beside))

        asked = f"POST {PATH}/households\n{given.model_dump_json()}".encode()
        return once(self._shell, principal, key, asked, work, lambda made: answered(_shown(made), status=201))

    def members(
        self,
        id: HouseholdAddress,  # noqa: A002 - the path's own name
        given: Annotated[MembersBody, Body()],
        key: IdempotencyKey,
        principal: Principal,
    ) -> Response:
        """Set the title and the members of a household, as one of its owners."""

        def work(beside: Beside[Household]) -> Household:
            expect_allowed(self._households.get(id), principal, "admin")
            return self._households.change(
                id,
                who(principal),
                title=given.title,
                members=dict(given.members),
                beside=_edited(beside),
            )

        asked = f"POST {PATH}/households/{id}/members\n{given.model_dump_json()}".encode()
        return once(self._shell, principal, key, asked, work, lambda done: answered(_shown(done)))

    def rules(self, principal: Principal) -> Response:
        """How the household counts."""
        return answered(_rules(self._assets.counting.settings()))

    def set_rules(
        self, given: Annotated[RulesBody, Body()], key: IdempotencyKey, principal: Principal
    ) -> Response:
        """Decide when a month begins, and which month a card's line belongs to; what is entered stays."""

        def work(beside: Beside[HouseRules]) -> HouseRules:
            return self._assets.counting.set(
                HouseRules(**given.model_dump()), who(principal), _edited(beside)
            )

        asked = f"{asked_household.get()} POST {PATH}/rules\n{given.model_dump_json()}".encode()
        return once(self._shell, principal, key, asked, work, lambda done: answered(_rules(done)))

    def pockets(self, asked: Annotated[PocketsAsked, InAddress()], principal: Principal) -> Response:
        """What was spent of the private pockets of the household in a month: a sum for each, and nothing else."""
        month = asked.month or self._assets.reading.this_month
        found = self._households.pockets(asked_household.get(), month)
        shown = [PocketShown(title=each.owner, spent=each.spent) for each in found]
        return answered(PocketsAnswer(month=month, pockets=shown))

    def create_pocket(
        self, given: Annotated[PocketBody, Body()], key: IdempotencyKey, principal: Principal
    ) -> Response:
        """Make a private pocket of whoever asks; the others of the household see its sums alone."""
        household = asked_household.get()

        def work(beside: Beside[Household]) -> Household:
            return self._households.create_pocket(
                household, principal.name, given.title, who(principal), beside
            )

        asked = f"{household} POST {PATH}/pockets\n{given.model_dump_json()}".encode()
        return once(self._shell, principal, key, asked, work, lambda made: answered(_shown(made), status=201))

    def undo(self, id: ChangeAddress, key: IdempotencyKey, principal: Principal) -> Response:  # noqa: A002
        """Take a change of the household back, with all that followed from it; this too can be undone."""

        def work(beside: Beside[Change]) -> Change:
            return self._assets.undoing.undo(id, who(principal), beside)

        asked = f"{asked_household.get()} POST {PATH}/undo/{id}".encode()
        return once(
            self._shell,
            principal,
            key,
            asked,
            work,
            lambda made: answered(UndoneAnswer(id=made.id, undoes=made.undoes or id)),
        )


def _edited(beside: Beside[E]) -> Beside[Edit[E]]:
    return lambda transaction, edit: beside(transaction, edit.subject)


def _rules(found: HouseRules | AssetsSettings) -> RulesBody:
    return RulesBody(
        month_starts_on=found.month_starts_on,
        card_month=found.card_month,
        card_payment_day=found.card_payment_day,
    )


def _shown(household: Household) -> HouseholdShown:
    return HouseholdShown(
        id=household.id,
        title=household.title,
        members=household.members,
        pocket_of=household.pocket_of,
    )
