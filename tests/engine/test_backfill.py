"""Filling an index: what is refused meanwhile, who may write, and what a crash leaves to do."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from hansang.engine import Engine, backfill
from hansang.errors import WireError
from tests.engine.control import (
    STILL_IN_USE,
    Request,
    add_index,
    create,
    describe,
    described_index,
    drop_index,
    invalid,
    names,
    put,
    put_many,
    scanned,
)
from tests.engine.holding import eventually, running, together, waiting, writer_held
from tests.engine.neighbour import Neighbour, neighbours

MANY = 8000
ADD = add_index("by-colour", "colour", projection="KEYS_ONLY")


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with a table of many items, which takes some time to walk."""
    path = tmp_path_factory.mktemp("backfill") / "data.db"
    with Engine.open(path, durability="normal", sweep_seconds=None) as engine:
        create(engine)
        past = {"N": "1690000000"}
        put_many(
            engine,
            [
                {"pk": {"S": f"{each:04d}"}, "colour": {"S": f"c{each % 7}"}, "until": past}
                for each in range(MANY)
            ],
        )
    return path


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Filling takes so many transactions that a test comes in between, however busy the machine is."""
    monkeypatch.setattr(backfill, "_PIECE", 20)


@pytest.fixture
def path(loaded: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(loaded, tmp_path / "data.db"))


@pytest.fixture
def engine(path: Path) -> Iterator[Engine]:
    with Engine.open(path, durability="normal", sweep_seconds=None) as opened:
        yield opened


def is_filling(engine: Engine) -> bool:
    found = describe(engine).get("GlobalSecondaryIndexes", [])
    return any(each.get("Backfilling") for each in found)


@contextmanager
def halfway(engine: Engine) -> Iterator[None]:
    """The index is being filled by another engine, which has to wait as long as the block lasts."""
    with (
        Engine.open(engine.store.path, durability="normal", sweep_seconds=None) as other,
        filling(other),
        writer_held(engine.store),
    ):
        assert is_filling(engine)
        yield


@contextmanager
def filling(engine: Engine) -> Iterator[None]:
    """The index is being filled by a thread, which goes on during the block."""
    with running(lambda: engine.call("UpdateTable", ADD)):
        eventually(lambda: is_filling(engine))
        yield


def check_index(engine: Engine) -> None:
    """The index has exactly the items of the table that have its key, and counts them."""
    expected = names([item for item in scanned(engine) if "colour" in item])
    assert names(scanned(engine, IndexName="by-colour")) == expected
    described = described_index(engine, "by-colour")
    assert (described["IndexStatus"], described["ItemCount"]) == ("ACTIVE", len(expected))


# ── meanwhile ─────────────────────────────────────────────────────────────────────────────────────


def test_an_index_that_is_being_filled_cannot_be_read(engine: Engine) -> None:
    scan = {"TableName": "rice", "IndexName": "by-colour"}
    query = scan | {
        "KeyConditionExpression": "colour = :c",
        "ExpressionAttributeValues": {":c": {"S": "c1"}},
    }
    with halfway(engine):
        message = "Cannot read from backfilling global secondary index: by-colour"
        assert invalid(engine, "Query", query) == invalid(engine, "Scan", scan) == message
    assert engine.call("Query", query | {"Select": "COUNT"})["Count"] == MANY // 7 + 1
    check_index(engine)


def test_an_index_that_is_being_filled_says_so(engine: Engine) -> None:
    with halfway(engine):
        described = described_index(engine, "by-colour")
        assert (described["IndexStatus"], described["Backfilling"]) == ("CREATING", True)
        assert describe(engine)["TableStatus"] in ("ACTIVE", "UPDATING")
    assert "Backfilling" not in described_index(engine, "by-colour")


def test_the_table_can_be_read_meanwhile(engine: Engine) -> None:
    with halfway(engine):
        found = engine.call("GetItem", {"TableName": "rice", "Key": {"pk": {"S": "0007"}}})
        assert found["Item"]["colour"] == {"S": "c0"}


def meanwhile(engine: Engine, operation: str, request: Request) -> tuple[str, str]:
    """What becomes of a request that comes when the index is half filled."""
    outcome: list[tuple[str, str]] = []

    def ask() -> None:
        try:
            engine.call(operation, request)
            outcome.append(("done", ""))
        except WireError as error:
            outcome.append((error.code, error.message or ""))

    with ExitStack() as block, halfway(engine):
        block.enter_context(running(ask))
        eventually(lambda: bool(outcome) or waiting(engine.store) == 1)
    [only] = outcome
    return only


def test_a_key_of_another_type_is_refused_while_the_index_is_filled(engine: Engine) -> None:
    wrong = {"TableName": "rice", "Item": {"pk": {"S": "new"}, "colour": {"N": "1"}}}
    assert meanwhile(engine, "PutItem", wrong)[0] == "ValidationException"
    check_index(engine)


def test_a_table_whose_index_is_being_filled_cannot_be_deleted(engine: Engine) -> None:
    assert meanwhile(engine, "DeleteTable", {"TableName": "rice"}) == (
        "ResourceInUseException",
        STILL_IN_USE + "Cannot delete table while indexes are being created, updated, or deleted.",
    )
    check_index(engine)


def test_another_index_has_to_wait(engine: Engine) -> None:
    assert meanwhile(engine, "UpdateTable", add_index("by-pk", "pk")) == (
        "LimitExceededException",
        "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table",
    )
    check_index(engine)


def test_an_index_that_is_being_filled_may_be_deleted(engine: Engine) -> None:
    assert meanwhile(engine, "UpdateTable", drop_index("by-colour")) == ("done", "")
    assert "GlobalSecondaryIndexes" not in describe(engine)
    assert describe(engine)["ItemCount"] == MANY


def test_an_index_made_anew_under_the_same_name_is_filled_from_the_beginning(engine: Engine) -> None:
    with filling(engine):
        engine.call("UpdateTable", drop_index("by-colour"))
        engine.call("UpdateTable", ADD)
        check_index(engine)


# ── writers ───────────────────────────────────────────────────────────────────────────────────────


def write(engine: Engine, worker: int) -> None:
    """Put, move, strip and delete items all over the table."""
    for each in range(worker, 400, 3):
        key = {"TableName": "rice", "Key": {"pk": {"S": f"{each * 19:04d}"}}}
        move = {"UpdateExpression": "SET colour = :c", "ExpressionAttributeValues": {":c": {"S": "moved"}}}
        put(engine, f"new-{each}", colour={"S": "new"})
        engine.call("UpdateItem", key | move)
        if each % 5 == 0:
            engine.call("UpdateItem", key | {"UpdateExpression": "REMOVE colour"})
        if each % 7 == 0:
            engine.call("DeleteItem", key)


def test_what_other_threads_write_meanwhile_is_in_the_index(engine: Engine) -> None:
    with filling(engine):
        together(*[lambda worker=worker: write(engine, worker) for worker in range(3)])
    assert len(scanned(engine)) == MANY + 400 - len(range(0, 400, 7))
    check_index(engine)


def test_what_other_processes_write_meanwhile_is_in_the_index(engine: Engine, path: Path) -> None:
    item = {"pk": {"S": "from-%d"}, "colour": {"S": "far"}}
    order = {"operation": "PutItem", "request": {"TableName": "rice", "Item": item}, "times": 100}
    with neighbours(path) as [other]:
        other.call("repeat", order | {"times": 1})
        with filling(engine):
            other.send("repeat", order)
            assert other.answer() == 100
    assert len(scanned(engine)) == MANY + 100
    check_index(engine)


# ── crashes ───────────────────────────────────────────────────────────────────────────────────────


def killed_halfway(engine: Engine, other: Neighbour) -> None:
    """Another process begins to fill the index, and is killed before it is done."""
    other.send("UpdateTable", ADD)
    eventually(lambda: is_filling(engine))
    with writer_held(engine.store):
        assert is_filling(engine)
        other.kill()


def test_a_fill_that_was_cut_off_is_finished_when_the_file_is_opened(path: Path) -> None:
    with Engine.open(path, sweep_seconds=None) as engine, neighbours(path) as [other]:
        killed_halfway(engine, other)
        put(engine, "meanwhile", colour={"S": "c1"})
        invalid(engine, "Scan", {"TableName": "rice", "IndexName": "by-colour"})
    with Engine.open(path, sweep_seconds=None) as engine:
        assert len(scanned(engine)) == MANY + 1
        check_index(engine)


def test_two_processes_may_finish_the_same_fill(path: Path) -> None:
    with Engine.open(path, sweep_seconds=None) as engine, neighbours(path) as [other]:
        killed_halfway(engine, other)
    with neighbours(path, 2):
        pass
    with Engine.open(path, sweep_seconds=None) as engine:
        check_index(engine)


def test_an_order_of_expiry_that_was_cut_off_is_finished_too(path: Path) -> None:
    expiry = {"Enabled": True, "AttributeName": "until"}
    request = {"TableName": "rice", "TimeToLiveSpecification": expiry}
    with Engine.open(path, sweep_seconds=None) as engine, neighbours(path) as [other]:
        other.send("UpdateTimeToLive", request)
        eventually(lambda: "AttributeName" in described_expiry(engine))
        with writer_held(engine.store):
            other.kill()
    with Engine.open(path, durability="normal", clock=lambda: 1.7e9, sweep_seconds=None) as engine:
        assert engine.sweep() == MANY
        assert describe(engine)["ItemCount"] == 0


def described_expiry(engine: Engine) -> dict[str, str]:
    found: dict[str, str] = engine.call("DescribeTimeToLive", {"TableName": "rice"})["TimeToLiveDescription"]
    return found
