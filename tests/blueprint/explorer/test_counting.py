"""Counting the kinds of a table: exactly where it is small, by a sample where it is not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hansang.apps.assets.design import AssetManager, Income, Savings
from hansang.backends.embedded import Embedded
from hansang.blueprint.explorer.counting import FRESH_SECONDS, KindCounting
from hansang.blueprint.table_status import table_status
from hansang.design import Database
from tests.apps.assets.household import income, savings
from tests.surfaces.shells import SetClock


@contextmanager
def opened() -> Iterator[Database]:
    with Embedded.open() as backend:
        database = Database(backend)
        database.create_tables(AssetManager)
        yield database


def test_a_small_table_is_counted_exactly_with_a_sample_of_each_kind() -> None:
    with opened() as database:
        database.batch_write([*(income(name=f"n{each}") for each in range(5)), savings()])
        found = KindCounting(database, SetClock()).of(table_status(database, AssetManager))
        assert found.counts == {Income.__shape__: 5, Savings.__shape__: 1}
        assert found.samples[Savings.__shape__]["PK"] == {"S": "SAVINGS#2025.01"}
        assert not found.is_estimate


def test_a_large_table_is_estimated_from_a_bounded_sample_and_counted_when_that_is_asked() -> None:
    with opened() as database:
        incomes = (
            income(month=f"20{month:02}.01", name=f"n{each}") for month in range(20) for each in range(90)
        )
        database.batch_write([*incomes, *(savings(f"s{each}") for each in range(200))])
        kinds, status = KindCounting(database, SetClock()), table_status(database, AssetManager)
        with database.meter() as sampling:
            guess = kinds.of(status)
        assert guess.is_estimate
        assert sum(guess.counts.values()) == status.items == 2_000
        with database.meter() as counting_all:
            exact = kinds.of(status, exactly=True)
        assert sampling.read < counting_all.read * 0.75
        assert (exact.is_estimate, exact.counts[Income.__shape__]) == (False, 1_800)


def test_a_count_is_kept_for_a_minute() -> None:
    with opened() as database:
        clock = SetClock()
        kinds = KindCounting(database, clock)
        database.put(income())
        assert kinds.of(table_status(database, AssetManager)).counts == {Income.__shape__: 1}
        database.put(income(name="other"))
        assert kinds.of(table_status(database, AssetManager)).counts == {Income.__shape__: 1}
        clock.advance(FRESH_SECONDS)
        assert kinds.of(table_status(database, AssetManager)).counts == {Income.__shape__: 2}


def test_a_table_that_is_not_there_has_no_kinds() -> None:
    with Embedded.open() as backend:
        database = Database(backend)
        assert KindCounting(database, SetClock()).of(table_status(database, AssetManager)).counts == {}
