"""The engine: opened, called, closed, and opened again."""

from __future__ import annotations

import copy
import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import MappingProxyType

import pytest

from hansang.engine import Engine
from hansang.engine.sql.connections import Durability
from hansang.errors import StoreError, WireError
from tests.engine.control import (
    Request,
    add_index,
    create,
    definition,
    describe,
    names,
    put,
    refusal,
    scanned,
    with_index,
    with_stream,
)
from tests.engine.holding import running
from tests.engine.shards import keys, records, stream_arn

GET = {"TableName": "rice", "Key": {"pk": {"S": "a"}}}
PUT = {"TableName": "rice", "Item": {"pk": {"S": "a"}}}


# ── calls ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("operation", ["NoSuchThing", "", "putItem", "executeStatement"])
def test_an_operation_that_there_is_not_is_unknown(engine: Engine, operation: str) -> None:
    assert refusal(engine, operation, {}) == ("UnknownOperationException", "")


REQUESTS: dict[str, Request] = {
    "CreateTable": with_index(Tags=[{"Key": "a", "Value": "b"}]),
    "PutItem": {"TableName": "rice", "Item": {"pk": {"S": "a"}, "n": {"N": "01.0"}, "l": {"L": []}}},
    "UpdateTable": add_index("by-size", "size"),
    "Query": {
        "TableName": "rice",
        "KeyConditionExpression": "pk = :p",
        "ExpressionAttributeValues": {":p": {"S": "a"}},
    },
}


def test_a_request_is_left_as_it_is(engine: Engine) -> None:
    for operation, request in REQUESTS.items():
        before = copy.deepcopy(request)
        engine.call(operation, MappingProxyType(request))
        assert request == before


def test_a_request_that_changes_later_changes_nothing(engine: Engine) -> None:
    request = with_index()
    create(engine, request)
    request["KeySchema"].clear()
    request["GlobalSecondaryIndexes"][0]["IndexName"] = "other"
    item: Request = {"pk": {"S": "a"}, "deep": {"M": {"n": {"N": "1"}}}}
    engine.call("PutItem", {"TableName": "rice", "Item": item})
    item["deep"]["M"]["n"]["N"] = "2"
    assert scanned(engine) == [{"pk": {"S": "a"}, "deep": {"M": {"n": {"N": "1"}}}}]
    assert describe(engine)["GlobalSecondaryIndexes"][0]["IndexName"] == "by-colour"


def test_a_string_that_is_no_unicode_is_not_read(engine: Engine) -> None:
    create(engine)
    request = {"TableName": "rice", "Item": {"pk": {"S": "\ud800"}}}
    assert refusal(engine, "PutItem", request)[0] == "SerializationException"
    assert scanned(engine) == []


def test_a_parameter_that_is_null_is_one_that_is_not_there(engine: Engine) -> None:
    create(engine, definition() | {"StreamSpecification": None, "Tags": None})
    engine.call("PutItem", PUT | {"ConditionExpression": None, "ReturnValues": None})
    assert names(scanned(engine)) == ["a"]


# ── in memory ─────────────────────────────────────────────────────────────────────────────────────


def test_engines_in_memory_have_nothing_in_common(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Engine.open(sweep_seconds=None) as one, Engine.open(":memory:", sweep_seconds=None) as two:
        create(one)
        put(one, "a")
        assert two.call("ListTables", {})["TableNames"] == []
    assert os.listdir(tmp_path) == []


# ── files ─────────────────────────────────────────────────────────────────────────────────────────


def test_everything_is_there_when_the_file_is_opened_again(tmp_path: Path) -> None:
    path = tmp_path / "data.db"
    expiry = {"Enabled": True, "AttributeName": "until"}
    with Engine.open(path, sweep_seconds=None) as engine:
        create(engine, with_stream(Tags=[{"Key": "crop", "Value": "rice"}]))
        engine.call("UpdateTable", add_index("by-colour", "colour"))
        engine.call("UpdateTimeToLive", {"TableName": "rice", "TimeToLiveSpecification": expiry})
        put(engine, "a", colour={"S": "red"}, until={"N": str(int(time.time()) - 60)})
        before = describe(engine)
    with Engine.open(path, sweep_seconds=None) as engine:
        assert describe(engine) == before
        assert names(scanned(engine, IndexName="by-colour")) == ["a"]
        assert keys(records(engine, stream_arn(engine))) == ["a"]
        tags = engine.call("ListTagsOfResource", {"ResourceArn": before["TableArn"]})["Tags"]
        assert tags == [{"Key": "crop", "Value": "rice"}]
        assert engine.sweep() == 1


def test_a_closed_file_leaves_no_log_behind(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "data.db", sweep_seconds=None) as engine:
        create(engine)
        put(engine, "a")
    assert sorted(os.listdir(tmp_path)) in (["data.db"], ["data.db", "data.db-lock"])


PATHS = ["plain.db", "with some spaces.db", "밥상.db", "what?.db", "number#1.db", "50%25.db", "file:x.db"]


@pytest.mark.parametrize("name", PATHS)
@pytest.mark.parametrize("kind", [str, Path])
def test_a_file_may_have_any_name(tmp_path: Path, name: str, kind: Callable[[Path], str | Path]) -> None:
    for _ in range(2):
        with Engine.open(kind(tmp_path / name), durability="normal", sweep_seconds=None) as engine:
            if "rice" not in engine.call("ListTables", {})["TableNames"]:
                create(engine)
            put(engine, "a")
            assert names(scanned(engine)) == ["a"]
    assert sorted(os.listdir(tmp_path)) in ([name], [name, f"{name}-lock"])


def test_a_relative_path_is_meant_where_it_was_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(tmp_path)
    with Engine.open("data.db", sweep_seconds=None) as engine:
        create(engine)
        monkeypatch.chdir(elsewhere)
        put(engine, "a")
        assert names(scanned(engine)) == ["a"]
    assert (tmp_path / "data.db").exists()
    assert os.listdir(elsewhere) == []


@pytest.mark.parametrize("durability", ["full", "normal"])
def test_both_kinds_of_durability_keep_what_is_written(tmp_path: Path, durability: Durability) -> None:
    for expected in ([], ["a"]):
        with Engine.open(tmp_path / "data.db", durability=durability, sweep_seconds=None) as engine:
            if not expected:
                create(engine)
            assert names(scanned(engine)) == expected
            put(engine, "a")


# ── the end ───────────────────────────────────────────────────────────────────────────────────────

AFTER: dict[str, Callable[[Engine], object]] = {
    "a read": lambda engine: engine.call("GetItem", GET),
    "a scan": lambda engine: engine.call("Scan", {"TableName": "rice"}),
    "a write": lambda engine: engine.call("PutItem", PUT),
    "a list": lambda engine: engine.call("ListTables", {}),
    "a description": lambda engine: engine.call("DescribeTable", {"TableName": "rice"}),
    "a new table": lambda engine: engine.call("CreateTable", definition("beans")),
    "a batch": lambda engine: engine.call("BatchGetItem", {"RequestItems": {"rice": {"Keys": [GET["Key"]]}}}),
    "a sweep": lambda engine: engine.sweep(),
}


@pytest.mark.parametrize("use", AFTER)
@pytest.mark.parametrize("place", ["memory", "file"])
def test_a_closed_engine_says_that_it_is_closed(tmp_path: Path, place: str, use: str) -> None:
    engine = Engine.open(":memory:" if place == "memory" else tmp_path / "data.db", sweep_seconds=None)
    create(engine)
    engine.call("Scan", {"TableName": "rice"})
    engine.close()
    with pytest.raises(StoreError, match="closed"):
        AFTER[use](engine)


@pytest.mark.parametrize("place", ["memory", "file"])
def test_an_engine_that_is_closed_while_it_is_used_refuses_everyone(tmp_path: Path, place: str) -> None:
    where = ":memory:" if place == "memory" else tmp_path / "data.db"
    engine = Engine.open(where, durability="normal", sweep_seconds=0.001)
    create(engine, with_stream())

    def use(ask: Callable[[Engine], object]) -> None:
        with pytest.raises(StoreError, match="closed"):
            while True:
                ask(engine)

    uses = [AFTER[name] for name in ("a read", "a scan", "a write", "a list", "a description")]
    with running(*(partial(use, each) for each in uses)):
        time.sleep(0.02)
        engine.close()


@pytest.mark.parametrize("place", ["memory", "file"])
def test_an_engine_may_be_closed_twice(tmp_path: Path, place: str) -> None:
    engine = Engine.open(":memory:" if place == "memory" else tmp_path / "data.db")
    engine.close()
    engine.close()


def test_an_engine_is_closed_by_an_error_too(tmp_path: Path) -> None:
    with pytest.raises(WireError), Engine.open(tmp_path / "data.db") as engine:
        engine.call("DescribeTable", {"TableName": "none"})
    with pytest.raises(StoreError):
        engine.call("ListTables", {})


def test_a_file_is_free_when_its_engine_is_closed(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "data.db") as engine:
        create(engine)
    (tmp_path / "data.db").rename(tmp_path / "moved.db")
    with Engine.open(tmp_path / "moved.db") as engine:
        assert engine.call("ListTables", {})["TableNames"] == ["rice"]
