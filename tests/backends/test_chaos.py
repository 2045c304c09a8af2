"""Chaos: each fault alone, the same for the same seed, and what an application lives through."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest

from hansang.backends.base import Backend
from hansang.backends.chaos import Chaos, Faults
from hansang.backends.embedded import Embedded
from hansang.backends.recording import Recording
from hansang.design import Database, attr
from hansang.design.translation import translated
from hansang.errors import SettingsError, Throttled, Unavailable, WireError
from tests.backends.tables import TABLE, batch, get, item, key, put, query
from tests.checked.shop import Customer, CustomerKey, Shop

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def outcome(call: Callable[[], Any]) -> str:
    try:
        call()
    except WireError as error:
        return error.code
    return "done"


def history(engine: Backend, seed: int, faults: Faults) -> list[str]:
    """What becomes of fifty writes."""
    slept: list[float] = []
    chaos = Chaos(engine, faults, seed=seed, sleep=slept.append)
    return [outcome(partial(put, chaos, f"{number}")) for number in range(50)] + [f"{len(slept)} slept"]


def test_without_faults_nothing_happens(engine: Embedded) -> None:
    assert history(engine, 1, Faults()) == ["done"] * 50 + ["0 slept"]


def test_the_same_seed_brings_the_same_faults(engine: Embedded) -> None:
    faults = Faults(throttled=0.3, lost=0.2, slow=0.5)
    first = history(engine, 7, faults)
    assert history(engine, 7, faults) == first
    assert history(engine, 8, faults) != first
    assert len(set(first)) == 4


def test_one_rate_leaves_the_other_faults_where_they_were(engine: Embedded) -> None:
    alone = history(engine, 7, Faults(throttled=0.3))
    both = history(engine, 7, Faults(throttled=0.3, slow=0.5))
    assert both[:-1] == alone[:-1]


@pytest.mark.parametrize(
    "wrong", [{"lost": 1.1}, {"throttled": -0.1}, {"slow_seconds": -1.0}, {"lag_calls": -1}]
)
def test_a_rate_that_is_none_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(SettingsError, match=next(iter(wrong))):
        Faults(**wrong)


# ── throttling ────────────────────────────────────────────────────────────────────────────────────


def test_a_throttled_call_does_not_happen(engine: Embedded) -> None:
    chaos = Chaos(engine, Faults(throttled=1), seed=1)
    with pytest.raises(WireError) as caught:
        put(chaos, "a")
    assert isinstance(translated(caught.value), Throttled)
    assert get(engine, "a") == {}
    assert chaos.counts["throttled"] == 1


def test_control_operations_are_not_throttled(engine: Embedded) -> None:
    assert Chaos(engine, Faults(throttled=1), seed=1).call("ListTables", {}) == {"TableNames": ["Rice"]}


def test_a_throttled_batch_leaves_a_part_over_that_was_not_written(engine: Embedded) -> None:
    chaos = Chaos(engine, Faults(throttled=1), seed=3)
    writes = [{"PutRequest": {"Item": item(sk)}} for sk in "abcdefgh"]
    response = chaos.call("BatchWriteItem", batch(*writes))
    left = [write["PutRequest"]["Item"]["SK"]["S"] for write in response["UnprocessedItems"]["Rice"]]
    assert 0 < len(left) < 8
    assert sorted(left + query(engine)) == list("abcdefgh")


def test_a_throttled_batch_of_reads_leaves_keys_over_with_their_wishes(engine: Embedded) -> None:
    for sk in "abcdefgh":
        put(engine, sk)
    chaos = Chaos(engine, Faults(throttled=1), seed=3)
    wanted = {"Keys": [key(sk) for sk in "abcdefgh"], "ConsistentRead": True}
    response = chaos.call("BatchGetItem", {"RequestItems": {"Rice": wanted}})
    left = response["UnprocessedKeys"]["Rice"]
    assert left["ConsistentRead"] is True
    assert len(left["Keys"]) + len(response["Responses"]["Rice"]) == 8


def test_a_batch_of_one_is_throttled_whole(engine: Embedded) -> None:
    chaos = Chaos(engine, Faults(throttled=1), seed=1)
    request = batch({"PutRequest": {"Item": item("a")}})
    assert outcome(lambda: chaos.call("BatchWriteItem", request)) == "ProvisionedThroughputExceededException"


# ── lost responses and slow calls ─────────────────────────────────────────────────────────────────


def test_a_lost_write_has_happened(engine: Embedded) -> None:
    chaos = Chaos(engine, Faults(lost=1), seed=1)
    with pytest.raises(WireError) as caught:
        put(chaos, "a")
    assert isinstance(translated(caught.value), Unavailable)
    assert get(chaos, "a") == {"Item": item("a")}


def test_a_refusal_is_lost_as_well(engine: Embedded) -> None:
    put(engine, "a", rank=1)
    chaos = Chaos(engine, Faults(lost=1), seed=1)
    once = {"ConditionExpression": "attribute_not_exists(PK)"}
    assert outcome(lambda: put(chaos, "a", 2, **once)) == "ServiceUnavailable"
    assert get(engine, "a") == {"Item": item("a", 1)}


def test_a_slow_call_takes_its_time_and_answers(engine: Embedded) -> None:
    slept: list[float] = []
    chaos = Chaos(engine, Faults(slow=1, slow_seconds=3), seed=1, sleep=slept.append)
    put(chaos, "a")
    assert get(chaos, "a") == {"Item": item("a")}
    assert slept == [3, 3]


# ── indexes that run behind ───────────────────────────────────────────────────────────────────────


def lagging(engine: Backend, calls: int = 2, **more: Any) -> Chaos:
    return Chaos(engine, Faults(lag=1, lag_calls=calls, **more), seed=1)


def test_a_global_index_hides_a_change_from_the_next_calls(engine: Embedded) -> None:
    put(engine, "before")
    with lagging(engine, calls=2) as chaos:
        put(chaos, "a", rank=2)
        assert [query(chaos, "ranks") for _ in range(3)] == [["before"], ["before"], ["before", "a"]]


def test_the_table_and_its_local_index_do_not_lag(engine: Embedded) -> None:
    with lagging(engine, calls=100) as chaos:
        put(chaos, "a")
        assert query(chaos) == query(chaos, "local") == ["a"]
        assert query(chaos, "ranks") == []


def test_updates_deletes_batches_and_transactions_arrive_late_and_in_order(engine: Embedded) -> None:
    for sk, rank in (("a", 1), ("b", 2), ("c", 3)):
        put(engine, sk, rank)
    change: dict[str, Any] = {"UpdateExpression": "ADD #r :r", "ExpressionAttributeNames": {"#r": "Rank"}}
    change["ExpressionAttributeValues"] = {":r": {"N": "8"}}
    with lagging(engine, calls=4) as chaos:
        chaos.call("UpdateItem", {"TableName": "Rice", "Key": key("a"), **change})
        chaos.call("BatchWriteItem", batch({"DeleteRequest": {"Key": key("b")}}))
        action = {"Put": {"TableName": "Rice", "Item": item("c", 0)}}
        chaos.call("TransactWriteItems", {"TransactItems": [action]})
        seen = [query(chaos, "ranks") for _ in range(5)]
    assert seen == [["a", "b", "c"], ["a", "b", "c"], ["b", "c", "a"], ["c", "a"], ["c", "a"]]
    assert query(engine, "ranks") == ["c", "a"]


def test_an_item_never_goes_back_in_time(engine: Embedded) -> None:
    with Chaos(engine, Faults(lag=0.5, lag_calls=5), seed=4) as chaos:
        for number in range(20):
            put(chaos, "a", number)
        seen = []
        for _ in range(10):
            found = chaos.call("Scan", {"TableName": "Rice", "IndexName": "ranks"})["Items"]
            seen += [int(each["Rank"]["N"]) for each in found]
    assert seen == sorted(seen)
    assert seen[-1] == 19


def test_lag_can_be_a_matter_of_seconds(engine: Embedded) -> None:
    now = [100.0]
    faults = Faults(lag=1, lag_calls=0, lag_seconds=2)
    with Chaos(engine, faults, seed=1, clock=lambda: now[0]) as chaos:
        put(chaos, "a")
        assert query(chaos, "ranks") == []
        now[0] = 102.0
        assert query(chaos, "ranks") == ["a"]


def test_a_lost_write_reaches_the_index_too(engine: Embedded) -> None:
    with lagging(engine, calls=0, lost=1) as chaos:
        assert outcome(lambda: put(chaos, "a")) == "ServiceUnavailable"
        assert query(chaos, "ranks") == ["a"]


def test_a_table_that_is_made_anew_starts_anew(engine: Embedded) -> None:
    with lagging(engine, calls=0) as chaos:
        put(chaos, "a")
        assert query(chaos, "ranks") == ["a"]
        chaos.call("DeleteTable", {"TableName": "Rice"})
        assert outcome(lambda: query(chaos, "ranks")) == "ResourceNotFoundException"
        chaos.call("CreateTable", TABLE)
        assert query(chaos, "ranks") == []


def test_what_is_wrong_with_a_request_is_said_by_the_backend(engine: Embedded) -> None:
    query = {"TableName": "Rice", "IndexName": "ranks", "KeyConditionExpression": "PK"}
    with lagging(engine) as chaos:
        assert outcome(partial(chaos.call, "PutItem", {})) == "ValidationException"
        assert outcome(partial(chaos.call, "BatchWriteItem", {"RequestItems": 1})) == "SerializationException"
        assert outcome(partial(chaos.call, "Query", query)) == "ValidationException"
    with Chaos(engine, Faults(throttled=1), seed=1) as chaos:
        malformed = partial(chaos.call, "BatchWriteItem", {"RequestItems": 1})
        assert outcome(malformed) == "ProvisionedThroughputExceededException"


def test_a_copy_that_fails_is_taken_again(engine: Embedded) -> None:
    put(engine, "a")
    with lagging(Chaos(engine, Faults(throttled=0.5), seed=2)) as chaos:
        seen = {outcome(lambda: query(chaos, "ranks")) for _ in range(20)}
        assert seen == {"done", "ProvisionedThroughputExceededException"}
        assert query(chaos, "ranks") == ["a"]


def test_many_threads_end_with_an_index_that_agrees_with_the_table(engine: Embedded) -> None:
    with Chaos(engine, Faults(lag=0.5, lag_calls=3), seed=5) as chaos:
        with ThreadPoolExecutor(8) as threads:
            list(threads.map(lambda number: put(chaos, f"{number % 10}", number), range(200)))
        for _ in range(4):
            found = query(chaos, "ranks")
    assert found == query(engine, "ranks")


# ── an application ────────────────────────────────────────────────────────────────────────────────


def test_a_batch_of_the_database_gets_through_throttling() -> None:
    with Embedded.open() as engine:
        Database(engine).create_tables(Shop)
        recording = Recording(engine)
        db = Database(Chaos(recording, Faults(throttled=0.2), seed=11))
        customers = [Customer(id=f"c{number}", name="민지", created_at=NOW) for number in range(20)]
        assert db.batch_write(puts=customers) == 20
        assert db.batch_get([CustomerKey(id=f"c{number}") for number in range(20)]) == customers


def test_the_database_says_that_a_lost_update_is_unavailable() -> None:
    with Embedded.open() as engine:
        sure = Database(engine)
        sure.create_tables(Shop)
        sure.create(Customer(id="c1", name="민지", created_at=NOW))
        with pytest.raises(Unavailable):
            Database(Chaos(engine, Faults(lost=1), seed=1)).update(
                CustomerKey(id="c1"), attr(Customer.visits).add(1)
            )
        assert sure.get(CustomerKey(id="c1")).visits == 1
