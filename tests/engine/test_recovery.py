"""A table as it stood at an earlier moment: in a storm of writes, after a kill, and what is left behind."""

from __future__ import annotations

import itertools
import os
import random
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

from hansang.clock import system_clock
from hansang.engine import Engine, recovery
from hansang.engine.inspection import inspect
from hansang.engine.sql import archives, change_logs
from hansang.engine.sql.reader import Reader
from hansang.errors import StoreBusy
from tests.engine.control import NOW, ManualClock, create, with_index
from tests.engine.neighbour import neighbours

WRITES = int(os.environ.get("HANSANG_RECOVERY_WRITES", "120"))
"""How many each writer of the storm makes; more for a longer search."""
WRITERS = 3


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def clocked(clock: ManualClock) -> Iterator[Engine]:
    with Engine.open(clock=clock, sweep_seconds=None) as engine:
        yield engine


def switch_on(engine: Engine, name: str = "rice", days: int = 35) -> None:
    specification = {"PointInTimeRecoveryEnabled": True, "RecoveryPeriodInDays": days}
    engine.call(
        "UpdateContinuousBackups", {"TableName": name, "PointInTimeRecoverySpecification": specification}
    )


def restored(engine: Engine, name: str, at: float) -> dict[str, Any]:
    request = {"SourceTableName": "rice", "TargetTableName": name, "RestoreDateTime": at}
    engine.call("RestoreTableToPointInTime", request)
    return items(engine, name)


def items(engine: Engine, name: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    start: dict[str, Any] = {}
    while True:
        page = engine.call("Scan", {"TableName": name, **start})
        found |= {item["pk"]["S"]: item for item in page["Items"]}
        if "LastEvaluatedKey" not in page:
            return found
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


def row_tables(engine: Engine) -> set[int]:
    return engine.read(lambda reader: reader.all_rows())


def grain(key: str, number: int) -> dict[str, Any]:
    return {"pk": {"S": key}, "number": {"N": str(number)}, "colour": {"S": f"c{number % 5}"}}


# ── a storm of writes ─────────────────────────────────────────────────────────────────────────────


@dataclass
class Acknowledged:
    """One write of a key: when it was sent, when it was answered, and what it left."""

    sent: float
    answered: float
    item: dict[str, Any] | None


@dataclass
class Storm:
    """Writers, each with keys of its own, that note what was acknowledged and when."""

    engine: Engine
    clock: ManualClock
    notes: dict[str, list[Acknowledged]] = field(default_factory=dict)
    ticks: Iterator[int] = field(default_factory=itertools.count)

    def write(self, writer: int) -> None:
        chance = random.Random(writer)
        for number in range(WRITES):
            if next(self.ticks) % 10 == 0:
                self.clock.advance(0.5)
            first, second = f"{writer}-a{chance.randrange(20)}", f"{writer}-b{chance.randrange(20)}"
            change = chance.choice([self._put, self._delete, self._batch, self._transact])
            sent = self.clock()
            left = change(first, second, number)
            answered = self.clock()
            for key, item in left.items():
                self.notes.setdefault(key, []).append(Acknowledged(sent, answered, item))

    def _put(self, first: str, second: str, number: int) -> dict[str, Any]:
        self.engine.call("PutItem", {"TableName": "rice", "Item": grain(first, number)})
        return {first: grain(first, number)}

    def _delete(self, first: str, second: str, number: int) -> dict[str, Any]:
        self.engine.call("DeleteItem", {"TableName": "rice", "Key": {"pk": {"S": first}}})
        return {first: None}

    def _batch(self, first: str, second: str, number: int) -> dict[str, Any]:
        left = {key: grain(key, number) for key in (first, second)}
        puts = [{"PutRequest": {"Item": item}} for item in left.values()]
        self.engine.call("BatchWriteItem", {"RequestItems": {"rice": puts}})
        return left

    def _transact(self, first: str, second: str, number: int) -> dict[str, Any]:
        """Two keys that no other change touches: both have the same number, or none."""
        left = {key: grain(key, number) for key in (f"t1-{first[0]}", f"t2-{first[0]}")}
        puts = [{"Put": {"TableName": "rice", "Item": item}} for item in left.values()]
        self.engine.call("TransactWriteItems", {"TransactItems": puts})
        return left

    def allowed(self, key: str, at: float) -> list[dict[str, Any] | None]:
        """What may stand under a key at a moment: one value, unless a write was on its way just then."""
        done = [each.item for each in self.notes[key] if each.answered <= at]
        under_way = [each.item for each in self.notes[key] if each.sent <= at < each.answered]
        return [done[-1] if done else None, *under_way]


def test_a_restore_has_the_writes_that_were_acknowledged_up_to_its_second(path: Path) -> None:
    clock = ManualClock()
    with Engine.open(path, clock=clock, durability="normal", sweep_seconds=None) as engine:
        create(engine, with_index())
        switch_on(engine)
        storm = Storm(engine, clock)
        taken: dict[str, float] = {}
        with ThreadPoolExecutor(WRITERS) as pool:
            writers = [pool.submit(storm.write, writer) for writer in range(WRITERS)]
            while not all(each.done() for each in writers):
                # Of this very moment more may still be written: the clock stands still.
                at = max(NOW, random.Random(len(taken)).choice([(NOW + clock()) // 2, clock() - 0.5]))
                name = f"during-{len(taken)}"
                taken[name] = at
                restored(engine, name, at)
            assert [each.result() for each in writers] == [None] * WRITERS
        for second in range(int(NOW), int(clock()) + 1, max(1, int(clock() - NOW) // 6)):
            taken[f"after-{second}"] = second
            restored(engine, f"after-{second}", second)
        assert len(taken) > 6
        for name, at in taken.items():
            found = items(engine, name)
            wrong = [key for key in storm.notes if found.get(key) not in storm.allowed(key, at)]
            halves = [n for n in range(WRITERS) if _number(found, f"t1-{n}") != _number(found, f"t2-{n}")]
            assert (wrong, halves, found.keys() - storm.notes.keys()) == ([], [], set()), (name, at)
    inspect(path, lambda *step: None)


def _number(found: dict[str, Any], key: str) -> str | None:
    item = found.get(key)
    return None if item is None else item["number"]["N"]


# ── kills and what is left ────────────────────────────────────────────────────────────────────────


def test_a_restore_that_is_killed_leaves_nothing_behind(path: Path) -> None:
    with Engine.open(path, durability="normal", sweep_seconds=None) as engine:
        create(engine, with_index())
        switch_on(engine)
        for start in range(0, 2000, 25):
            puts = [{"PutRequest": {"Item": grain(f"{start + each}", each)}} for each in range(25)]
            engine.call("BatchWriteItem", {"RequestItems": {"rice": puts}})
        before, expected = row_tables(engine), items(engine, "rice")
        with neighbours(path) as [other]:
            request = {"SourceTableName": "rice", "TargetTableName": "new", "UseLatestRestorableTime": True}
            other.send("RestoreTableToPointInTime", request)
            deadline = monotonic() + 60
            while not working(engine) and monotonic() < deadline:
                sleep(0.002)
            other.kill()
        assert engine.call("ListTables", {})["TableNames"] == ["rice"]
        assert row_tables(engine) > before
    later = system_clock() + 2 * recovery.LEASE_SECONDS
    with Engine.open(path, clock=ManualClock(later), sweep_seconds=None) as engine:
        assert (row_tables(engine), working(engine)) == (before, {})
        assert items(engine, "rice") == expected
        assert len(restored(engine, "new", later)) == 2000


def working(engine: Engine) -> dict[str, Any]:
    return engine.read(lambda reader: archives.documents(reader, recovery.WORK))


def test_a_copy_that_fails_is_cleared_away(engine: Engine) -> None:
    create(engine, with_index())
    engine.call("PutItem", {"TableName": "rice", "Item": grain("a", 1)})
    before = row_tables(engine)
    with pytest.raises(ZeroDivisionError), recovery.as_of(engine, "rice") as copy:
        assert row_tables(engine) == before | {copy.rows}
        raise ZeroDivisionError
    assert (row_tables(engine), working(engine)) == (before, {})
    assert engine.catalog().described("rice").log is None


def test_work_that_was_given_up_is_not_finished(clocked: Engine, clock: ManualClock) -> None:
    create(clocked, with_index())
    with pytest.raises(StoreBusy, match="given up"), recovery.as_of(clocked, "rice") as copy:
        clock.advance(recovery.LEASE_SECONDS + 1)
        clocked.sweep()
        clocked.store.write(lambda writer: recovery.release(writer, copy))


def test_two_copies_share_a_log_and_the_last_one_ends_it(engine: Engine) -> None:
    create(engine, with_index())
    with recovery.as_of(engine, "rice"):
        with recovery.as_of(engine, "rice"):
            pass
        assert engine.catalog().described("rice").log is not None
    assert engine.catalog().described("rice").log is None


# ── the log ───────────────────────────────────────────────────────────────────────────────────────


def test_a_table_without_recovery_has_no_log(engine: Engine) -> None:
    create(engine, with_index())
    before = engine.read(lambda reader: reader.counters())
    engine.call("PutItem", {"TableName": "rice", "Item": grain("a", 1)})
    assert engine.catalog().described("rice").log is None
    assert engine.read(lambda reader: reader.counters()) == before


def test_changes_are_forgotten_after_their_days(clocked: Engine, clock: ManualClock) -> None:
    create(clocked, with_index())
    switch_on(clocked, days=2)
    for day in range(5):
        clocked.call("PutItem", {"TableName": "rice", "Item": grain("a", day)})
        clock.advance(recovery.DAY)
    log = clocked.catalog().described("rice").log
    assert log is not None
    clocked.sweep()
    kept = clocked.read(lambda reader: changes(reader, log))
    assert kept == [4, 5]
    assert restored(clocked, "new", clock() - 2 * recovery.DAY)["a"]["number"] == {"N": "3"}


def changes(reader: Reader, log: int) -> list[int]:
    return sorted(number for number, _, _ in change_logs.changes_before(reader, log, 99, 0, 99))


def test_a_clock_that_goes_back_does_not_turn_the_changes_round(clocked: Engine, clock: ManualClock) -> None:
    create(clocked, with_index())
    switch_on(clocked)
    for seconds, number in ((10, 1), (-5, 2), (10, 3)):
        clock.advance(seconds)
        clocked.call("PutItem", {"TableName": "rice", "Item": grain("a", number)})
    assert restored(clocked, "first", NOW + 9) == {}
    assert restored(clocked, "second", NOW + 10)["a"]["number"] == {"N": "2"}


def test_a_copy_and_its_writers_do_not_wait_for_each_other(engine: Engine) -> None:
    create(engine, with_index())
    engine.call("PutItem", {"TableName": "rice", "Item": grain("a", 1)})
    with recovery.as_of(engine, "rice") as copy:
        done = threading.Event()
        put = {"TableName": "rice", "Item": grain("a", 2)}
        with ThreadPoolExecutor(1) as pool:
            pool.submit(engine.call, "PutItem", put).add_done_callback(lambda _: done.set())
            assert done.wait(30)
        [(_, blob, _)] = engine.read(lambda reader: reader.entries(copy.rows, b"", b"\xff" * 9, 9))
    assert b'"number":{"N":"1"}' in blob
    assert items(engine, "rice")["a"]["number"] == {"N": "2"}
