"""Entries, totals and balances for the tests of the asset manager."""

from __future__ import annotations

from datetime import UTC, datetime

from hansang.apps.assets.design import Balances, FixedExpense, Income, LivingExpense, Savings, Totals

NOW = datetime(2025, 1, 1, tzinfo=UTC)
MONTH = "2025.01"


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
