"""The store: rows, readers who wait for nobody, processes that share a file, and the end."""

from __future__ import annotations

import signal
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hansang.engine import Engine
from hansang.engine.sql.connections import Durability, held, looking
from hansang.engine.sql.errors import BROKEN, RowsGone
from hansang.engine.sql.reader import Reader
from hansang.engine.sql.statements import SQL
from hansang.engine.sql.writer import Writer
from hansang.engine.store import Store
from hansang.errors import StoreError
from tests.engine.control import create
from tests.engine.holding import PATIENCE, running, together, writer_held
from tests.engine.neighbour import neighbours
from tests.engine.rows import ALL, Oops, counts_of, increment, new_rows, put_row, rows_of

# ── rows ──────────────────────────────────────────────────────────────────────────────────────────


def test_rows_stand_in_the_order_of_their_keys(store: Store) -> None:
    rows = new_rows(store)
    for key in (b"b", b"\0", b"a\xff", b"a", b"\xfe"):
        store.write(put_row(rows, key, key))
    with store.snapshot() as reader:
        assert reader.keys(rows, *ALL, 10) == [b"\0", b"a", b"a\xff", b"b", b"\xfe"]
        assert reader.keys(rows, b"a", b"b", 10) == [b"a", b"a\xff"]
        assert reader.keys(rows, *ALL, 2) == [b"\0", b"a"]
        [backward] = reader.pieces(rows, b"a", b"\xff", backward=True)
    assert list(backward.values) == [b"\xfe", b"b", b"a\xff", b"a"]


def _putting(rows: int, keys: list[bytes]) -> Callable[[Writer], None]:
    def put(writer: Writer) -> None:
        for key in keys:
            writer.put(rows, key, key, 1, None)

    return put


@pytest.mark.parametrize("backward", [False, True])
def test_joined_pieces_follow_each_other_up_to_the_last_row(store: Store, *, backward: bool) -> None:
    rows, keys = new_rows(store), [b"%03d" % number for number in range(300)]
    store.write(_putting(rows, keys))
    with store.snapshot() as reader:
        pieces = [piece for piece, _, _ in reader.joined_pieces(rows, *ALL, backward=backward)]
    assert [piece.number for piece in pieces] == [128, 128, 44]
    assert b",".join(piece.values for piece in pieces).split(b",") == (keys[::-1] if backward else keys)


@pytest.mark.parametrize("found", [b"200", b"127"])
def test_joined_pieces_end_where_a_damaged_key_leads_the_search_astray(
    found: bytes, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, keys = new_rows(store), [b"%03d" % number for number in range(300)]
    store.write(_putting(rows, keys))
    # A search that ends at another row, as it does beside a damaged key in an inner page; or at one whose damaged
    # key became that of the last row of the piece.
    astray = f"SELECT x'{found.hex()}', value, size FROM rows_{rows} WHERE key < ? ORDER BY key LIMIT 1"
    monkeypatch.setitem(SQL[rows], "before", astray)
    with store.snapshot() as reader:
        assert list(reader.joined_pieces(rows, *ALL, backward=False)) == []


def test_pieces_that_are_read_while_others_write_are_of_one_moment(store: Store) -> None:
    rows, keys = new_rows(store), [b"%03d" % number for number in range(300)]
    store.write(_putting(rows, keys))
    if store.in_memory:  # There a reader has the store for itself.
        return
    reader = store.acquire()
    with reader.standing_still():
        pieces = reader.joined_pieces(rows, *ALL, backward=False)
        next(pieces)
        store.write(put_row(rows, b"299a"))
        assert sum(piece.number for piece, _, _ in pieces) == 172
    assert reader.keys(rows, b"299a", b"3", 1) == [b"299a"]
    store.release(reader)


def begin_and_be_interrupted(reader: Reader) -> None:
    reader.execute("BEGIN")
    raise KeyboardInterrupt


def test_who_is_interrupted_as_the_file_begins_to_stand_still_leaves_no_transaction(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Reader, "stand_still", begin_and_be_interrupted)
    reader = store.acquire()
    with pytest.raises(KeyboardInterrupt), reader.standing_still():
        pass
    assert not reader.connection.in_transaction
    store.release(reader)
    if store.in_memory:  # There a snapshot needs no transaction.
        return
    with pytest.raises(KeyboardInterrupt), store.snapshot():
        pass
    assert store.acquire() is reader
    assert not reader.connection.in_transaction
    store.release(reader)


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
    with pytest.raises(BROKEN) as gone, store.snapshot() as reader:
        reader.get(rows, b"a")
    assert isinstance(store.fault(gone.value), RowsGone)
    assert new_rows(store) > rows


# ── readers ───────────────────────────────────────────────────────────────────────────────────────


def test_a_reader_does_not_wait_for_a_writer(on_disk: Store) -> None:
    rows = new_rows(on_disk)
    on_disk.write(put_row(rows, b"a", b"before"))
    with writer_held(on_disk):
        assert rows_of(on_disk, rows) == {b"a": b"before"}  # While the writer is held.


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
    with Engine.open(path, sweep_seconds=None, wait_seconds=PATIENCE) as engine:
        create(engine)
        with neighbours(path, 3) as others:
            for other in others:
                other.send("repeat", {"operation": "UpdateItem", "request": ADD, "times": 100})
            together(*[lambda: [engine.call("UpdateItem", ADD) for _ in range(30)]] * 2)
            assert [other.answer() for other in others] == [100] * 3
        found = engine.call("GetItem", {"TableName": "rice", "Key": ADD["Key"]})["Item"]
    assert found["n"] == {"N": "360"}


def test_no_process_starves(path: Path) -> None:
    with Engine.open(path, sweep_seconds=None, wait_seconds=PATIENCE) as engine:
        create(engine)
        with neighbours(path, 3) as (one, two, third):
            for other in (one, two):
                other.send("repeat", {"operation": "UpdateItem", "request": ADD, "seconds": 120})
            assert third.call("repeat", {"operation": "UpdateItem", "request": ADD, "times": 100}) == 100
            for other in (one, two):
                other.kill()
                assert other.unread() == "", "the others were done before"
        found = engine.call("GetItem", {"TableName": "rice", "Key": ADD["Key"]})["Item"]
    assert int(found["n"]["N"]) > 100


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


# ── looking at a file, and holding it ─────────────────────────────────────────────────────────────

FOR_EVER = "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"


def test_a_long_look_can_be_interrupted(path: Path) -> None:
    Store(path).close()
    alarm = threading.Timer(0.2, signal.raise_signal, (signal.SIGINT,))
    with pytest.raises(KeyboardInterrupt), looking(path, at_rest=True) as reader:
        alarm.start()
        reader.execute(FOR_EVER).fetchone()
    alarm.join()


def test_a_file_that_is_held_lets_nobody_in_until_it_is_given_free(path: Path) -> None:
    Store(path).close()
    with held(path), pytest.raises(StoreError, match="is open in another process"), held(path):
        pytest.fail("It was held twice.")
    with held(path):
        opened: list[Store] = []
        thread = threading.Thread(target=lambda: opened.append(Store(path)))
        thread.start()
        time.sleep(0.1)
        assert opened == []
    thread.join()
    opened[0].close()


def test_a_file_that_cannot_be_held_says_what_to_do(path: Path) -> None:
    Store(path).close()
    whole = bytearray(path.read_bytes())
    whole[16:18] = b"\x00\x03"  # a page size that cannot be
    path.write_bytes(whole)
    with pytest.raises(StoreError, match="Make sure that it is not, move it away"), held(path):
        pytest.fail("It was held.")


def test_a_file_that_is_opened_twice_stays_locked_when_it_is_closed_once(path: Path) -> None:
    """A system drops a process's locks on a file when the process closes any handle of it."""
    with neighbours(path) as [other]:
        assert other.call("open again", {}) == "closed again"
        with pytest.raises(StoreError, match="is open in another process"), held(path):
            pytest.fail("It was held.")
        assert other.call("back up", {"target": f"{path}.copy"}) == "backed up"
        with pytest.raises(StoreError, match="is open in another process"), held(path):
            pytest.fail("It was held.")
