"""The cascade: a correction of the past moves every later balance, in steps that a crash cannot spoil."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hansang.apps.assets.cascade import MONTHS_A_STEP
from hansang.apps.assets.design import BalancesKey, BookKey, Entry
from hansang.apps.assets.entering import Place
from hansang.apps.assets.opening import OpeningGiven
from hansang.apps.assets.rules import month_after, months
from hansang.apps.assets.service import Assets
from hansang.errors import InvalidInput, NotFound
from tests.apps.assets.household import WHO, enter, ledger, right
from tests.clauses import clause


@pytest.fixture
def assets() -> Iterator[Assets]:
    with ledger() as found:
        yield found


def cash(assets: Assets, month: str) -> int | None:
    found = assets.database.find(BalancesKey(year_month=month), consistent=True)
    return None if found is None else found.cash_accumulated


@clause("X1-08")
def test_a_late_entry_moves_all_later_balances(assets: Assets) -> None:
    for month in ("2025.01", "2025.02", "2025.04"):
        enter(assets, month, "savings", "적금1", amount=100)
    done = enter(assets, "2025.01", "savings", "적금1", add=5)
    assert (done.book.wrong_since, done.book.last) == ("2025.02", "2025.04")
    assert [cash(assets, month) for month in months("2025.01", "2025.05")] == [105, 205, 205, 305, None]
    assert assets.reading.book().wrong_since is None
    assert right(assets)


@clause("X1-08")
def test_an_entry_before_the_first_month_begins_the_book_earlier(assets: Assets) -> None:
    enter(assets, "2025.03", "savings", "적금1", amount=100)
    enter(assets, "2024.12", "savings", "적금1", amount=7)
    assert [cash(assets, month) for month in months("2024.12", "2025.03")] == [7, 7, 7, 107]
    assert right(assets)


@clause("X1-08")
def test_a_crash_leaves_the_mark_and_whoever_reads_next_goes_on(assets: Assets) -> None:
    last = month_after("2025.01", MONTHS_A_STEP * 2)
    enter(assets, "2025.01", "savings", "적금1", amount=1)
    enter(assets, last, "savings", "적금1", amount=1)
    enter_without_cascade(assets, 9)
    before = assets.database.get(BookKey(), consistent=True)
    assert (before.wrong_since, cash(assets, last)) == ("2025.02", 2)
    shown = assets.reading.month(last)
    assert (shown.is_recalculating, cash(assets, last)) == (False, 10)
    assert right(assets)


def enter_without_cascade(assets: Assets, amount: int) -> None:
    """What is left of a process that ended between the entry and the cascade."""
    key = Place.of("savings", ("적금1",)).key("2025.01")

    def decide(entries: list[Entry | None]) -> list[Entry | None]:
        return [each and each.model_copy(update={"amount": amount}) for each in entries]

    assets.recorder.record("2025.01", [key], decide, WHO, "set")


@clause("X1-08")
def test_readers_are_told_while_a_long_correction_goes_on(assets: Assets) -> None:
    last = month_after("2025.01", MONTHS_A_STEP + 1)
    enter(assets, "2025.01", "savings", "적금1", amount=1)
    enter(assets, last, "savings", "적금1", amount=1)
    enter_without_cascade(assets, 4)
    assets.cascade.steps_at_once = 0
    shown = assets.reading.month(last)
    assert (shown.is_recalculating, shown.balances and shown.balances.cash_accumulated) == (True, 2)
    assert [each.is_recalculating for each in assets.reading.dashboard(last).months[-2:]] == [True, True]
    assets.cascade.go_on(1)
    assert not assets.reading.month(month_after("2025.01", MONTHS_A_STEP)).is_recalculating
    assert assets.reading.month(last).is_recalculating
    assets.cascade.go_on(1)
    assert (assets.reading.month(last).is_recalculating, cash(assets, last)) == (False, 5)


@clause("X1-07")
def test_opening_balances_are_an_ordinary_item_of_the_month_before(assets: Assets) -> None:
    enter(assets, "2025.02", "savings", "적금1", amount=100)
    assets.opening.set(OpeningGiven("2024.12", 50, 60, {"여행": 7}), WHO)
    assert [cash(assets, month) for month in months("2024.12", "2025.02")] == [50, 50, 150]
    assets.opening.set(OpeningGiven("2025.01", 10, 60, {}), WHO)
    assert [cash(assets, month) for month in months("2024.12", "2025.02")] == [None, 10, 110]
    assets.opening.set(OpeningGiven("2024.11", 1, 60, {}), WHO)
    assert [cash(assets, month) for month in months("2024.11", "2025.02")] == [1, 1, 1, 101]
    assert right(assets)
    with pytest.raises(InvalidInput, match="belong to an earlier month"):
        assets.opening.set(OpeningGiven("2025.02", 1, 1, {}), WHO)
    with pytest.raises(InvalidInput, match="comes before its first month"):
        enter(assets, "2024.11", "savings", "적금1", amount=1)
    with pytest.raises(InvalidInput, match="is not an account of 단기저축용"):
        assets.opening.set(OpeningGiven("2024.11", 1, 1, {"낚시": 1}), WHO)


@clause("X1-07")
def test_the_first_entry_behind_a_gap_follows_from_the_opening(assets: Assets) -> None:
    assets.opening.set(OpeningGiven("2024.12", 50, 0, {}), WHO)
    enter(assets, "2025.03", "savings", "적금1", amount=1)
    assert [cash(assets, month) for month in months("2025.01", "2025.03")] == [50, 50, 51]
    assert right(assets)


@clause("X1-24")
def test_what_investments_are_worth_stays_beside_what_was_paid_in(assets: Assets) -> None:
    enter(assets, "2025.01", "investment", "주식", amount=100)
    enter(assets, "2025.02", "investment", "주식", amount=100)
    assets.opening.value("2025.02", {"주식": 260}, WHO)
    enter(assets, "2025.01", "investment", "주식", add=50)
    found = assets.database.get(BalancesKey(year_month="2025.02"))
    assert (found.investment_accumulated, found.investment_valuation) == (250, {"주식": 260})
    with pytest.raises(NotFound, match="has no balances yet"):
        assets.opening.value("2026.02", {"주식": 260}, WHO)


def test_opening_balances_and_entries_stay_within_reach_of_each_other(assets: Assets) -> None:
    enter(assets, "2025.03", "savings", "적금1", amount=100)
    with pytest.raises(InvalidInput, match="too far"):
        assets.opening.set(OpeningGiven("0001.01", 1, 1, {}), WHO)
    assert assets.opening.set(OpeningGiven("1950.01", 1, 1, {}), WHO).year_month == "1950.01"
    with pytest.raises(InvalidInput, match="too far"):
        enter(assets, "2999.01", "savings", "적금1", amount=100)
