"""The queue of writes: what a job leaves, who shares a commit, and what a full disk does."""

from __future__ import annotations

import resource
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from hansang.engine import Engine
from hansang.engine.sql.writer import Writer
from hansang.engine.store import Store
from hansang.engine.waiting_line import PendingJob, WaitingLine
from hansang.errors import StoreBusy, StoreError, StoreFull, WireError
from tests.engine.control import create, describe, put, put_many, scanned
from tests.engine.holding import (
    PATIENCE,
    eventually,
    interrupted_while_it_waits,
    running,
    together,
    waiting,
    writer_held,
)
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


def commit_together(
    store: Store, jobs: list[Job], *, decides_first: bool = False
) -> list[BaseException | None]:
    """Let jobs wait for a write that is under way, so that they are next together; what became of each."""
    outcomes: list[BaseException | None] = [None] * len(jobs)

    def run(place: int) -> None:
        try:
            store.write(jobs[place], decides_first=decides_first)
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


def refused(rows: int) -> Job:
    """A job that looks, decides against itself, and has written nothing."""

    def job(writer: Writer) -> None:
        writer.get(rows, b"0")
        raise Oops

    return job


def test_jobs_that_decide_first_are_counted_together_and_need_no_savepoint(store: Store) -> None:
    rows = new_rows(store)
    statements = traced(store)
    jobs: list[Job] = [put_row(rows, b"%d" % number) for number in range(6)]
    jobs[2] = refused(rows)
    outcomes = commit_together(store, jobs, decides_first=True)
    assert [type(each) for each in outcomes] == [type(None)] * 2 + [Oops] + [type(None)] * 3
    assert not any(each.startswith(("SAVEPOINT", "RELEASE")) for each in statements)
    assert sum(each.startswith("UPDATE counts") for each in statements) == 1
    assert sorted(rows_of(store, rows)) == [b"0", b"1", b"3", b"4", b"5"]
    assert counts_of(store, rows) == (5, 25)


def test_transactions_and_batches_that_wait_together_need_no_savepoint(engine: Engine) -> None:
    create(engine)
    statements = traced(engine.store)

    def transact(key: str, condition: str = "attribute_not_exists(pk)") -> object:
        check = {"TableName": "rice", "Key": {"pk": {"S": "none"}}, "ConditionExpression": condition}
        action = {"TableName": "rice", "Item": {"pk": {"S": key}}}
        return engine.call(
            "TransactWriteItems", {"TransactItems": [{"Put": action}, {"ConditionCheck": check}]}
        )

    def refused() -> None:
        with pytest.raises(WireError, match="ConditionalCheckFailed"):
            transact("lost", "attribute_exists(pk)")

    jobs = (
        partial(transact, "a"),
        refused,
        partial(transact, "b"),
        partial(put_many, engine, [{"pk": {"S": "c"}}]),
    )
    with ExitStack() as block, writer_held(engine.store):
        block.enter_context(running(*jobs))
        eventually(lambda: waiting(engine.store) == len(jobs))
    assert not any(each.startswith(("SAVEPOINT", "RELEASE")) for each in statements)
    assert sorted(each["pk"]["S"] for each in scanned(engine)) == ["a", "b", "c"]


def test_a_job_that_fails_after_it_decided_leaves_nothing_and_the_others_are_done(store: Store) -> None:
    rows = new_rows(store)
    jobs: list[Job] = [increment(rows), refused(rows), raising(rows), increment(rows), increment(rows)]
    outcomes = commit_together(store, jobs, decides_first=True)
    assert [type(each) for each in outcomes] == [type(None), Oops, Oops, type(None), type(None)]
    assert rows_of(store, rows) == {b"counter": b"3"}
    assert counts_of(store, rows) == (1, 1)


@pytest.mark.parametrize("is_undone", [True, False])
@pytest.mark.parametrize("decides_first", [True, False])
def test_an_interruption_stops_whoever_runs_the_jobs_and_the_others_are_done(
    store: Store, decides_first: bool, is_undone: bool
) -> None:
    rows, ran = new_rows(store), 0

    def job(writer: Writer) -> None:
        nonlocal ran
        increment(rows)(writer)
        ran += 1
        if ran == 3:
            if is_undone:
                writer.execute("ROLLBACK")  # as SQLite does by itself when a disk is full
            raise KeyboardInterrupt

    outcomes = commit_together(store, [job] * 5, decides_first=decides_first)
    assert [type(each) for each in outcomes if each is not None] == [KeyboardInterrupt]
    assert rows_of(store, rows) == {b"counter": b"4"}
    assert counts_of(store, rows) == (1, 1)


def test_a_row_that_is_not_where_it_was_is_written_anew(store: Store) -> None:
    rows = new_rows(store)
    store.write(lambda writer: writer.put(rows, b"hidden", b"value", 5, 5))
    assert rows_of(store, rows) == {b"hidden": b"value"}


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


class Hesitant(WaitingLine):
    """A queue in which the second job stands for a while before its thread can do anything more."""

    def __init__(self, door: Door) -> None:
        super().__init__()
        self._door, self._joined = door, 0

    def add(self, pending: PendingJob) -> None:
        super().add(pending)
        self._joined += 1
        if self._joined == 2:
            eventually(lambda: self._door.asked == 3)  # The first wants to run both.


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


# ── jobs that are given up ────────────────────────────────────────────────────────────────────────

SOON = 0.1


@contextmanager
def impatient(path: Path, **options: Any) -> Iterator[tuple[Store, int]]:
    """A store whose writers wait for a moment, and rows in it."""
    store = Store(path, wait_seconds=SOON, **options)
    try:
        yield store, new_rows(store)
    finally:
        store.close()


def test_a_job_whose_turn_does_not_come_is_given_up_and_never_runs(path: Path) -> None:
    with impatient(path) as (store, rows):
        with writer_held(store):
            with pytest.raises(StoreBusy, match="Nothing of this request was kept"):
                store.write(put_row(rows, b"given up"))
            assert waiting(store) == 0
            assert rows_of(store, rows) == {}
        store.write(put_row(rows, b"next"))
        assert rows_of(store, rows) == {b"next": b"value"}


def test_a_job_that_is_under_way_is_not_given_up(path: Path) -> None:
    store = Store(path, wait_seconds=2)
    try:
        rows = new_rows(store)
        slow: Job = lambda writer: time.sleep(2.2)  # noqa: E731 - longer than the next one waits
        assert commit_together(store, [slow, put_row(rows, b"behind it")]) == [None, None]
        assert rows_of(store, rows) == {b"behind it": b"value"}
    finally:
        store.close()


def test_a_job_that_finds_too_many_before_it_is_refused_while_they_wait(path: Path) -> None:
    store = Store(path, most_waiting=2)
    try:
        rows = new_rows(store)
        with ExitStack() as block, writer_held(store):
            block.enter_context(
                running(*(partial(store.write, put_row(rows, b"%d" % each)) for each in (1, 2)))
            )
            eventually(lambda: waiting(store) == 2)
            with pytest.raises(StoreBusy, match="2 writes wait"):
                store.write(put_row(rows, b"3"))
            assert waiting(store) == 2
        assert sorted(rows_of(store, rows)) == [b"1", b"2"]
    finally:
        store.close()


def test_a_job_that_is_interrupted_while_it_waits_never_runs(store: Store) -> None:
    rows = new_rows(store)
    with writer_held(store), interrupted_while_it_waits(store):
        store.write(put_row(rows, b"interrupted"))
    store.write(put_row(rows, b"next"))
    assert rows_of(store, rows) == {b"next": b"value"}


# ── turns ─────────────────────────────────────────────────────────────────────────────────────────


def order_of(store: Store, weights: list[int]) -> list[int]:
    """In which order jobs of such weights are run that came while another one was."""
    order: list[int] = []
    with ExitStack() as block, writer_held(store):
        for place, weight in enumerate(weights):

            def job(writer: Writer, place: int = place) -> None:
                order.append(place)

            block.enter_context(running(partial(store.write, job, weight)))
            eventually(lambda place=place: waiting(store) == place + 1)  # type: ignore[misc]
    return order


def test_a_small_job_waits_for_a_few_large_ones_and_not_for_all(store: Store) -> None:
    order = order_of(store, [100] * 12 + [1, 1])
    assert sorted(order) == list(range(14))
    assert max(order.index(12), order.index(13)) <= 4
    assert [place for place in order if place < 12] == list(range(12))


def test_large_jobs_have_their_turn_beside_any_number_of_small_ones(store: Store) -> None:
    order = order_of(store, [1] * 30 + [100, 100])
    assert [place for place in order if place < 30] == list(range(30))
    assert [place for place in order if place >= 30] == [30, 31]


def test_a_job_that_is_heavier_than_a_turn_has_a_turn_of_its_own(store: Store) -> None:
    assert order_of(store, [1000, 1000, 1]) in ([0, 2, 1], [2, 0, 1])


def test_jobs_of_one_weight_are_run_in_the_order_of_asking(store: Store) -> None:
    assert order_of(store, [25] * 20) == list(range(20))


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
    assert [type(each) for each in outcomes] == [StoreFull] * 5
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
    waited = [list[int](), list[int](), list[int]()]
    end = time.monotonic() + PATIENCE

    def work(place: int) -> None:
        while min(done) < 30 and time.monotonic() < end:
            before = sum(done)
            on_disk.write(increment(rows))
            waited[place].append(sum(done) - before)
            done[place] += 1

    together(*(partial(work, place) for place in range(3)))
    assert rows_of(on_disk, rows) == {b"counter": b"%d" % sum(done)}
    assert min(done) >= 30, done  # While the others went on.
    # A busy machine may stop a thread before it has joined the line, but not most of the time.
    assert max(median(each) for each in waited) <= 6, done


# ── calls that share a commit ─────────────────────────────────────────────────────────────────────


def writing(store: Store, job: Job) -> Callable[[], str]:
    """A call that runs a job and answers what became of it."""

    def call() -> str:
        try:
            store.write(job, decides_first=True)
        except (Oops, StoreBusy) as error:
            return type(error).__name__
        return "done"

    return call


def test_calls_that_share_a_commit_see_one_another_and_are_counted_once(store: Store) -> None:
    rows = new_rows(store)
    statements = traced(store)
    jobs = [increment(rows), refused(rows), increment(rows), put_row(rows, b"a")]
    assert store.share([writing(store, job) for job in jobs]) == ["done", "Oops", "done", "done"]
    assert statements.count("COMMIT") == 1
    assert sum(each.startswith("UPDATE counts") for each in statements) == 1
    assert rows_of(store, rows) == {b"counter": b"2", b"a": b"value"}
    assert counts_of(store, rows) == (2, 6)


def test_a_call_that_fails_halfway_leaves_nothing_of_those_that_share_its_commit(store: Store) -> None:
    rows = new_rows(store)
    jobs = [put_row(rows, b"a"), raising(rows), put_row(rows, b"b")]
    assert store.share([writing(store, job) for job in jobs]) is None
    assert rows_of(store, rows) == {}
    assert counts_of(store, rows) == (0, 0)
    store.write(put_row(rows, b"c"))
    assert rows_of(store, rows) == {b"c": b"value"}


def test_a_call_that_goes_on_after_it_failed_halfway_writes_nothing(store: Store) -> None:
    rows = new_rows(store)
    answers: list[str] = []

    def stubborn() -> None:
        answers.extend(writing(store, job)() for job in (raising(rows), put_row(rows, b"again")))

    assert store.share([stubborn]) is None
    assert answers == ["Oops", "CommitSpoiled"]
    assert rows_of(store, rows) == {}


def test_calls_that_share_the_commit_of_another_thread_fail_without_it(store: Store) -> None:
    rows = new_rows(store)
    shared: list[object] = []

    def share() -> None:
        shared.append(store.share([writing(store, increment(rows)), writing(store, raising(rows))]))

    with ExitStack() as block, writer_held(store):
        block.enter_context(running(share, lambda: store.write(increment(rows), decides_first=True)))
        eventually(lambda: waiting(store) == 2)
    assert shared == [None]
    assert rows_of(store, rows) == {b"counter": b"1"}
    assert counts_of(store, rows) == (1, 1)


def test_a_full_disk_keeps_nothing_of_calls_that_share_a_commit(store: Store) -> None:
    rows = new_rows(store)
    calls = [writing(store, job) for job in (put_row(rows, b"a"), put_row(rows, b"large", LARGE))]
    with limited_pages(store), pytest.raises(StoreFull):
        store.share(calls)
    assert rows_of(store, rows) == {}
    assert counts_of(store, rows) == (0, 0)
    assert store.share(calls) == ["done", "done"]


def test_calls_whose_turn_does_not_come_are_never_made(path: Path) -> None:
    made: list[str] = []
    with closing(Store(path, wait_seconds=0.05)) as store:
        with writer_held(store), pytest.raises(StoreBusy):
            store.share([lambda: made.append("one"), lambda: made.append("two")])
        store.write(lambda writer: None)
    assert made == []


# ── at once ───────────────────────────────────────────────────────────────────────────────────────


def test_a_thread_that_does_not_wait_writes_when_nobody_else_does(store: Store) -> None:
    rows = new_rows(store)
    with store.without_waiting():
        store.write(put_row(rows, b"one"))
    assert rows_of(store, rows) == {b"one": b"value"}


def test_a_thread_that_does_not_wait_is_refused_while_another_writes(store: Store) -> None:
    rows = new_rows(store)
    with writer_held(store), store.without_waiting(), pytest.raises(StoreBusy):
        store.write(put_row(rows, b"one"))
    store.write(put_row(rows, b"two"))
    assert rows_of(store, rows) == {b"two": b"value"}


def test_a_thread_that_does_not_wait_is_refused_while_another_process_writes(tmp_path: Path) -> None:
    path = tmp_path / "data.db"
    with closing(Store(path)) as store, closing(Store(path)) as other:
        rows = new_rows(store)
        with writer_held(other), store.without_waiting(), pytest.raises(StoreBusy):
            store.write(put_row(rows, b"one"))
        assert rows_of(store, rows) == {}


def test_a_thread_that_does_not_wait_is_refused_while_a_foreign_program_writes(tmp_path: Path) -> None:
    path = tmp_path / "data.db"
    with closing(Store(path)) as store:
        rows = new_rows(store)
        with closing(sqlite3.connect(path, isolation_level=None)) as foreign:
            foreign.execute("BEGIN IMMEDIATE")
            with store.without_waiting(), pytest.raises(StoreBusy):
                store.write(put_row(rows, b"one"))
            foreign.execute("ROLLBACK")
        store.write(put_row(rows, b"two"))
        assert rows_of(store, rows) == {b"two": b"value"}


def test_patience_is_set_when_it_changes_and_not_with_every_write(store: Store) -> None:
    statements = traced(store)
    with store.without_waiting():
        for _ in range(5):
            store.write(lambda writer: None)
    for _ in range(5):
        store.write(lambda writer: None)
    set_to = [each for each in statements if each.startswith("PRAGMA busy_timeout")]
    assert len(set_to) == 2
    assert set_to[0].endswith("= 0")
