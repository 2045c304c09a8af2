"""Throttling as AWS does it: units with burst, ceilings of partitions, growth on demand, splits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from hansang.backends.embedded import Embedded
from hansang.backends.throttled_retry import sent_again
from hansang.engine import Engine
from hansang.engine.partitions import SPLIT_SECONDS
from hansang.engine.throttling import THROTTLED
from hansang.engine.token_buckets import PeakRate
from hansang.errors import WireError

KB = "x" * 1000


class Hand:
    """A clock that somebody moves."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@contextmanager
def opened(units: int | None = None, *, index: int | None = None, local: bool = False) -> Iterator[Shelf]:
    """A table with a key pk, sk; provisioned with so many units, or on demand."""
    clock = Hand()
    with Engine.open(":memory:", sweep_seconds=None, clock=clock, throttling=True) as engine:
        attributes = [
            {"AttributeName": name, "AttributeType": kind} for name, kind in (("pk", "S"), ("sk", "N"))
        ]
        request: dict[str, Any] = {"TableName": "Shop", "KeySchema": _key("pk", "sk")}
        if index is not None:
            attributes.append({"AttributeName": "day", "AttributeType": "S"})
            request["GlobalSecondaryIndexes"] = [_indexed("byDay", "day", "sk", index if units else None)]
        if local:
            attributes.append({"AttributeName": "n", "AttributeType": "N"})
            request["LocalSecondaryIndexes"] = [_indexed("byN", "pk", "n", None)]
        billing = (
            {"BillingMode": "PAY_PER_REQUEST"} if units is None else {"ProvisionedThroughput": _units(units)}
        )
        engine.call("CreateTable", {**request, **billing, "AttributeDefinitions": attributes})
        yield Shelf(engine, clock)


def _key(pk: str, sk: str) -> list[dict[str, str]]:
    return [{"AttributeName": pk, "KeyType": "HASH"}, {"AttributeName": sk, "KeyType": "RANGE"}]


def _units(units: int) -> dict[str, int]:
    return {"ReadCapacityUnits": units, "WriteCapacityUnits": units}


def _indexed(name: str, pk: str, sk: str, units: int | None) -> dict[str, Any]:
    found = {"IndexName": name, "KeySchema": _key(pk, sk), "Projection": {"ProjectionType": "KEYS_ONLY"}}
    return found if units is None else {**found, "ProvisionedThroughput": _units(units)}


class Shelf:
    """The table, and how much it takes."""

    def __init__(self, engine: Engine, clock: Hand) -> None:
        self.engine, self.clock = engine, clock

    def put(self, pk: str = "a", sk: int = 0, size: int = 1, **more: Any) -> dict[str, Any]:
        item = {"pk": {"S": pk}, "sk": {"N": str(sk)}, "b": {"S": KB * size}, **more}
        return self.engine.call("PutItem", {"TableName": "Shop", "Item": item})

    def get(self, pk: str = "a", sk: int = 0) -> dict[str, Any]:
        key = {"pk": {"S": pk}, "sk": {"N": str(sk)}}
        return self.engine.call("GetItem", {"TableName": "Shop", "Key": key, "ConsistentRead": True})

    def puts(self, count: int, **given: Any) -> int:
        """How many of so many puts are let in."""
        return sum(1 for _ in range(count) if not self.is_refused(**given))

    def is_refused(self, **given: Any) -> bool:
        try:
            self.put(**given)
        except WireError as refusal:
            return refusal.code in THROTTLED
        return False


def test_a_provisioned_table_takes_its_units_and_what_it_has_saved_for_five_minutes() -> None:
    with opened(2) as shop:
        assert shop.puts(9) == 2
        shop.clock.now += 2
        assert shop.puts(20) == 4
        shop.clock.now += 10_000
        assert shop.puts(620) == 600
        with pytest.raises(WireError) as refusal:
            shop.put()
    assert refusal.value.code == "ProvisionedThroughputExceededException"
    assert refusal.value.message == (
        "The level of configured provisioned throughput for the table was exceeded. "
        "Consider increasing your provisioning level with the UpdateTable API."
    )
    assert refusal.value.fields["ThrottlingReasons"] == [
        {
            "reason": "TableWriteProvisionedThroughputExceeded",
            "resource": "arn:aws:dynamodb:us-east-1:123456789012:table/Shop",
        }
    ]


def test_reads_and_writes_have_units_of_their_own_and_a_large_one_leaves_a_debt() -> None:
    with opened(2) as shop:
        shop.put(size=9)
        assert shop.get()["Item"]
        shop.clock.now += 3
        assert shop.is_refused()  # 9 units were taken, and 2 + 6 have come.
        shop.clock.now += 2
        assert not shop.is_refused()
        shop.clock.now += 1
        for _ in range(3):
            shop.get()
        with pytest.raises(WireError, match="provisioned throughput for the table"):
            for _ in range(30):
                shop.get()


def test_an_index_that_does_not_keep_up_holds_up_its_table() -> None:
    with opened(100, index=3) as shop:
        day: dict[str, Any] = {"day": {"S": "d"}}
        assert shop.puts(3, **day) == 3
        with pytest.raises(WireError, match="for one or more global secondary indexes") as refusal:
            for sk in range(9):
                shop.put(sk=sk, **day)
        reason = refusal.value.fields["ThrottlingReasons"][0]
        assert reason["reason"] == "IndexWriteProvisionedThroughputExceeded"
        assert reason["resource"].endswith("table/Shop/index/byDay")
        # What is not in the index does not wait for it.
        assert shop.puts(20, pk="b") == 20
        assert shop.puts(1, sk=0, **day) == 1  # Nothing of it changes there.


def test_one_partition_takes_a_thousand_writes_a_second_whatever_the_table_has() -> None:
    with opened(40_000) as shop:
        assert shop.puts(250, size=5) == 200
        assert shop.puts(50, pk="z", size=5) == 50  # Another partition.
        with pytest.raises(WireError) as refusal:
            shop.put()
        assert (
            refusal.value.fields["ThrottlingReasons"][0]["reason"] == "TableWriteKeyRangeThroughputExceeded"
        )
        assert shop.engine.throttling is not None
        worst = shop.engine.throttling.refused[0]
        assert (worst.table, worst.index, worst.side, worst.count) == ("Shop", None, "Write", 51)


def heated(shop: Shelf, seconds: int) -> int:
    """Write to one partition key, all over its sort keys, for a while; how many were let in at the end."""
    for _ in range(0, seconds, 30):
        shop.clock.now += 30
        for sk in range(0, 3000, 50):
            shop.is_refused(sk=sk, size=40)
    shop.clock.now += 1
    return sum(not shop.is_refused(sk=sk, size=40) for sk in range(0, 3000, 50))


def test_a_hot_partition_is_split_by_the_sort_key_unless_there_is_a_local_index() -> None:
    with opened(40_000) as shop:
        calm = heated(shop, 30)
        assert heated(shop, SPLIT_SECONDS + 60) > 1.5 * calm
    with opened(40_000, local=True) as shop:
        calm = heated(shop, 30)
        assert heated(shop, SPLIT_SECONDS + 60) == calm


def test_on_demand_begins_with_4000_writes_in_four_partitions() -> None:
    with opened() as shop:
        let_in = sum(not shop.is_refused(pk=f"p{number}", size=40) for number in range(130))
        assert 95 <= let_in <= 104
        with pytest.raises(WireError) as refusal:
            for number in range(130):
                shop.put(pk=f"p{number}", size=40)
        assert refusal.value.code == "ThrottlingException"
        assert str(refusal.value.message).startswith("Throughput exceeds the current capacity of your table")


def test_a_peak_counts_when_it_is_half_an_hour_old() -> None:
    peak, seen = PeakRate(), []
    for minute in range(40):
        peak.add(60 * (9000 if minute == 3 else 100), 60.0 * minute + 1)
        seen.append(peak.settled)
    assert seen[33] == 100
    assert seen[34] == 9000


def test_a_maximum_on_demand_is_kept() -> None:
    with opened() as shop:
        limit = {"TableName": "Shop", "OnDemandThroughput": {"MaxWriteRequestUnits": 7}}
        shop.engine.call("UpdateTable", limit)
        assert shop.puts(20) == 7
        with pytest.raises(WireError, match="the maximum OnDemandThroughput configured"):
            shop.put()


def test_of_a_batch_comes_back_what_was_throttled_and_a_transaction_is_cancelled() -> None:
    with opened(3) as shop:
        items = [{"pk": {"S": "a"}, "sk": {"N": str(sk)}} for sk in range(5)]
        batch = {"RequestItems": {"Shop": [{"PutRequest": {"Item": item}} for item in items]}}
        left = shop.engine.call("BatchWriteItem", batch)["UnprocessedItems"]
        assert [each["PutRequest"]["Item"] for each in left["Shop"]] == items[3:]
        with pytest.raises(WireError, match="ProvisionedThroughputExceeded"):
            shop.engine.call("BatchWriteItem", {"RequestItems": left})
        with pytest.raises(WireError, match=r"reasons \[ProvisionedThroughputExceeded\]") as cancelled:
            put = {"Put": {"TableName": "Shop", "Item": items[4]}}
            shop.engine.call("TransactWriteItems", {"TransactItems": [put]})
        assert "UpdateTable API" in cancelled.value.fields["CancellationReasons"][0]["Message"]
        keys = {"RequestItems": {"Shop": {"Keys": items, "ConsistentRead": True}}}
        read = shop.engine.call("BatchGetItem", keys)
        assert len(read["Responses"]["Shop"]) == 3
        assert read["UnprocessedKeys"]["Shop"]["Keys"] == items[3:]
        with pytest.raises(WireError, match="ProvisionedThroughputExceeded"):
            shop.engine.call("BatchGetItem", keys)
        gets = [{"Get": {"TableName": "Shop", "Key": items[0]}}]
        with pytest.raises(WireError, match=r"reasons \[ProvisionedThroughputExceeded\]"):
            shop.engine.call("TransactGetItems", {"TransactItems": gets})
        query = {"TableName": "Shop", "KeyConditionExpression": "pk = :p"}
        with pytest.raises(WireError, match="ProvisionedThroughputExceeded"):
            shop.engine.call("Query", {**query, "ExpressionAttributeValues": {":p": {"S": "a"}}})


def test_a_failed_condition_is_charged() -> None:
    with opened(3) as shop:
        shop.put()
        item = {"pk": {"S": "a"}, "sk": {"N": "0"}}
        request = {"TableName": "Shop", "Item": item, "ConditionExpression": "attribute_not_exists(pk)"}
        codes = []
        for _ in range(3):
            with pytest.raises(WireError) as refusal:
                shop.engine.call("PutItem", request)
            codes.append(refusal.value.code)
        failed = "ConditionalCheckFailedException"
        assert codes == [failed, failed, "ProvisionedThroughputExceededException"]


def test_it_is_off_unless_asked_for() -> None:
    with Engine.open(":memory:", sweep_seconds=None) as engine:
        assert engine.throttling is None


def test_the_backend_sends_again_what_was_throttled() -> None:
    with opened(1) as shop:
        pauses: list[float] = []

        def sleep(seconds: float) -> None:
            pauses.append(seconds)
            shop.clock.now += seconds

        shop.put()
        sent_again(shop.put, sleep=sleep, chance=lambda: 1.0)
        assert pauses == [0.05, 0.1, 0.2, 0.4, 0.8][: len(pauses)]
        assert sum(pauses) > 0
        shop.clock.now += 2
        shop.put(size=50)
        with pytest.raises(WireError, match="ProvisionedThroughputExceeded"):
            sent_again(shop.put, attempts=3, sleep=pauses.append)
        with pytest.raises(WireError, match="ResourceNotFound"):
            sent_again(lambda: shop.engine.call("Scan", {"TableName": "none"}), sleep=pauses.append)
        waiting = Embedded(shop.engine, attempts=1)
        with pytest.raises(WireError, match="ProvisionedThroughputExceeded"):
            waiting.call("PutItem", {"TableName": "Shop", "Item": {"pk": {"S": "a"}, "sk": {"N": "0"}}})
