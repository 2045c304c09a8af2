"""What the patterns of the asset manager cost, and what its amounts, months and codes refuse."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import pytest

from hansang.apps.assets.design import (
    AccountCodes,
    AssetManager,
    Balances,
    Codes,
    CodesKey,
    Detail,
    FixedExpense,
    Income,
    IncomeKey,
    ShortSavings,
    ShortSavingsKey,
    TotalsKey,
)
from hansang.apps.assets.questions import dashboard, period
from hansang.apps.assets.rules import months
from hansang.design import Database, attr
from tests.apps.assets.household import MONTH, NOW, balances, fixed, income, totals
from tests.clauses import clause
from tests.storing import examples, item, load, opened, shape


@pytest.fixture
def db() -> Iterator[Database]:
    with opened(AssetManager) as db:
        yield db


# ── units ─────────────────────────────────────────────────────────────────────────────────────────


@clause("1-22", "X1-04")
def test_a_list_of_codes_costs_half_a_unit_either_way(db: Database) -> None:
    load(db, AssetManager, *examples("assets").values())
    with db.meter() as question:
        db.all(Codes.of_kind("NAME"))
    with db.meter() as item_:
        db.get(CodesKey(kind="NAME"))
    with db.meter() as strong:
        db.get(CodesKey(kind="NAME"), consistent=True)
    assert (question.read, item_.read, strong.read) == (0.5, 0.5, 1.0)


@clause("1-23", "1-24", "1-25")
def test_a_partition_of_a_month_costs_half_a_unit(db: Database) -> None:
    for kind in ("대출", "주거", "통신", "곗돈", "구독"):
        db.put(fixed(kind))
    with db.meter() as cost:
        assert len(db.all(FixedExpense.of_month(MONTH))) == 5
    assert (cost.read, cost.requests) == (0.5, 1)


@clause("1-26")
def test_the_dashboard_of_a_month_costs_one_unit(db: Database) -> None:
    db.batch_write([totals(), balances()])
    with db.meter() as cost:
        assert len(db.batch_get(dashboard([MONTH]))) == 2
    assert (cost.read, cost.requests) == (1.0, 1)


@clause("X1-01", "1-26", "1-27")
def test_the_dashboard_of_a_year_is_24_keys_and_12_units_in_one_request(db: Database) -> None:
    year = list(months("2025.01", "2025.12"))
    db.batch_write([made for month in year for made in (totals(month), balances(month))])
    with db.meter() as cost:
        found = db.batch_get(dashboard(year))
    assert (len(found), cost.read, cost.requests) == (24, 12.0, 1)


@clause("X1-01", "1-27")
def test_a_year_through_the_index_is_twelve_questions_of_half_a_unit(db: Database) -> None:
    for month in months("2025.01", "2025.12"):
        db.batch_write([income(month), totals(month), balances(month)])
    with db.meter() as cost:
        found = [each for question in period("2025.01", "2025.12") for each in db.all(question)]
    assert (len(found), cost.read, cost.requests) == (36, 6.0, 12)


@clause("1-10", "1-03")
def test_an_entry_costs_one_unit_for_the_table_and_one_for_the_index(db: Database) -> None:
    with db.meter() as cost:
        db.put(income())
    assert (cost.write, cost.tables["AssetManager"].write) == (2.0, 1.0)


@clause("1-04", "X1-03")
def test_codes_cost_one_unit_because_they_are_in_no_index(db: Database) -> None:
    with db.meter() as cost:
        db.put(Codes(kind="NAME", codes=["배우자1"]))
    assert cost.write == 1.0


# ── amounts, months, codes ────────────────────────────────────────────────────────────────────────


@clause("X1-22")
@pytest.mark.parametrize("amount", [-1, 10**12 + 1, 0.5, 1.0, True, "1"])
def test_an_amount_is_whole_won_and_nothing_else(amount: object) -> None:
    with pytest.raises(ValueError, match="amount"):
        Income.model_validate({**income().model_dump(), "amount": amount})


@clause("X1-22")
@pytest.mark.parametrize("amount", [0, 10**12])
def test_an_amount_goes_from_nothing_to_a_trillion(db: Database, amount: int) -> None:
    made = income(amount=amount)
    assert shape(Income).decode(shape(Income).encode(made)) == made


@clause("X1-18")
@pytest.mark.parametrize("month", ["2025.13", "2025-01", "2025.01\n"])
def test_a_key_of_a_malformed_month_is_refused(month: str) -> None:
    with pytest.raises(ValueError, match="year_month"):
        TotalsKey(year_month=month)


@clause("X1-12")
def test_a_name_that_would_make_another_key_is_refused() -> None:
    with pytest.raises(ValueError, match="name"):
        IncomeKey(year_month=MONTH, name="배우자#1", income_type="월급")


@clause("X1-14")
def test_composed_and_decomposed_hangul_are_one_key(db: Database) -> None:
    db.put(income(name="한"))
    decomposed = IncomeKey(year_month=MONTH, name="\u1112\u1161\u11ab", income_type="월급")
    assert db.get(decomposed) == income(name="한")
    assert decomposed.name == "한"


@clause("X1-14")
def test_a_question_in_decomposed_hangul_finds_what_is_composed(db: Database) -> None:
    db.batch_write([income(name="한"), fixed("한")])
    decomposed = "\u1112\u1161\u11ab"
    named = FixedExpense.query(FixedExpense.year_month == MONTH, FixedExpense.expense_type == decomposed)
    assert (len(db.all(Income.of_person(MONTH, decomposed))), len(db.all(named))) == (1, 1)


@clause("X1-06")
def test_short_savings_are_put_by_or_used(db: Database) -> None:
    key = ShortSavingsKey(year_month=MONTH, account_name="운동", transaction_type="사용")
    db.put(ShortSavings(**key.model_dump(), amount=1, created_at=NOW, updated_at=NOW))
    assert db.get(key).transaction_type == "사용"
    with pytest.raises(ValueError, match="transaction_type"):
        ShortSavingsKey.model_validate({**key.model_dump(), "transaction_type": "이체"})


@clause("X1-19")
def test_reserved_names_are_no_obstacle(db: Database) -> None:
    db.put(income())
    db.update(income(), attr(Income.amount).add(1), when=Income.amount == 3_500_000)
    found = db.all(Income.query(Income.year_month == MONTH).where(attr(Income.entries).missing()))
    assert [each.amount for each in found] == [3_500_001]


# ── what may be there beside the document's attributes ────────────────────────────────────────────


@clause("X1-11", "X1-23")
def test_an_entry_may_say_what_it_is_the_sum_of(db: Database) -> None:
    details = [
        Detail(date=date(2025, 1, 3), amount=3_000_000),
        Detail(date=date(2025, 1, 9), amount=500_000, by="배우자2"),
    ]
    made = db.put(income().model_copy(update={"entries": details}))
    assert db.get(IncomeKey(year_month=MONTH, name="배우자1", income_type="월급")) == made
    assert shape(Income).encode(made)["entries"]["L"][0] == {
        "M": item({"date": "2025-01-03", "amount": 3_000_000})
    }


@clause("X1-15", "X1-16", "X1-25")
def test_codes_may_have_labels_an_order_of_groups_and_a_time() -> None:
    made = AccountCodes(
        codes={"투자용": ["주식"]}, labels={"주식": "국내 주식"}, group_order=["투자용"], updated_at=NOW
    )
    found = shape(AccountCodes).encode(made)
    assert (found["labels"], found["groupOrder"], found["updatedAt"]) == (
        {"M": {"주식": {"S": "국내 주식"}}},
        {"L": [{"S": "투자용"}]},
        {"S": "2025-01-01T00:00:00Z"},
    )
    assert shape(AccountCodes).decode(found) == made


@clause("X1-24")
def test_balances_may_have_the_market_value_beside_what_was_paid_in(db: Database) -> None:
    made = balances().model_copy(update={"investment_valuation": {"주식": 9_100_000}})
    assert shape(Balances).decode(shape(Balances).encode(made)) == made
    assert "investmentValuation" not in shape(Balances).encode(balances())
