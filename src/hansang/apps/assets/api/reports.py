"""LedgerReports as routes: net worth, budgets, pots, years, people, tags, gifts, search."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from fastapi import Path as InPath
from fastapi import Query as InAddress
from pydantic import BaseModel, Field
from starlette.responses import Response

from hansang.apps.assets.api.access import PATH, LedgerAsked, LedgerRoutes
from hansang.apps.assets.api.household import DashboardAsked, PeriodAsked
from hansang.apps.assets.api.shown import BalancesShown, balances_shown
from hansang.apps.assets.design import Detail
from hansang.apps.assets.kinds import KindName
from hansang.apps.assets.plans import HoldingKind
from hansang.apps.assets.recording import AREA
from hansang.apps.assets.reports import BudgetState, Maturity, Payment
from hansang.apps.assets.years import against_before, months_over
from hansang.parts.permissions import Principal
from hansang.surfaces.api.endpoints import RouteGroup, answered
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Gate
from hansang.surfaces.shell import Shell

YearAddress = Annotated[int, InPath(ge=1900, le=2999, examples=[2025])]


class MemoAsked(PeriodAsked):
    """What is looked for in memos, people and tags, from which month to which."""

    q: Annotated[str, Field(min_length=1, max_length=100)]


class HoldingAnswer(BaseModel):
    """Something that is owned, or owed and below nothing."""

    name: str
    kind: HoldingKind
    worth: int


class NetWorthAnswer(BaseModel):
    """Net worth written out: what is put by and owned, less what is owed."""

    month: str
    balances: BalancesShown | None
    put_by: int
    owned: int
    owed: int
    total: int
    holdings: list[HoldingAnswer]


class BudgetAnswer(BaseModel):
    """A budget beside what was spent of it."""

    kind: KindName
    code: str
    budget: int
    spent: int
    left: int
    state: BudgetState


class BudgetsAnswer(BaseModel):
    """The budgets of a month."""

    month: str
    budgets: list[BudgetAnswer]


class MaturityAnswer(BaseModel):
    """What a term deposit pays in the end."""

    due: str
    paid_in: int
    interest: int
    tax: int
    total: int


class PotAnswer(BaseModel):
    """A purpose, or an account with a goal or a term."""

    account: str
    family: str
    balance: int | None
    goal: int | None
    due: str | None
    percent: int | None
    maturity: MaturityAnswer | None


class PotsAnswer(BaseModel):
    """What is saved for something at the end of a month."""

    month: str
    pots: list[PotAnswer]


class YearRow(BaseModel):
    """A code over the twelve months of a year."""

    kind: KindName
    parts: list[str]
    months: list[int]


class AgainstRow(BaseModel):
    """A kind in two years, in the months that both have had; `left` is what is left of them."""

    kind: str
    before: int
    now: int
    percent: float | None


class YearAsked(LedgerAsked):
    """A year to compare with, if any."""

    against: Annotated[int | None, Field(ge=1900, le=2999, examples=[2024])] = None


class YearAnswer(BaseModel):
    """A year by code and month."""

    year: int
    rows: list[YearRow]
    totals: dict[str, list[int]]
    months_over: int
    against: list[AgainstRow] | None


class PersonAnswer(BaseModel):
    """What one person earned and paid; an empty name is nobody in particular."""

    name: str
    income: int
    spent: int


class PeopleAnswer(BaseModel):
    """What each person earned and paid in a period."""

    people: list[PersonAnswer]


class TagsAnswer(BaseModel):
    """What was paid in a year by tag, and of that by whom."""

    year: int
    tags: dict[str, dict[str, int]]


class PaymentShown(BaseModel):
    """A payment, with where it stands."""

    month: str
    kind: KindName
    parts: list[str]
    payment: Detail


class PaymentsAnswer(BaseModel):
    """Payments, the newest first."""

    payments: list[PaymentShown]


class GiftsAnswer(BaseModel):
    """Gifts and condolences by whom they were for."""

    gifts: dict[str, list[PaymentShown]]


class ReportRoutes(LedgerRoutes):
    """Answers that are shaped for people."""

    def __init__(self, shell: Shell, gate: Gate) -> None:
        super().__init__(shell, gate)
        self._group = RouteGroup(f"{PATH}/reports", f"{AREA}.reports", self._reader)

    def all(self) -> list[ApiRoute]:
        """Every route of them."""
        return [
            self._group.route("GET", "/net-worth", self.net_worth, NetWorthAnswer),
            self._group.route("GET", "/budgets", self.budgets, BudgetsAnswer),
            self._group.route("GET", "/pots", self.pots, PotsAnswer),
            self._group.route("GET", "/years/{year}", self.year, YearAnswer),
            self._group.route("GET", "/people", self.people, PeopleAnswer),
            self._group.route("GET", "/tags/{year}", self.tags, TagsAnswer),
            self._group.route("GET", "/gifts", self.gifts, GiftsAnswer),
            self._group.route("GET", "/search", self.search, PaymentsAnswer),
        ]

    def net_worth(self, asked: Annotated[DashboardAsked, InAddress()], principal: Principal) -> Response:
        """What the household has at the end of a month, written out."""
        found = self._assets.reports.net_worth(asked.month or self._assets.reading.this_month)
        holdings = [HoldingAnswer.model_validate(each, from_attributes=True) for each in found.holdings]
        return answered(
            NetWorthAnswer(
                month=found.month,
                balances=balances_shown(found.balances),
                put_by=found.put_by,
                owned=found.owned,
                owed=found.owed,
                total=found.total,
                holdings=holdings,
            )
        )

    def budgets(self, asked: Annotated[DashboardAsked, InAddress()], principal: Principal) -> Response:
        """The budgets of a month beside what was spent."""
        month = asked.month or self._assets.reading.this_month
        found = [
            BudgetAnswer.model_validate(each, from_attributes=True)
            for each in self._assets.reports.budgets(month)
        ]
        return answered(BudgetsAnswer(month=month, budgets=found))

    def pots(self, asked: Annotated[DashboardAsked, InAddress()], principal: Principal) -> Response:
        """What is saved for something, with goals and maturities."""
        month = asked.month or self._assets.reading.this_month
        found = [
            PotAnswer(
                account=each.account,
                family=each.family,
                balance=each.balance,
                goal=None if each.goal is None else each.goal.amount,
                due=None if each.goal is None else each.goal.due,
                percent=each.percent,
                maturity=_maturity(each.maturity),
            )
            for each in self._assets.reports.pots(month, self._assets.codes.accounts())
        ]
        return answered(PotsAnswer(month=month, pots=found))

    def year(
        self, year: YearAddress, asked: Annotated[YearAsked, InAddress()], principal: Principal
    ) -> Response:
        """A year by code and month; beside another one, in the months that both have had."""
        found = self._assets.reports.year(year)
        rows = [
            YearRow.model_validate({"kind": kind, "parts": parts, "months": amounts})
            for (kind, *parts), amounts in found.rows.items()
        ]
        over = months_over(year, self._assets.reading.this_month)
        against = None
        if asked.against is not None:
            before = self._assets.reports.year(asked.against)
            against = [
                AgainstRow(kind=each.kind, before=each.before, now=each.now, percent=each.percent)
                for each in against_before(found, before, over)
            ]
        return answered(
            YearAnswer(year=year, rows=rows, totals=found.totals, months_over=over, against=against)
        )

    def people(self, asked: Annotated[PeriodAsked, InAddress()], principal: Principal) -> Response:
        """What each person earned and paid in a period."""
        found = self._assets.reports.people(asked.from_, asked.to)
        return answered(
            PeopleAnswer(people=[PersonAnswer.model_validate(each, from_attributes=True) for each in found])
        )

    def tags(self, year: YearAddress, principal: Principal) -> Response:
        """What was paid in a year by tag, for the year-end tax settlement."""
        return answered(TagsAnswer(year=year, tags=self._assets.reports.tags(year)))

    def gifts(self, asked: Annotated[PeriodAsked, InAddress()], principal: Principal) -> Response:
        """Gifts and condolences of a period, by whom they were for."""
        found = self._assets.reports.gifts(asked.from_, asked.to)
        return answered(GiftsAnswer(gifts={whom: _shown(payments) for whom, payments in found.items()}))

    def search(self, asked: Annotated[MemoAsked, InAddress()], principal: Principal) -> Response:
        """Payments whose memo, person or tag has a text, the newest first."""
        found = self._assets.reports.search(asked.q, asked.from_, asked.to)
        return answered(PaymentsAnswer(payments=_shown(found)))


def _maturity(found: Maturity | None) -> MaturityAnswer | None:
    return None if found is None else MaturityAnswer.model_validate(found, from_attributes=True)


def _shown(payments: Iterable[Payment]) -> list[PaymentShown]:
    return [
        PaymentShown.model_validate(
            {"month": each.month, "kind": each.kind, "parts": list(each.parts), "payment": each.detail}
        )
        for each in payments
    ]
