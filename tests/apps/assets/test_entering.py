"""Entering: an entry, the totals and the balances of its month change together."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import pytest

from hansang.apps.assets.design import BalancesKey, CodesKey, Detail, Income, Savings, TotalsKey
from hansang.apps.assets.entering import LARGEST_AMOUNT, Given, Place, tag_of
from hansang.apps.assets.service import Assets
from hansang.apps.assets.settings import AssetsSettings
from hansang.errors import Conflict, InvalidInput
from tests.apps.assets.household import MONTH, WHO, enter, enter_january, ledger, right
from tests.clauses import clause


@pytest.fixture
def assets() -> Iterator[Assets]:
    with ledger() as found:
        yield found


@clause("1-17", "1-18", "1-30", "G2", "X1-07")
def test_the_month_of_the_document_has_exactly_its_totals_and_its_balances(assets: Assets) -> None:
    enter_january(assets)
    found = assets.reading.month(MONTH)
    totals = found.totals
    assert (totals.total_income, totals.total_expense, totals.total_savings) == (
        7_000_000,
        2_300_000,
        1_500_000,
    )
    assert (totals.total_investment, totals.total_short_savings, totals.net_asset) == (
        1_000_000,
        200_000,
        2_000_000,
    )
    assert found.balances is not None
    assert (found.balances.cash_accumulated, found.balances.investment_accumulated) == (15_000_000, 8_000_000)
    assert found.balances.short_savings_balances == {"운동": 500_000, "여행": 800_000, "경조비": 300_000}
    assert right(assets)


@clause("X1-11", "1-16")
def test_an_amount_is_set_or_added_to(assets: Assets) -> None:
    enter(assets, MONTH, "living-expense", "식비", amount=30_000)
    enter(assets, MONTH, "living-expense", "식비", add=12_000)
    enter(assets, MONTH, "living-expense", "식비", add=-2_000)
    [entry] = assets.reading.month(MONTH).entries
    assert (entry.amount, entry.entries) == (40_000, None)
    enter(assets, MONTH, "living-expense", "식비", amount=7)
    assert assets.reading.month(MONTH).totals.total_expense == 7


@clause("X1-11", "X1-23")
def test_payments_are_lines_whose_sum_is_the_amount(assets: Assets) -> None:
    enter(assets, MONTH, "living-expense", "식비", amount=30_000)
    enter(
        assets,
        MONTH,
        "living-expense",
        "식비",
        add=12_000,
        memo="장보기",
        by="배우자2",
        date=date(2025, 1, 9),
    )
    done = enter(assets, MONTH, "living-expense", "식비", add=500)
    entry = done.rewrites[0].after
    assert entry is not None
    assert entry.entries is not None
    assert [each.amount for each in entry.entries] == [30_000, 12_000, 500]
    assert (entry.amount, entry.entries[1].memo, entry.entries[1].by) == (42_500, "장보기", "배우자2")
    lines = (Detail(date=date(2025, 1, 3), amount=900),)
    assert enter(assets, MONTH, "living-expense", "식비", details=lines).totals.total_expense == 900


@clause("X1-22")
@pytest.mark.parametrize("given", [{"add": -1}, {"amount": LARGEST_AMOUNT + 1}, {}])
def test_an_amount_out_of_range_changes_nothing(assets: Assets, given: dict[str, int]) -> None:
    with pytest.raises(InvalidInput):
        enter(assets, MONTH, "income", "배우자1", "월급", **given)
    assert assets.reading.month(MONTH).entries == []


@clause("X1-12", "X1-14", "X1-17")
def test_codes_that_the_household_does_not_have_are_refused(assets: Assets) -> None:
    with pytest.raises(InvalidInput, match="Add it first"):
        enter(assets, MONTH, "living-expense", "술값", amount=1)
    with pytest.raises(
        InvalidInput, match="is an account of 투자용, and this entry takes one of 현금확보용적금"
    ):
        enter(assets, MONTH, "savings", "주식", amount=1)
    with pytest.raises(InvalidInput, match="named by name and income_type"):
        enter(assets, MONTH, "income", "배우자1", amount=1)
    enter(assets, MONTH, "living-expense", "\u1109\u1175\u11a8\u1107\u1175", amount=1)  # 식비, decomposed
    assert assets.reading.month(MONTH).amounts() == {("living-expense", "식비"): 1}


@clause("X1-17", "1-13", "1-14", "1-15")
def test_the_family_of_an_account_is_written_by_the_application(assets: Assets) -> None:
    saved = enter(assets, MONTH, "savings", "적금1", amount=1).rewrites[0].after
    assert isinstance(saved, Savings)
    assert saved.account_type == "현금확보용적금"


@clause("X1-06")
def test_what_is_used_lowers_the_balance_and_leaves_the_totals(assets: Assets) -> None:
    enter(assets, MONTH, "short-savings", "여행", "적립", amount=100)
    done = enter(assets, MONTH, "short-savings", "여행", "사용", amount=130)
    assert done.totals.total_short_savings == 100
    assert done.balances is not None
    assert done.balances.short_savings_balances == {"여행": -30}
    assert right(assets)


@clause("X1-10")
def test_the_second_of_two_at_once_gets_both_values_and_decides(assets: Assets) -> None:
    seen = tag_of(enter(assets, MONTH, "living-expense", "식비", amount=10_000).rewrites[0].after)
    enter(assets, MONTH, "living-expense", "식비", amount=11_000, seen=seen)
    with pytest.raises(Conflict, match="it is 11,000 now, and you gave 12,000") as told:
        enter(assets, MONTH, "living-expense", "식비", amount=12_000, seen=seen)
    assert told.value.item.amount == 11_000
    enter(assets, MONTH, "living-expense", "식비", amount=12_000, seen=str(told.value.values["version"]))
    with pytest.raises(Conflict, match="it is nothing now"):
        enter(assets, MONTH, "living-expense", "교통비", amount=1, seen=seen)
    enter(assets, MONTH, "living-expense", "교통비", amount=1, seen="none")
    assert assets.reading.month(MONTH).totals.total_expense == 12_001


def test_the_version_tells_two_writes_of_one_second_apart(assets: Assets) -> None:
    first = tag_of(enter(assets, MONTH, "living-expense", "식비", amount=1).rewrites[0].after)
    second = tag_of(enter(assets, MONTH, "living-expense", "식비", amount=2).rewrites[0].after)
    assert first != second


def test_several_entries_change_together_or_not_at_all(assets: Assets) -> None:
    wanted = [
        (Place.of("fixed-expense", ("통신",)), Given(amount=80_000)),
        (Place.of("living-expense", ("식비",)), Given(add=5)),
    ]
    assets.entering.enter_all(MONTH, wanted, WHO)
    with pytest.raises(InvalidInput):
        assets.entering.enter_all(MONTH, [*wanted[:1], (wanted[1][0], Given(add=-6))], WHO)
    assert assets.reading.month(MONTH).totals.total_expense == 80_005
    with pytest.raises(InvalidInput, match="named twice"):
        assets.entering.enter_all(MONTH, [wanted[0], wanted[0]], WHO)


def test_an_entry_is_cleared_with_its_effect(assets: Assets) -> None:
    enter_january(assets)
    done = enter(assets, MONTH, "income", "배우자2", "월급", is_cleared=True)
    assert (done.totals.total_income, done.totals.net_asset) == (3_500_000, -1_500_000)
    assert not [
        each
        for each in assets.reading.month(MONTH).entries
        if isinstance(each, Income) and each.name == "배우자2"
    ]
    assert right(assets)


@clause("X1-18")
def test_a_later_month_is_among_those_to_be_chosen_once_it_is_used(assets: Assets) -> None:
    enter(assets, "2027.02", "living-expense", "식비", amount=1)
    kept = assets.database.get(CodesKey(kind="YEAR_MONTH"))
    assert (kept.codes[0], kept.codes[-1], len(kept.codes)) == ("2025.01", "2027.02", 26)
    for month in ("2027.13", "2027-01", "2027.1"):
        with pytest.raises(InvalidInput, match="not a valid month"):
            enter(assets, month, "living-expense", "식비", amount=1)
    with pytest.raises(InvalidInput, match="too far"):
        enter(assets, "2999.01", "living-expense", "식비", amount=1)


@clause("X1-09")
def test_when_totals_and_balances_were_first_written_stays(assets: Assets) -> None:
    first = enter(assets, MONTH, "savings", "적금1", amount=1)
    assets.clock.advance(3600)  # type: ignore[attr-defined]
    second = enter(assets, MONTH, "savings", "적금1", amount=2)
    assert second.totals.created_at == first.totals.created_at < second.totals.updated_at
    stored = assets.database.get(BalancesKey(year_month=MONTH))
    assert stored.created_at == first.totals.created_at < stored.updated_at
    assert assets.database.get(TotalsKey(year_month=MONTH)) == second.totals


@clause("X1-07")
def test_what_is_left_can_be_counted_as_cash() -> None:
    with ledger(settings=AssetsSettings(cash_includes_surplus=True)) as assets:
        enter_january(assets)
        found = assets.reading.month(MONTH).balances
        assert found is not None
        assert found.cash_accumulated == 17_000_000
        assert right(assets)


def test_the_same_again_writes_nothing(assets: Assets) -> None:
    enter(assets, MONTH, "savings", "적금1", amount=1)
    with assets.database.meter() as cost:
        done = enter(assets, MONTH, "savings", "적금1", amount=1)
    assert (done.change, cost.write) == (None, 0)
