"""GetShardIterator: the four kinds of places in a shard."""

from __future__ import annotations

import pytest

from hansang.engine import Engine
from tests.clauses import clause
from tests.engine.control import (
    ManualClock,
    Request,
    create,
    fault,
    faults,
    invalid,
    put,
    refusal,
    with_stream,
)
from tests.engine.shards import DAY, iterator, keys, number, page, place, records, shard, stream_arn


@pytest.fixture
def streaming(clocked: Engine) -> Engine:
    """An engine with a table that has a stream of three records."""
    create(clocked, with_stream(view="KEYS_ONLY"))
    for name in ("a", "b", "c"):
        put(clocked, name)
    return clocked


PLACES = {
    "TRIM_HORIZON": ["a", "b", "c"],
    "LATEST": [],
    "AT_SEQUENCE_NUMBER": ["b", "c"],
    "AFTER_SEQUENCE_NUMBER": ["c"],
}


@clause("B15")
@pytest.mark.parametrize("kind", PLACES)
def test_an_iterator_stands_where_its_type_says(streaming: Engine, kind: str) -> None:
    arn = stream_arn(streaming)
    second = number(records(streaming, arn)[1])
    at = iterator(streaming, arn, kind, second if kind.endswith("NUMBER") else None)
    assert keys(page(streaming, at)[0]) == PLACES[kind]


@pytest.mark.parametrize("kind", PLACES)
def test_an_iterator_sees_what_is_written_later(streaming: Engine, kind: str) -> None:
    arn = stream_arn(streaming)
    second = number(records(streaming, arn)[1])
    at = iterator(streaming, arn, kind, second if kind.endswith("NUMBER") else None)
    put(streaming, "d")
    assert keys(page(streaming, at)[0]) == [*PLACES[kind], "d"]


@pytest.mark.parametrize("kind", ["AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER"])
def test_the_start_of_a_shard_is_a_place_even_when_nothing_is_in_it(engine: Engine, kind: str) -> None:
    create(engine, with_stream())
    arn = stream_arn(engine)
    start = shard(engine, arn)["SequenceNumberRange"]["StartingSequenceNumber"]
    assert page(engine, iterator(engine, arn, kind, start))[0] == []


def test_reading_at_the_start_of_a_shard_reads_it_all(streaming: Engine) -> None:
    arn = stream_arn(streaming)
    start = shard(streaming, arn)["SequenceNumberRange"]["StartingSequenceNumber"]
    assert keys(page(streaming, iterator(streaming, arn, "AT_SEQUENCE_NUMBER", start))[0]) == ["a", "b", "c"]


def test_the_number_that_a_shard_starts_with_is_no_record(streaming: Engine) -> None:
    arn = stream_arn(streaming)
    start = shard(streaming, arn)["SequenceNumberRange"]["StartingSequenceNumber"]
    behind = iterator(streaming, arn, "AFTER_SEQUENCE_NUMBER", start)
    assert keys(page(streaming, behind)[0]) == ["a", "b", "c"]


def test_the_end_of_a_closed_shard_is_a_place(streaming: Engine) -> None:
    arn = stream_arn(streaming)
    streaming.call("DeleteTable", {"TableName": "rice"})
    end = shard(streaming, arn)["SequenceNumberRange"]["EndingSequenceNumber"]
    found, after = page(streaming, iterator(streaming, arn, "AFTER_SEQUENCE_NUMBER", end))
    assert (found, after) == ([], None)


@pytest.mark.parametrize("kind", ["TRIM_HORIZON", "LATEST"])
def test_a_place_without_a_number_may_not_have_one(streaming: Engine, kind: str) -> None:
    arn = stream_arn(streaming)
    request = place(streaming, arn, kind, number(records(streaming, arn)[0]))
    assert "SequenceNumber" in invalid(streaming, "GetShardIterator", request)


@pytest.mark.parametrize("kind", ["AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER"])
def test_a_place_with_a_number_must_have_one(streaming: Engine, kind: str) -> None:
    request = place(streaming, stream_arn(streaming), kind)
    assert "SequenceNumber" in invalid(streaming, "GetShardIterator", request)


@pytest.mark.parametrize("wrong", ["9" * 21, "9" * 40], ids=["late", "far"])
def test_a_number_that_the_shard_never_had_is_refused(streaming: Engine, wrong: str) -> None:
    request = place(streaming, stream_arn(streaming), "AT_SEQUENCE_NUMBER", wrong)
    assert wrong in invalid(streaming, "GetShardIterator", request)


def test_a_number_of_a_trimmed_record_is_refused(streaming: Engine, clock: ManualClock) -> None:
    arn = stream_arn(streaming)
    first = number(records(streaming, arn)[0])
    clock.advance(DAY + 1)
    put(streaming, "fresh")
    for _ in ("before the sweep", "after it"):
        code, _ = refusal(streaming, "GetShardIterator", place(streaming, arn, "AT_SEQUENCE_NUMBER", first))
        assert code == "TrimmedDataAccessException"
        streaming.sweep()


def test_a_number_is_refused_when_everything_is_trimmed(streaming: Engine, clock: ManualClock) -> None:
    arn = stream_arn(streaming)
    first = number(records(streaming, arn)[0])
    clock.advance(DAY + 1)
    streaming.sweep()
    code, _ = refusal(streaming, "GetShardIterator", place(streaming, arn, "AT_SEQUENCE_NUMBER", first))
    assert code == "TrimmedDataAccessException"


def test_a_shard_that_is_not_there_is_not_found(streaming: Engine) -> None:
    request = place(streaming, stream_arn(streaming)) | {"ShardId": "shardId-00000000000000000000-none"}
    assert refusal(streaming, "GetShardIterator", request)[0] == "ResourceNotFoundException"


def test_a_stream_that_is_not_there_is_not_found(streaming: Engine) -> None:
    request = place(streaming, stream_arn(streaming))
    elsewhere = request | {"StreamArn": request["StreamArn"].replace("rice", "beans")}
    assert refusal(streaming, "GetShardIterator", elsewhere)[0] == "ResourceNotFoundException"


def test_what_is_no_arn_is_refused(streaming: Engine) -> None:
    request = place(streaming, stream_arn(streaming)) | {"StreamArn": "x" * 50}
    assert "Invalid StreamArn" in invalid(streaming, "GetShardIterator", request)


KINDS = "[AT_SEQUENCE_NUMBER, AFTER_SEQUENCE_NUMBER, LATEST, TRIM_HORIZON]"


def test_a_type_that_there_is_not_is_refused(streaming: Engine) -> None:
    request = place(streaming, stream_arn(streaming), "EARLIEST")
    message = invalid(streaming, "GetShardIterator", request)
    start, _, choices = message.partition("enum value set: ")
    assert start == (
        "1 validation error detected: Value 'EARLIEST' at 'shardIteratorType' "
        "failed to satisfy constraint: Member must satisfy "
    )
    assert sorted(choices.strip("[]").split(", ")) == sorted(KINDS.strip("[]").split(", "))


NOT_NULL = "Member must not be null"
WRONG: dict[str, tuple[Request, list[str]]] = {
    "nothing": (
        {},
        [fault("null", name, NOT_NULL) for name in ("shardId", "shardIteratorType", "streamArn")],
    ),
    "a short number": (
        {
            "StreamArn": "x" * 50,
            "ShardId": "x" * 30,
            "ShardIteratorType": "AT_SEQUENCE_NUMBER",
            "SequenceNumber": "1",
        },
        [fault("1", "sequenceNumber", "Member must have length greater than or equal to 21")],
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_parameter_out_of_shape_is_refused(engine: Engine, case: str) -> None:
    request, expected = WRONG[case]
    assert faults(invalid(engine, "GetShardIterator", request)) == expected
