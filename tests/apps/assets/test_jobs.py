"""What the ledger does by itself: the end of a month in Seoul, and balances that were left."""

from __future__ import annotations

from datetime import UTC, datetime

from hansang.apps.assets.design import BalancesKey, BookKey, Totals, TotalsKey
from hansang.apps.assets.jobs import closed, jobs
from hansang.apps.assets.settings import AssetsSettings
from hansang.design import attr
from tests.apps.assets.household import enter, ledger, right
from tests.clauses import clause
from tests.surfaces.shells import SetClock


@clause("1-31", "X1-09")
def test_a_month_that_has_ended_in_seoul_is_closed_with_what_was_wrong_corrected() -> None:
    clock = SetClock(datetime(2025, 2, 28, 15, 10, tzinfo=UTC).timestamp())  # 00:10 on 1 March in Seoul
    with ledger(clock) as assets:
        for month in ("2025.01", "2025.02", "2025.03"):
            enter(assets, month, "savings", "적금1", amount=100)
        assets.database.update(TotalsKey(year_month="2025.02"), attr(Totals.total_savings).add(9))
        wrong = assets.database.get(BalancesKey(year_month="2025.01"))
        assets.database.put(wrong.model_copy(update={"cash_accumulated": 7}))
        result = closed(assets)
        assert result.counts == {"months": 2, "drifts": 2}
        assert assets.database.get(BookKey()).closed_through == "2025.02"
        assert assets.database.get(BalancesKey(year_month="2025.03")).cash_accumulated == 300
        assert right(assets)
        assert closed(assets).counts == {"months": 1, "drifts": 0}


def test_a_household_without_months_has_none_to_close() -> None:
    with ledger() as assets:
        assert closed(assets).counts == {"months": 0, "drifts": 0}
        assert assets.checking.check().months == 0
        assert assets.checking.rebuild() == []


@clause("X1-08")
def test_the_job_goes_on_only_when_something_is_left() -> None:
    with ledger() as assets:
        _, settle = jobs(assets.database, assets.clock, AssetsSettings())
        enter(assets, "2025.01", "savings", "적금1", amount=100)
        assert not settle.is_wanted()
        assets.cascade.mark("2025.01")
        assert settle.is_wanted()
        settle.run(None)  # type: ignore[arg-type]
        assert not settle.is_wanted()


def test_items_that_came_without_a_book_are_made_right_by_a_rebuild() -> None:
    with ledger() as assets:
        enter(assets, "2025.01", "savings", "적금1", amount=100)
        enter(assets, "2025.02", "savings", "적금1", amount=100)
        assets.database.delete(BookKey())
        assets.database.delete(TotalsKey(year_month="2025.01"))
        assets.database.delete(BalancesKey(year_month="2025.02"))
        assert [each.name for each in assets.checking.rebuild()] == ["totalSavings", "netAsset"]
        assert assets.reading.month("2025.02").balances is not None
        assert right(assets)
