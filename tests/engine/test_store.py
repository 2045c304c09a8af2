"""The store: what a job leaves, who shares a commit, who waits for whom, and what a full disk does."""

from __future__ import annotations

import resource
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

import pytest

from hansang.engine import Engine
from hansang.engine.store import Durability, RowsGone, Store, Writer
from hansang.errors import StoreError
from tests.engine.control import create, describe, put
from tests.engine.holding import eventually, running, together, writer_held
from tests.engine.neighbour import neighbours

ALL = (b"", b"\xff")


class Oops(Exception):
    """What goes wrong in a job."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data.db"


@pytest.fixture(params=["memory", "file"])
def store(request: pytest.FixtureRequest, path: Path) -> Iterator[Store]:
    opened = Store(":memory:" if request.param == "memory" else path)
    yield opened
    opened.close()


@pytest.fixture
def on_disk(path: Path) -> Iterator[Store]:
    opened = Store(path)
    yield opened
    opened.close()


def new_rows(store: Store) -> int:
    return store.write(lambda writer: writer.create_rows())


def put_row(rows: int, key: bytes, value: bytes = b"value") -> Callable[[Writer], None]:
    def job(writer: Writer) -> None:
        there = writer.get(rows, key)
        writer.put(rows, key, value, len(value), there[1] if there else None)

    return job


def rows_of(store: Store, rows: int) -> dict[bytes, bytes]:
    with store.snapshot() as reader:
        return {key: value for key, value, _ in reader.entries(rows, *ALL, 10_000)}


def counts_of(store: Store, rows: int) -> tuple[int, int]:
    with store.snapshot() as reader:
        return reader.counts(rows)


# ── rows ──────────────────────────────────────────────────────────────────────────────────────────


def test_rows_stand_in_the_order_of_their_keys(store: Store) -> None:
    rows = new_rows(store)
    for key in (b"b", b"\0", b"a\xff", b"a", b"\xfe"):
        store.write(put_row(rows, key, key))
    with store.snapshot() as reader:
        assert reader.keys(rows, *ALL, 10) == [b"\0", b"a", b"a\xff", b"b", b"\xfe"]
        assert reader.keys(rows, b"a", b"b", 10) == [b"a", b"a\xff"]
        assert reader.keys(rows, *ALL, 2) == [b"\0", b"a"]
        backward = reader.range(rows, b"a", b"\xff", backward=True).fetchall()
    assert [value for value, _ in backward] == [b"\xfe", b"b", b"a\xff", b"a"]


def test_rows_and_their_sizes_are_counted(store: Store) -> None:
    rows = new_rows(store)
    store.write(lambda writer: writer.put(rows, b"a", b"x", 10, None))
    store.write(lambda writer: writer.put(rows, b"b", b"x", 20, None))
    store.write(lambda writer: writer.put(rows, b"a", b"y", 3, 10))
    store.write(lambda writer: writer.delete(rows, b"b", 20))
    assert counts_of(store, rows) == (1, 3)


def test_dropped_rows_are_gone_and_their_number_is_not_used_again(store: Store) -> None:
    rows = new_rows(store)
    store.write(put_row(rows, b"a"))
    store.write(lambda writer: writer.drop_rows(rows))
    with pytest.raises(RowsGone), store.snapshot() as reader:
        reader.get(rows, b"a")
    assert counts_of(store, rows) == (0, 0)
    assert new_rows(store) > rows


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


def raising(rows: int) -> Callable[[Writer], None]:
    def job(writer: Writer) -> None:
        writer.put(rows, b"lost", b"x", 1, None)
        raise Oops

    return job


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


def commit_together(store: Store, jobs: list[Callable[[Writer], object]]) -> list[BaseException | None]:
    """Let jobs wait for a write that is under way, so that they are next together; what became of each."""
    outcomes: list[BaseException | None] = [None] * len(jobs)

    def run(place: int) -> None:
        try:
            store.write(jobs[place])
        except BaseException as error:  # the outcome is what the test is about
            outcomes[place] = error

    with ExitStack() as block, writer_held(store):
        block.enter_context(running(*(partial(run, place) for place in range(len(jobs)))))
        eventually(lambda: len(store._queue) == len(jobs))
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
    jobs: list[Callable[[Writer], object]] = [put_row(rows, b"%d" % number) for number in range(6)]
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
    jobs: list[Callable[[Writer], object]] = [put_row(rows, b"%03d" % number) for number in range(300)]
    assert commit_together(store, jobs) == [None] * 300
    assert counts_of(store, rows) == (300, 1500)


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
    jobs: list[Callable[[Writer], object]] = [put_row(rows, b"%d" % number) for number in range(4)]
    jobs.insert(2, put_row(rows, b"large", LARGE))
    with limited_pages(store):
        outcomes = commit_together(store, jobs)
    assert [type(each) for each in outcomes] == [StoreError] * 5
    assert rows_of(store, rows) == {b"before": b"value"}
    assert counts_of(store, rows) == (1, 5)
    check_whole(store)


def test_a_disk_that_fails_at_the_commit_fails_every_job(on_disk: Store, path: Path) -> None:
    rows = new_rows(on_disk)
    jobs: list[Callable[[Writer], object]] = [put_row(rows, b"%d" % number, LARGE) for number in range(5)]
    with limited_files(path):
        outcomes = commit_together(on_disk, jobs)
    assert [type(each) for each in outcomes] == [StoreError] * 5
    assert rows_of(on_disk, rows) == {}
    assert counts_of(on_disk, rows) == (0, 0)


def test_the_store_goes_on_when_there_is_room_again(on_disk: Store, path: Path) -> None:
    rows = new_rows(on_disk)
    with limited_files(path), pytest.raises(StoreError, match="Nothing of this write was kept"):
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


# ── readers ───────────────────────────────────────────────────────────────────────────────────────


def test_a_reader_does_not_wait_for_a_writer(on_disk: Store) -> None:
    rows = new_rows(on_disk)
    on_disk.write(put_row(rows, b"a", b"before"))
    with writer_held(on_disk):
        begun = time.monotonic()
        assert rows_of(on_disk, rows) == {b"a": b"before"}
        assert time.monotonic() - begun < 5


def test_a_reader_does_not_see_what_is_not_committed(on_disk: Store) -> None:
    rows = new_rows(on_disk)
    written, release = threading.Event(), threading.Event()

    def job(writer: Writer) -> None:
        writer.put(rows, b"a", b"x", 1, None)
        written.set()
        assert release.wait(30)

    with running(lambda: on_disk.write(job)):
        assert written.wait(30)
        assert rows_of(on_disk, rows) == {}
        release.set()
    assert rows_of(on_disk, rows) == {b"a": b"x"}


def test_a_snapshot_stands_still(on_disk: Store) -> None:
    rows = new_rows(on_disk)
    on_disk.write(put_row(rows, b"a", b"1"))
    with on_disk.snapshot() as reader:
        assert reader.get(rows, b"a") == (b"1", 1)
        on_disk.write(put_row(rows, b"a", b"22"))
        assert reader.get(rows, b"a") == (b"1", 1)
    with on_disk.snapshot() as reader:
        assert reader.get(rows, b"a") == (b"22", 2)


def test_an_error_in_a_snapshot_leaves_the_reader_usable(store: Store) -> None:
    rows = new_rows(store)
    store.write(put_row(rows, b"a"))
    for _ in range(3):
        with pytest.raises(Oops), store.snapshot():
            raise Oops
    assert rows_of(store, rows) == {b"a": b"value"}


def test_an_acknowledged_write_can_be_read_at_once_by_everyone(path: Path) -> None:
    one, two = Store(path), Store(path)
    rows = new_rows(one)
    for number in range(50):
        one.write(put_row(rows, b"%d" % number))
        assert len(rows_of(two, rows)) == number + 1
    one.close()
    two.close()


# ── many ──────────────────────────────────────────────────────────────────────────────────────────


def increment(rows: int) -> Callable[[Writer], None]:
    def job(writer: Writer) -> None:
        there = writer.get(rows, b"counter")
        count = int(there[0]) if there else 0
        value = b"%d" % (count + 1)
        writer.put(rows, b"counter", value, len(value), there[1] if there else None)

    return job


def test_many_threads_count_exactly(store: Store) -> None:
    rows = new_rows(store)

    def work() -> None:
        for _ in range(50):
            store.write(increment(rows))
            rows_of(store, rows)

    together(*[work] * 8)
    assert rows_of(store, rows) == {b"counter": b"400"}


ADD = {
    "TableName": "rice",
    "Key": {"pk": {"S": "counter"}},
    "UpdateExpression": "ADD n :one",
    "ExpressionAttributeValues": {":one": {"N": "1"}},
}


def test_several_processes_count_exactly(path: Path) -> None:
    with Engine.open(path, sweep_seconds=None) as engine:
        create(engine)
        with neighbours(path, 3) as others:
            for other in others:
                other.send("repeat", {"operation": "UpdateItem", "request": ADD, "times": 100})
            together(*[lambda: [engine.call("UpdateItem", ADD) for _ in range(30)]] * 2)
            assert [other.answer() for other in others] == [100] * 3
        found = engine.call("GetItem", {"TableName": "rice", "Key": ADD["Key"]})["Item"]
    assert found["n"] == {"N": "360"}


def test_no_process_starves(path: Path) -> None:
    with Engine.open(path, sweep_seconds=None) as engine:
        create(engine)
        with neighbours(path, 3) as others:
            for other in others:
                other.send("repeat", {"operation": "UpdateItem", "request": ADD, "seconds": 2})
            done = [other.answer() for other in others]
        found = engine.call("GetItem", {"TableName": "rice", "Key": ADD["Key"]})["Item"]
    assert found["n"] == {"N": str(sum(done))}
    assert min(done) >= 0.15 * sum(done), done


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


# ── durability ────────────────────────────────────────────────────────────────────────────────────

SYNCHRONOUS: dict[Durability, int] = {"full": 2, "normal": 1}


@pytest.mark.parametrize("durability", SYNCHRONOUS)
def test_every_connection_syncs_as_the_setting_says(path: Path, durability: Durability) -> None:
    store = Store(path, durability)
    found: list[tuple[int, str]] = [store.write(lambda writer: pragmas(writer.connection))]
    with store.snapshot() as reader:
        found.append(pragmas(reader.connection))
    store.close()
    assert found == [(SYNCHRONOUS[durability], "wal")] * 2


def pragmas(connection: sqlite3.Connection) -> tuple[int, str]:
    [synchronous] = connection.execute("PRAGMA synchronous").fetchone()
    [journal] = connection.execute("PRAGMA journal_mode").fetchone()
    return synchronous, journal


def test_full_durability_is_what_there_is_unless_it_is_said_otherwise(on_disk: Store) -> None:
    assert on_disk.write(lambda writer: pragmas(writer.connection))[0] == SYNCHRONOUS["full"]


# ── the end ───────────────────────────────────────────────────────────────────────────────────────


def test_a_closed_store_refuses_to_be_used(store: Store) -> None:
    rows = new_rows(store)
    rows_of(store, rows)
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.write(put_row(rows, b"a"))
    with pytest.raises(StoreError, match="closed"):
        rows_of(store, rows)
    with pytest.raises(StoreError, match="closed"):
        store.catalog_version()


def test_a_store_may_be_closed_twice(store: Store) -> None:
    store.close()
    store.close()


def test_a_write_that_is_under_way_is_finished_before_the_store_is_closed(path: Path) -> None:
    store = Store(path)
    rows = new_rows(store)
    reached = threading.Event()

    def job(writer: Writer) -> None:
        reached.set()
        time.sleep(0.05)
        writer.put(rows, b"a", b"x", 1, None)

    with running(lambda: store.write(job)):
        assert reached.wait(30)
        store.close()
    again = Store(path)
    assert rows_of(again, rows) == {b"a": b"x"}
    again.close()


def test_a_reader_that_is_out_when_the_store_is_closed_is_closed_when_it_returns(on_disk: Store) -> None:
    reader = on_disk.acquire()
    on_disk.close()
    on_disk.release(reader)
    with pytest.raises(sqlite3.ProgrammingError):
        reader.connection.execute("SELECT 1")
