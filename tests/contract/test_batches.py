"""Batches: of reads and of writes, to one table and to none."""

from __future__ import annotations

from tests.clauses import clause
from tests.contract.partitions import Partition


def put_all(partition: Partition, letters: str) -> None:
    writes = [{"PutRequest": {"Item": partition.item(sk, of={"S": sk})}} for sk in letters]
    response = partition.contender.call("BatchWriteItem", {"RequestItems": {partition.table: writes}})
    assert response["UnprocessedItems"] == {}


@clause("R9")
def test_a_batch_writes_25_items_and_another_reads_them(partition: Partition) -> None:
    letters = "abcdefghijklmnopqrstuvwxy"
    put_all(partition, letters)
    wanted = {"Keys": [partition.key(sk) for sk in letters + "z"], "ConsistentRead": True}
    response = partition.contender.call("BatchGetItem", {"RequestItems": {partition.table: wanted}})
    found = response["Responses"][partition.table]
    assert sorted(item["SK"]["S"] for item in found) == list(letters)
    assert response["UnprocessedKeys"] == {}


def test_a_batch_puts_and_deletes(partition: Partition) -> None:
    put_all(partition, "ab")
    writes = [
        {"DeleteRequest": {"Key": partition.key("a")}},
        {"DeleteRequest": {"Key": partition.key("none")}},
        {"PutRequest": {"Item": partition.item("c")}},
    ]
    partition.contender.call("BatchWriteItem", {"RequestItems": {partition.table: writes}})
    assert [partition.get(sk) for sk in "abc"] == [
        None,
        partition.item("b", of={"S": "b"}),
        partition.item("c"),
    ]


def test_a_batch_reads_parts_of_items(partition: Partition) -> None:
    put_all(partition, "a")
    wanted = {
        "Keys": [partition.key("a")],
        "ProjectionExpression": "#of",
        "ExpressionAttributeNames": {"#of": "of"},
        "ConsistentRead": True,
    }
    response = partition.contender.call("BatchGetItem", {"RequestItems": {partition.table: wanted}})
    assert response["Responses"][partition.table] == [{"of": {"S": "a"}}]


def test_a_batch_over_25_writes_is_refused(partition: Partition) -> None:
    writes = [{"PutRequest": {"Item": partition.item(str(number))}} for number in range(26)]
    error = partition.refused("BatchWriteItem", RequestItems={partition.table: writes}, TableName=None)
    assert error.code == "ValidationException"


def test_a_batch_that_writes_an_item_twice_is_refused(partition: Partition) -> None:
    writes = [
        {"PutRequest": {"Item": partition.item("a")}},
        {"DeleteRequest": {"Key": partition.key("a")}},
    ]
    error = partition.refused("BatchWriteItem", RequestItems={partition.table: writes}, TableName=None)
    assert error.code == "ValidationException"


def test_a_batch_to_a_table_that_is_not_there_is_refused(partition: Partition) -> None:
    wanted = {"hansang-no-such-table": {"Keys": [partition.key("a")]}}
    error = partition.refused("BatchGetItem", RequestItems=wanted, TableName=None)
    assert error.code == "ResourceNotFoundException"
