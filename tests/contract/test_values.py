"""Values: every type makes the round trip, numbers to the last digit, binaries as base64 text."""

from __future__ import annotations

from typing import Any

import pytest

from tests.clauses import clause
from tests.contract.partitions import Partition

EVERYTHING: dict[str, Any] = {
    "text": {"S": "밥 한 상 🍚"},
    "empty": {"S": ""},
    "number": {"N": "-12.5"},
    "picture": {"B": "AP8="},
    "no_picture": {"B": ""},
    "yes": {"BOOL": True},
    "nothing": {"NULL": True},
    "row": {"L": [{"S": "a"}, {"S": ""}, {"L": []}, {"M": {}}]},
    "tree": {"M": {"B": {"B": "AQ=="}, "BS": {"S": "a name like a type"}, "가": {"N": "1"}}},
}


@clause("B10")
def test_every_type_makes_the_round_trip(partition: Partition) -> None:
    partition.put("a", **EVERYTHING)
    assert partition.get("a") == partition.item("a", **EVERYTHING)
    assert partition.query(ConsistentRead=True)["Items"] == [partition.item("a", **EVERYTHING)]


@pytest.mark.parametrize(
    ("kind", "members"), [("SS", ["a", "나"]), ("NS", ["1", "-2.5"]), ("BS", ["AA==", "AP8="])]
)
def test_a_set_has_its_members_in_any_order(partition: Partition, kind: str, members: list[str]) -> None:
    partition.put("a", found={kind: members})
    found = partition.get("a")
    assert found is not None
    assert found["found"].keys() == {kind}
    assert sorted(found["found"][kind]) == sorted(members)


def test_binaries_are_base64_in_every_place_of_a_request_and_a_response(partition: Partition) -> None:
    partition.put("a", picture={"B": "AP8="}, deep={"L": [{"M": {"in": {"B": "AQ=="}}}]})
    response = partition.update(
        "a",
        "SET picture = :new, several = :several",
        ConditionExpression="picture = :old",
        ExpressionAttributeValues={
            ":new": {"B": "Ag=="},
            ":old": {"B": "AP8="},
            ":several": {"BS": ["Aw=="]},
        },
        ReturnValues="ALL_NEW",
    )
    assert response["Attributes"] == partition.item(
        "a", picture={"B": "Ag=="}, deep={"L": [{"M": {"in": {"B": "AQ=="}}}]}, several={"BS": ["Aw=="]}
    )


def test_text_that_is_not_base64_is_refused(partition: Partition) -> None:
    error = partition.refused("PutItem", Item=partition.item("a", picture={"B": "not base64!"}))
    assert error.code == "SerializationException"


@pytest.mark.parametrize(
    "number",
    ["0", "1", "-1", "0.1", "12345678901234567890123456789012345678", "0.00000000000000000001", "-99.000001"],
)
def test_a_number_keeps_every_digit(partition: Partition, number: str) -> None:
    partition.put("a", n={"N": number})
    assert partition.get("a") == partition.item("a", n={"N": number})


@clause("B4")
def test_sums_are_exact(partition: Partition) -> None:
    partition.put("a", n={"N": "0.1"}, big={"N": "9999999999999999999999999999999999999"})
    partition.update(
        "a", "ADD n :n, big :one", ExpressionAttributeValues={":n": {"N": "0.2"}, ":one": {"N": "1"}}
    )
    assert partition.get("a") == partition.item(
        "a", n={"N": "0.3"}, big={"N": "10000000000000000000000000000000000000"}
    )


@clause("B4")
@pytest.mark.parametrize(
    "number", ["1E126", pytest.param("123456789012345678901234567890123456789", id="39 digits"), "ten"]
)
def test_a_number_that_dynamodb_cannot_hold_is_refused(partition: Partition, number: str) -> None:
    error = partition.refused("PutItem", Item=partition.item("a", n={"N": number}))
    assert error.code == "ValidationException"


NO_VALUES: dict[str, Any] = {
    "an empty set": {"SS": []},
    "two equal members": {"SS": ["a", "a"]},
    "a null that is false": {"NULL": False},
    "two types": {"S": "a", "N": "1"},
    "no type": {},
}


@clause("B10")
@pytest.mark.parametrize("what", NO_VALUES)
def test_a_value_that_is_none_is_refused(partition: Partition, what: str) -> None:
    error = partition.refused("PutItem", Item=partition.item("a", broken=NO_VALUES[what]))
    assert error.code == "ValidationException"
