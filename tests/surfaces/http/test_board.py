"""Workers that show each other what they have counted."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from hansang.surfaces.http.board import Board, WorkerReport
from hansang.surfaces.http.counts import RequestCounts


def counts(number: int) -> RequestCounts:
    return RequestCounts({("GET", "/a", 200): number})


def total(board: Board) -> int:
    workers, gone = board.read()
    for each in workers:
        gone.merge(each.counts)
    return gone.answers.get(("GET", "/a", 200), 0)


@pytest.fixture
def board(tmp_path: Path) -> Board:
    return Board(tmp_path)


def test_an_empty_board_shows_nothing(board: Board) -> None:
    assert board.read() == ([], RequestCounts())


def test_each_worker_shows_its_last_counts(board: Board) -> None:
    board.show(WorkerReport("1", counts(1)))
    board.show(WorkerReport("1", counts(5), running=2, resident=3, started=4.5))
    board.show(WorkerReport("2", counts(7)))
    assert board.read()[0] == [WorkerReport("1", counts(5), 2, 3, 4.5), WorkerReport("2", counts(7))]


def test_what_a_worker_has_counted_stays_when_it_is_gone(board: Board) -> None:
    for number in (5, 6):
        board.show(WorkerReport("1", counts(number), running=2))
        board.retire("1")
    board.show(WorkerReport("1", counts(7)))
    workers, gone = board.read()
    assert workers == [WorkerReport("1", counts(7))]
    assert gone == counts(11)


def test_a_worker_that_showed_nothing_can_go(board: Board) -> None:
    board.retire("3")
    assert board.read() == ([], RequestCounts())


def test_the_sum_is_never_seen_too_small_or_too_large(board: Board) -> None:
    """A worker goes while others read."""
    board.show(WorkerReport("1", counts(100)))
    seen, ended = set[int](), threading.Event()

    def look() -> None:
        seen.add(total(board))
        while not ended.is_set():
            seen.add(total(board))

    readers = [threading.Thread(target=look) for _ in range(2)]
    for reader in readers:
        reader.start()
    for _ in range(50):
        board.retire("1")
        board.show(WorkerReport("1", counts(0)))
    ended.set()
    for reader in readers:
        reader.join()
    assert seen == {100}
