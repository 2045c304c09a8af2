"""The queue of writes: what a job leaves, who shares a commit, and what a full disk does."""

from __future__ import annotations

import resource
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from hansang.engine import Engine
from hansang.engine.sql.writer import Writer
from hansang.engine.store import Store
from hansang.errors import StoreError
from tests.engine.control import create, describe, put
from tests.engine.holding import PATIENCE, eventually, running, together, waiting, writer_held
from tests.engine.rows import ALL, Job, Oops, counts_of, increment, new_rows, put_row, raising, rows_of

# ── jobs ──────────────────────────────────────────────────────────────────────────────────────────


def test_a_job_answers_what_it_returns(store: Store) -> None:
    assert store.write(lambda writer: "done") == "done"


@pytest.mark.parametrize("kind", [Oops, KeyError, KeyboardInterrupt])
def test_an_error_in_a_job_leaves_nothing(store: Store, kind: type[BaseException]) -> None:
    rows = new_rows(store)
    store.write(put_row(rows, b"kept"))

    def job(writer: Writer) -> None:
        writer.put(rows, b"lost", b"x", 1, None)
        writer.delete(rows, b"kept", 5)
        writer.create_rows()
        writer.save_table({"TableName": "lost"})
        writer.append_record(1, writer.next_sequence(), 0.0, b"{}")
        raise kind

    with pytest.raises(kind):
        store.write(job)
    with store.snapshot() as reader:
        assert (reader.tables(), reader.last_sequence()) == ([], 0)
    assert rows_of(store, rows) == {b"kept": b"value"}
    assert counts_of(store, rows) == (1, 5)


def test_the_store_goes_on_after_an_error(store: Store) -> None:
    rows = new_rows(store)
    with pytest.raises(Oops):
        store.write(raising(rows))
    store.write(put_row(rows, b"next"))
    assert rows_of(store, rows) == {b"next": b"value"}


def test_numbers_of_records_are_never_used_twice(store: Store) -> None:
    first = store.write(lambda writer: [writer.next_sequence() for _ in range(3)])
    second = store.write(lambda writer: [writer.next_sequence() for _ in range(3)])
    assert first + second == sorted({*first, *second})


# ── jobs that wait together ───────────────────────────────────────────────────────────────────────


def traced(store: Store) -> list[str]:
    """The statements that the writer runs from now on."""
    found: list[str] = []
    store.write(lambda writer: writer.connection.set_trace_callback(found.append))
    found.clear()
    return found


def commit_together(store: Store, jobs: list[Job]) -> list[BaseException | None]:
    """Let jobs wait for a write that is under way, so that they are next together; what became of each."""
    outcomes: list[BaseException | None] = [None] * len(jobs)

    def run(place: int) -> None:
        try:
            store.write(jobs[place])
        except BaseException as error:  # the outcome is what the test is about
            outcomes[place] = error

    with ExitStack() as block, writer_held(store):
        block.enter_context(running(*(partial(run, place) for place in range(len(jobs)))))
        eventually(lambda: waiting(store) == len(jobs))
    return outcomes


def test_jobs_that_wait_together_share_a_commit(on_disk: Store) -> None:
    rows = new_rows(on_disk)
    statements = traced(on_disk)
    jobs = [put_row(rows, b"%d" % number) for number in range(20)]
    assert commit_together(on_disk, list(jobs)) == [None] * 20
    assert statements.count("COMMIT") == 2  # that of the write they waited for, and theirs
    assert len(rows_of(on_disk, rows)) == 20
    assert counts_of(on_disk, rows) == (20, 100)


def test_a_job_that_fails_does_not_disturb_those_beside_it(store: Store) -> None:
    rows = new_rows(store)
    jobs: list[Job] = [put_row(rows, b"%d" % number) for number in range(6)]
    jobs[2] = jobs[4] = raising(rows)
    outcomes = commit_together(store, jobs)
    assert [type(each) for each in outcomes] == [type(None), type(None), Oops, type(None), Oops, type(None)]
    assert sorted(rows_of(store, rows)) == [b"0", b"1", b"3", b"5"]
    assert counts_of(store, rows) == (4, 20)


def test_jobs_that_share_a_commit_see_one_another(store: Store) -> None:
    rows = new_rows(store)
    seen: list[int] = []

    def job(writer: Writer) -> None:
        seen.append(len(writer.keys(rows, *ALL, 100)))
        writer.put(rows, b"%d" % len(seen), b"x", 1, None)

    assert commit_together(store, [job] * 8) == [None] * 8
    assert seen == list(range(8))


def test_more_jobs_than_one_commit_takes_are_all_done(store: Store) -> None:
    rows = new_rows(store)
    jobs: list[Job] = [put_row(rows, b"%03d" % number) for number in range(300)]
    assert commit_together(store, jobs) == [None] * 300
    assert counts_of(store, rows) == (300, 1500)


class Door:
    """A lock that counts who has asked for it."""

    def __init__(self) -> None:
        self.asked, self._lock = 0, threading.Lock()

    def __enter__(self) -> None:
        self.asked += 1
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


class Hesitant(deque[Any]):
    """A queue in which the second job stands for a while before its thread can do anything more."""

    def __init__(self, door: Door) -> None:
        self._door, self._joined = door, 0

    def append(self, pending: Any) -> None:
        super().append(pending)
        self._joined += 1
        if self._joined == 2:
            eventually(lambda: self._door.asked == 3)  # The first has done both, and wants to leave.


def test_a_job_that_is_done_before_its_thread_waits_for_it_is_told(store: Store) -> None:
    queue: Any = store._queue
    queue._door = door = Door()
    queue._queue = Hesitant(door)
    ended = threading.Semaphore(0)

    def write() -> None:
        store.write(lambda writer: None)
        ended.release()

    with queue.lock:
        for number in (1, 2):
            threading.Thread(target=write, daemon=True).start()
            eventually(lambda number=number: waiting(store) == number)  # type: ignore[misc]
    assert ended.acquire(timeout=PATIENCE)
    assert ended.acquire(timeout=PATIENCE)


def test_a_new_table_is_seen_by_the_jobs_behind_it(store: Store) -> None:
    versions: list[int] = []

    def make(writer: Writer) -> None:
        versions.append(writer.version)
        writer.save_table({"TableName": f"table-{len(versions)}"})

    assert commit_together(store, [make] * 5) == [None] * 5
    assert versions == sorted(set(versions))


# ── a disk that is full ───────────────────────────────────────────────────────────────────────────


@contextmanager
def limited_pages(store: Store) -> Iterator[None]:
    """The file cannot grow."""

    def limit(writer: Writer) -> None:
        pages = writer.connection.execute("PRAGMA page_count").fetchone()[0]
        writer.connection.execute(f"PRAGMA max_page_count = {pages:d}")

    store.write(limit)
    yield
    store.write(lambda writer: writer.connection.execute("PRAGMA max_page_count = 1073741823"))


@contextmanager
def limited_files(path: Path) -> Iterator[None]:
    """No file can grow beyond the size that the log has now; a commit fails, as on a broken disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    size = path.with_name(path.name + "-wal").stat().st_size
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


LARGE = b"x" * 100_000


def check_whole(store: Store) -> None:
    with store.snapshot() as reader:
        assert reader.connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_a_full_disk_fails_every_job_of_the_commit_and_keeps_none(store: Store) -> None:
    rows = new_rows(store)
    store.write(put_row(rows, b"before"))
    jobs: list[Job] = [put_row(rows, b"%d" % number) for number in range(4)]
    jobs.insert(2, put_row(rows, b"large", LARGE))
    with limited_pages(store):
        outcomes = commit_together(store, jobs)
    assert [type(each) for each in outcomes] == [StoreError] * 5
    assert rows_of(store, rows) == {b"before": b"value"}
    assert counts_of(store, rows) == (1, 5)
    check_whole(store)


def test_a_disk_that_fails_at_the_commit_fails_every_job(on_disk: Store, path: Path) -> None:
    rows = new_rows(on_disk)
    jobs: list[Job] = [put_row(rows, b"%d" % number, LARGE) for number in range(5)]
    with limited_files(path):
        outcomes = commit_together(on_disk, jobs)
    assert [type(each) for each in outcomes] == [StoreError] * 5
    assert rows_of(on_disk, rows) == {}
    assert counts_of(on_disk, rows) == (0, 0)


def test_the_store_goes_on_when_there_is_room_again(on_disk: Store, path: Path) -> None:
    rows = new_rows(on_disk)
    with limited_files(path), pytest.raises(StoreError, match=r"Nothing of this .* was kept"):
        on_disk.write(put_row(rows, b"lost", LARGE))
    on_disk.write(put_row(rows, b"kept", LARGE))
    assert rows_of(on_disk, rows) == {b"kept": LARGE}
    assert counts_of(on_disk, rows) == (1, len(LARGE))
    check_whole(on_disk)


def test_an_item_that_found_no_room_is_not_there(path: Path) -> None:
    with Engine.open(path, sweep_seconds=None) as engine:
        create(engine)
        with limited_files(path), pytest.raises(StoreError):
            engine.call(
                "PutItem", {"TableName": "rice", "Item": {"pk": {"S": "a"}, "f": {"S": "x" * 99_999}}}
            )
        assert describe(engine)["ItemCount"] == 0
        put(engine, "a")
        assert describe(engine)["ItemCount"] == 1


def test_no_thread_starves(on_disk: Store) -> None:
    rows = new_rows(on_disk)
    done = [0, 0, 0]
    end = time.monotonic() + 1

    def work(place: int) -> None:
        while time.monotonic() < end:
            on_disk.write(increment(rows))
            done[place] += 1

    together(*(partial(work, place) for place in range(3)))
    assert rows_of(on_disk, rows) == {b"counter": b"%d" % sum(done)}
    assert min(done) >= 0.15 * sum(done), done
