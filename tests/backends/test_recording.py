"""The recording: every call with its cost, and nothing changed for the caller."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any

import pytest

from hansang.backends.embedded import Embedded
from hansang.backends.recording import Recording
from hansang.design import Database
from hansang.errors import WireError
from tests.backends.tables import batch, get, item, put, query
from tests.checked.shop import CustomerKey, Shop


@pytest.fixture
def recording(engine: Embedded) -> Recording:
    ticks = count(100.0, 0.5)
    return Recording(engine, length=5, clock=lambda: next(ticks))


def test_a_call_is_recorded_with_its_answer_its_cost_and_its_time(recording: Recording) -> None:
    put(recording, "a")
    response = get(recording, "a")
    first, second = recording.calls
    assert (first.operation, first.request, first.response) == (
        "PutItem",
        {"TableName": "Rice", "Item": item("a")},
        {},
    )
    assert (first.at, first.seconds) == (100.0, 0.5)
    assert (first.write_units, first.read_units) == (3.0, 0.0)
    assert first.consumed[0]["GlobalSecondaryIndexes"] == {"ranks": {"CapacityUnits": 1.0}}
    assert (second.response, second.read_units) == (response, 0.5)


@pytest.mark.parametrize("wanted", ["NONE", "TOTAL", "INDEXES", None])
@pytest.mark.parametrize("operation", ["PutItem", "BatchWriteItem", "TransactWriteItems"])
def test_the_caller_gets_the_cost_that_it_asked_for(
    engine: Embedded, recording: Recording, operation: str, wanted: str | None
) -> None:
    requests: dict[str, dict[str, Any]] = {
        "PutItem": {"TableName": "Rice", "Item": item("a")},
        "BatchWriteItem": batch({"PutRequest": {"Item": item("a")}}),
        "TransactWriteItems": {"TransactItems": [{"Put": {"TableName": "Rice", "Item": item("a")}}]},
    }
    put(engine, "a")
    request = requests[operation] | ({"ReturnConsumedCapacity": wanted} if wanted else {})
    assert recording.call(operation, request) == engine.call(operation, request)
    [call] = recording.calls
    assert call.request == request
    assert call.consumed[0]["Table"]["CapacityUnits"] > 0


def test_an_error_is_recorded_with_what_it_cost_and_goes_on(recording: Recording) -> None:
    put(recording, "a")
    with pytest.raises(WireError) as caught:
        put(recording, "a", ConditionExpression="attribute_not_exists(PK)")
    call = recording.calls[-1]
    assert (call.error, call.response) == (caught.value, None)
    assert call.write_units == 1.0


def test_a_wrong_wish_for_the_cost_is_refused_as_without_the_recording(recording: Recording) -> None:
    with pytest.raises(WireError) as caught:
        put(recording, "a", ReturnConsumedCapacity="ALL")
    assert caught.value.code == "ValidationException"


def test_operations_without_a_cost_are_recorded_too(recording: Recording) -> None:
    recording.call("ListTables", {})
    [call] = recording.calls
    assert (call.consumed, call.response) == ((), {"TableNames": ["Rice"]})


def test_only_the_last_calls_are_kept(recording: Recording) -> None:
    for sk in "abcdefg":
        put(recording, sk)
    assert [call.request["Item"]["SK"]["S"] for call in recording.calls] == list("cdefg")
    recording.clear()
    assert recording.calls == []


def test_what_is_recorded_does_not_change_with_what_the_caller_does(recording: Recording) -> None:
    request = {"TableName": "Rice", "Item": item("a")}
    recording.call("PutItem", request)
    request["Item"] = {}
    response = get(recording, "a")
    response["Item"]["PK"]["S"] = "changed"
    assert recording.calls[0].request["Item"] == item("a")
    assert recording.calls[1].response == {"Item": item("a")}


def test_many_threads_lose_no_call(engine: Embedded) -> None:
    recording = Recording(engine)
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda number: put(recording, f"{number}"), range(200)))
    assert {call.request["Item"]["SK"]["S"] for call in recording.calls} == {f"{n}" for n in range(200)}
    assert query(engine, Select="ALL_ATTRIBUTES") == sorted(f"{n}" for n in range(200))


def test_a_database_runs_on_a_recording_and_its_meter_still_counts() -> None:
    with Embedded.open() as engine:
        recording = Recording(engine)
        db = Database(recording)
        db.create_tables(Shop)
        with db.meter() as cost:
            assert db.find(CustomerKey(id="c1")) is None
    assert cost.read == recording.calls[-1].read_units == 0.5
    assert recording.calls[-1].request["Key"] == {"PK": {"S": "CUSTOMER#c1"}, "SK": {"S": "METADATA"}}
