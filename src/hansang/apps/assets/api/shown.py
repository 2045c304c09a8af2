"""What the API shows of a household; totals and balances have the names of the document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from hansang.apps.assets.checking import Drift
from hansang.apps.assets.design import Balances, Detail, Entry, Totals
from hansang.apps.assets.entering import tag_of
from hansang.apps.assets.kinds import KindName, kind_of, parts_of
from hansang.apps.assets.reading import DashboardMonth, MonthShown
from hansang.apps.assets.recording import Recorded
from hansang.apps.assets.seen import StaleLine, seen_key
from hansang.apps.assets.sheets import MOST_ROWS
from hansang.errors import Conflict
from hansang.surfaces.api.problems import Problem

_VersionText = Annotated[str, Field(max_length=100)]
SeenGiven = Annotated[dict[Annotated[str, Field(max_length=200)], _VersionText], Field(max_length=MOST_ROWS)]
"""The `seen` of an answer with `dry_run`, given back."""


class _Documented(BaseModel):
    """With the names that the document gives to attributes."""

    model_config = ConfigDict(alias_generator=to_camel, validate_by_name=True, serialize_by_alias=True)


class EntryShown(_Documented):
    """An entry of a month: its kind, what names it, its amount, and the version to send when it is changed."""

    kind: KindName
    parts: list[str]
    year_month: str
    amount: int
    entries: list[Detail] | None
    name: str | None = None
    income_type: str | None = None
    expense_type: str | None = None
    category: str | None = None
    account_name: str | None = None
    account_type: str | None = None
    transaction_type: str | None = None
    created_at: datetime
    updated_at: datetime
    version: str


class TotalsShown(_Documented):
    """What the entries of a month add up to."""

    year_month: str
    total_income: int
    total_expense: int
    total_savings: int
    total_investment: int
    total_short_savings: int
    net_asset: int


class BalancesShown(_Documented):
    """What the household has put by at the end of a month."""

    year_month: str
    cash_accumulated: int
    investment_accumulated: int
    short_savings_balances: dict[str, int]
    investment_valuation: dict[str, int] | None
    surplus_accumulated: int | None


class MonthAnswer(BaseModel):
    """A month whole."""

    month: str
    entries: list[EntryShown]
    totals: TotalsShown
    balances: BalancesShown | None
    is_recalculating: bool
    is_closed: bool


class DashboardMonthAnswer(BaseModel):
    """The totals and balances of one month; null where nothing is stored."""

    month: str
    totals: TotalsShown | None
    balances: BalancesShown | None
    net_worth: int | None
    is_recalculating: bool


class RecordedAnswer(BaseModel):
    """What came of entering something: the entries, the totals and balances of the month, and what is recalculated."""

    month: str
    entries: list[EntryShown]
    totals: TotalsShown
    balances: BalancesShown | None
    change: str | None
    recalculated_from: str | None
    recalculated_through: str | None


class DriftShown(BaseModel):
    """A total or a balance that was not what the entries add up to."""

    month: str
    name: str
    stored: int | None
    expected: int


def entry_shown(entry: Entry) -> EntryShown:
    """An entry with what it has."""
    values: dict[str, Any] = {name: getattr(entry, name) for name in type(entry).model_fields}
    return EntryShown(kind=kind_of(entry).name, parts=list(parts_of(entry)), version=tag_of(entry), **values)


def totals_shown(totals: Totals) -> TotalsShown:
    return TotalsShown(**{name: getattr(totals, name) for name in TotalsShown.model_fields})


def balances_shown(balances: Balances | None) -> BalancesShown | None:
    if balances is None:
        return None
    return BalancesShown(**{name: getattr(balances, name) for name in BalancesShown.model_fields})


def month_answer(found: MonthShown) -> MonthAnswer:
    return MonthAnswer(
        month=found.month,
        entries=[entry_shown(each) for each in found.entries],
        totals=totals_shown(found.totals),
        balances=balances_shown(found.balances),
        is_recalculating=found.is_recalculating,
        is_closed=found.is_closed,
    )


def dashboard_month(found: DashboardMonth) -> DashboardMonthAnswer:
    return DashboardMonthAnswer(
        month=found.month,
        totals=None if found.totals is None else totals_shown(found.totals),
        balances=balances_shown(found.balances),
        net_worth=found.net_worth,
        is_recalculating=found.is_recalculating,
    )


def recorded_answer(done: Recorded) -> RecordedAnswer:
    return RecordedAnswer(
        month=done.month,
        entries=[entry_shown(each.after) for each in done.rewrites if each.after is not None],
        totals=totals_shown(done.totals),
        balances=balances_shown(done.balances),
        change=None if done.change is None else done.change.id,
        recalculated_from=done.book.wrong_since,
        recalculated_through=None if done.book.wrong_since is None else done.book.last,
    )


def drifts_shown(drifts: Iterable[Drift]) -> list[DriftShown]:
    return [
        DriftShown(month=each.month, name=each.name, stored=each.stored, expected=each.expected)
        for each in drifts
    ]


@contextmanager
def both_amounts() -> Iterator[None]:
    """Answer a preview that is older than a change with both amounts of each such line (X1-10)."""
    try:
        yield
    except Conflict as late:
        if late.code != "assets.preview-stale":
            raise
        more = {"lines": [_stale(each) for each in late.item]}
        raise Problem("conflict", str(late), said=late.code, values=late.values, more=more) from late


def _stale(each: StaleLine) -> dict[str, Any]:
    return {
        "line": each.line,
        "month": each.month,
        "kind": each.place.kind.name,
        "parts": list(each.place.parts),
        "theirs": each.theirs,
        "yours": each.yours,
        "seen": seen_key(each.month, each.place),
        "version": each.version,
    }
