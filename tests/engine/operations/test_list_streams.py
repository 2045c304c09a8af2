"""ListStreams: the streams of one table or of all, a page at a time."""

from __future__ import annotations

import pytest

from hansang.engine import Engine
from tests.engine.control import (
    ManualClock,
    Request,
    create,
    fault,
    faults,
    invalid,
    with_stream,
)
from tests.engine.shards import DAY, stream_arn

LABEL = "2023-11-14T22:13:20.000"


def listed(engine: Engine, **request: object) -> list[Request]:
    found: list[Request] = engine.call("ListStreams", request)["Streams"]
    return found


def test_no_streams_is_an_empty_list(engine: Engine) -> None:
    create(engine)
    assert engine.call("ListStreams", {}) == {"Streams": []}
    assert engine.call("ListStreams", {"TableName": "rice"}) == {"Streams": []}
    assert engine.call("ListStreams", {"TableName": "none"}) == {"Streams": []}


def test_a_stream_is_listed_with_its_table_and_label(clocked: Engine) -> None:
    create(clocked, with_stream())
    expected = {"StreamArn": stream_arn(clocked), "StreamLabel": LABEL, "TableName": "rice"}
    assert listed(clocked) == [expected]


def test_a_table_has_its_own_streams(engine: Engine) -> None:
    for name in ("rice", "beans"):
        create(engine, with_stream(name))
    assert [each["TableName"] for each in listed(engine, TableName="beans")] == ["beans"]
    assert sorted(each["TableName"] for each in listed(engine)) == ["beans", "rice"]


def test_pages_follow_one_another_to_the_end(engine: Engine) -> None:
    for number in range(5):
        create(engine, with_stream(f"table-{number}"))
    found: list[str] = []
    request: Request = {"Limit": 2}
    while True:
        answer = engine.call("ListStreams", request)
        assert len(answer["Streams"]) <= 2
        found += [each["TableName"] for each in answer["Streams"]]
        if "LastEvaluatedStreamArn" not in answer:
            break
        request = {"Limit": 2, "ExclusiveStartStreamArn": answer["LastEvaluatedStreamArn"]}
    assert sorted(found) == [f"table-{number}" for number in range(5)]


def test_a_stream_that_was_turned_off_is_listed_for_a_day(clocked: Engine, clock: ManualClock) -> None:
    create(clocked, with_stream())
    arn = stream_arn(clocked)
    clocked.call("UpdateTable", {"TableName": "rice", "StreamSpecification": {"StreamEnabled": False}})
    clock.advance(DAY - 1)
    clocked.sweep()
    assert [each["StreamArn"] for each in listed(clocked)] == [arn]
    clock.advance(2)
    clocked.sweep()
    assert listed(clocked) == []


WRONG: dict[str, tuple[Request, str]] = {
    "no limit": (
        {"Limit": 0},
        fault("0", "limit", "Member must have value greater than or equal to 1"),
    ),
    "a high limit": (
        {"Limit": 101},
        fault("101", "limit", "Member must have value less than or equal to 100"),
    ),
    "a short start": (
        {"ExclusiveStartStreamArn": "arn"},
        fault("arn", "exclusiveStartStreamArn", "Member must have length greater than or equal to 37"),
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_parameter_out_of_shape_is_refused(engine: Engine, case: str) -> None:
    request, expected = WRONG[case]
    assert faults(invalid(engine, "ListStreams", request)) == [expected]


def test_a_start_that_is_no_arn_is_refused(engine: Engine) -> None:
    assert "Invalid StreamArn" in invalid(engine, "ListStreams", {"ExclusiveStartStreamArn": "x" * 50})
