"""Queries and scans: of the table, of its indexes, forward, backward, filtered and by pages."""

from __future__ import annotations

from typing import Any

import pytest

from tests.clauses import clause
from tests.contract.partitions import Partition, names


@pytest.fixture
def five(partition: Partition) -> Partition:
    """Five items, a to e, ranked 5 to 1, in every index."""
    for number, sk in enumerate("abcde"):
        partition.call("PutItem", Item=partition.ranked(sk, 5 - number))
    return partition


def test_a_query_is_in_the_order_of_the_sort_key(five: Partition) -> None:
    assert names(five.query(ConsistentRead=True)) == list("abcde")
    assert names(five.query(ConsistentRead=True, ScanIndexForward=False)) == list("edcba")


@pytest.mark.parametrize(
    ("condition", "values", "expected"),
    [
        ("SK = :v", {":v": "c"}, "c"),
        ("SK < :v", {":v": "c"}, "ab"),
        ("SK <= :v", {":v": "c"}, "abc"),
        ("SK > :v", {":v": "c"}, "de"),
        ("SK >= :v", {":v": "c"}, "cde"),
        ("SK BETWEEN :v AND :w", {":v": "b", ":w": "d"}, "bcd"),
        ("begins_with(SK, :v)", {":v": "d"}, "d"),
    ],
)
def test_a_condition_on_the_sort_key(
    five: Partition, condition: str, values: dict[str, str], expected: str
) -> None:
    given = {name: {"S": text} for name, text in values.items()}
    assert names(five.query(condition, given, ConsistentRead=True)) == list(expected)


@clause("R14")
def test_texts_are_in_the_order_of_their_bytes(partition: Partition) -> None:
    texts = ["Z", "a", "a#", "a#1", "é", "가", "\uffee", "\U0001f600"]
    for sk in reversed(texts):
        partition.put(sk)
    assert names(partition.query(ConsistentRead=True)) == texts


def test_pages_follow_each_other_without_a_gap(five: Partition) -> None:
    found: list[list[str]] = []
    start: dict[str, Any] = {}
    for _ in range(3):
        response = five.query(Limit=2, ConsistentRead=True, **start)
        found.append(names(response))
        start = {"ExclusiveStartKey": response.get("LastEvaluatedKey")}
    assert found == [["a", "b"], ["c", "d"], ["e"]]
    assert start["ExclusiveStartKey"] is None


@clause("R10", "B8")
def test_a_limit_counts_what_is_read_and_not_what_passes_the_filter(five: Partition) -> None:
    response = five.query(
        values={":r": {"N": "3"}},
        Limit=3,
        FilterExpression="#r <= :r",
        ExpressionAttributeNames={"#r": "Rank"},
        ConsistentRead=True,
    )
    assert (response["Count"], response["ScannedCount"]) == (1, 3)
    assert response["LastEvaluatedKey"] == five.key("c")


def test_a_count_returns_no_items(five: Partition) -> None:
    response = five.query(Select="COUNT", ConsistentRead=True)
    assert response["Count"] == 5
    assert "Items" not in response


@clause("R5")
def test_a_local_index_has_its_own_order_and_may_be_read_consistently(five: Partition) -> None:
    assert names(five.query(IndexName="by_rank", ConsistentRead=True)) == list("edcba")
    found = five.query(
        "#r > :three",
        {":three": {"N": "3"}},
        IndexName="by_rank",
        ConsistentRead=True,
        ExpressionAttributeNames={"#r": "Rank"},
    )
    assert names(found) == ["b", "a"]


def test_a_local_index_goes_on_by_pages(five: Partition) -> None:
    first = five.query(IndexName="by_rank", Limit=3, ConsistentRead=True)
    assert first["LastEvaluatedKey"] == five.key("c") | {"Rank": {"N": "3"}}
    second = five.query(IndexName="by_rank", ExclusiveStartKey=first["LastEvaluatedKey"], ConsistentRead=True)
    assert names(first) + names(second) == list("edcba")


def test_a_global_index_orders_numbers_as_numbers(partition: Partition) -> None:
    for sk, rank in (("ten", 10), ("nine", 9), ("minus", -1), ("hundred", 100)):
        partition.call("PutItem", Item=partition.ranked(sk, rank))
    ask: dict[str, Any] = {"ScanIndexForward": False}
    expected = ["hundred", "ten", "nine", "minus"]
    partition.eventually(lambda: names(partition.index("by_kind", **ask)), expected)


@clause("R4", "B7")
def test_a_global_index_goes_on_by_pages_through_equal_keys(partition: Partition) -> None:
    for sk in "abcd":
        partition.call("PutItem", Item=partition.ranked(sk, 7))
    partition.eventually(lambda: partition.index("by_kind", Select="COUNT")["Count"], 4)
    found: list[str] = []
    start: dict[str, Any] = {}
    while True:
        response = partition.index("by_kind", Limit=1, **start)
        found += names(response)
        if "LastEvaluatedKey" not in response:
            break
        assert response["LastEvaluatedKey"].keys() == {"PK", "SK", "Kind", "Rank"}
        start = {"ExclusiveStartKey": response["LastEvaluatedKey"]}
    assert sorted(found) == list("abcd")


@clause("R3")
def test_a_global_index_has_what_it_projects_and_no_more(five: Partition) -> None:
    five.eventually(lambda: five.index("names")["Count"], 5)
    for item in five.index("names")["Items"]:
        assert item.keys() == {"PK", "SK", "Kind", "Name"}


@clause("B5", "R6")
def test_an_item_without_the_key_is_not_in_the_index(five: Partition) -> None:
    five.update("a", "REMOVE #r", ExpressionAttributeNames={"#r": "Rank"})
    five.eventually(lambda: names(five.index("by_kind")), list("edcb"))
    five.eventually(lambda: five.index("names")["Count"], 5)
    five.call("DeleteItem", Key=five.key("b"))
    five.eventually(lambda: names(five.index("by_kind")), list("edc"))
    assert names(five.query(IndexName="by_rank", ConsistentRead=True)) == list("edc")


def test_an_item_moves_in_its_indexes_when_it_changes(five: Partition) -> None:
    five.update(
        "a",
        "SET #r = :r",
        ExpressionAttributeNames={"#r": "Rank"},
        ExpressionAttributeValues={":r": {"N": "0"}},
    )
    five.eventually(lambda: names(five.index("by_kind")), list("aedcb"))


def test_a_global_index_cannot_be_read_consistently(five: Partition) -> None:
    with_index = {"IndexName": "by_kind", "ConsistentRead": True}
    error = five.refused(
        "Query",
        KeyConditionExpression="Kind = :k",
        ExpressionAttributeValues={":k": {"S": five.pk}},
        **with_index,
    )
    assert error.code == "ValidationException"


def test_a_scan_finds_everything_in_segments_too(five: Partition) -> None:
    mine = {"FilterExpression": "PK = :pk", "ExpressionAttributeValues": {":pk": {"S": five.pk}}}
    assert sorted(five.scanned(ConsistentRead=True, **mine)) == list("abcde")
    parts = [five.scanned(Segment=each, TotalSegments=3, ConsistentRead=True, **mine) for each in range(3)]
    assert sorted(sk for part in parts for sk in part) == list("abcde")


def test_a_scan_of_an_index_finds_what_is_in_it(five: Partition) -> None:
    five.call("PutItem", Item=five.item("bare"))
    mine = {"FilterExpression": "PK = :pk", "ExpressionAttributeValues": {":pk": {"S": five.pk}}}
    five.eventually(lambda: sorted(five.scanned(IndexName="names", **mine)), list("abcde"))


def test_a_query_of_nothing_is_empty(partition: Partition) -> None:
    response = partition.query(ConsistentRead=True)
    assert (response["Items"], response["Count"], response["ScannedCount"]) == ([], 0, 0)
    assert "LastEvaluatedKey" not in response


def test_a_page_ends_at_a_megabyte_and_the_next_one_goes_on(partition: Partition) -> None:
    big = {"S": "x" * 390_000}
    for sk in "abcd":
        partition.put(sk, big=big)
    first = partition.query(ConsistentRead=True)
    rest = partition.query(ConsistentRead=True, ExclusiveStartKey=first["LastEvaluatedKey"])
    assert names(first) + names(rest) == list("abcd")
    assert "LastEvaluatedKey" not in rest
