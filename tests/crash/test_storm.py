"""A process that is killed while it writes loses nothing that it was told is written."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from hansang.engine import Engine
from tests.crash.judge import Judge, half_transactions, index_faults, place, scan
from tests.crash.plan import JOURNAL, KEYS, LEDGER, TABLES, triple, write
from tests.crash.storm import Storm

WRITER = "w"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "storm.db"


@pytest.fixture
def engine(path: Path) -> Iterator[Engine]:
    opened = Engine.open(path, sweep_seconds=None)
    for definition in TABLES.values():
        opened.call("CreateTable", definition)
    yield opened
    opened.close()


def perform(engine: Engine, turn: int) -> None:
    found = write(WRITER, turn)
    engine.call(found.operation, found.request())


def played(engine: Engine, turns: int = 60) -> Judge:
    """A judge who saw a writer's first turns done and acknowledged."""
    judge = Judge((WRITER,))
    for turn in range(1, turns + 1):
        perform(engine, turn)
        judge.acknowledge(WRITER, turn)
    return judge


def test_every_acknowledged_write_survives_six_kills(path: Path) -> None:
    storm = Storm(path, random.Random(2026), least=4)
    assert [fault for _ in range(6) for fault in storm.round()] == []
    assert storm.judge.acknowledged >= 6 * 4


def test_two_processes_that_storm_on_one_file_survive_together(path: Path) -> None:
    storm = Storm(path, random.Random(7), processes=2, least=4)
    assert [fault for _ in range(2) for fault in storm.round()] == []
    assert storm.judge.acknowledged >= 2 * 2 * 4


@pytest.mark.parametrize("share", [0.0, 0.1, 0.25, 0.4, 0.55, 0.7, 0.85, 0.99])
def test_a_log_that_is_cut_anywhere_makes_a_whole_file(engine: Engine, path: Path, share: float) -> None:
    """What a power cut may leave of the log: no acknowledged write counts here, but nothing is torn."""
    played(engine)
    log = path.with_name(f"{path.name}-wal").read_bytes()
    cut = path.with_name("cut.db")
    shutil.copy(path, cut)
    cut.with_name("cut.db-wal").write_bytes(log[: int(len(log) * share)])
    with Engine.open(cut, sweep_seconds=None) as opened:
        tables = [name for name in TABLES if name in opened.call("ListTables", {})["TableNames"]]
        stored = {place(name, item): item for name in tables for item in scan(opened, name)}
        assert list(half_transactions(WRITER, stored)) == []
        assert [fault for name in tables for fault in index_faults(opened, name, scan(opened, name))] == []


# ── the judge is not blind ────────────────────────────────────────────────────────────────────────


def test_the_judge_accepts_a_file_without_faults(engine: Engine) -> None:
    assert played(engine).verdict(engine) == []


def test_the_judge_accepts_the_write_that_was_under_way(engine: Engine) -> None:
    judge = played(engine, 59)
    perform(engine, 60)
    assert judge.verdict(engine) == []


def test_the_judge_goes_on_from_what_it_found(engine: Engine) -> None:
    judge = played(engine, 40)
    perform(engine, 41)
    assert judge.verdict(engine) == []
    for turn in range(42, 60):
        perform(engine, turn)
        judge.acknowledge(WRITER, turn)
    assert judge.verdict(engine) == []


@pytest.mark.parametrize("turn", range(61, 67))
def test_the_judge_misses_an_acknowledged_write(engine: Engine, turn: int) -> None:
    judge = played(engine)
    lost = write(WRITER, 61)
    for later in range(61, turn + 1):
        judge.acknowledge(WRITER, later)
        if later > 61:
            perform(engine, later)
    assert judge.verdict(engine) != [], lost


def test_the_judge_sees_half_a_transaction(engine: Engine) -> None:
    judge = played(engine)
    number = next(n for n in range(KEYS) if (JOURNAL, f"{WRITER}-x{n}") in judge.items)
    name, key = triple(WRITER, number)[0]
    assert name == LEDGER
    partition, _, sort = key.partition("/")
    engine.call("DeleteItem", {"TableName": name, "Key": {"PK": {"S": partition}, "SK": {"S": sort}}})
    assert any("half a transaction" in fault for fault in judge.verdict(engine))


def row_tables(path: Path) -> list[str]:
    base = sqlite3.connect(path)
    rows = base.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'rows%'"
    ).fetchall()
    base.close()
    return [name for (name,) in rows]


def without_a_row(path: Path, table: str) -> Path:
    """A copy of the file in which one row of a table is gone."""
    damaged = path.with_name(f"without-{table}.db")
    shutil.copy(path, damaged)
    base = sqlite3.connect(damaged)
    base.execute(f"DELETE FROM {table} WHERE key = (SELECT min(key) FROM {table})")
    base.commit()
    base.close()
    return damaged


def test_the_judge_sees_any_row_that_is_gone_from_a_table_or_an_index(engine: Engine, path: Path) -> None:
    played(engine)
    engine.close()
    tables = row_tables(path)
    assert len(tables) == 2 + 4
    for table in tables:
        damaged = Engine.open(without_a_row(path, table), sweep_seconds=None)
        judge = Judge((WRITER,))
        for turn in range(1, 61):
            judge.acknowledge(WRITER, turn)
        assert judge.verdict(damaged) != [], table
        damaged.close()


def test_the_judge_misses_a_stream_record(engine: Engine, path: Path) -> None:
    judge = played(engine)
    base = sqlite3.connect(path)
    base.execute("DELETE FROM records WHERE sequence = (SELECT min(sequence) + 20 FROM records)")
    base.commit()
    base.close()
    assert any("the stream has" in fault for fault in judge.verdict(engine))
