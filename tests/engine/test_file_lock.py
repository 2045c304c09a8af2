"""The lock beside the file: who has it is told to those who wait, and it may be lost at any time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

import pytest

from hansang.engine import Engine
from hansang.engine.file_lock import command_name
from hansang.errors import StoreBusy
from tests.engine.control import add_index, create, definition, describe, names, put, scanned
from tests.engine.holding import PATIENCE, eventually, interrupted_while_it_waits, running, waiting
from tests.engine.neighbour import Neighbour, neighbours

SOON = 0.2


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data.db"


@contextmanager
def beside(path: Path, wait_seconds: float) -> Iterator[tuple[Engine, Neighbour]]:
    """An engine that waits so long, and another process on the same file."""
    with (
        Engine.open(path, durability="normal", sweep_seconds=None, wait_seconds=wait_seconds) as engine,
        neighbours(path) as [other],
    ):
        create(engine)
        put(engine, "first")
        yield engine, other


# ── a process that does not let go ────────────────────────────────────────────────────────────────


def test_a_process_that_is_stopped_while_it_writes_is_named_and_reads_go_on(path: Path) -> None:
    with beside(path, SOON) as (engine, other):
        with other.holding(), other.stopped():
            with pytest.raises(StoreBusy, match=f"being written by process {other.pid} .*Ctrl\\+Z") as caught:
                put(engine, "refused")
            assert caught.value.owner == f"process {other.pid} (neighbour.py)"
            assert caught.value.retry_after == SOON
            assert names(scanned(engine)) == ["first"]
            with Engine.open(path, sweep_seconds=None, wait_seconds=SOON) as late:
                assert names(scanned(late)) == ["first"]
                with pytest.raises(StoreBusy):
                    put(late, "refused")
        put(engine, "second")
        assert names(scanned(engine)) == ["first", "second"]


def test_whoever_waits_goes_on_when_the_process_is_continued(path: Path) -> None:
    with beside(path, PATIENCE) as (engine, other):
        with ExitStack() as writing, other.holding(), other.stopped():
            puts = [partial(put, engine, f"waited-{number}") for number in range(4)]
            writing.enter_context(running(*puts))
            eventually(lambda: waiting(engine.store) == 4)
            assert names(scanned(engine)) == ["first"]
        assert len(scanned(engine)) == 5


def test_a_lock_that_comes_too_late_is_given_back(path: Path) -> None:
    with beside(path, SOON) as (engine, other):
        with other.holding(), pytest.raises(StoreBusy):
            put(engine, "refused")
        item = {"TableName": "rice", "Item": {"pk": {"S": "theirs"}}}
        assert other.call("PutItem", item) == {}
        put(engine, "ours")
        assert names(scanned(engine)) == ["first", "ours", "theirs"]


def test_a_store_that_waits_can_be_closed(path: Path) -> None:
    with neighbours(path) as [other], other.holding(), other.stopped():
        engine = Engine.open(path, sweep_seconds=None, wait_seconds=SOON)
        try:
            with pytest.raises(StoreBusy):
                create(engine)
        finally:
            engine.close()


def test_who_is_interrupted_while_another_process_writes_leaves_no_trace(path: Path) -> None:
    with beside(path, PATIENCE) as (engine, other):
        with other.holding(), interrupted_while_it_waits(engine.store):
            put(engine, "interrupted")
        put(engine, "second")
        assert names(scanned(engine)) == ["first", "second"]


def test_whoever_dies_while_waiting_holds_nobody_up(path: Path) -> None:
    with beside(path, PATIENCE) as (engine, other), neighbours(path) as [doomed]:
        with other.holding():
            doomed.send("PutItem", {"TableName": "rice", "Item": {"pk": {"S": "never"}}})
            lock = path.with_name("data.db-lock")
            eventually(lambda: any(lock.read_bytes()[-8:]))
            doomed.kill()
        put(engine, "second")
        assert not any(lock.read_bytes()[-8:])
        assert names(scanned(engine)) == ["first", "second"]


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["/usr/bin/hansang", "news", "load", "list.csv"], "hansang news load"),
        (["/usr/bin/hansang", "up", "--port", "80"], "hansang up"),
        (["/lib/hansang/__main__.py", "backup", "/secret/place"], "hansang backup"),
        ([""], "python"),
        ([], "python"),
    ],
)
def test_a_command_is_named_without_what_it_was_given(arguments: list[str], name: str) -> None:
    assert command_name(arguments) == name


# ── a lock file that is lost ──────────────────────────────────────────────────────────────────────


def lose(path: Path) -> None:
    path.with_name(f"{path.name}-lock").unlink(missing_ok=True)


@pytest.fixture
def parted(path: Path) -> Iterator[tuple[Engine, Engine]]:
    """Two engines on one file, each with a lock file of its own."""
    with Engine.open(path, durability="normal", sweep_seconds=None) as one:
        create(one)
        put(one, "before", colour={"S": "red"})
        lose(path)
        with Engine.open(path, durability="normal", sweep_seconds=None) as two:
            yield one, two


def test_an_index_that_was_made_behind_a_lost_lock_is_kept(parted: tuple[Engine, Engine]) -> None:
    one, two = parted
    two.call("UpdateTable", add_index("by-colour", "colour"))
    put(one, "after", colour={"S": "red"})
    for engine in parted:
        assert names(scanned(engine, IndexName="by-colour")) == ["after", "before"]


def test_an_index_that_was_made_under_a_lost_lock_is_kept(parted: tuple[Engine, Engine]) -> None:
    one, two = parted
    put(two, "again", colour={"S": "red"})
    one.call("UpdateTable", add_index("by-colour", "colour"))
    put(two, "after", colour={"S": "red"})
    for engine in parted:
        assert names(scanned(engine, IndexName="by-colour")) == ["after", "again", "before"]


def test_what_is_made_behind_a_lost_lock_is_found(parted: tuple[Engine, Engine]) -> None:
    one, two = parted
    two.call("UpdateTable", add_index("by-colour", "colour"))
    assert names(scanned(one, IndexName="by-colour")) == ["before"]
    create(two, definition("beans"))
    assert scanned(one, "beans") == []
    two.call("DeleteTable", {"TableName": "beans"})
    assert one.call("ListTables", {})["TableNames"] == ["rice"]
    two.call("UpdateTable", {"TableName": "rice", "DeletionProtectionEnabled": True})
    assert describe(one)["DeletionProtectionEnabled"]


def test_a_lost_lock_is_made_again_with_the_next_write(path: Path) -> None:
    with Engine.open(path, durability="normal", sweep_seconds=None) as engine:
        create(engine)
        lose(path)
        put(engine, "a")
        assert path.with_name("data.db-lock").stat().st_size
        with neighbours(path) as [other], other.holding(), pytest.raises(StoreBusy):
            engine.store._queue._wait_seconds = SOON
            put(engine, "refused")


def test_indexes_agree_with_items_whenever_the_lock_is_lost(path: Path) -> None:
    with Engine.open(path, durability="normal", sweep_seconds=None, wait_seconds=PATIENCE) as engine:
        create(engine)
        with neighbours(path, 2) as others:
            for number, other in enumerate(others):
                request = {"TableName": "rice", "Item": {"pk": {"S": f"{number}-%d"}, "colour": {"S": "red"}}}
                other.send("repeat", {"operation": "PutItem", "request": request, "times": 120})
            for number in range(6):
                lose(path)
                with Engine.open(path, sweep_seconds=None, wait_seconds=PATIENCE) as maker:
                    maker.call("UpdateTable", add_index(f"by-colour-{number}", "colour"))
                    lose(path)
                put(engine, f"ours-{number}", colour={"S": "red"})
            assert [other.answer() for other in others] == [120, 120]
        whole = names(scanned(engine))
        assert len(whole) == 246
        for number in range(6):
            assert names(scanned(engine, IndexName=f"by-colour-{number}")) == whole
