"""Renaming a code: its entries are written again under the new name, looked at first, and gone on with when broken off."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import pytest

from hansang.apps.assets.design import BalancesKey
from hansang.apps.assets.opening import OpeningGiven
from hansang.apps.assets.plans import Budget, Goal, ImportPreset
from hansang.apps.assets.service import Assets
from hansang.backends.base import Backend
from hansang.backends.embedded import Embedded
from hansang.errors import Conflict, InvalidInput
from tests.apps.assets.crashes import Crash, Crashing
from tests.apps.assets.household import WHO, enter, ledger, right
from tests.clauses import clause


@pytest.fixture
def backend() -> Iterator[Backend]:
    with Embedded.open(":memory:") as found:
        yield found


@pytest.fixture
def assets(backend: Backend) -> Iterator[Assets]:
    with ledger(backend=backend) as found:
        found.opening.set(OpeningGiven("2024.12", 1, 2, {"여행": 50, "운동": 3}), WHO)
        for month in ("2025.01", "2025.03"):
            enter(found, month, "short-savings", "여행", "적립", amount=10)
            enter(found, month, "income", "배우자1", "월급", amount=100)
            enter(found, month, "living-expense", "식비", add=5, by="배우자1", date=date(2025, 1, 3))
        enter(found, "2025.03", "short-savings", "여행", "사용", amount=4)
        yield found


@clause("X1-15")
def test_an_account_is_renamed_everywhere(assets: Assets) -> None:
    preview = assets.renaming.preview("ACCOUNT_TYPE", "여행", "제주")
    assert (preview.entries, preview.clashes, preview.count) == ({"2025.01": 1, "2025.03": 2}, [], 3)
    assert ("short-savings", "여행", "적립") in assets.reading.month("2025.01").amounts()
    assets.renaming.rename("ACCOUNT_TYPE", "여행", "제주", WHO)
    month = assets.reading.month("2025.03")
    assert month.amounts()[("short-savings", "제주", "사용")] == 4
    assert month.balances is not None
    assert month.balances.short_savings_balances == {"운동": 3, "제주": 66}
    assert assets.codes.accounts()["단기저축용"] == ["운동", "제주", "경조비"]
    assert assets.codes.get("ACCOUNT_TYPE").archived is None
    opening = assets.database.get(BalancesKey(year_month="2024.12"))
    assert opening.short_savings_balances == {"운동": 3, "제주": 50}
    assert right(assets)


@clause("X1-15")
def test_a_person_is_renamed_in_income_and_in_payments(assets: Assets) -> None:
    assets.renaming.rename("NAME", "배우자1", "서연", WHO)
    month = assets.reading.month("2025.01")
    assert month.amounts()[("income", "서연", "월급")] == 100
    assert [line.by for each in month.entries for line in each.entries or ()] == ["서연"]
    assert (month.totals.total_income, assets.codes.people()) == (100, ["서연", "배우자2"])
    assert right(assets)


@clause("X1-15")
def test_a_name_that_is_taken_is_refused(assets: Assets) -> None:
    for new in ("배우자2", "배#1"):
        with pytest.raises(InvalidInput):
            assets.renaming.rename("NAME", "배우자1", new, WHO)
    with pytest.raises(InvalidInput, match="do not change"):
        assets.renaming.rename("YEAR_MONTH", "2025.01", "2025.00", WHO)
    enter(assets, "2025.01", "living-expense", "교통비", amount=1)
    category = assets.codes.get("LIVING_EXPENSE_CATEGORY")
    assets.codes.put(category.model_copy(update={"codes": ["교통비"]}), WHO.actor)
    with pytest.raises(Conflict, match=r"has entries of its own in 2025\.01"):
        assets.renaming.rename("LIVING_EXPENSE_CATEGORY", "식비", "교통비", WHO)


@clause("X1-15", "X1-08")
def test_a_rename_that_was_broken_off_anywhere_goes_on(assets: Assets, backend: Backend) -> None:
    for writes in range(1, 40):
        crashing = Crashing(backend, writes)
        old, new = ("여행", "제주") if writes % 2 else ("제주", "여행")
        with ledger(backend=crashing) as other:
            try:
                other.renaming.rename("ACCOUNT_TYPE", old, new, WHO)
            except Crash:
                assets.codes.drop()
                if (
                    assets.codes.get("ACCOUNT_TYPE").archived
                    or new not in assets.codes.accounts()["단기저축용"]
                ):
                    assets.renaming.rename("ACCOUNT_TYPE", old, new, WHO)
            else:
                break
        assets.codes.drop()
        assert right(assets)
        balances = assets.reading.month("2025.03").balances
        assert balances is not None
        assert balances.short_savings_balances == {"운동": 3, new: 66}
    assert 5 < writes < 39


@clause("X1-15")
def test_budgets_goals_and_presets_follow_a_new_name(assets: Assets) -> None:
    database = assets.database
    database.put(Budget(kind="living-expense", code="식비", amount=70))
    database.put(Goal(account="여행", amount=90))
    words = {"마트": "living-expense/식비", "급여": "income/배우자1/월급"}
    database.put(
        ImportPreset(
            name="카드", columns={"date": "날"}, by="배우자1", otherwise="living-expense/식비", words=words
        )
    )
    for kind, old, new in (
        ("LIVING_EXPENSE_CATEGORY", "식비", "먹거리"),
        ("ACCOUNT_TYPE", "여행", "제주"),
        ("NAME", "배우자1", "서연"),
    ):
        assets.renaming.rename(kind, old, new, WHO)  # type: ignore[arg-type]
    assert [(each.code, each.amount) for each in database.all(Budget.all_of_them())] == [("먹거리", 70)]
    assert [(each.account, each.amount) for each in database.all(Goal.all_of_them())] == [("제주", 90)]
    [preset] = database.all(ImportPreset.all_of_them())
    assert (preset.by, preset.otherwise) == ("서연", "living-expense/먹거리")
    assert preset.words == {"마트": "living-expense/먹거리", "급여": "income/서연/월급"}
