"""Expiry: what is due is deleted, by the service, and nothing else is."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hansang.engine import Engine
from tests.clauses import clause
from tests.engine.control import (
    NOW,
    ManualClock,
    Request,
    attributes,
    create,
    definition,
    describe,
    described_index,
    index,
    key,
    names,
    put,
    put_many,
    scanned,
    with_index,
    with_stream,
)
from tests.engine.holding import running
from tests.engine.neighbour import neighbours
from tests.engine.shards import keys, records, stream_arn

YEAR = 365 * 24 * 60 * 60
SERVICE = {"PrincipalId": "dynamodb.amazonaws.com", "Type": "Service"}


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def engine(clock: ManualClock) -> Iterator[Engine]:
    """An engine whose table expires by `until`."""
    with Engine.open(clock=clock, sweep_seconds=None) as opened:
        create(opened, with_stream())
        switch(opened)
        yield opened


def switch(engine: Engine, on: bool = True) -> None:
    expiry = {"Enabled": on, "AttributeName": "until"}
    engine.call("UpdateTimeToLive", {"TableName": "rice", "TimeToLiveSpecification": expiry})


def until(seconds: float) -> Request:
    return {"N": str(int(NOW + seconds))}


# ── what is due ───────────────────────────────────────────────────────────────────────────────────

DUE: dict[str, Request] = {
    "a minute ago": until(-60),
    "nearly five years ago": until(-5 * YEAR + 7 * 24 * 60 * 60),
    "with a fraction": {"N": f"{int(NOW) - 60}.75"},
    "with an exponent": {"N": f"{(int(NOW) - 60) // 10}E1"},
}
NOT_DUE: dict[str, Request] = {
    "in a minute": until(60),
    "more than five years ago": until(-5 * YEAR - 7 * 24 * 60 * 60),
    "at the beginning of time": {"N": "0"},
    "before the beginning of time": {"N": "-1"},
    "in milliseconds": {"N": str(int(NOW - 60) * 1000)},
    "a number too large for a time": {"N": "9" * 38},
    "a string": {"S": str(int(NOW) - 60)},
    "a set": {"NS": [str(int(NOW) - 60)]},
    "in a list": {"L": [until(-60)]},
    "null": {"NULL": True},
}


@pytest.mark.parametrize("case", DUE)
def test_what_is_due_is_deleted(engine: Engine, case: str) -> None:
    put(engine, "a", until=DUE[case])
    assert engine.sweep() == 1
    assert scanned(engine) == []


@clause("R13")
@pytest.mark.parametrize("case", NOT_DUE)
def test_what_is_not_due_stays(engine: Engine, case: str) -> None:
    put(engine, "a", until=NOT_DUE[case])
    put(engine, "b", other=until(-60))
    assert engine.sweep() == 0
    assert names(scanned(engine)) == ["a", "b"]


@clause("R13")
def test_an_item_goes_when_its_time_comes(engine: Engine, clock: ManualClock) -> None:
    put(engine, "a", until=until(60))
    put(engine, "b", until=until(90))
    clock.advance(59)
    assert engine.sweep() == 0
    clock.advance(2)
    assert engine.sweep() == 1
    assert names(scanned(engine)) == ["b"]


@clause("R13")
def test_what_is_due_can_be_read_until_it_is_swept(engine: Engine) -> None:
    put(engine, "a", until=until(-60))
    assert names(scanned(engine)) == ["a"]
    engine.sweep()
    assert scanned(engine) == []


CHANGES: dict[str, Request] = {
    "later": {"UpdateExpression": "SET #u = :v", "ExpressionAttributeValues": {":v": until(60)}},
    "never": {"UpdateExpression": "REMOVE #u"},
    "a word": {"UpdateExpression": "SET #u = :v", "ExpressionAttributeValues": {":v": {"S": "soon"}}},
}


@pytest.mark.parametrize("case", CHANGES)
def test_a_time_that_was_changed_is_the_one_that_counts(engine: Engine, case: str) -> None:
    put(engine, "a", until=until(-60))
    request = {"TableName": "rice", "Key": {"pk": {"S": "a"}}, "ExpressionAttributeNames": {"#u": "until"}}
    engine.call("UpdateItem", request | CHANGES[case])
    assert engine.sweep() == 0
    assert names(scanned(engine)) == ["a"]


def test_an_item_that_was_deleted_and_put_again_has_its_new_time(engine: Engine) -> None:
    put(engine, "a", until=until(-60))
    engine.call("DeleteItem", {"TableName": "rice", "Key": {"pk": {"S": "a"}}})
    put(engine, "a", until=until(60))
    assert engine.sweep() == 0


def test_many_items_of_one_time_all_go(engine: Engine) -> None:
    put_many(engine, [{"pk": {"S": str(each)}, "until": until(-60)} for each in range(450)])
    put(engine, "stays", until=until(60))
    assert engine.sweep() == 450
    assert names(scanned(engine)) == ["stays"]
    assert describe(engine)["ItemCount"] == 1


# ── on and off ────────────────────────────────────────────────────────────────────────────────────


def test_items_that_were_there_before_expire_too(clock: ManualClock) -> None:
    with Engine.open(clock=clock, sweep_seconds=None) as engine:
        create(engine)
        put_many(engine, [{"pk": {"S": f"{each:04d}"}, "until": until(-60)} for each in range(1100)])
        put(engine, "stays", until=until(60))
        switch(engine)
        assert engine.sweep() == 1100
        assert names(scanned(engine)) == ["stays"]


def test_nothing_expires_when_expiry_is_off(engine: Engine) -> None:
    put(engine, "a", until=until(-60))
    switch(engine, on=False)
    assert engine.sweep() == 0
    put(engine, "b", until=until(-60))
    switch(engine)
    assert engine.sweep() == 2


def test_tables_expire_each_by_its_own_attribute(engine: Engine) -> None:
    create(engine, definition("beans"))
    item = {"pk": {"S": "a"}, "until": until(-60)}
    for table in ("rice", "beans"):
        engine.call("PutItem", {"TableName": table, "Item": item})
    assert engine.sweep() == 1
    assert scanned(engine, "beans") == [item]


# ── how it is deleted ─────────────────────────────────────────────────────────────────────────────


def test_the_record_says_that_the_service_did_it(engine: Engine) -> None:
    put(engine, "a", until=until(-60), note={"S": "x"})
    engine.sweep()
    inserted, removed = records(engine, stream_arn(engine))
    assert "userIdentity" not in inserted
    assert removed["eventName"] == "REMOVE"
    assert removed["userIdentity"] == SERVICE
    assert removed["dynamodb"]["OldImage"] == inserted["dynamodb"]["NewImage"]


def test_a_deletion_of_a_user_is_not_the_services(engine: Engine) -> None:
    put(engine, "a", until=until(-60))
    engine.call("DeleteItem", {"TableName": "rice", "Key": {"pk": {"S": "a"}}})
    engine.sweep()
    assert ["userIdentity" in record for record in records(engine, stream_arn(engine))] == [False, False]


def test_indexes_lose_what_expires(clock: ManualClock) -> None:
    local = index("local", "pk", "colour")
    table = with_index(
        AttributeDefinitions=attributes(pk="S", sk="S", colour="S"),
        KeySchema=key("pk", "sk"),
        LocalSecondaryIndexes=[local],
    )
    with Engine.open(clock=clock, sweep_seconds=None) as engine:
        create(engine, table)
        switch(engine)
        for place, seconds in enumerate((-60, 60)):
            put(engine, "a", sk={"S": str(place)}, colour={"S": "red"}, until=until(seconds))
        engine.sweep()
        for name in ("local", "by-colour"):
            assert names(scanned(engine, IndexName=name), "sk") == ["1"]
        assert described_index(engine, "by-colour")["ItemCount"] == 1


# ── who sweeps ────────────────────────────────────────────────────────────────────────────────────


def test_several_processes_sweep_and_every_item_goes_once(tmp_path: Path) -> None:
    path = tmp_path / "data.db"
    with Engine.open(path, durability="normal", sweep_seconds=None) as engine:
        create(engine, with_stream(view="KEYS_ONLY"))
        switch(engine)
        past = {"N": str(int(time.time()) - 60)}
        put_many(engine, [{"pk": {"S": f"{each:04d}"}, "until": past} for each in range(900)])
        with neighbours(path, 2) as others:
            for other in others:
                other.send("sweep", {})
            here = engine.sweep()
            assert here + sum(other.answer() for other in others) == 900
        found = records(engine, stream_arn(engine))
    assert sorted(keys([each for each in found if each["eventName"] == "REMOVE"])) == [
        f"{each:04d}" for each in range(900)
    ]


def test_a_table_that_goes_during_a_sweep_is_no_error(tmp_path: Path) -> None:
    path = tmp_path / "data.db"
    with (
        Engine.open(path, durability="normal", clock=lambda: NOW, sweep_seconds=None) as one,
        Engine.open(path, durability="normal", clock=lambda: NOW, sweep_seconds=None) as two,
    ):
        ended = threading.Event()

        def change() -> None:
            try:
                for _ in range(60):
                    create(one)
                    switch(one)
                    put(one, "a", until=until(-60))
                    one.call("DeleteTable", {"TableName": "rice"})
            finally:
                ended.set()

        with running(change):
            while not ended.is_set():
                two.sweep()
        assert two.call("ListTables", {})["TableNames"] == []


def sweepers() -> set[threading.Thread]:
    """The threads that sweep, of this engine and of others that tests have open."""
    return {thread for thread in threading.enumerate() if thread.name == "hansang-sweep"}


def test_a_background_thread_sweeps_until_the_engine_is_closed(clock: ManualClock) -> None:
    others = sweepers()
    engine = Engine.open(clock=clock, sweep_seconds=0.01)
    create(engine)
    switch(engine)
    put(engine, "a", until=until(-60))
    deadline = time.monotonic() + 60
    while scanned(engine) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert scanned(engine) == []
    assert len(sweepers() - others) == 1
    engine.close()
    assert sweepers() <= others


def test_a_sweep_that_is_under_way_ends_before_the_engine_is_closed(caplog: pytest.LogCaptureFixture) -> None:
    sweeping, others = threading.Event(), sweepers()

    def clock() -> float:
        if threading.current_thread().name == "hansang-sweep":
            sweeping.set()
            time.sleep(0.1)
        return NOW

    engine = Engine.open(clock=clock, sweep_seconds=0.01)
    create(engine)
    switch(engine)
    assert sweeping.wait(60)
    engine.close()
    assert sweepers() <= others
    assert caplog.text == ""


def test_an_engine_that_sweeps_seldom_closes_at_once() -> None:
    engine = Engine.open(sweep_seconds=3600)
    others = sweepers()
    engine.close()  # Else it would last an hour.
    assert sweepers() < others


def test_a_sweep_that_fails_is_logged_and_tried_again(caplog: pytest.LogCaptureFixture) -> None:
    broken = threading.Event()

    def clock() -> float:
        if broken.is_set():
            broken.clear()
            raise OSError("no clock")
        return NOW

    with caplog.at_level(logging.ERROR), Engine.open(clock=clock, sweep_seconds=0.01) as engine:
        create(engine)
        switch(engine)
        put(engine, "a", until=until(-60))
        broken.set()
        deadline = time.monotonic() + 60
        while (broken.is_set() or scanned(engine)) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert scanned(engine) == []
    assert "no clock" in caplog.text
