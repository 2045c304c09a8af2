"""What was used over a span of time, and what it costs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from hansang.apps.leaderboards.design import UsersLeaderboard
from hansang.apps.news.design import NewsItems
from hansang.blueprint.prices import prices
from hansang.blueprint.table_status import TableStatus
from hansang.design import Table
from hansang.parts.spending import Spending, UsageRange, UsageSpan
from hansang.parts.usage_periods import PeriodUsage, RouteUsage

INDEX = "dt_utc-uploaded_at_utc_ms-index"
NOW = datetime(2026, 1, 31, 12, 30, tzinfo=UTC)
LONG_AGO = NOW - timedelta(days=100)
HOUR = datetime(2026, 1, 31, 11, tzinfo=UTC)
USAGE = [
    PeriodUsage(HOUR, "news", "NewsItem.create", "PutItem", "news_items", "", 100, 0.0, 100.0),
    PeriodUsage(HOUR, "news", "NewsItem.create", "PutItem", "news_items", INDEX, 0, 0.0, 100.0),
    PeriodUsage(HOUR, "news", "NewsRow.uploaded_on", "Query", "news_items", INDEX, 400, 600.0, 0.0),
    PeriodUsage(HOUR, "shop", "Order.get", "GetItem", "Shop", "", 1000, 1000.0, 0.0),
]
ROUTES = [
    RouteUsage(HOUR, "news", "GET /news", 400, 600.0, 0.0),
    RouteUsage(HOUR, "news", "", 100, 0.0, 200.0),
]
PRICES = prices("us-east-1")


def spending(name: UsageRange = "day", counted_since: datetime = LONG_AGO) -> Spending:
    return Spending(USAGE, ROUTES, UsageSpan.of(name, NOW, counted_since), PRICES)


def held(
    table: type[Table], size_bytes: int = 0, indexes: dict[str, tuple[int, int]] | None = None
) -> TableStatus:
    return TableStatus(table, table.name, "active", "ACTIVE", 1, size_bytes, indexes or {})


def test_patterns_are_summed_over_tables_and_indexes() -> None:
    found = {each.name: each for each in spending().patterns()}
    create = found["NewsItem.create"]
    assert (create.requests, create.read, create.write, create.average) == (100, 0.0, 200.0, 2.0)
    assert create.cost == pytest.approx(200 * PRICES.million_writes / 1_000_000)
    assert sum(each.share for each in found.values()) == pytest.approx(1)


def test_tables_have_what_their_indexes_cost() -> None:
    news = next(each for each in spending().tables() if each.name == "news_items")
    assert (news.requests, news.read, news.write) == (500, 600.0, 200.0)
    [index] = spending().indexes()
    assert (index.name, index.about, index.write) == (INDEX, "news_items", 100.0)


def test_routes_are_told_where_they_are_known() -> None:
    [only] = spending().routes()
    assert (only.name, only.requests, only.read) == ("GET /news", 400, 600.0)


def test_every_period_of_a_span_is_there_once() -> None:
    hours = spending().periods()
    assert [period.hour for period, _ in hours] == [*range(12, 24), *range(13)]
    assert [each.read for period, each in hours if period == HOUR] == [1600.0]
    assert len(UsageSpan.of("hour", NOW, LONG_AGO).periods) == 61
    assert len(UsageSpan.of("month", NOW, LONG_AGO).periods) == 31


def test_a_month_is_not_estimated_from_less_than_a_day() -> None:
    minutes = spending(counted_since=NOW - timedelta(minutes=5))
    assert minutes.bill([]).month is None
    assert minutes.span.missing == timedelta(hours=23, minutes=55)
    assert spending("hour").bill([]).month is None


def test_the_pace_of_a_day_makes_the_month() -> None:
    day = spending()
    assert day.span.missing == timedelta()
    assert day.bill([]).month == pytest.approx(day.cost * 730 * 3600 / Decimal(day.span.seconds))


def test_provisioned_units_are_there_for_the_table_and_its_global_indexes() -> None:
    bill, hours = spending().bill([held(NewsItems)]), Decimal("24.5")
    assert bill.provisioned == 2 * hours * (Decimal("0.00013") + Decimal("0.00065"))
    assert spending().bill([held(UsersLeaderboard)]).provisioned == bill.provisioned


def test_provisioned_units_are_enough_for_the_busiest_period() -> None:
    busy = PeriodUsage(HOUR, "news", "NewsRow.find", "Query", "news_items", "", 1, 3600 * 7.0, 0.0)
    quiet = PeriodUsage(
        HOUR - timedelta(hours=1), "news", "NewsRow.find", "Query", "news_items", "", 1, 1.0, 0.0
    )
    found = Spending([busy, quiet], [], UsageSpan.of("day", NOW, LONG_AGO), PRICES).bill([held(NewsItems)])
    assert found.provisioned == Decimal("24.5") * (11 * Decimal("0.00013") + 2 * Decimal("0.00065"))


def test_storage_counts_the_table_and_its_indexes() -> None:
    bill = spending().bill([held(NewsItems, 2**29, {INDEX: (1, 2**29)})])
    assert (bill.storage, bill.stored_bytes) == (PRICES.gigabyte_month, 2**30)


def test_nothing_used_costs_nothing() -> None:
    nothing = Spending([], [], UsageSpan.of("day", NOW, NOW), PRICES)
    assert (nothing.requests, nothing.patterns()) == (0, [])
    assert nothing.bill([]).on_demand == 0
