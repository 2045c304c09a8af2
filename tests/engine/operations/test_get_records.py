"""GetRecords: pages of records, and iterators that no longer hold."""

from __future__ import annotations

import base64
import json

import pytest

from hansang.engine import Engine
from tests.clauses import clause
from tests.engine.control import (
    ManualClock,
    Request,
    create,
    definition,
    fault,
    faults,
    invalid,
    put,
    put_many,
    refusal,
    with_stream,
)
from tests.engine.shards import (
    DAY,
    iterator,
    keys,
    number,
    page,
    records,
    stream_arn,
)

MINUTE = 60
OFF = {"TableName": "rice", "StreamSpecification": {"StreamEnabled": False}}


@pytest.fixture
def streaming(clocked: Engine) -> Engine:
    """An engine with a table that has an empty stream of keys."""
    create(clocked, with_stream(view="KEYS_ONLY"))
    return clocked


def put_all(engine: Engine, letters: str) -> None:
    for letter in letters:
        put(engine, letter)


def pages(engine: Engine, limit: int | None = None) -> list[list[str]]:
    """The keys of all pages up to the first empty one."""
    found: list[list[str]] = []
    at: str | None = iterator(engine, stream_arn(engine))
    while at is not None:
        more, at = page(engine, at, limit)
        if not more:
            return found
        found.append(keys(more))
    return found


# ── pages ─────────────────────────────────────────────────────────────────────────────────────────


def test_an_empty_shard_gives_an_empty_list_and_a_way_on(streaming: Engine) -> None:
    found, after = page(streaming, iterator(streaming, stream_arn(streaming)))
    assert found == []
    assert after is not None
    put(streaming, "a")
    assert keys(page(streaming, after)[0]) == ["a"]


@clause("B15")
def test_records_come_in_order_and_once(streaming: Engine) -> None:
    put_all(streaming, "abc")
    found, after = page(streaming, iterator(streaming, stream_arn(streaming)))
    assert keys(found) == ["a", "b", "c"]
    numbers = [int(number(record)) for record in found]
    assert numbers == sorted(set(numbers))
    assert after is not None
    assert page(streaming, after)[0] == []


def test_an_iterator_may_be_used_again(streaming: Engine) -> None:
    put_all(streaming, "ab")
    at = iterator(streaming, stream_arn(streaming))
    assert page(streaming, at, 1)[0] == page(streaming, at, 1)[0] == page(streaming, at)[0][:1]


@pytest.mark.parametrize(("limit", "expected"), [(2, ["ab", "cd", "e"]), (5, ["abcde"]), (1000, ["abcde"])])
def test_a_page_has_no_more_than_its_limit(streaming: Engine, limit: int, expected: list[str]) -> None:
    put_all(streaming, "abcde")
    assert ["".join(found) for found in pages(streaming, limit)] == expected


def test_a_page_has_a_thousand_records_at_most(streaming: Engine) -> None:
    put_many(streaming, [{"pk": {"S": str(number)}} for number in range(1001)])
    assert [len(found) for found in pages(streaming)] == [1000, 1]


def test_a_page_has_a_megabyte_at_most(clocked: Engine) -> None:
    create(clocked, with_stream(view="NEW_IMAGE"))
    for letter in "abcdefg":
        put(clocked, letter, fill={"S": "x" * 300_000})
    assert ["".join(found) for found in pages(clocked)] == ["abc", "def", "g"]


def test_a_record_that_does_not_fit_waits_for_the_next_page(clocked: Engine) -> None:
    create(clocked, with_stream())
    for fill in ("x", "y"):
        put(clocked, "a", fill={"S": fill * 400_000})
    put(clocked, "b")
    assert pages(clocked) == [["a"], ["a", "b"]]


def test_other_streams_are_not_read(streaming: Engine) -> None:
    create(streaming, with_stream("beans"))
    for name in ("rice", "beans", "rice"):
        item = {"pk": {"S": name}, "n": {"N": str(len(records(streaming, stream_arn(streaming))))}}
        streaming.call("PutItem", {"TableName": name, "Item": item})
    assert keys(records(streaming, stream_arn(streaming, "beans"))) == ["beans"]
    assert keys(records(streaming, stream_arn(streaming))) == ["rice", "rice"]


# ── the end ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("ending", ["UpdateTable", "DeleteTable"])
def test_a_shard_that_is_closed_is_read_to_its_end(streaming: Engine, ending: str) -> None:
    create(streaming, with_stream("beans"))
    put_all(streaming, "abc")
    streaming.call("PutItem", {"TableName": "beans", "Item": {"pk": {"S": "later"}}})
    at: str | None = iterator(streaming, stream_arn(streaming))
    streaming.call(ending, OFF if ending == "UpdateTable" else {"TableName": "rice"})
    found: list[str] = []
    for _ in range(10):
        assert at is not None
        more, at = page(streaming, at, 2)
        found += keys(more)
        if at is None:
            break
    assert (found, at) == (["a", "b", "c"], None)


def test_a_closed_shard_without_records_ends_at_once(streaming: Engine) -> None:
    at = iterator(streaming, stream_arn(streaming))
    streaming.call("UpdateTable", OFF)
    assert page(streaming, at) == ([], None)


def test_a_stream_can_be_read_for_a_day_after_its_table_is_gone(
    streaming: Engine, clock: ManualClock
) -> None:
    put_all(streaming, "ab")
    arn = stream_arn(streaming)
    streaming.call("DeleteTable", {"TableName": "rice"})
    clock.advance(DAY - 1)
    streaming.sweep()
    assert keys(records(streaming, arn)) == ["a", "b"]
    clock.advance(2)
    streaming.sweep()
    code, _ = refusal(streaming, "DescribeStream", {"StreamArn": arn})
    assert code == "ResourceNotFoundException"


# ── a day ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("swept", [False, True], ids=["before the sweep", "after the sweep"])
def test_records_are_read_for_a_day(streaming: Engine, clock: ManualClock, swept: bool) -> None:
    put_all(streaming, "ab")
    clock.advance(DAY / 2)
    put_all(streaming, "cd")
    clock.advance(DAY / 2 + 1)
    if swept:
        streaming.sweep()
    assert pages(streaming) == [["c", "d"]]
    assert pages(streaming, limit=1) == [["c"], ["d"]]


def test_more_than_a_page_of_old_records_hides_nothing(streaming: Engine, clock: ManualClock) -> None:
    put_many(streaming, [{"pk": {"S": str(number)}} for number in range(1100)])
    clock.advance(DAY + 1)
    put(streaming, "fresh")
    assert pages(streaming) == [["fresh"]]


def test_old_records_do_not_end_a_closed_shard(streaming: Engine, clock: ManualClock) -> None:
    put_all(streaming, "ab")
    clock.advance(DAY - MINUTE)
    put(streaming, "c")
    streaming.call("UpdateTable", OFF)
    clock.advance(2 * MINUTE)
    assert pages(streaming, limit=1) == [["c"]]


def test_a_place_that_was_trimmed_meanwhile_cannot_be_read(streaming: Engine, clock: ManualClock) -> None:
    put_all(streaming, "a")
    arn = stream_arn(streaming)
    clock.advance(DAY - MINUTE)
    put_all(streaming, "b")
    first = number(records(streaming, arn)[0])
    at = iterator(streaming, arn, "AT_SEQUENCE_NUMBER", first)
    clock.advance(2 * MINUTE)
    streaming.sweep()
    assert refusal(streaming, "GetRecords", {"ShardIterator": at})[0] == "TrimmedDataAccessException"


def test_the_oldest_place_goes_on_when_records_are_trimmed(streaming: Engine, clock: ManualClock) -> None:
    put_all(streaming, "a")
    clock.advance(DAY - MINUTE)
    put_all(streaming, "b")
    at = iterator(streaming, stream_arn(streaming))
    clock.advance(2 * MINUTE)
    streaming.sweep()
    assert keys(page(streaming, at)[0]) == ["b"]


def test_records_that_were_trimmed_before_they_were_read_are_missed(
    streaming: Engine, clock: ManualClock
) -> None:
    put_all(streaming, "ab")
    clock.advance(DAY - MINUTE)
    _, after = page(streaming, iterator(streaming, stream_arn(streaming)), 1)
    put_all(streaming, "c")
    clock.advance(2 * MINUTE)
    for _ in ("before the sweep", "after it"):
        assert refusal(streaming, "GetRecords", {"ShardIterator": after})[0] == "TrimmedDataAccessException"
        streaming.sweep()


# ── iterators ─────────────────────────────────────────────────────────────────────────────────────


def test_an_iterator_holds_for_a_quarter_of_an_hour(streaming: Engine, clock: ManualClock) -> None:
    put(streaming, "a")
    at = iterator(streaming, stream_arn(streaming))
    clock.advance(15 * MINUTE)
    assert keys(page(streaming, at)[0]) == ["a"]
    clock.advance(1)
    assert refusal(streaming, "GetRecords", {"ShardIterator": at})[0] == "ExpiredIteratorException"


def test_the_next_iterator_holds_for_as_long_again(streaming: Engine, clock: ManualClock) -> None:
    at: str | None = iterator(streaming, stream_arn(streaming))
    for letter in "abc":
        clock.advance(14 * MINUTE)
        put(streaming, letter)
        assert at is not None
        found, at = page(streaming, at)
        assert keys(found) == [letter]


def test_an_iterator_holds_in_another_engine(tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("stream") / "data.db"
    with Engine.open(path, sweep_seconds=None) as engine:
        create(engine, with_stream(view="KEYS_ONLY"))
        put(engine, "a")
        at = iterator(engine, stream_arn(engine))
    with Engine.open(path, sweep_seconds=None) as engine:
        assert keys(page(engine, at)[0]) == ["a"]


ARN = "arn:aws:dynamodb:us-east-1:123456789012:table/rice/stream/2023-11-14T22:13:20.000"


def forged(*content: object) -> str:
    return f"{ARN}|1|{base64.b64encode(json.dumps(content).encode()).decode()}"


WRONG_ITERATORS = {
    "a word": "nonsense",
    "a word in an iterator's clothes": f"{ARN}|1|nonsense",
    "no place": forged(),
    "a place that is a word": forged("first", "now"),
    "a place beyond all numbers": forged(10**30, 1_700_000_000.0),
    "no time": forged(0, None),
    "other letters": f"{ARN}|1|가나다",
}


@pytest.mark.parametrize("case", WRONG_ITERATORS)
def test_what_is_no_iterator_is_refused(streaming: Engine, case: str) -> None:
    message = invalid(streaming, "GetRecords", {"ShardIterator": WRONG_ITERATORS[case]})
    assert "Invalid ShardIterator" in message


def test_an_iterator_of_a_stream_that_is_gone_finds_nothing(streaming: Engine, clock: ManualClock) -> None:
    arn = stream_arn(streaming)
    streaming.call("UpdateTable", OFF)
    clock.advance(DAY - MINUTE)
    at = iterator(streaming, arn)
    clock.advance(2 * MINUTE)
    streaming.sweep()
    code, _ = refusal(streaming, "GetRecords", {"ShardIterator": at})
    assert code == "ResourceNotFoundException"


WRONG: dict[str, tuple[Request, str]] = {
    "no iterator": ({}, fault("null", "shardIterator", "Member must not be null")),
    "no limit": (
        {"ShardIterator": "x", "Limit": 0},
        fault("0", "limit", "Member must have value greater than or equal to 1"),
    ),
    "a high limit": (
        {"ShardIterator": "x", "Limit": 1001},
        fault("1001", "limit", "Member must have value less than or equal to 1000"),
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_parameter_out_of_shape_is_refused(engine: Engine, case: str) -> None:
    create(engine, definition())
    request, expected = WRONG[case]
    assert faults(invalid(engine, "GetRecords", request)) == [expected]
