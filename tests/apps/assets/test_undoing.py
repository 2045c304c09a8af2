"""Undoing takes an entry back with the totals and the balances that followed from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from hansang.apps.assets.entering import Given, Place
from hansang.apps.assets.opening import OpeningGiven
from hansang.apps.assets.service import Assets
from hansang.errors import Conflict, NotAllowed
from tests.apps.assets.household import MONTH, WHO, enter, ledger, right


@pytest.fixture
def assets() -> Iterator[Assets]:
    with ledger() as found:
        yield found


def undo(assets: Assets, change: object) -> str:
    return assets.undoing.undo(str(getattr(change, "id", change)), WHO).id


def test_a_change_of_the_past_is_taken_back_whole(assets: Assets) -> None:
    enter(assets, MONTH, "savings", "적금1", amount=100)
    enter(assets, "2025.03", "savings", "적금1", amount=100)
    before = assets.reading.period(MONTH, "2025.03")
    done = enter(assets, MONTH, "savings", "적금1", amount=900, memo="보너스")
    back = undo(assets, done.change)
    after = assets.reading.period(MONTH, "2025.03")
    assert [
        (each.totals.net_asset, each.balances and each.balances.cash_accumulated) for each in after.months
    ] == [(each.totals.net_asset, each.balances and each.balances.cash_accumulated) for each in before.months]
    assert after.months[0].entries == before.months[0].entries
    undo(assets, back)
    assert assets.reading.month(MONTH).totals.total_savings == 900
    assert right(assets)


def test_a_new_entry_is_gone_when_it_is_undone(assets: Assets) -> None:
    done = enter(assets, MONTH, "living-expense", "식비", amount=900)
    undo(assets, done.change)
    assert assets.reading.month(MONTH).entries == []
    assert right(assets)


def test_several_entries_are_taken_back_by_one_undo(assets: Assets) -> None:
    enter(assets, MONTH, "living-expense", "식비", amount=1)
    wanted = [
        (Place.of("living-expense", ("식비",)), Given(add=10)),
        (Place.of("fixed-expense", ("통신",)), Given(amount=20)),
    ]
    done = assets.entering.enter_all(MONTH, wanted, WHO)
    back = undo(assets, done.change)
    assert assets.reading.month(MONTH).amounts() == {("living-expense", "식비"): 1}
    undo(assets, back)
    assert assets.reading.month(MONTH).totals.total_expense == 31
    assert right(assets)


def test_what_was_changed_since_is_not_undone(assets: Assets) -> None:
    first = enter(assets, MONTH, "living-expense", "식비", amount=1)
    enter(assets, MONTH, "living-expense", "식비", amount=2)
    with pytest.raises(Conflict, match="changed again since"):
        undo(assets, first.change)
    other = enter(assets, MONTH, "living-expense", "교통비", amount=1)
    undo(assets, other.change)
    with pytest.raises(Conflict, match="undone already"):
        undo(assets, other.change)


def test_codes_are_undone_like_entries(assets: Assets) -> None:
    before = assets.codes.plain("YEAR_MONTH")
    assets.codes.extend("2027.01", WHO.actor)
    [change] = assets.history.page("assets")
    undo(assets, change)
    assert assets.codes.plain("YEAR_MONTH") == before


def test_what_is_not_of_the_book_is_not_undone_here(assets: Assets) -> None:
    assets.history.record(WHO.actor, "assets", "Household", "parents", "create")
    [change] = assets.history.page("assets")
    with pytest.raises(NotAllowed, match="cannot be undone here"):
        undo(assets, change)


def balances(assets: Assets) -> list[tuple[str, int, dict[str, int]]]:
    months = assets.reading.dashboard("2025.03").months
    found = [(each.month, each.balances) for each in months]
    return [
        (month, each.cash_accumulated, dict(each.short_savings_balances))
        for month, each in found
        if each is not None
    ]


def made(assets: Assets, work: Callable[[], object]) -> str:
    """The change that some work has made; all happen in the same second here, so none is the newest."""
    before = {each.id for each in assets.history.each("assets")}
    work()
    [found] = {each.id for each in assets.history.each("assets")} - before
    return found


def opened(assets: Assets, given: OpeningGiven) -> str:
    return made(assets, lambda: assets.opening.set(given, WHO))


def test_opening_balances_are_taken_back_with_all_that_followed(assets: Assets) -> None:
    enter(assets, "2025.02", "savings", "적금1", amount=100)
    without = balances(assets)
    first = opened(assets, OpeningGiven("2024.11", 5, 6, {"여행": 7}))
    one = balances(assets)
    second = opened(assets, OpeningGiven("2024.12", 50, 60, {}))
    two = balances(assets)
    back = undo(assets, second)
    assert balances(assets) == one
    again = undo(assets, back)
    assert balances(assets) == two
    with pytest.raises(Conflict, match="changed again since"):
        undo(assets, first)
    undo(assets, again)
    undo(assets, first)
    assert (balances(assets), assets.opening.find()) == (without, None)
    assert right(assets)


def test_a_valuation_is_taken_back(assets: Assets) -> None:
    enter(assets, MONTH, "investment", "주식", amount=100)
    first = made(assets, lambda: assets.opening.value(MONTH, {"주식": 90}, WHO))
    second = made(assets, lambda: assets.opening.value(MONTH, {"주식": 120}, WHO))
    with pytest.raises(Conflict, match="changed again since"):
        undo(assets, first)
    undo(assets, second)
    found = assets.reading.month(MONTH).balances
    assert found is not None
    assert found.investment_valuation == {"주식": 90}
    undo(assets, first)
    again = assets.reading.month(MONTH).balances
    assert again is not None
    assert again.investment_valuation is None
