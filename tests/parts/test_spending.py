"""What was used, and what a month of it would cost."""

from __future__ import annotations

from decimal import Decimal

import pytest

from hansang.apps.leaderboards.design import UsersLeaderboard
from hansang.apps.news.design import NewsItems
from hansang.blueprint.prices import prices
from hansang.blueprint.table_status import TableStatus
from hansang.design import Table
from hansang.parts.spending import Spending
from hansang.parts.usage import PatternUsage

INDEX = "dt_utc-uploaded_at_utc_ms-index"
USAGE = [
    PatternUsage("news", "NewsItem.create", "PutItem", "news_items", "", 100, 0.0, 100.0),
    PatternUsage("news", "NewsItem.create", "PutItem", "news_items", INDEX, 0, 0.0, 100.0),
    PatternUsage("news", "NewsRow.uploaded_on", "Query", "news_items", INDEX, 400, 600.0, 0.0),
    PatternUsage("platform", "Person.get", "GetItem", "HansangPlatform", "", 1000, 1000.0, 0.0),
]
PRICES = prices("us-east-1")
MONTH = 730 * 3600


def spending(seconds: float = MONTH) -> Spending:
    return Spending(USAGE, seconds, PRICES)


def held(
    table: type[Table], size_bytes: int = 0, indexes: dict[str, tuple[int, int]] | None = None
) -> TableStatus:
    return TableStatus(table, table.name, "active", "ACTIVE", 1, size_bytes, indexes or {})


def test_patterns_are_summed_over_tables_and_indexes() -> None:
    found = {each.name: each for each in spending().patterns()}
    create = found["NewsItem.create"]
    assert (create.requests, create.read, create.write, create.average) == (100, 0.0, 200.0, 2.0)
    assert create.monthly == pytest.approx(200 * PRICES.million_writes / 1_000_000)
    assert sum(each.share for each in found.values()) == pytest.approx(1)


def test_tables_have_what_their_indexes_cost() -> None:
    news = next(each for each in spending().tables() if each.name == "news_items")
    assert (news.requests, news.read, news.write) == (500, 600.0, 200.0)
    [index] = spending().indexes()
    assert (index.name, index.about, index.write) == (INDEX, "news_items", 100.0)


def test_the_pace_decides_the_month() -> None:
    whole, tenth = spending().bill([]), spending(MONTH / 10).bill([])
    assert tenth.on_demand == pytest.approx(whole.on_demand * 10)


def test_a_server_that_has_just_started_is_not_taken_at_its_first_second() -> None:
    assert spending(0.5).seconds == 60


def test_provisioned_units_are_there_for_the_table_and_its_global_indexes() -> None:
    news = held(NewsItems)
    bill = spending().bill([news])
    assert bill.provisioned == 2 * 730 * (Decimal("0.00013") + Decimal("0.00065"))
    users = held(UsersLeaderboard)
    assert spending().bill([users]).provisioned == bill.provisioned


def test_storage_counts_the_table_and_its_indexes() -> None:
    bill = spending().bill([held(NewsItems, 2**29, {INDEX: (1, 2**29)})])
    assert bill.storage == PRICES.gigabyte_month


def test_nothing_used_costs_nothing() -> None:
    nothing = Spending([], 100, PRICES)
    assert (nothing.requests, nothing.patterns()) == (0, [])
    assert nothing.bill([]).on_demand == 0
