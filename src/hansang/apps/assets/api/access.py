"""What the routes of the ledger share: the household that is asked for, and whoever asks."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from typing import Annotated

from fastapi import Path as InPath
from fastapi import Query as InAddress
from pydantic import Field
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from hansang.apps.assets.households import FIRST, Households, expect_allowed
from hansang.apps.assets.plans import HOUSEHOLD_ID
from hansang.apps.assets.recording import AREA, Who
from hansang.apps.assets.rules import MONTH
from hansang.apps.assets.service import Assets
from hansang.apps.assets.settings import AssetsSettings
from hansang.parts.history import Actor
from hansang.parts.permissions import Action, Principal
from hansang.surfaces.api.parameters import Spoken
from hansang.surfaces.api.rules import Allow, Gate
from hansang.surfaces.api.tags import TAGGED
from hansang.surfaces.http.request_ids import current
from hansang.surfaces.shell import Shell

PATH = f"/api/{AREA}"
MONTH_PATTERN = f"^{MONTH.pattern}$"
MonthAddress = Annotated[str, InPath(alias="ym", pattern=MONTH_PATTERN, examples=["2025.01"])]
HouseholdAsked = Annotated[str | None, InAddress(alias="household", pattern=f"^{HOUSEHOLD_ID}$")]


class LedgerAsked(Spoken):
    """What every question to the ledger may say: which household; the rule of its route looks at that."""

    household: Annotated[str | None, Field(pattern=f"^{HOUSEHOLD_ID}$")] = None


TAGGED_ANSWER = {"responses": {"200": {"headers": TAGGED}}}
"""What the OpenAPI document says of an answer with a tag."""
asked_household: ContextVar[str] = ContextVar("asked_household", default=FIRST)
"""The household of the request, once it is known that whoever asks may see it."""


def households_of(shell: Shell) -> Households:
    """Every household of the server."""
    settings: AssetsSettings | None = shell.chosen.get(AREA)
    return shell.once(
        AREA,
        lambda: Households(
            shell.database, shell.clock, settings, history=shell.history, publish=shell.topics.publish
        ),
    )


@dataclass(frozen=True, slots=True)
class InHousehold(Allow):
    """Whoever has the scope may, and is a member of the household that the address names."""

    households: Households | None = None

    async def __call__(self, request: Request, household: HouseholdAsked = None) -> Principal:
        """Who is asking, if that one may, in this household."""
        principal = await Allow.__call__(self, request)
        if household not in (None, FIRST):
            await run_in_threadpool(self._expect_member, str(household), principal)
        asked_household.set(household or FIRST)
        return principal

    def _expect_member(self, household: str, principal: Principal) -> None:
        assert self.households is not None
        assert self.action is not None
        expect_allowed(self.households.get(household), principal, self.action)


class LedgerRoutes:
    """What every group of routes has: its rules, and the application on the household that is asked for."""

    def __init__(self, shell: Shell, gate: Gate) -> None:
        self._shell, self._gate, self._households = shell, gate, households_of(shell)
        self._reader, self._writer = self._allow("read"), self._allow("write")

    def _allow(self, action: Action) -> InHousehold:
        return InHousehold(self._gate, AREA, action, self._households)

    @property
    def _assets(self) -> Assets:
        return self._households.open(asked_household.get())


def who(principal: Principal) -> Who:
    """Whoever asks, with the request."""
    return Who(Actor.of(principal), current.get())
