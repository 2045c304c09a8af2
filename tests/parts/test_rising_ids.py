"""Ids that sort by the moment at which they were made."""

from __future__ import annotations

from hansang.parts.rising_ids import RisingIds, made_at
from tests.parts.conftest import SetClock


def test_ids_of_one_moment_sort_as_they_were_made(clock: SetClock) -> None:
    new_id = RisingIds(clock)
    ids = [new_id() for _ in range(50)]
    assert sorted(ids) == ids
    assert made_at(ids[0]).timestamp() == clock()


def test_a_later_moment_sorts_later_and_a_clock_that_was_set_back_is_believed(clock: SetClock) -> None:
    new_id = RisingIds(clock)
    first = new_id()
    clock.now += 1
    second = new_id()
    assert first < second
    clock.now -= 60
    assert made_at(new_id()).timestamp() == clock()
