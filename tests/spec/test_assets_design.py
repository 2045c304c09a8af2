"""The table of the asset manager is the one of its document, clause by clause."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from hansang.apps.assets.design import (
    AccountCodes,
    AccountCodesKey,
    AssetManager,
    Balances,
    Codes,
    CodesKey,
    FixedExpense,
    Income,
    Investment,
    LivingExpense,
    Savings,
    ShortSavings,
    Totals,
)
from hansang.apps.assets.questions import dashboard, expenses, period, put_by
from hansang.apps.assets.rules import months
from hansang.design import Database, Entity
from tests.apps.assets.household import balances, fixed, income, living, savings, totals
from tests.clauses import clause
from tests.storing import after_round_trip, asked, examples, item, load, opened, projected, shape, stored

EXAMPLES = examples("assets")
COMMON = {"PK", "SK", "yearMonth", "createdAt", "updatedAt"}
ENTRY = COMMON | {"amount", "entries"}
ENTRIES: list[type[Entity]] = [Income, FixedExpense, LivingExpense, Savings, Investment, ShortSavings]


@pytest.fixture
def db() -> Iterator[Database]:
    with opened(AssetManager) as db:
        yield db


# ── the table and its index ───────────────────────────────────────────────────────────────────────


@clause("1-01", "1-02")
def test_one_table_has_a_partition_key_and_a_sort_key_of_text() -> None:
    definition = AssetManager.definition()
    assert definition["TableName"] == "AssetManager"
    assert definition["KeySchema"] == [
        {"AttributeName": "PK", "KeyType": "HASH"},
        {"AttributeName": "SK", "KeyType": "RANGE"},
    ]
    assert (AssetManager.kind_of("PK"), AssetManager.kind_of("SK")) == ("S", "S")


@clause("1-03", "X1-03")
def test_the_index_is_by_month_and_then_by_kind_and_holds_everything() -> None:
    [index] = AssetManager.indexes
    assert (index.name, index.keys, projected(index)) == ("yearMonth-PK-index", ("yearMonth", "PK"), "ALL")
    assert AssetManager.kind_of("yearMonth") == "S"


@clause("X1-03")
def test_codes_are_not_in_the_index(db: Database) -> None:
    load(db, AssetManager, *EXAMPLES.values())
    held = db.backend.call("Scan", {"TableName": AssetManager.name, "IndexName": "yearMonth-PK-index"})
    assert (held["Count"], len(stored(db, AssetManager))) == (8, 14)


@clause("X1-21")
def test_a_second_household_has_a_table_of_its_own(db: Database) -> None:
    second = Database(db.backend, names={AssetManager: "AssetManager-kim"})
    assert second.create_tables(AssetManager) == ["AssetManager-kim"]
    ours = EXAMPLES["INCOME"]
    theirs = ours | {"amount": 1}
    load(db, AssetManager, ours)
    load(second, AssetManager, theirs)
    month = ours["yearMonth"]
    amounts = [[each.amount for each in one.all(Income.of_month(month))] for one in (db, second)]
    assert amounts == [[ours["amount"]], [1]]
    assert (stored(db, AssetManager), stored(second, AssetManager)) == ([item(ours)], [item(theirs)])
    assert db.name(AssetManager) == "AssetManager"


# ── items ─────────────────────────────────────────────────────────────────────────────────────────


@clause("1-04", "1-05", "1-06", "1-07", "1-08", "1-09", "X1-16", "X1-26")
@pytest.mark.parametrize("name", [name for name in EXAMPLES if name.startswith("CODE#")])
def test_a_code_item_of_the_document_comes_back_as_it_was(name: str) -> None:
    kind: type[Entity] = AccountCodes if name == "CODE#ACCOUNT_TYPE" else Codes
    assert after_round_trip(kind, EXAMPLES[name]) == item(EXAMPLES[name])
    assert EXAMPLES[name].keys() == {"PK", "SK", "codes"}


@clause("1-04", "X1-26")
def test_the_months_of_the_document_are_all_twenty_four() -> None:
    assert EXAMPLES["CODE#YEAR_MONTH"]["codes"] == list(months("2025.01", "2026.12"))


@clause("1-05", "1-06", "1-07", "1-08")
@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("NAME", ["배우자1", "배우자2"]),
        ("INCOME_TYPE", ["월급", "상여", "기타수입"]),
        ("FIXED_EXPENSE_TYPE", ["대출", "주거", "통신", "곗돈", "구독"]),
        ("LIVING_EXPENSE_CATEGORY", ["식비", "교통비", "의료비", "문화생활", "기타"]),
    ],
)
def test_codes_keep_their_order(name: str, codes: list[str]) -> None:
    assert shape(Codes).decode(item(EXAMPLES[f"CODE#{name}"])).codes == codes


@clause("1-09", "X1-16")
def test_accounts_are_lists_by_family() -> None:
    found = shape(AccountCodes).decode(item(EXAMPLES["CODE#ACCOUNT_TYPE"]))
    assert found.codes == {
        "현금확보용적금": ["적금1", "적금2", "적금3"],
        "투자용": ["청약", "연금저축", "주식", "코인"],
        "단기저축용": ["운동", "여행", "경조비"],
    }


@clause("1-10", "1-11", "1-12", "1-13", "1-14", "1-15", "1-17", "1-18")
@pytest.mark.parametrize(
    ("kind", "name", "key", "own"),
    [
        (Income, "INCOME", "INCOME#{year_month}/{name}#{income_type}", ENTRY | {"name", "incomeType"}),
        (FixedExpense, "FIXED_EXPENSE", "FIXED_EXPENSE#{year_month}/{expense_type}", ENTRY | {"expenseType"}),
        (LivingExpense, "LIVING_EXPENSE", "LIVING_EXPENSE#{year_month}/{category}", ENTRY | {"category"}),
        (
            Savings,
            "SAVINGS",
            "SAVINGS#{year_month}/{account_name}",
            ENTRY | {"accountName", "accountType"},
        ),
        (
            Investment,
            "INVESTMENT",
            "INVESTMENT#{year_month}/{account_name}",
            ENTRY | {"accountName", "accountType"},
        ),
        (
            ShortSavings,
            "SHORT_SAVINGS",
            "SHORT_SAVINGS#{year_month}/{account_name}#{transaction_type}",
            ENTRY | {"accountName", "transactionType"},
        ),
        (
            Totals,
            "MONTHLY_SUMMARY",
            "MONTHLY_SUMMARY#{year_month}/TOTALS",
            COMMON
            | {
                "totalIncome",
                "totalExpense",
                "totalSavings",
                "totalInvestment",
                "totalShortSavings",
                "netAsset",
            },
        ),
        (
            Balances,
            "ACCUMULATED_ASSETS",
            "ACCUMULATED_ASSETS#{year_month}/BALANCES",
            COMMON
            | {"cashAccumulated", "investmentAccumulated", "shortSavingsBalances", "investmentValuation"}
            | {"surplusAccumulated"},
        ),
    ],
)
def test_an_item_of_the_document_has_its_key_and_comes_back_as_it_was(
    kind: type[Entity], name: str, key: str, own: set[str]
) -> None:
    found = shape(kind)
    assert found.sk is not None
    assert f"{found.pk.text}/{found.sk.text}" == key
    assert found.attributes == own
    assert after_round_trip(kind, EXAMPLES[name]) == item(EXAMPLES[name])


@clause("1-16")
@pytest.mark.parametrize("kind", ENTRIES)
def test_there_is_one_entry_for_each_month_and_key(db: Database, kind: type[Entity]) -> None:
    document = EXAMPLES[shape(kind).pk.text.partition("#")[0]]
    load(db, AssetManager, document)
    db.put(shape(kind).decode(item(document | {"amount": 1})))
    assert stored(db, AssetManager) == [item(document | {"amount": 1})]


@clause("1-19")
def test_the_totals_of_the_document_leave_its_net_asset() -> None:
    document = EXAMPLES["MONTHLY_SUMMARY"]
    spent = ("totalExpense", "totalSavings", "totalInvestment", "totalShortSavings")
    assert document["totalIncome"] - sum(document[name] for name in spent) == document["netAsset"]


@clause("1-20")
def test_the_totals_of_the_document_fit_its_entries() -> None:
    amounts = {name: document["amount"] for name, document in EXAMPLES.items() if "amount" in document}
    document = EXAMPLES["MONTHLY_SUMMARY"]
    assert document["totalIncome"] == 2 * amounts["INCOME"]
    assert document["totalSavings"] == 3 * amounts["SAVINGS"]
    assert document["totalInvestment"] == amounts["INVESTMENT"]
    assert document["totalShortSavings"] == 2 * amounts["SHORT_SAVINGS"]
    assert document["totalExpense"] >= amounts["FIXED_EXPENSE"] + amounts["LIVING_EXPENSE"]


@clause("1-21")
def test_the_balances_of_the_document_hold_more_than_their_month() -> None:
    assert EXAMPLES["ACCUMULATED_ASSETS"]["cashAccumulated"] > EXAMPLES["MONTHLY_SUMMARY"]["totalSavings"]
    assert (
        EXAMPLES["ACCUMULATED_ASSETS"]["investmentAccumulated"]
        > EXAMPLES["MONTHLY_SUMMARY"]["totalInvestment"]
    )


# ── access patterns ───────────────────────────────────────────────────────────────────────────────


@clause("1-22", "1-28", "X1-04")
def test_codes_are_found_by_their_kind(db: Database) -> None:
    load(db, AssetManager, *EXAMPLES.values())
    assert asked(Codes.of_kind("INCOME_TYPE")) == "PK = CODE#INCOME_TYPE AND SK = METADATA"
    assert db.all(Codes.of_kind("NAME")) == [db.get(CodesKey(kind="NAME"))]
    assert db.all(AccountCodes.present()) == [db.get(AccountCodesKey())]


@clause("1-23")
def test_the_income_of_a_month_is_one_partition(db: Database) -> None:
    for made in (income(), income(name="배우자2"), income("2025.02")):
        db.put(made)
    assert [each.name for each in db.all(Income.of_month("2025.01"))] == ["배우자1", "배우자2"]
    assert asked(Income.of_month("2025.01")) == "PK = INCOME#2025.01"


@clause("X1-13")
def test_the_income_of_one_person_is_not_that_of_another_whose_name_goes_on(db: Database) -> None:
    for made in (income(), income(kind="상여"), income(name="배우자10")):
        db.put(made)
    assert [each.income_type for each in db.all(Income.of_person("2025.01", "배우자1"))] == ["상여", "월급"]


@clause("1-24", "X1-02")
def test_the_expenses_of_a_month_are_two_questions(db: Database) -> None:
    for made in (fixed("대출"), fixed("주거"), living("식비")):
        db.put(made)
    first, second = expenses("2025.01")
    assert ([asked(first), asked(second)], len(db.all(first)), len(db.all(second))) == (
        ["PK = FIXED_EXPENSE#2025.01", "PK = LIVING_EXPENSE#2025.01"],
        2,
        1,
    )


@clause("1-25", "X1-02")
def test_savings_and_investments_of_a_month_are_two_questions(db: Database) -> None:
    load(db, AssetManager, *EXAMPLES.values())
    first, second = put_by("2025.01")
    assert [asked(first), asked(second)] == ["PK = SAVINGS#2025.01", "PK = INVESTMENT#2025.01"]
    assert [each.account_name for each in db.all(first)] == ["적금1"]
    assert [each.account_name for each in db.all(second)] == ["주식"]
    assert [each.account_name for each in db.all(ShortSavings.of_month("2025.01"))] == ["운동"]


@clause("1-24", "1-25", "1-26", "X1-02")
def test_expenses_savings_and_the_dashboard_are_one_question_of_the_index_each(db: Database) -> None:
    load(db, AssetManager, *EXAMPLES.values())
    questions: list[Any] = [
        LivingExpense.with_fixed("2025.01"),
        Savings.with_investment("2025.01"),
        Totals.with_balances("2025.01"),
    ]
    assert [{type(each).__name__ for each in db.all(question)} for question in questions] == [
        {"FixedExpense", "LivingExpense"},
        {"Savings", "Investment"},
        {"Totals", "Balances"},
    ]
    with db.meter() as cost:
        db.all(questions[0])
    assert (cost.read, cost.requests) == (0.5, 1)


@clause("1-26", "X1-04")
def test_the_dashboard_of_a_month_is_its_totals_and_its_balances(db: Database) -> None:
    load(db, AssetManager, *EXAMPLES.values())
    assert db.batch_get(dashboard(["2025.01"])) == [totals(), balances()]
    assert asked(Totals.of_month("2025.01")) == "PK = MONTHLY_SUMMARY#2025.01 AND SK = TOTALS"
    assert asked(Balances.of_month("2025.01")) == "PK = ACCUMULATED_ASSETS#2025.01 AND SK = BALANCES"
    assert db.all(Totals.of_month("2025.01")) == [totals()]
    assert db.all(Balances.of_month("2025.01")) == [balances()]


@clause("1-27", "1-34", "X1-01")
def test_a_period_is_one_question_of_the_index_for_each_month(db: Database) -> None:
    for month in ("2024.12", "2025.01", "2025.12", "2026.01"):
        db.batch_write([income(month), savings(month=month), totals(month), balances(month)])
    questions = period("2025.01", "2025.12")
    found = [each for question in questions for each in db.all(question)]
    assert [asked(each) for each in questions] == [f"yearMonth = {m}" for m in months("2025.01", "2025.12")]
    assert found == [
        made
        for month in ("2025.01", "2025.12")
        for made in (balances(month), income(month), totals(month), savings(month=month))
    ]


@clause("1-33")
def test_everything_of_a_month_comes_without_a_join(db: Database) -> None:
    load(db, AssetManager, *EXAMPLES.values())
    kinds: list[Any] = [type(each).__name__ for each in db.all(Totals.with_everything("2025.01"))]
    assert kinds == [
        "Balances",
        "FixedExpense",
        "Income",
        "Investment",
        "LivingExpense",
        "Totals",
        "Savings",
        "ShortSavings",
    ]
