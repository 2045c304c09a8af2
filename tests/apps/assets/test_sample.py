"""The sample of the asset manager: its sums agree, and nothing of it lies ahead of its moment."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise

import pytest

from hansang.apps.assets.application import APPLICATION
from hansang.apps.assets.design import (
    AccountCodes,
    AccountCodesKey,
    Balances,
    BalancesKey,
    Book,
    CodeKind,
    Codes,
    CodesKey,
    Entry,
    FixedExpense,
    Income,
    Investment,
    LivingExpense,
    MonthItem,
    Savings,
    ShortSavings,
    Totals,
    TotalsKey,
)
from hansang.apps.assets.plans import Budget, Goal, Holding
from hansang.apps.assets.rules import month_before, months, surplus
from hansang.apps.assets.sample import household
from hansang.design import Database
from hansang.parts.sampling import in_seoul
from tests.apps.sampled import NOW, everything, filled, pattern_names, stored, unanswered
from tests.clauses import clause

MONTHS = list(months("2024.09", "2026.10"))
FULL_MONTH = "2026.09"


@pytest.fixture(scope="module")
def db(sample: tuple[Database, list[int]]) -> Database:
    return sample[0]


def month_items(db: Database, month: str) -> list[MonthItem]:
    return db.all(Totals.with_everything(month))


def entries(db: Database, month: str) -> list[Entry]:
    return [item for item in month_items(db, month) if isinstance(item, Entry)]


def amount(found: list[Entry], *kinds: type[Entry]) -> int:
    return sum(entry.amount for entry in found if isinstance(entry, kinds))


def short(found: list[Entry], kind: str) -> dict[str, int]:
    wanted = [entry for entry in found if isinstance(entry, ShortSavings) and entry.transaction_type == kind]
    return {entry.account_name: entry.amount for entry in wanted}


def codes(db: Database, kind: CodeKind) -> list[str]:
    return db.get(CodesKey(kind=kind)).codes


# ── the whole ─────────────────────────────────────────────────────────────────────────────────────


def test_two_fills_are_the_same(db: Database) -> None:
    with filled(APPLICATION) as (again, _):
        assert everything(again, APPLICATION) == everything(db, APPLICATION)


def test_every_item_is_told_of_and_none_is_written_twice(sample: tuple[Database, list[int]]) -> None:
    db, said = sample
    assert sum(said) == stored(db, APPLICATION)
    assert 650 <= sum(said) <= 850


CHOSEN_BY_PEOPLE = {"Household.all_of_them", "HouseRules.present", "ImportPreset.all_of_them"}
"""The sample is one household with the usual rules, which has read no file yet."""


def test_every_access_pattern_has_an_answer(db: Database) -> None:
    questions = [
        Codes.of_kind("NAME"),
        AccountCodes.present(),
        Income.of_month(FULL_MONTH),
        Income.of_person(FULL_MONTH, "준호"),
        FixedExpense.of_month(FULL_MONTH),
        LivingExpense.of_month(FULL_MONTH),
        Savings.of_month(FULL_MONTH),
        Investment.of_month(FULL_MONTH),
        ShortSavings.of_month(FULL_MONTH),
        Totals.of_month(FULL_MONTH),
        Totals.with_everything(FULL_MONTH),
        Balances.of_month(FULL_MONTH),
        Book.present(),
        LivingExpense.with_fixed(FULL_MONTH),
        Savings.with_investment(FULL_MONTH),
        Totals.with_balances(FULL_MONTH),
        Holding.all_of_them(),
        Budget.all_of_them(),
        Goal.all_of_them(),
    ]
    assert {question.name for question in questions} >= pattern_names(APPLICATION) - CHOSEN_BY_PEOPLE
    assert unanswered(db, questions) == set()


# ── sums ──────────────────────────────────────────────────────────────────────────────────────────


@clause("1-17", "1-19", "1-20", "X1-06")
@pytest.mark.parametrize("month", MONTHS)
def test_the_totals_of_a_month_are_the_sums_of_its_entries(db: Database, month: str) -> None:
    found, totals = entries(db, month), db.get(TotalsKey(year_month=month))
    sums = {
        "income": amount(found, Income),
        "expense": amount(found, FixedExpense, LivingExpense),
        "savings": amount(found, Savings),
        "investment": amount(found, Investment),
        "short_savings": sum(short(found, "적립").values()),
    }
    assert {name: getattr(totals, f"total_{name}") for name in sums} == sums
    assert totals.net_asset == surplus(**sums)


@clause("1-18", "X1-07")
@pytest.mark.parametrize("month", MONTHS)
def test_the_balances_of_a_month_follow_from_those_before(db: Database, month: str) -> None:
    before, after = (db.get(BalancesKey(year_month=each)) for each in (month_before(month), month))
    found, totals = entries(db, month), db.get(TotalsKey(year_month=month))
    put_by, used = short(found, "적립"), short(found, "사용")
    assert after.cash_accumulated == before.cash_accumulated + totals.total_savings
    assert after.investment_accumulated == before.investment_accumulated + totals.total_investment
    assert after.short_savings_balances == {
        account: balance + put_by.get(account, 0) - used.get(account, 0)
        for account, balance in before.short_savings_balances.items()
    }


@clause("X1-06")
def test_no_account_is_ever_below_nothing(db: Database) -> None:
    balances = [db.get(BalancesKey(year_month=month)) for month in MONTHS]
    assert all(min(each.short_savings_balances.values()) >= 0 for each in balances)


@clause("X1-11")
def test_an_amount_with_details_is_their_sum(db: Database) -> None:
    detailed = [entry for month in MONTHS for entry in entries(db, month) if entry.entries]
    assert len(detailed) > 200
    assert all(entry.amount == sum(each.amount for each in entry.entries or []) for entry in detailed)


# ── codes ─────────────────────────────────────────────────────────────────────────────────────────


@clause("1-05", "1-06", "1-07", "1-08", "1-09", "X1-17")
def test_every_entry_is_of_a_code(db: Database) -> None:
    accounts = db.get(AccountCodesKey()).codes
    known: dict[type[Entry], set[object]] = {
        Income: {(name, kind) for name in codes(db, "NAME") for kind in codes(db, "INCOME_TYPE")},
        FixedExpense: set(codes(db, "FIXED_EXPENSE_TYPE")),
        LivingExpense: set(codes(db, "LIVING_EXPENSE_CATEGORY")),
        Savings: {("현금확보용적금", account) for account in accounts["현금확보용적금"]},
        Investment: {("투자용", account) for account in accounts["투자용"]},
        ShortSavings: {
            (account, kind) for account in accounts["단기저축용"] for kind in codes(db, "TRANSACTION_TYPE")
        },
    }
    for month in MONTHS:
        assert all(_code(entry) in known[type(entry)] for entry in entries(db, month))


def _code(entry: Entry) -> object:
    match entry:
        case Income():
            return entry.name, entry.income_type
        case FixedExpense():
            return entry.expense_type
        case LivingExpense():
            return entry.category
        case ShortSavings():
            return entry.account_name, entry.transaction_type
        case Savings() | Investment():
            return entry.account_type, entry.account_name
    raise AssertionError(entry)


@clause("1-04", "X1-18")
def test_every_month_is_a_code_and_so_is_the_year_to_come(db: Database) -> None:
    listed = codes(db, "YEAR_MONTH")
    assert listed == list(months(MONTHS[0], "2027.12"))
    assert [month for month in listed if db.find(TotalsKey(year_month=month))] == MONTHS


# ── time ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "now",
    [
        NOW,
        datetime(2026, 9, 30, 15, 0, tzinfo=UTC),
        datetime(2028, 2, 29, 14, 59, 59, tzinfo=UTC),
        datetime(2027, 1, 31, 0, 0, tzinfo=UTC),
    ],
)
def test_nothing_lies_ahead_of_the_moment(now: datetime) -> None:
    made = list(household(now))
    entered = [entity for entity in made if isinstance(entity, Entry | Totals | Balances)]
    assert max(each.updated_at for each in entered) <= now
    assert all(each.created_at <= each.updated_at for each in entered)
    paid = [each.date for entity in entered if isinstance(entity, Entry) for each in entity.entries or []]
    assert max(paid) <= in_seoul(now).date()
    assert len([entity for entity in made if isinstance(entity, Totals)]) == 26


def test_the_details_of_an_entry_are_of_its_month_and_in_order(db: Database) -> None:
    for month in MONTHS:
        for entry in entries(db, month):
            days = [each.date for each in entry.entries or []]
            assert all(f"{day:%Y.%m}" == month for day in days)
            assert all(first <= second for first, second in pairwise(days))


# ── a life ────────────────────────────────────────────────────────────────────────────────────────


def test_income_grows_and_some_months_bring_more(db: Database) -> None:
    totals = [db.get(TotalsKey(year_month=month)) for month in MONTHS]
    salaries = [
        sum(each.amount for each in db.all(Income.of_month(month)) if each.income_type == "월급")
        for month in MONTHS
    ]
    assert salaries == sorted(salaries)
    assert salaries[-1] > salaries[0]
    assert any(month.total_income > salary for month, salary in zip(totals, salaries, strict=True))


def test_the_household_puts_by_more_than_it_owes_in_most_months(db: Database) -> None:
    left = [db.get(TotalsKey(year_month=month)).net_asset for month in MONTHS]
    assert sum(each > 0 for each in left) >= 20
    assert min(left) < 1_000_000 < max(left)
