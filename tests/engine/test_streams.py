"""Streams: what a record says of a change, and which changes have one."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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
    index,
    key,
    put,
    put_many,
    refusal,
    with_stream,
)
from tests.engine.model_values import item_size
from tests.engine.neighbour import neighbours
from tests.engine.shards import DAY, keys, number, records, stream_arn

OLD = {"pk": {"S": "a"}, "n": {"N": "1"}}
NEW = {"pk": {"S": "a"}, "n": {"N": "2"}}


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def engine(clock: ManualClock) -> Iterator[Engine]:
    """An engine with a table whose stream has both images."""
    with Engine.open(clock=clock, sweep_seconds=None) as opened:
        create(opened, with_stream())
        yield opened


def call(engine: Engine, operation: str, **request: Any) -> None:
    engine.call(operation, {"TableName": "rice", **request})


def changes(engine: Engine) -> list[tuple[str, Request | None, Request | None]]:
    """Of every record the event and the images."""
    found = []
    for record in records(engine, stream_arn(engine)):
        images = record["dynamodb"]
        found.append((record["eventName"], images.get("OldImage"), images.get("NewImage")))
    return found


# ── what a record says ────────────────────────────────────────────────────────────────────────────

IMAGES = {
    "KEYS_ONLY": [(None, None)] * 3,
    "NEW_IMAGE": [(None, OLD), (None, NEW), (None, None)],
    "OLD_IMAGE": [(None, None), (OLD, None), (NEW, None)],
    "NEW_AND_OLD_IMAGES": [(None, OLD), (OLD, NEW), (NEW, None)],
}


@clause("B15")
@pytest.mark.parametrize("view", IMAGES)
def test_a_record_has_the_images_of_its_view(view: str) -> None:
    with Engine.open(sweep_seconds=None) as engine:
        create(engine, with_stream(view=view))
        for item in (OLD, NEW):
            call(engine, "PutItem", Item=item)
        call(engine, "DeleteItem", Key={"pk": {"S": "a"}})
        found = changes(engine)
        assert {each["dynamodb"]["StreamViewType"] for each in records(engine, stream_arn(engine))} == {view}
    assert [event for event, *_ in found] == ["INSERT", "MODIFY", "REMOVE"]
    assert [(old, new) for _, old, new in found] == IMAGES[view]


def test_a_record_says_where_and_when_it_comes_from(engine: Engine, clock: ManualClock) -> None:
    clock.advance(1.75)
    call(engine, "PutItem", Item=OLD)
    [record] = records(engine, stream_arn(engine))
    assert record["eventSource"] == "aws:dynamodb"
    assert record["eventVersion"] == "1.1"
    assert record["awsRegion"] == "us-east-1"
    assert record["dynamodb"]["ApproximateCreationDateTime"] == int(NOW) + 1
    assert record["dynamodb"]["Keys"] == {"pk": {"S": "a"}}
    assert "userIdentity" not in record


def test_a_record_has_the_whole_key() -> None:
    with Engine.open(sweep_seconds=None) as engine:
        create(
            engine,
            with_stream(AttributeDefinitions=attributes(pk="S", sk="N"), KeySchema=key("pk", "sk")),
        )
        call(engine, "PutItem", Item={"sk": {"N": "1.0"}, "pk": {"S": "a"}, "note": {"S": "x"}})
        [record] = records(engine, stream_arn(engine))
    assert record["dynamodb"]["Keys"] == {"pk": {"S": "a"}, "sk": {"N": "1"}}


def test_every_record_has_an_id_and_a_number_of_its_own(engine: Engine) -> None:
    put_many(engine, [{"pk": {"S": str(each)}} for each in range(60)])
    found = records(engine, stream_arn(engine))
    assert len({record["eventID"] for record in found}) == 60
    assert len({number(record) for record in found}) == 60
    assert all(21 <= len(number(record)) <= 40 and number(record).isdecimal() for record in found)


def test_the_size_of_a_record_is_that_of_its_keys_and_images(engine: Engine) -> None:
    call(engine, "PutItem", Item=OLD)
    call(engine, "PutItem", Item=NEW)
    found = [each["dynamodb"]["SizeBytes"] for each in records(engine, stream_arn(engine))]
    of_key = item_size({"pk": {"S": "a"}})
    assert found == [of_key + item_size(OLD), of_key + item_size(OLD) + item_size(NEW)]


def test_a_record_of_an_item_of_keys_alone_has_an_image(engine: Engine) -> None:
    call(engine, "UpdateItem", Key={"pk": {"S": "a"}})
    call(engine, "UpdateItem", Key={"pk": {"S": "a"}}, **SET_TO)
    alone = {"pk": {"S": "a"}}
    assert changes(engine) == [("INSERT", None, alone), ("MODIFY", alone, OLD)]


# ── which changes have one ────────────────────────────────────────────────────────────────────────

SET_TO = {"UpdateExpression": "SET n = :v", "ExpressionAttributeValues": {":v": {"N": "1.0"}}}
NO_CHANGES: dict[str, tuple[str, Request]] = {
    "the same item": ("PutItem", {"Item": OLD}),
    "the same item in another order": ("PutItem", {"Item": dict(reversed(OLD.items()))}),
    "the same number in another form": ("PutItem", {"Item": OLD | {"n": {"N": "1.00"}}}),
    "the same attribute": ("UpdateItem", {"Key": {"pk": {"S": "a"}}, **SET_TO}),
    "no expression": ("UpdateItem", {"Key": {"pk": {"S": "a"}}}),
    "an attribute that is not there": (
        "UpdateItem",
        {"Key": {"pk": {"S": "a"}}, "UpdateExpression": "REMOVE absent"},
    ),
    "an item that is not there": ("DeleteItem", {"Key": {"pk": {"S": "b"}}}),
    "a removal from no item": (
        "UpdateItem",
        {"Key": {"pk": {"S": "b"}}, "UpdateExpression": "REMOVE absent"},
    ),
}


@pytest.mark.parametrize("case", NO_CHANGES)
def test_a_write_that_changes_nothing_has_no_record(engine: Engine, case: str) -> None:
    operation, request = NO_CHANGES[case]
    call(engine, "PutItem", Item=OLD)
    call(engine, operation, **request)
    assert changes(engine) == [("INSERT", None, OLD)]


def test_a_set_in_another_order_is_the_same_set(engine: Engine) -> None:
    for members in (["x", "y", "z"], ["z", "x", "y"]):
        put(engine, "a", letters={"SS": members}, depth={"M": {"s": {"SS": members}}})
    assert [event for event, *_ in changes(engine)] == ["INSERT"]


def test_a_refused_write_has_no_record(engine: Engine) -> None:
    call(engine, "PutItem", Item=OLD)
    request = {"TableName": "rice", "Item": NEW, "ConditionExpression": "attribute_not_exists(pk)"}
    assert refusal(engine, "PutItem", request)[0] == "ConditionalCheckFailedException"
    put_new = {"Put": {"TableName": "rice", "Item": NEW}}
    check = {"ConditionCheck": {"TableName": "rice", "Key": {"pk": {"S": "b"}}}}
    check["ConditionCheck"]["ConditionExpression"] = "attribute_exists(pk)"
    code, _ = refusal(engine, "TransactWriteItems", {"TransactItems": [put_new, check]})
    assert code == "TransactionCanceledException"
    assert changes(engine) == [("INSERT", None, OLD)]


def test_a_transaction_has_a_record_for_every_item_that_it_changes(engine: Engine) -> None:
    call(engine, "PutItem", Item=OLD)
    actions = [
        {"Update": {"TableName": "rice", "Key": {"pk": {"S": "a"}}, **SET_TO}},
        {"Put": {"TableName": "rice", "Item": {"pk": {"S": "b"}}}},
        {
            "ConditionCheck": {
                "TableName": "rice",
                "Key": {"pk": {"S": "c"}},
                "ConditionExpression": "attribute_not_exists(pk)",
            }
        },
    ]
    engine.call("TransactWriteItems", {"TransactItems": actions})
    assert keys(records(engine, stream_arn(engine))) == ["a", "b"]


def test_a_batch_has_a_record_for_every_item(engine: Engine) -> None:
    put_many(engine, [OLD, {"pk": {"S": "b"}}])
    engine.call(
        "BatchWriteItem",
        {"RequestItems": {"rice": [{"DeleteRequest": {"Key": {"pk": {"S": "b"}}}}]}},
    )
    assert [event for event, *_ in changes(engine)] == ["INSERT", "INSERT", "REMOVE"]


def test_changes_before_the_stream_was_on_have_no_record() -> None:
    with Engine.open(sweep_seconds=None) as engine:
        create(engine)
        call(engine, "PutItem", Item=OLD)
        stream = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
        call(engine, "UpdateTable", StreamSpecification=stream)
        call(engine, "PutItem", Item=NEW)
        assert changes(engine) == [("MODIFY", OLD, NEW)]


def test_changes_after_the_stream_was_off_have_no_record(engine: Engine) -> None:
    call(engine, "PutItem", Item=OLD)
    call(engine, "UpdateTable", StreamSpecification={"StreamEnabled": False})
    call(engine, "PutItem", Item=NEW)
    assert changes(engine) == [("INSERT", None, OLD)]


def test_a_new_index_has_no_records(engine: Engine) -> None:
    call(engine, "PutItem", Item=OLD)
    added = {"GlobalSecondaryIndexUpdates": [{"Create": index("by-n", "n")}]}
    call(engine, "UpdateTable", AttributeDefinitions=attributes(n="N"), **added)
    assert changes(engine) == [("INSERT", None, OLD)]


# ── order ─────────────────────────────────────────────────────────────────────────────────────────


def chains(found: list[Request]) -> dict[str, list[Request]]:
    """The records of each key, in the order of the stream."""
    by_key: dict[str, list[Request]] = {}
    for record in found:
        by_key.setdefault(record["dynamodb"]["Keys"]["pk"]["S"], []).append(record["dynamodb"])
    return by_key


def check_chains(found: list[Request], writes: int) -> None:
    """Every record of a key goes on from the one before it, and none is missing."""
    assert len(found) == writes
    for chain in chains(found).values():
        counts = [int(each["NewImage"]["n"]["N"]) for each in chain]
        assert counts == list(range(1, len(chain) + 1))
        assert [each.get("OldImage") for each in chain[1:]] == [each["NewImage"] for each in chain[:-1]]


ADD = {"UpdateExpression": "ADD n :one", "ExpressionAttributeValues": {":one": {"N": "1"}}}


def test_the_records_of_a_key_are_in_the_order_of_its_changes_whoever_made_them(engine: Engine) -> None:
    def work() -> None:
        for count in range(60):
            call(engine, "UpdateItem", Key={"pk": {"S": f"key-{count % 3}"}}, **ADD)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check_chains(records(engine, stream_arn(engine)), 240)


def test_the_records_of_a_key_are_in_order_across_processes(tmp_path: Path) -> None:
    path = tmp_path / "data.db"
    with Engine.open(path, sweep_seconds=None) as engine:
        create(engine, with_stream())
        order = {"TableName": "rice", "Key": {"pk": {"S": "shared"}}, **ADD}
        with neighbours(path, 2) as others:
            for other in others:
                other.send("repeat", {"operation": "UpdateItem", "request": order, "times": 50})
            assert [other.answer() for other in others] == [50, 50]
        check_chains(records(engine, stream_arn(engine)), 100)


# ── trimming ──────────────────────────────────────────────────────────────────────────────────────


def test_a_sweep_trims_what_is_older_than_a_day(engine: Engine, clock: ManualClock) -> None:
    put_many(engine, [{"pk": {"S": f"{each:02d}"}} for each in range(30)])
    clock.advance(DAY / 2)
    put(engine, "noon")
    clock.advance(DAY / 2)
    assert engine.sweep() == 0
    clock.advance(1)
    assert engine.sweep() == 30
    assert keys(records(engine, stream_arn(engine))) == ["noon"]


def test_every_old_record_is_trimmed_in_the_end(engine: Engine, clock: ManualClock) -> None:
    put_many(engine, [{"pk": {"S": str(each)}} for each in range(1500)])
    clock.advance(DAY + 1)
    gone = [engine.sweep() for _ in range(3)]
    assert sum(gone) == 1500
    assert gone[-1] == 0


def test_numbers_go_on_after_everything_was_trimmed(engine: Engine, clock: ManualClock) -> None:
    put(engine, "old")
    [old] = records(engine, stream_arn(engine))
    clock.advance(DAY + 1)
    engine.sweep()
    put(engine, "new")
    [new] = records(engine, stream_arn(engine))
    assert int(number(new)) > int(number(old))


def test_a_table_without_a_stream_has_nothing_to_trim() -> None:
    with Engine.open(sweep_seconds=None) as engine:
        create(engine, definition())
        put(engine, "a")
        assert engine.sweep() == 0


def test_one_sweep_trims_all_that_is_too_old() -> None:
    now = [1_000_000.0]
    with Engine.open(clock=lambda: now[0], sweep_seconds=None) as engine:
        request = {
            "TableName": "busy",
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            "BillingMode": "PAY_PER_REQUEST",
            "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
        }
        engine.call("CreateTable", request)
        for number in range(2100):
            engine.call("PutItem", {"TableName": "busy", "Item": {"pk": {"S": str(number)}}})
        now[0] += 25 * 60 * 60
        assert engine.sweep() == 2100
