"""Tables: made, described, changed, listed and dropped."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest

from tests.contract.contenders import Contender
from tests.contract.partitions import Partition, definition, schema, wait_until_active


@pytest.fixture
def fresh(contender: Contender) -> Iterator[str]:
    """A name that is free, and is free again afterwards."""
    name = f"hansang-contract-{uuid.uuid4().hex[:12]}"
    yield name
    contender.call("DeleteTable", {"TableName": name})


def test_a_description_has_what_the_table_was_made_with(partition: Partition) -> None:
    described = partition.call("DescribeTable")["Table"]
    made = definition(partition.table)
    assert described["KeySchema"] == made["KeySchema"]
    assert {each["AttributeName"] for each in described["AttributeDefinitions"]} == {
        "PK",
        "SK",
        "Kind",
        "Rank",
    }
    for title in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        found = {each["IndexName"]: (each["KeySchema"], each["Projection"]) for each in described[title]}
        assert found == {each["IndexName"]: (each["KeySchema"], each["Projection"]) for each in made[title]}


def test_times_are_numbers_and_not_objects_of_a_language(partition: Partition) -> None:
    described = partition.call("DescribeTable")["Table"]
    assert isinstance(described["CreationDateTime"], int | float)
    assert described["CreationDateTime"] > 1.5e9


def test_a_table_is_in_the_list(partition: Partition) -> None:
    found: list[str] = []
    start: dict[str, str] = {}
    while True:
        response = partition.contender.call("ListTables", {"Limit": 100, **start})
        found += response["TableNames"]
        if "LastEvaluatedTableName" not in response:
            break
        start = {"ExclusiveStartTableName": response["LastEvaluatedTableName"]}
    assert partition.table in found


def test_a_table_may_have_a_number_for_its_only_key(contender: Contender, fresh: str) -> None:
    contender.call(
        "CreateTable",
        {
            "TableName": fresh,
            "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": schema("id"),
            "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "N"}],
        },
    )
    wait_until_active(contender, fresh)
    contender.call("PutItem", {"TableName": fresh, "Item": {"id": {"N": "7"}}})
    found = contender.call(
        "GetItem", {"TableName": fresh, "Key": {"id": {"N": "7.0"}}, "ConsistentRead": True}
    )
    assert found["Item"] == {"id": {"N": "7"}}


def test_a_time_to_live_is_set_and_described(contender: Contender, fresh: str) -> None:
    contender.call("CreateTable", definition(fresh))
    wait_until_active(contender, fresh)
    contender.call(
        "UpdateTimeToLive",
        {"TableName": fresh, "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "until"}},
    )
    described = contender.call("DescribeTimeToLive", {"TableName": fresh})["TimeToLiveDescription"]
    assert described["TimeToLiveStatus"] in ("ENABLED", "ENABLING")
    assert described["AttributeName"] == "until"


def test_the_cost_of_a_write_names_its_indexes(partition: Partition) -> None:
    item = partition.ranked("a", 1)
    consumed = partition.call("PutItem", Item=item, ReturnConsumedCapacity="INDEXES")["ConsumedCapacity"]
    assert consumed["TableName"] == partition.table
    assert consumed["CapacityUnits"] == 4.0
    assert consumed["GlobalSecondaryIndexes"].keys() == {"by_kind", "names"}
    assert consumed["LocalSecondaryIndexes"].keys() == {"by_rank"}
