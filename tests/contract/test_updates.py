"""Updates: every clause, every function, every form of what they return."""

from __future__ import annotations

from tests.clauses import clause
from tests.contract.partitions import Partition


def test_an_update_makes_the_item_when_there_is_none(partition: Partition) -> None:
    partition.update("a", "SET title = :t", ExpressionAttributeValues={":t": {"S": "new"}})
    assert partition.get("a") == partition.item("a", title={"S": "new"})


def test_set_computes_appends_and_keeps_what_is_there(partition: Partition) -> None:
    partition.put("a", n={"N": "10"}, row={"L": [{"S": "x"}]}, kept={"S": "mine"})
    response = partition.update(
        "a",
        "SET n = n - :three, #r = list_append(#r, :more), kept = if_not_exists(kept, :other), "
        "fresh = if_not_exists(fresh, :other)",
        ExpressionAttributeNames={"#r": "row"},
        ExpressionAttributeValues={
            ":three": {"N": "3"},
            ":more": {"L": [{"S": "y"}]},
            ":other": {"S": "yours"},
        },
        ReturnValues="ALL_NEW",
    )
    assert response["Attributes"] == partition.item(
        "a", n={"N": "7"}, row={"L": [{"S": "x"}, {"S": "y"}]}, kept={"S": "mine"}, fresh={"S": "yours"}
    )


def test_add_counts_from_nothing_and_joins_sets(partition: Partition) -> None:
    partition.put("a", tags={"SS": ["x"]})
    partition.update(
        "a",
        "ADD hits :two, tags :more",
        ExpressionAttributeValues={":two": {"N": "2"}, ":more": {"SS": ["x", "y"]}},
    )
    found = partition.get("a")
    assert found is not None
    assert found["hits"] == {"N": "2"}
    assert sorted(found["tags"]["SS"]) == ["x", "y"]


def test_remove_takes_attributes_elements_and_members(partition: Partition) -> None:
    partition.put("a", gone={"S": "x"}, row={"L": [{"N": "0"}, {"N": "1"}]}, tree={"M": {"leaf": {"S": "x"}}})
    partition.update("a", "REMOVE gone, #r[0], tree.leaf", ExpressionAttributeNames={"#r": "row"})
    assert partition.get("a") == partition.item("a", row={"L": [{"N": "1"}]}, tree={"M": {}})


@clause("B12")
def test_delete_takes_members_of_a_set_and_the_last_one_takes_the_set(partition: Partition) -> None:
    partition.put("a", tags={"SS": ["x", "y"]}, more={"NS": ["1"]})
    partition.update(
        "a",
        "DELETE tags :x, more :one",
        ExpressionAttributeValues={":x": {"SS": ["x"]}, ":one": {"NS": ["1"]}},
    )
    assert partition.get("a") == partition.item("a", tags={"SS": ["y"]})


def test_an_update_returns_what_it_changed_before_and_after(partition: Partition) -> None:
    partition.put("a", n={"N": "1"}, other={"S": "same"})
    for returned, expected in (("UPDATED_OLD", "1"), ("UPDATED_NEW", "3")):
        response = partition.update(
            "a", "SET n = n + :one", ExpressionAttributeValues={":one": {"N": "1"}}, ReturnValues=returned
        )
        assert response["Attributes"] == {"n": {"N": expected}}


def test_a_key_cannot_be_updated(partition: Partition) -> None:
    error = partition.refused(
        "UpdateItem",
        Key=partition.key("a"),
        UpdateExpression="SET SK = :b",
        ExpressionAttributeValues={":b": {"S": "b"}},
    )
    assert error.code == "ValidationException"


def test_two_changes_of_one_path_are_refused(partition: Partition) -> None:
    error = partition.refused(
        "UpdateItem",
        Key=partition.key("a"),
        UpdateExpression="SET tree.leaf = :b REMOVE tree",
        ExpressionAttributeValues={":b": {"S": "b"}},
    )
    assert error.code == "ValidationException"


def test_arithmetic_on_a_text_is_refused(partition: Partition) -> None:
    partition.put("a", n={"S": "ten"})
    error = partition.refused(
        "UpdateItem",
        Key=partition.key("a"),
        UpdateExpression="SET n = n + :one",
        ExpressionAttributeValues={":one": {"N": "1"}},
    )
    assert error.code == "ValidationException"
