"""The catalog: one version at a time, and every engine on the file has the present one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from hansang.engine import Engine
from hansang.engine.catalog import Catalog, CatalogChanged
from hansang.errors import WireError
from tests.engine.control import (
    Request,
    add_index,
    attributes,
    create,
    definition,
    describe,
    drop_index,
    names,
    put,
    refusal,
    scanned,
    with_index,
)
from tests.engine.holding import eventually, running, together, waiting, writer_held
from tests.engine.neighbour import neighbours
from tests.engine.shards import keys, records, stream_arn

ARN = "arn:aws:dynamodb:us-east-1:123456789012:table/rice"
GONE = ("ResourceNotFoundException", "Requested resource not found")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data.db"


@pytest.fixture
def pair(path: Path) -> Iterator[tuple[Engine, Engine]]:
    """Two engines on one file."""
    with (
        Engine.open(path, durability="normal", sweep_seconds=None) as one,
        Engine.open(path, durability="normal", sweep_seconds=None) as two,
    ):
        yield one, two


# ── one version ───────────────────────────────────────────────────────────────────────────────────


def test_every_change_makes_another_version(engine: Engine) -> None:
    seen = [engine.catalog().version]
    create(engine)
    seen.append(engine.catalog().version)
    engine.call("UpdateTable", add_index("by-colour", "colour"))
    seen.append(engine.catalog().version)
    engine.call("DeleteTable", {"TableName": "rice"})
    seen.append(engine.catalog().version)
    assert seen == sorted(set(seen))


def test_writing_items_leaves_the_version_alone(engine: Engine) -> None:
    create(engine)
    before = engine.catalog()
    put(engine, "a")
    assert engine.catalog() is before


def test_a_version_that_was_taken_does_not_change(engine: Engine) -> None:
    create(engine)
    before = engine.catalog()
    engine.call("UpdateTable", add_index("by-colour", "colour"))
    create(engine, definition("beans"))
    assert before.names == ["rice"]
    assert [table.indexes for table in before] == [()]


def test_a_table_is_found_by_its_name_and_by_its_arn(engine: Engine) -> None:
    create(engine)
    catalog = engine.catalog()
    assert catalog.find("rice") is catalog.find(ARN) is catalog.table("rice") is catalog.described(ARN)
    assert catalog.find("beans") is None


def test_an_arn_of_another_account_is_no_table_of_ours(engine: Engine) -> None:
    create(engine)
    theirs = ARN.replace("123456789012", "999999999999")
    assert engine.catalog().find(theirs) is None
    assert refusal(engine, "Scan", {"TableName": theirs}) == GONE


@pytest.mark.parametrize("operation", ["DescribeTable", "Scan"])
def test_an_arn_of_another_region_is_refused(engine: Engine, operation: str) -> None:
    create(engine)
    abroad = ARN.replace("us-east-1", "eu-west-1")
    message = f"1 validation error detected: Invalid AWS region in '{abroad}'"
    assert refusal(engine, operation, {"TableName": abroad}) == ("ValidationException", message)


def test_operations_on_tables_name_the_table_that_is_missing(engine: Engine) -> None:
    catalog = engine.catalog()
    with pytest.raises(WireError, match=r"Requested resource not found: Table: rice not found$"):
        catalog.described("rice")
    with pytest.raises(WireError, match=r"Requested resource not found$"):
        catalog.table("rice")


def test_a_catalog_is_loaded_as_it_was_saved(path: Path) -> None:
    with Engine.open(path, sweep_seconds=None) as engine:
        create(engine, with_index())
        saved = engine.catalog()
        with engine.store.snapshot() as reader:
            loaded = Catalog.load(reader)
    assert loaded.version == saved.version
    assert list(loaded) == list(saved)


def test_a_write_that_was_planned_before_a_change_is_planned_again(path: Path) -> None:
    stream = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
    with Engine.open(path, sweep_seconds=None) as engine, ExitStack() as block:
        create(engine)
        with writer_held(engine.store):
            on = {"TableName": "rice", "StreamSpecification": stream}
            block.enter_context(running(lambda: engine.call("UpdateTable", on)))
            eventually(lambda: waiting(engine.store) == 1)
            block.enter_context(running(lambda: put(engine, "a")))
            eventually(lambda: waiting(engine.store) == 2)
        eventually(lambda: describe(engine)["ItemCount"] == 1)
        assert keys(records(engine, stream_arn(engine))) == ["a"]


def test_a_job_is_not_run_under_another_catalog(engine: Engine) -> None:
    before = engine.catalog()
    create(engine)
    with pytest.raises(CatalogChanged):
        engine.write(before, lambda writer: writer.create_rows())


# ── many tables ───────────────────────────────────────────────────────────────────────────────────

MANY = 120


def work_of(engine: Engine, request: Request) -> tuple[int, int]:
    """How many statements of SQL a CreateTable takes, and how many steps SQLite takes for them."""
    statements: list[str] = []
    steps: list[None] = []
    connection = engine.store._writer.connection
    connection.set_trace_callback(statements.append)
    connection.set_progress_handler(lambda: steps.append(None), 1)
    create(engine, request)
    connection.set_trace_callback(None)
    connection.set_progress_handler(None, 0)
    return len(statements), len(steps)


@pytest.mark.parametrize("place", [":memory:", "file"])
def test_a_table_takes_no_more_work_among_many(path: Path, place: str) -> None:
    where = path if place == "file" else place
    with Engine.open(where, durability="normal", sweep_seconds=None) as engine:
        create(engine, with_index("table-0"))
        statements, steps = work_of(engine, with_index("table-1"))
        known = {table.name: table for table in engine.catalog()}
        for number in range(2, MANY):
            create(engine, with_index(f"table-{number}"))
        among_many = work_of(engine, with_index(f"table-{MANY}"))
        assert among_many[0] == statements
        # SQLite reads its list of tables once for each that it makes: 12 steps a name, at most.
        assert among_many[1] < steps + 12 * 2 * 2 * MANY
        assert len(engine.catalog().names) == MANY + 1
        assert all(engine.catalog().find(name) is table for name, table in known.items())


def test_another_engine_takes_over_what_it_knows(pair: tuple[Engine, Engine]) -> None:
    one, two = pair
    create(one)
    known = two.catalog().find("rice")
    assert known is not None
    create(one, definition("beans"))
    assert two.catalog().names == ["beans", "rice"]
    assert two.catalog().find("rice") is known
    one.call("UpdateTable", add_index("by-colour", "colour"))
    assert two.catalog().find("rice") is not known


@pytest.mark.parametrize("place", [":memory:", "file"])
def test_a_change_makes_the_catalog_that_would_be_loaded(path: Path, place: str) -> None:
    where = path if place == "file" else place
    with Engine.open(where, durability="normal", sweep_seconds=None) as engine:
        for change in CHANGES:
            engine.call(*change)
            with engine.store.snapshot() as reader:
                loaded = Catalog.load(reader)
            made = engine._catalog
            assert (made.version, made.names, made.streams) == (loaded.version, loaded.names, loaded.streams)
            assert list(made) == list(loaded)


STREAM = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
CHANGES: list[tuple[str, Request]] = [
    ("CreateTable", definition("rice")),
    ("CreateTable", with_index("beans", StreamSpecification=STREAM)),
    ("UpdateTable", add_index("by-colour", "colour")),
    ("UpdateTable", {"TableName": "rice", "StreamSpecification": STREAM}),
    ("TagResource", {"ResourceArn": ARN, "Tags": [{"Key": "a", "Value": "b"}]}),
    (
        "UpdateTimeToLive",
        {"TableName": "rice", "TimeToLiveSpecification": {"AttributeName": "at", "Enabled": True}},
    ),
    ("UpdateTable", drop_index("by-colour")),
    ("DeleteTable", {"TableName": "beans"}),
    ("DeleteTable", {"TableName": "rice"}),
]


# ── several engines ───────────────────────────────────────────────────────────────────────────────


def test_another_engine_sees_a_new_table_at_once(pair: tuple[Engine, Engine]) -> None:
    one, two = pair
    for number in range(20):
        create(one, definition(f"table-{number}"))
        assert two.call("DescribeTable", {"TableName": f"table-{number}"})["Table"]["ItemCount"] == 0


def test_another_engine_keeps_a_new_index_at_once(pair: tuple[Engine, Engine]) -> None:
    one, two = pair
    create(one)
    put(two, "before", colour={"S": "red"})
    one.call("UpdateTable", add_index("by-colour", "colour"))
    put(two, "after", colour={"S": "red"})
    assert names(scanned(two, IndexName="by-colour")) == ["after", "before"]
    one.call("UpdateTable", drop_index("by-colour"))
    put(two, "later", colour={"N": "1"})
    assert names(scanned(one)) == ["after", "before", "later"]


def test_another_engine_does_not_find_a_table_that_is_gone(pair: tuple[Engine, Engine]) -> None:
    one, two = pair
    create(one)
    put(two, "a")
    one.call("DeleteTable", {"TableName": "rice"})
    assert refusal(two, "Scan", {"TableName": "rice"}) == GONE
    assert refusal(two, "PutItem", {"TableName": "rice", "Item": {"pk": {"S": "a"}}}) == GONE


def test_another_engine_sees_the_table_that_took_the_name(pair: tuple[Engine, Engine]) -> None:
    one, two = pair
    create(one)
    put(two, "old")
    one.call("DeleteTable", {"TableName": "rice"})
    create(one, definition(AttributeDefinitions=attributes(pk="N")))
    assert scanned(two) == []
    two.call("PutItem", {"TableName": "rice", "Item": {"pk": {"N": "1"}}})
    assert describe(one)["ItemCount"] == 1


def test_a_process_sees_what_another_one_makes_at_once(path: Path) -> None:
    with (
        Engine.open(path, durability="normal", sweep_seconds=None) as engine,
        neighbours(path) as [other],
    ):
        for number in range(10):
            name = f"table-{number}"
            create(engine, definition(name))
            assert other.call("DescribeTable", {"TableName": name})["Table"]["TableName"] == name
            other.call("DeleteTable", {"TableName": name})
            assert refusal(engine, "Scan", {"TableName": name}) == GONE


def test_a_process_keeps_an_index_that_another_one_made(path: Path) -> None:
    with (
        Engine.open(path, durability="normal", sweep_seconds=None) as engine,
        neighbours(path) as [other],
    ):
        create(engine)
        put(engine, "here", colour={"S": "red"})
        other.call("UpdateTable", add_index("by-colour", "colour"))
        put(engine, "again", colour={"S": "red"})
        there = {"pk": {"S": "there"}, "colour": {"S": "red"}}
        other.call("PutItem", {"TableName": "rice", "Item": there})
        assert names(scanned(engine, IndexName="by-colour")) == ["again", "here", "there"]


@pytest.mark.parametrize("engines", ["one", "two"])
def test_a_table_that_comes_and_goes_is_there_or_is_not(pair: tuple[Engine, Engine], engines: str) -> None:
    one, two = pair if engines == "two" else (pair[0], pair[0])
    outcomes: set[str] = set()

    def change() -> None:
        for _ in range(40):
            create(one, with_index())
            put(one, "a", colour={"S": "red"})
            one.call("DeleteTable", {"TableName": "rice"})

    def use() -> None:
        for number in range(300):
            operation, more = USES[number % len(USES)]
            outcomes.add(outcome(two, operation, {"TableName": "rice", **more}))

    together(change, use, use)
    assert outcomes <= {"there", "ResourceNotFoundException"}


USES: list[tuple[str, Request]] = [
    ("Scan", {"IndexName": "by-colour"}),
    ("PutItem", {"Item": {"pk": {"S": "b"}, "colour": {"S": "blue"}}}),
    ("GetItem", {"Key": {"pk": {"S": "a"}}}),
    ("DescribeTable", {}),
    ("DeleteItem", {"Key": {"pk": {"S": "b"}}}),
]


def outcome(engine: Engine, operation: str, request: Request) -> str:
    try:
        engine.call(operation, request)
    except WireError as error:
        return error.code
    return "there"
