"""The data file: whose it is, whether it is whole, and how it comes to be and to be newer."""

from __future__ import annotations

import os
import random
import sqlite3
import stat
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import pytest

from hansang.engine import Engine, file
from hansang.engine.backup import back_up
from hansang.engine.sql import connections
from hansang.engine.store import Store
from hansang.errors import DamagedFile, ForeignFile, NewerFile, StoreError
from tests.engine.control import Request, create, definition, names, put_many, scanned
from tests.engine.holding import together
from tests.engine.neighbour import neighbours


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data.db"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A good file with a table of some size."""
    path = tmp_path_factory.mktemp("whole") / "data.db"
    with Engine.open(path, durability="normal", sweep_seconds=None) as engine:
        create(engine)
        put_many(engine, [{"pk": {"S": f"{each:03d}"}, "fill": {"S": "x" * 500}} for each in range(200)])
    return path.read_bytes()


def use(path: Path) -> None:
    """Open a file and read everything in it."""
    with Engine.open(path, sweep_seconds=None) as engine:
        for name in engine.call("ListTables", {})["TableNames"]:
            scanned(engine, name)


def test_a_new_file_and_all_beside_it_are_for_its_owner_alone(path: Path) -> None:
    with Engine.open(path, sweep_seconds=None) as engine:
        create(engine)
        put_many(engine, [{"pk": {"S": "a"}}])
        modes = {each.name: stat.S_IMODE(each.stat().st_mode) for each in path.parent.iterdir()}
    assert modes.keys() >= {"data.db", "data.db-wal", "data.db-lock"}
    assert set(modes.values()) == {0o600}


def refused(path: Path, kind: type[StoreError]) -> str:
    """The error that a file gets, which must leave the file and the folder as they are, and free."""
    before = (path.read_bytes(), sorted(os.listdir(path.parent)))
    with pytest.raises(kind) as caught:
        use(path)
    assert (path.read_bytes(), sorted(os.listdir(path.parent))) == before
    assert path.name in str(caught.value)
    assert held(path.parent) == []
    return str(caught.value)


def held(folder: Path) -> list[str]:
    """The files of a folder that this process has open, as far as the system tells."""
    handles = Path("/proc/self/fd")
    found = (
        [str(each.readlink()) for each in handles.iterdir() if each.is_symlink()] if handles.exists() else []
    )
    return [name for name in found if name.startswith(str(folder))]


# ── files of others ───────────────────────────────────────────────────────────────────────────────

FOREIGN = {
    "a text": b"rice " * 1000,
    "a short text": b"rice",
    "zeros": bytes(8192),
    "half a magic": b"SQLite format",
    "random bytes": random.Random(1).randbytes(8192),
}


@pytest.mark.parametrize("case", FOREIGN)
def test_a_file_that_is_no_database_is_left_as_it_is(path: Path, case: str) -> None:
    path.write_bytes(FOREIGN[case])
    assert "is not a Hansang data file" in refused(path, ForeignFile)


@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_a_database_of_another_program_is_left_as_it_is(path: Path, mode: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA journal_mode = {mode}")
    connection.executescript("CREATE TABLE tables (name); INSERT INTO tables VALUES ('theirs');")
    connection.close()
    assert "another program" in refused(path, ForeignFile)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is a folder"):
        Engine.open(tmp_path)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("suffix", ["", "-lock"])
def test_a_pipe_is_no_file(path: Path, suffix: str) -> None:
    if suffix:
        Store(path).close()
        path.with_name(f"{path.name}{suffix}").unlink()
    pipe = path.with_name(f"{path.name}{suffix}")
    os.mkfifo(pipe)
    with pytest.raises(StoreError, match=pipe.name):
        Engine.open(path)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert held(path.parent) == []


def test_a_pipe_cannot_be_backed_up(path: Path) -> None:
    os.mkfifo(path)
    with pytest.raises(StoreError, match="is not a file but a pipe"):
        back_up(path, path.with_name("copy.db"), lambda *step: None)


def test_a_folder_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"Folder not found: .*missing"):
        Engine.open(tmp_path / "missing" / "data.db")
    assert os.listdir(tmp_path) == []


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("rice")
    with pytest.raises(StoreError):
        Engine.open(tmp_path / "text" / "data.db")
    assert (tmp_path / "text").read_text() == "rice"


# ── files that are broken ─────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("part", [0.25, 0.5, 0.99])
def test_a_file_that_was_cut_is_damaged(path: Path, whole: bytes, part: float) -> None:
    path.write_bytes(whole[: int(len(whole) * part)])
    assert "Restore it from a backup" in refused(path, DamagedFile)


@pytest.mark.parametrize("size", [50, 99, 100, 512])
def test_a_file_of_which_little_is_left_is_refused(path: Path, whole: bytes, size: int) -> None:
    path.write_bytes(whole[:size])
    refused(path, StoreError)


def page_size(whole: bytes) -> int:
    return int.from_bytes(whole[16:18], "big")


def spoiled(whole: bytes, start: int, size: int) -> bytes:
    return whole[:start] + random.Random(start).randbytes(size) + whole[start + size :]


def test_garbage_in_the_first_page_is_damage(path: Path, whole: bytes) -> None:
    path.write_bytes(spoiled(whole, 100, page_size(whole) - 100))
    assert "damaged" in refused(path, DamagedFile)


def test_garbage_in_every_other_page_is_damage(path: Path, whole: bytes) -> None:
    size = page_size(whole)
    path.write_bytes(spoiled(whole, size, len(whole) - size))
    assert "damaged" in refused(path, DamagedFile)


def test_garbage_in_any_page_is_damage_or_does_not_matter(path: Path, whole: bytes) -> None:
    size = page_size(whole)
    damaged = 0
    for start in range(size, len(whole), size):
        path.write_bytes(spoiled(whole, start, size))
        before = path.read_bytes()
        try:
            use(path)
        except DamagedFile:
            damaged += 1
        assert path.read_bytes() == before
    assert damaged > len(whole) // size // 2


def test_a_write_to_a_damaged_page_is_refused(path: Path, whole: bytes) -> None:
    size = page_size(whole)
    refusals = 0
    for start in range(size, len(whole), size):
        path.write_bytes(spoiled(whole, start, size))
        try:
            with Engine.open(path, durability="normal", sweep_seconds=None) as engine:
                put_many(engine, [{"pk": {"S": f"{each:03d}"}} for each in range(200)])
        except DamagedFile:
            refusals += 1
    assert refusals > len(whole) // size // 2


def test_garbage_within_an_item_is_damage(path: Path) -> None:
    with Engine.open(path, sweep_seconds=None) as engine:
        create(engine)
        put_many(engine, [{"pk": {"S": "a"}, "fill": {"S": "x" * 100_000}}])
    whole = path.read_bytes()
    path.write_bytes(spoiled(whole, whole.index(b"x" * 4000) + 1000, 100))
    with Engine.open(path, sweep_seconds=None) as engine:
        reads: dict[str, Request] = {"Scan": {}, "GetItem": {"Key": {"pk": {"S": "a"}}}}
        for operation, request in reads.items():
            with pytest.raises(DamagedFile, match=path.name):
                engine.call(operation, {"TableName": "rice", **request})


def test_a_file_of_ours_without_our_tables_is_refused(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA application_id = {file.APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {file.FORMAT}")
    connection.execute("CREATE TABLE something (else_)")
    connection.close()
    refused(path, StoreError)


# ── new files ─────────────────────────────────────────────────────────────────────────────────────


def test_an_empty_file_is_a_file_to_be(path: Path) -> None:
    path.touch()
    with Engine.open(path, sweep_seconds=None) as engine:
        create(engine)
    use(path)
    assert path.stat().st_size > 0


def test_a_file_says_whose_it_is_and_which_format_it_has(path: Path) -> None:
    Store(path).close()
    header = path.read_bytes()[:100]
    assert int.from_bytes(header[60:64], "big") == file.FORMAT == file.check(str(path))
    assert header[68:72] == b"HSNG"


def test_nothing_but_the_file_and_its_lock_is_made(path: Path) -> None:
    Store(path).close()
    assert sorted(os.listdir(path.parent)) in (["data.db"], ["data.db", "data.db-lock"])


def test_threads_that_make_the_same_file_make_one(tmp_path: Path) -> None:
    for round_ in range(5):
        path = tmp_path / f"{round_}.db"
        together(*(partial(make_table, path, f"table-{number}") for number in range(6)))
        with Engine.open(path, sweep_seconds=None) as engine:
            found = engine.call("ListTables", {})["TableNames"]
        assert found == [f"table-{number}" for number in range(6)]
    assert not [name for name in os.listdir(tmp_path) if ".new-" in name]


def make_table(path: Path, name: str) -> None:
    with Engine.open(path, durability="normal", sweep_seconds=None) as engine:
        create(engine, definition(name))


@pytest.mark.parametrize("empty", [False, True], ids=["no file", "an empty file"])
def test_processes_that_make_the_same_file_make_one(path: Path, empty: bool) -> None:
    if empty:
        path.touch()
    with neighbours(path, 3) as others:
        for place, other in enumerate(others):
            other.call("CreateTable", definition(f"table-{place}"))
        for other in others:
            assert len(other.call("ListTables", {})["TableNames"]) == 3
    assert not [name for name in os.listdir(path.parent) if ".new-" in name]


# ── formats ───────────────────────────────────────────────────────────────────────────────────────


def test_a_newer_format_is_left_as_it_is(path: Path) -> None:
    Store(path).close()
    set_format(path, file.FORMAT + 1)
    message = refused(path, NewerFile)
    assert f"format {file.FORMAT + 1}" in message
    assert "Install a newer one" in message


def test_a_format_that_never_was_is_left_as_it_is(path: Path) -> None:
    Store(path).close()
    set_format(path, 0)
    assert "Restore it from a backup" in refused(path, DamagedFile)


def set_format(path: Path, version: int) -> None:
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {version:d}")
    connection.close()


Step = Callable[[sqlite3.Connection], None]


@pytest.fixture
def upgrades(monkeypatch: pytest.MonkeyPatch) -> Callable[[Mapping[int, Step]], None]:
    """Make this a Hansang of a later format, with steps from the format of today."""

    def install(steps: Mapping[int, Step]) -> None:
        monkeypatch.setattr(connections, "UPGRADES", steps)
        monkeypatch.setattr(file, "FORMAT", max(steps) + 1)

    return install


@pytest.fixture
def old(path: Path) -> Path:
    """A file of today's format, with a table and an item."""
    with Engine.open(path, sweep_seconds=None) as engine:
        create(engine)
        put_many(engine, [{"pk": {"S": "kept"}}])
    return path


def add_table(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TABLE later (step)")
    connection.execute("INSERT INTO later VALUES (1)")


def add_row(connection: sqlite3.Connection) -> None:
    connection.execute("INSERT INTO later VALUES (2)")


def steps_taken(path: Path) -> list[int]:
    connection = sqlite3.connect(path)
    try:
        return [step for (step,) in connection.execute("SELECT step FROM later ORDER BY step")]
    finally:
        connection.close()


def test_an_older_file_is_brought_up_to_date_once(
    old: Path, upgrades: Callable[[Mapping[int, Step]], None]
) -> None:
    upgrades({file.FORMAT: add_table, file.FORMAT + 1: add_row})
    for _ in range(2):
        with Engine.open(old, sweep_seconds=None) as engine:
            assert names(scanned(engine)) == ["kept"]
    assert file.check(str(old)) == file.FORMAT
    assert steps_taken(old) == [1, 2]


def test_a_step_that_fails_leaves_the_file_as_it_was(
    old: Path, upgrades: Callable[[Mapping[int, Step]], None]
) -> None:
    today = file.FORMAT

    def fail(connection: sqlite3.Connection) -> None:
        add_table(connection)
        raise OSError("no room")

    upgrades({today: fail})
    before = old.read_bytes()
    with pytest.raises((OSError, StoreError), match="no room"):
        Engine.open(old, sweep_seconds=None)
    assert old.read_bytes() == before
    assert file.check(str(old)) == today


def test_steps_before_the_one_that_fails_are_kept(
    old: Path, upgrades: Callable[[Mapping[int, Step]], None]
) -> None:
    today = file.FORMAT

    def fail(connection: sqlite3.Connection) -> None:
        add_row(connection)
        raise OSError("no room")

    upgrades({today: add_table, today + 1: fail})
    with pytest.raises((OSError, StoreError), match="no room"):
        Engine.open(old, sweep_seconds=None)
    assert (file.check(str(old)), steps_taken(old)) == (today + 1, [1])
    upgrades({today: add_table, today + 1: add_row})
    with Engine.open(old, sweep_seconds=None) as engine:
        assert names(scanned(engine)) == ["kept"]
    assert steps_taken(old) == [1, 2]


def test_several_openers_take_every_step_once(
    old: Path, upgrades: Callable[[Mapping[int, Step]], None]
) -> None:
    upgrades({file.FORMAT: add_table, file.FORMAT + 1: add_row})
    together(*[lambda: Store(old).close()] * 4)
    assert steps_taken(old) == [1, 2]


# ── the lock ──────────────────────────────────────────────────────────────────────────────────────


def test_the_lock_is_beside_the_file_and_may_be_lost(path: Path) -> None:
    with Engine.open(path, sweep_seconds=None) as engine:
        create(engine)
    path.with_name("data.db-lock").unlink(missing_ok=True)
    with Engine.open(path, sweep_seconds=None) as engine:
        assert engine.call("ListTables", {})["TableNames"] == ["rice"]


def test_a_lock_that_was_spoiled_does_no_harm(path: Path) -> None:
    with Engine.open(path, sweep_seconds=None) as engine:
        create(engine)
    path.with_name("data.db-lock").write_bytes(b"\xff" * 3)
    with Engine.open(path, sweep_seconds=None) as one, Engine.open(path, sweep_seconds=None) as two:
        create(one, definition("beans"))
        assert two.call("ListTables", {})["TableNames"] == ["beans", "rice"]


def test_a_lock_that_cannot_be_had_is_named_and_the_file_is_free(path: Path) -> None:
    path.with_name("data.db-lock").mkdir()
    with pytest.raises(StoreError, match=r"data\.db-lock could not be opened"):
        Engine.open(path, sweep_seconds=None)
    assert held(path.parent) == []
