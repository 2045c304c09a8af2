"""What each path of the ledger costs, in requests and units."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hansang.apps.assets.rules import months
from hansang.apps.assets.service import Assets
from hansang.design.meter import Cost
from tests.apps.assets.household import MONTH, WHO, enter, enter_january, ledger
from tests.clauses import clause


@pytest.fixture(scope="module")
def assets() -> Iterator[Assets]:
    """The month of the document and two more, with the codes known and the line of this month's history there."""
    with ledger() as found:
        enter_january(found)
        for month in ("2025.02", "2025.03"):
            enter(found, month, "savings", "적금1", amount=1)
        yield found


def ledger_units(cost: Cost) -> tuple[float, float]:
    found = cost.tables["AssetManager"]
    return found.read, sum(
        each.write for name, each in cost.tables.items() if name.startswith("AssetManager")
    )


@clause("1-23", "1-24", "1-25", "1-26", "X1-02")
def test_a_month_is_nine_read_units(assets: Assets) -> None:
    with assets.database.meter() as cost:
        assets.reading.month(MONTH)
    assert (cost.read, cost.write, cost.requests) == (9.0, 0, 8)


@clause("1-26", "X1-01")
def test_the_dashboard_is_one_batch_and_the_book(assets: Assets) -> None:
    with assets.database.meter() as cost:
        assets.reading.dashboard("2025.03")
    assert (cost.read, cost.requests) == (13.0, 2)


@clause("1-27", "1-34", "X1-01")
def test_a_period_is_one_question_of_the_index_a_month_and_the_book(assets: Assets) -> None:
    with assets.database.meter() as cost:
        assets.reading.period("2025.01", "2025.12")
    assert (cost.requests, cost.read) == (13, 7.0)
    found = assets.reading.period("2025.01", "2025.03")
    assert [each.month for each in found.months] == list(months("2025.01", "2025.03"))


@clause("X1-10")
def test_entering_into_the_last_month_is_three_requests(assets: Assets) -> None:
    enter(assets, "2025.03", "living-expense", "식비", amount=1)
    with assets.database.meter() as cost:
        enter(assets, "2025.03", "living-expense", "식비", amount=2)
    assert (cost.requests, cost.read) == (3, 5.0)
    assert cost.patterns["Entry.set"].write == cost.write


@clause("X1-08")
def test_a_late_entry_costs_its_own_transaction_and_one_step(assets: Assets) -> None:
    with assets.database.meter() as cost:
        enter(assets, MONTH, "savings", "적금1", add=1)
    assert cost.patterns["Balances.cascade"].write > 0
    assert cost.requests == 3 + 5


def test_codes_are_not_read_again(assets: Assets) -> None:
    with assets.database.meter() as cost:
        assets.codes.people()
        assets.codes.people()
    assert cost.requests <= 1
    assert WHO.actor.name == "배우자1"
