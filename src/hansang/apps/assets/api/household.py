"""The household as routes: dashboard, periods, opening balances, valuation, checking, closing."""

from __future__ import annotations

from typing import Annotated

from fastapi import Body
from fastapi import Query as InAddress
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from hansang.apps.assets.api.access import (
    MONTH_PATTERN,
    PATH,
    TAGGED_ANSWER,
    LedgerAsked,
    LedgerRoutes,
    MonthAddress,
    asked_household,
    who,
)
from hansang.apps.assets.api.shown import (
    BalancesShown,
    DashboardMonthAnswer,
    DriftShown,
    MonthAnswer,
    TotalsShown,
    balances_shown,
    dashboard_month,
    drifts_shown,
    month_answer,
)
from hansang.apps.assets.checking import Drift
from hansang.apps.assets.design import MOST_CODES, Balances, BalancesKey
from hansang.apps.assets.opening import OpeningGiven
from hansang.apps.assets.recording import AREA
from hansang.errors import NotFound
from hansang.parts.permissions import Principal
from hansang.parts.receipts import Beside
from hansang.surfaces.api.endpoints import RouteGroup, answered
from hansang.surfaces.api.repeats import Attempt, IdempotencyKey, once, once_by_steps
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Gate
from hansang.surfaces.api.tags import IfMatchAtWill, quoted, seen_tag
from hansang.surfaces.shell import Shell

MonthText = Annotated[str, Field(pattern=MONTH_PATTERN, examples=["2025.01"])]
Won = Annotated[int, Field(ge=-(10**15), le=10**15)]


class DashboardAsked(LedgerAsked):
    """Which month is looked at; the present one in Seoul by default."""

    month: MonthText | None = None


class PeriodAsked(LedgerAsked):
    """From which month to which, both included."""

    from_: Annotated[str, Field(alias="from", pattern=MONTH_PATTERN, examples=["2025.01"])]
    to: Annotated[str, Field(pattern=MONTH_PATTERN, examples=["2025.12"])]


class DashboardAnswer(BaseModel):
    """A month, the one before it, and the twelve that end with it."""

    month: str
    totals: TotalsShown | None
    balances: BalancesShown | None
    net_worth: int | None
    previous: DashboardMonthAnswer
    months: list[DashboardMonthAnswer]
    recalculating_since: str | None


class PeriodAnswer(BaseModel):
    """The months of a period, and what they add up to together."""

    first: str
    last: str
    totals: TotalsShown
    months: list[MonthAnswer]


class OpeningBody(BaseModel):
    """What there was at the end of a month, before the first that has entries."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {
                "month": "2024.12",
                "cash": 13_500_000,
                "investment": 7_000_000,
                "short": {"운동": 400_000, "여행": 700_000},
            }
        },
    )

    month: MonthText
    cash: Won
    investment: Won
    short: Annotated[dict[str, Won], Field(max_length=MOST_CODES)] = Field(default_factory=dict)
    surplus: Won = 0


class ValuationBody(BaseModel):
    """What each investment account is worth at the end of a month."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": {"worth": {"주식": 9_100_000}}})

    worth: Annotated[dict[str, Won], Field(max_length=MOST_CODES)]


class CheckAnswer(BaseModel):
    """Whether totals and balances are what the entries add up to."""

    is_right: bool
    first: str | None
    last: str | None
    months: int
    drifts: list[DriftShown]
    recalculating_since: str | None


class CloseAnswer(BaseModel):
    """A month that was closed, and what was corrected."""

    month: str
    drifts: list[DriftShown]


class HouseholdRoutes(LedgerRoutes):
    """What is about the household as a whole."""

    def __init__(self, shell: Shell, gate: Gate) -> None:
        super().__init__(shell, gate)
        self._group = RouteGroup(PATH, AREA, self._reader)

    def all(self) -> list[ApiRoute]:
        """Every route of it."""
        return [
            self._group.route("GET", "/dashboard", self.dashboard, DashboardAnswer),
            self._group.route("GET", "/period", self.period, PeriodAnswer),
            self._group.route("GET", "/opening", self.opening, BalancesShown, extra=TAGGED_ANSWER),
            self._group.route("PUT", "/opening", self.open, BalancesShown, rule=self._writer),
            self._group.route("GET", "/valuations/{ym}", self.valuation, BalancesShown, extra=TAGGED_ANSWER),
            self._group.route("PUT", "/valuations/{ym}", self.value, BalancesShown, rule=self._writer),
            self._group.route("GET", "/check", self.check, CheckAnswer),
            self._group.route("POST", "/close/{ym}", self.close, CloseAnswer, rule=self._writer),
        ]

    def dashboard(self, asked: Annotated[DashboardAsked, InAddress()], principal: Principal) -> Response:
        """A month beside the eleven before it: totals, balances and net worth."""
        found = self._assets.reading.dashboard(asked.month)
        months = [dashboard_month(each) for each in found.months]
        return answered(
            DashboardAnswer(
                month=found.month,
                totals=months[-1].totals,
                balances=months[-1].balances,
                net_worth=months[-1].net_worth,
                previous=months[-2],
                months=months,
                recalculating_since=found.book.wrong_since,
            )
        )

    def period(self, asked: Annotated[PeriodAsked, InAddress()], principal: Principal) -> Response:
        """The months of a period with all that is stored of them, and their sums."""
        found = self._assets.reading.period(asked.from_, asked.to)
        sums = TotalsShown(year_month=f"{found.first}~{found.last}", **found.sums)
        months = [month_answer(each) for each in found.months]
        return answered(PeriodAnswer(first=found.first, last=found.last, totals=sums, months=months))

    def opening(self, principal: Principal) -> Response:
        """The opening balances."""
        found = self._assets.opening.find()
        if found is None:
            raise NotFound(
                "There are no opening balances. Set them: PUT /api/assets/opening.", code="assets.no-opening"
            )
        return self._tagged(found)

    def _tagged(self, balances: Balances) -> Response:
        shown = balances_shown(balances)
        assert shown is not None
        return answered(shown, ETag=quoted(self._shell.editing.etag(balances)))

    def open(
        self,
        given: Annotated[OpeningBody, Body()],
        seen: IfMatchAtWill,
        key: IdempotencyKey,
        principal: Principal,
    ) -> Response:
        """Set the opening balances; all later ones follow."""
        wanted = OpeningGiven(given.month, given.cash, given.investment, given.short, given.surplus)
        tag = seen_tag(seen)

        def work(beside: Beside[Balances]) -> Balances:
            return self._assets.opening.set(wanted, who(principal), beside, seen=tag)

        asked = f"{asked_household.get()} PUT {PATH}/opening\n{given.model_dump_json()}".encode()
        return once(self._shell, principal, key, asked, work, self._tagged)

    def valuation(self, ym: MonthAddress, principal: Principal) -> Response:
        """The balances of a month with what investments are worth."""
        return self._tagged(self._assets.database.get(BalancesKey(year_month=ym), consistent=True))

    def value(
        self,
        ym: MonthAddress,
        given: Annotated[ValuationBody, Body()],
        seen: IfMatchAtWill,
        key: IdempotencyKey,
        principal: Principal,
    ) -> Response:
        """Note what investments are worth at the end of a month, beside what was paid in."""

        def work(beside: Beside[Balances]) -> Balances:
            return self._assets.opening.value(ym, given.worth, who(principal), beside, seen=seen_tag(seen))

        asked = f"{asked_household.get()} PUT {PATH}/valuations/{ym}\n{given.model_dump_json()}".encode()
        return once(self._shell, principal, key, asked, work, self._tagged)

    def check(self, principal: Principal) -> Response:
        """Compare totals and balances with what the entries add up to."""
        found = self._assets.checking.check()
        return answered(
            CheckAnswer(
                is_right=found.is_right,
                first=found.first,
                last=found.last,
                months=found.months,
                drifts=drifts_shown(found.drifts),
                recalculating_since=found.recalculating_since,
            )
        )

    def close(self, ym: MonthAddress, key: IdempotencyKey, principal: Principal) -> Response:
        """Close a month: its totals and balances worked out from the entries, and what was corrected."""

        def work(attempt: Attempt[list[Drift]] | None) -> list[Drift]:
            return self._assets.checking.close(ym)

        def told(drifts: list[Drift]) -> Response:
            return answered(CloseAnswer(month=ym, drifts=drifts_shown(drifts)))

        return once_by_steps(
            self._shell,
            principal,
            key,
            f"{asked_household.get()} POST {PATH}/close/{ym}".encode(),
            work,
            told,
        )
