"""Reports: net worth, budgets, goals, years, people, tags, gifts and search."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime

import pytest

from hansang.apps.assets.opening import OpeningGiven
from hansang.apps.assets.plans import Budget, Goal, Holding, HoldingValue
from hansang.apps.assets.reports import against, maturity
from hansang.apps.assets.service import Assets
from tests.apps.assets.household import WHO, enter, ledger
from tests.clauses import clause
from tests.surfaces.shells import SetClock


@pytest.fixture(scope="module")
def assets() -> Iterator[Assets]:
    """A household on the 10th of March 2025."""
    with ledger(SetClock(datetime(2025, 3, 10, 3, tzinfo=UTC).timestamp())) as found:
        found.opening.set(OpeningGiven("2024.12", 1_000, 200, {"여행": 50}), WHO)
        enter(found, "2025.01", "income", "배우자1", "월급", amount=500)
        enter(found, "2025.01", "fixed-expense", "통신", amount=80)
        for month in ("2025.01", "2025.03"):
            enter(found, month, "living-expense", "의료비", add=30, by="배우자1", tag="의료비", memo="치과")
        enter(found, "2025.03", "living-expense", "의료비", add=5, by="배우자2", tag="의료비", memo="약국")
        enter(found, "2025.03", "living-expense", "식비", add=70, memo="Bakery")
        gift = {"whom": "김철수", "memo": "결혼식", "date": date(2025, 3, 8)}
        enter(found, "2025.03", "short-savings", "경조비", "사용", add=10, **gift)
        yield found


@clause("X1-05")
def test_net_worth_is_what_is_put_by_with_what_is_owned_less_what_is_owed(assets: Assets) -> None:
    values = [HoldingValue(month="2025.01", amount=900), HoldingValue(month="2025.03", amount=700)]
    assets.database.put(Holding(name="전세금", kind="deposit", amount=5_000))
    assets.database.put(Holding(name="대출", kind="debt", amount=700, values=values))
    found = assets.reports.net_worths("2024.12", "2025.03")
    assert [(each.put_by, each.owned, each.owed, each.total) for each in found] == [
        (1_250, 5_000, 0, 6_250),
        (1_250, 5_000, 900, 5_350),
        (1_250, 5_000, 900, 5_350),
        (1_240, 5_000, 700, 5_540),
    ]
    assert assets.reports.net_worth("2025.03").total == 5_540
    balances = found[-1].balances
    assert balances is not None
    assert balances.surplus_accumulated == 500 - 80 - 30 - 105


@pytest.mark.parametrize(("amount", "state"), [(200, "fine"), (100, "soon"), (69, "over")])
def test_a_budget_warns_while_there_is_still_something_to_spend(
    assets: Assets, amount: int, state: str
) -> None:
    assets.database.put(Budget(kind="living-expense", code="식비", amount=amount))
    [found] = assets.reports.budgets("2025.03")
    assert (found.spent, found.left, found.state) == (70, amount - 70, state)


def test_a_pot_shows_how_far_it_is_and_a_term_deposit_what_it_pays(assets: Assets) -> None:
    assets.database.put(Goal(account="여행", amount=200, due="2025.12"))
    term = Goal(account="적금1", started="2025.01", due="2026.01", monthly=300_000, rate=400)
    assets.database.put(term)
    found = {each.account: each for each in assets.reports.pots("2025.03", assets.codes.accounts())}
    assert (found["여행"].balance, found["여행"].percent, found["경조비"].balance) == (50, 25, -10)
    paid = maturity(term)
    assert paid is not None
    assert (paid.paid_in, paid.interest, paid.tax, paid.total) == (3_600_000, 78_000, 12_012, 3_665_988)
    assert found["적금1"].maturity == paid
    assert maturity(Goal(account="x", started="2025.01", due="2025.01", monthly=1)) is None


def test_a_year_by_code_and_against_another(assets: Assets) -> None:
    year = assets.reports.year(2025)
    assert next(iter(year.rows)) == ("income", "배우자1", "월급")
    assert year.rows[("living-expense", "의료비")][:4] == [30, 0, 35, 0]
    assert year.totals["total_expense"][:3] == [110, 0, 105]
    both = against(year, assets.reports.year(2024), 3)
    assert both[("living-expense", "의료비")] == (65, 0)


@clause("X1-23")
def test_what_each_person_earned_and_paid(assets: Assets) -> None:
    found = assets.reports.people("2025.01", "2025.03")
    assert [(each.name, each.income, each.spent) for each in found] == [
        ("배우자1", 500, 60),
        ("배우자2", 0, 5),
        ("", 0, 150),
    ]


def test_tags_gifts_and_memos_are_found(assets: Assets) -> None:
    assert assets.reports.tags(2025) == {"의료비": {"배우자1": 60, "배우자2": 5}}
    [gift] = assets.reports.gifts("2025.01", "2025.12")["김철수"]
    assert (gift.parts, gift.detail.amount, gift.month) == (("경조비", "사용"), 10, "2025.03")
    assert [each.detail.memo for each in assets.reports.search("bakery", "2025.01", "2025.12")] == ["Bakery"]
    assert [each.detail.memo for each in assets.reports.search("결혼", "2025.01", "2025.12")] == ["결혼식"]
