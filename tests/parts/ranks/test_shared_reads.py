"""Readers who ask at the same time share one read, and none of them gets one that began before it asked."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event, Semaphore

import pytest

from hansang.parts.ranks.shared_reads import SharedReads


def test_who_asks_while_a_read_is_under_way_shares_the_next_one() -> None:
    begun, go_on, reads = Semaphore(0), Semaphore(0), list[int]()

    def read() -> int:
        reads.append(len(reads) + 1)
        number = len(reads)
        begun.release()
        assert go_on.acquire(timeout=60)
        return number

    shared = SharedReads(read)
    with ThreadPoolExecutor(6) as pool:
        first = pool.submit(shared.get)
        assert begun.acquire(timeout=60)
        arrived = Semaphore(0)

        def ask() -> int:
            arrived.release()
            return shared.get()

        others = [pool.submit(ask) for _ in range(5)]
        for _ in others:
            assert arrived.acquire(timeout=60)
        for _ in range(6):
            go_on.release()
        assert first.result(60) == 1
        found = [each.result(60) for each in others]
    # Nobody gets the read that was under way; those who were there in time share the one behind it.
    assert min(found) == 2
    assert len(reads) == max(found) <= 6


def test_one_after_the_other_each_reads() -> None:
    reads = iter(range(10))
    shared = SharedReads(lambda: next(reads))
    assert [shared.get() for _ in range(3)] == [0, 1, 2]


def test_a_read_that_fails_is_told_to_all_who_share_it_and_the_next_one_goes_on() -> None:
    fails = Event()
    fails.set()

    def read() -> str:
        if fails.is_set():
            raise ValueError("gone")
        return "here"

    shared = SharedReads(read)
    with pytest.raises(ValueError, match="gone"):
        shared.get()
    fails.clear()
    assert shared.get() == "here"
