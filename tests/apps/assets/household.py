"""Entries, totals and balances for the tests of the asset manager."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from typing import Any

from hansang.apps.assets.design import (
    AssetManager,
    Balances,
    FixedExpense,
    Income,
    LivingExpense,
    Savings,
    Totals,
)
from hansang.apps.assets.entering import Given, Place
from hansang.apps.assets.kinds import KindName
from hansang.apps.assets.opening import OpeningGiven
from hansang.apps.assets.recording import Recorded, Who
from hansang.apps.assets.service import Assets
from hansang.apps.assets.settings import AssetsSettings
from hansang.backends.base import Backend
from hansang.backends.embedded import Embedded
from hansang.design import Database
from hansang.parts.history import Actor
from hansang.parts.platform import Platform
from tests.surfaces.shells import SetClock

NOW = datetime(2025, 1, 1, tzinfo=UTC)
MONTH = "2025.01"
WHO = Who(Actor("person", "배우자1", "배우자1"))


def income(month: str = MONTH, name: str = "배우자1", kind: str = "월급", amount: int = 3_500_000) -> Income:
    return Income(
        year_month=month, name=name, income_type=kind, amount=amount, created_at=NOW, updated_at=NOW
    )


def fixed(kind: str = "대출", month: str = MONTH) -> FixedExpense:
    return FixedExpense(year_month=month, expense_type=kind, amount=800_000, created_at=NOW, updated_at=NOW)


def living(category: str = "식비", month: str = MONTH) -> LivingExpense:
    return LivingExpense(year_month=month, category=category, amount=500_000, created_at=NOW, updated_at=NOW)


def savings(account: str = "적금1", month: str = MONTH) -> Savings:
    return Savings(
        year_month=month,
        account_name=account,
        account_type="현금확보용적금",
        amount=500_000,
        created_at=NOW,
        updated_at=NOW,
    )


def totals(month: str = MONTH) -> Totals:
    return Totals(
        year_month=month,
        total_income=7_000_000,
        total_expense=2_300_000,
        total_savings=1_500_000,
        total_investment=1_000_000,
        total_short_savings=200_000,
        net_asset=2_000_000,
        created_at=NOW,
        updated_at=NOW,
    )


def balances(month: str = MONTH) -> Balances:
    return Balances(
        year_month=month,
        cash_accumulated=15_000_000,
        investment_accumulated=8_000_000,
        short_savings_balances={"운동": 500_000, "여행": 800_000, "경조비": 300_000},
        created_at=NOW,
        updated_at=NOW,
    )


@contextmanager
def ledger(
    clock: SetClock | None = None, settings: AssetsSettings | None = None, backend: Backend | None = None
) -> Iterator[Assets]:
    """A household that has nothing yet, with its history."""
    with Embedded.open(":memory:") if backend is None else nullcontext(backend) as found:
        database = Database(found, secret=b"of a test")
        database.create_tables(AssetManager, Platform)
        yield Assets(database, clock or SetClock(NOW.timestamp()), settings, sleep=lambda seconds: None)


def enter(assets: Assets, month: str, kind: KindName, *parts: str, **given: Any) -> Recorded:
    """Set an entry, or add to it, as the first of the couple."""
    return assets.entering.enter(month, Place.of(kind, parts), Given(**given), WHO)


def enter_january(assets: Assets) -> None:
    """The month of the document: what its totals and balances are made of (1-17, 1-18)."""
    assets.opening.set(
        OpeningGiven("2024.12", 13_500_000, 7_000_000, {"운동": 400_000, "여행": 700_000, "경조비": 300_000}),
        WHO,
    )
    for name in ("배우자1", "배우자2"):
        enter(assets, MONTH, "income", name, "월급", amount=3_500_000)
    enter(assets, MONTH, "fixed-expense", "대출", amount=800_000)
    enter(assets, MONTH, "fixed-expense", "주거", amount=1_000_000)
    enter(assets, MONTH, "living-expense", "식비", amount=500_000)
    for account in ("적금1", "적금2", "적금3"):
        enter(assets, MONTH, "savings", account, amount=500_000)
    enter(assets, MONTH, "investment", "주식", amount=1_000_000)
    for account in ("운동", "여행"):
        enter(assets, MONTH, "short-savings", account, "적립", amount=100_000)


def right(assets: Assets) -> bool:
    """Whether totals and balances are what a recomputation from the entries gives."""
    return assets.checking.check().is_right
