"""One item: put, got, conditioned and deleted."""

from __future__ import annotations

import pytest

from tests.contract.partitions import Partition


def test_an_item_comes_back_as_it_was_put(partition: Partition) -> None:
    item = partition.item("a", title={"S": "한상"}, count={"N": "3"})
    assert partition.call("PutItem", Item=item) == {}
    assert partition.get("a") == item


def test_an_item_that_is_not_there_is_no_error(partition: Partition) -> None:
    assert partition.call("GetItem", Key=partition.key("none")) == {}


def test_a_put_replaces_the_whole_item_and_may_return_the_old_one(partition: Partition) -> None:
    partition.put("a", title={"S": "old"}, more={"BOOL": True})
    old = partition.call("PutItem", Item=partition.item("a", title={"S": "new"}), ReturnValues="ALL_OLD")
    assert old["Attributes"] == partition.item("a", title={"S": "old"}, more={"BOOL": True})
    assert partition.get("a") == partition.item("a", title={"S": "new"})


def test_a_projection_returns_parts_of_an_item(partition: Partition) -> None:
    partition.put("a", tree={"M": {"leaf": {"S": "x"}, "other": {"S": "y"}}}, more={"S": "z"})
    found = partition.call(
        "GetItem",
        Key=partition.key("a"),
        ProjectionExpression="#t.leaf, more, none_such",
        ExpressionAttributeNames={"#t": "tree"},
    )
    assert found["Item"] == {"tree": {"M": {"leaf": {"S": "x"}}}, "more": {"S": "z"}}


def test_a_projection_of_an_aliased_list_element(partition: Partition) -> None:
    partition.put("a", row={"L": [{"N": "1"}, {"N": "2"}]})
    found = partition.call(
        "GetItem",
        Key=partition.key("a"),
        ProjectionExpression="#row[1]",
        ExpressionAttributeNames={"#row": "row"},
    )
    assert found["Item"] == {"row": {"L": [{"N": "2"}]}}


def test_a_delete_returns_the_item_and_is_no_error_the_second_time(partition: Partition) -> None:
    partition.put("a", title={"S": "gone"})
    gone = partition.call("DeleteItem", Key=partition.key("a"), ReturnValues="ALL_OLD")
    assert gone["Attributes"] == partition.item("a", title={"S": "gone"})
    assert partition.call("DeleteItem", Key=partition.key("a"), ReturnValues="ALL_OLD") == {}
    assert partition.get("a") is None


# ── conditions ────────────────────────────────────────────────────────────────────────────────────


def test_an_item_is_created_once(partition: Partition) -> None:
    request = {"Item": partition.item("a"), "ConditionExpression": "attribute_not_exists(PK)"}
    partition.call("PutItem", **request)
    error = partition.refused("PutItem", **request)
    assert error.code == "ConditionalCheckFailedException"
    assert error.message == "The conditional request failed"
    assert error.fields.get("Item") is None


def test_a_refusal_shows_the_item_that_stood_in_the_way(partition: Partition) -> None:
    partition.put("a", version={"N": "2"}, picture={"B": "AP8="})
    error = partition.refused(
        "PutItem",
        Item=partition.item("a", version={"N": "2"}),
        ConditionExpression="version = :seen",
        ExpressionAttributeValues={":seen": {"N": "1"}},
        ReturnValuesOnConditionCheckFailure="ALL_OLD",
    )
    assert error.code == "ConditionalCheckFailedException"
    assert error.fields["Item"] == partition.item("a", version={"N": "2"}, picture={"B": "AP8="})


VALUES = {
    ":five": {"N": "5"},
    ":ten": {"N": "10"},
    ":three": {"N": "3"},
    ":ab": {"S": "ab"},
    ":x": {"S": "x"},
    ":map": {"S": "M"},
}


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("n BETWEEN :five AND :ten AND begins_with(s, :ab)", True),
        ("n IN (:five, :ten) AND contains(tags, :x)", True),
        ("NOT contains(tags, :ab) AND size(s) = :three", True),
        ("attribute_type(tree, :map) AND tree.leaf < :five", True),
        ("n <> :ten OR (s = :ab AND attribute_exists(n))", False),
        ("attribute_exists(tree.fruit)", False),
    ],
)
def test_a_condition_decides(partition: Partition, condition: str, holds: bool) -> None:
    partition.put(
        "a", n={"N": "10"}, s={"S": "abc"}, tags={"SS": ["x", "y"]}, tree={"M": {"leaf": {"N": "1"}}}
    )
    values = {name: value for name, value in VALUES.items() if name in condition}
    request = {"ConditionExpression": condition} | ({"ExpressionAttributeValues": values} if values else {})
    if not holds:
        error = partition.refused("DeleteItem", Key=partition.key("a"), **request)
        assert error.code == "ConditionalCheckFailedException"
    else:
        partition.call("DeleteItem", Key=partition.key("a"), **request)
    assert (partition.get("a") is None) == holds


def test_a_number_is_neither_below_nor_above_a_text(partition: Partition) -> None:
    partition.put("a", n={"N": "10"})
    for sign in "<>":
        error = partition.refused(
            "DeleteItem",
            Key=partition.key("a"),
            ConditionExpression=f"n {sign} :text",
            ExpressionAttributeValues={":text": {"S": "1"}},
        )
        assert error.code == "ConditionalCheckFailedException"


def test_a_delete_may_have_a_condition(partition: Partition) -> None:
    partition.put("a", done={"BOOL": False})
    request = {
        "Key": partition.key("a"),
        "ConditionExpression": "done = :yes",
        "ExpressionAttributeValues": {":yes": {"BOOL": True}},
    }
    assert partition.refused("DeleteItem", **request).code == "ConditionalCheckFailedException"
    partition.put("a", done={"BOOL": True})
    partition.call("DeleteItem", **request)
    assert partition.get("a") is None
