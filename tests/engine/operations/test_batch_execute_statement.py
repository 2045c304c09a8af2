"""BatchExecuteStatement: statements side by side, each with its own answer or error."""

from __future__ import annotations

from typing import Any

import pytest

from hansang.engine import Engine
from tests.engine.items import item
from tests.engine.tables import Table, create, refused


@pytest.fixture
def table(engine: Engine) -> Table:
    found = create(engine, "pk", "Rice")
    for name in "ab":
        found.put(item(pk=name, x=1))
    return found


def batch(table: Table, *statements: str, **more: Any) -> dict[str, Any]:
    asked = [{"Statement": statement} for statement in statements]
    return table.engine.call("BatchExecuteStatement", {"Statements": asked, **more})


def test_reads_are_answered_in_their_order(table: Table) -> None:
    answer = batch(
        table,
        "SELECT * FROM Rice WHERE pk = 'b'",
        "SELECT x FROM Rice WHERE pk = 'a'",
        "SELECT * FROM Rice WHERE pk = 'c'",
        ReturnConsumedCapacity="TOTAL",
    )
    assert answer == {
        "Responses": [
            {"TableName": "Rice", "Item": item(pk="b", x=1)},
            {"TableName": "Rice", "Item": item(x=1)},
            {"TableName": "Rice"},
        ],
        "ConsumedCapacity": [{"TableName": "Rice", "CapacityUnits": 1.5}],
    }


def test_what_fails_does_not_hold_back_the_others(table: Table) -> None:
    responses = batch(
        table,
        "UPDATE Rice SET x = 2 WHERE pk = 'a' RETURNING MODIFIED NEW *",
        "INSERT INTO Rice VALUE {'pk': 'b'}",
        "UPDATE Rice SET x = 2 WHERE pk = 'c'",
        "DELETE FROM Nothing WHERE pk = 'a'",
        "SLECT",
        "DELETE FROM Rice WHERE x = 1",
    )["Responses"]
    assert responses[0] == {"TableName": "Rice", "Item": item(x=2)}
    assert [each["Error"]["Code"] for each in responses[1:]] == [
        "DuplicateItem",
        "ConditionalCheckFailed",
        "ResourceNotFound",
        "ValidationError",
        "ValidationError",
    ]
    assert [each.get("TableName") for each in responses[1:]] == ["Rice", "Rice", "Nothing", None, None]
    assert table.found(item(pk="b")) == item(pk="b", x=1)


def test_a_read_names_one_item(table: Table) -> None:
    [answer] = batch(table, "SELECT * FROM Rice WHERE x = 1")["Responses"]
    assert answer["Error"] == {
        "Code": "ValidationError",
        "Message": "Select statements within BatchExecuteStatement must specify the primary key "
        "in the where clause.",
    }


def test_reads_and_writes_are_not_mixed(table: Table) -> None:
    with refused("Read and write requests together in the same batch is not supported."):
        batch(table, "SELECT * FROM Rice WHERE pk = 'a'", "DELETE FROM Rice WHERE pk = 'b'")
    assert table.found(item(pk="b")) is not None


@pytest.mark.parametrize(
    "statement", ["SELECT * FROM Rice WHERE pk = 'a'", "INSERT INTO Rice VALUE {'pk': 'n'}"]
)
def test_an_item_is_meant_once(table: Table, statement: str) -> None:
    with refused("Provided list of item keys contains duplicates"):
        batch(table, statement, statement)


def test_there_is_a_statement_and_not_more_than_25(table: Table) -> None:
    with refused(
        "1 validation error detected: Value '[]' at 'statements' failed to satisfy constraint: "
        "Member must have length greater than or equal to 1"
    ):
        batch(table)
    many = [f"SELECT * FROM Rice WHERE pk = '{number}'" for number in range(26)]
    with pytest.raises(Exception, match="Member must have length less than or equal to 25"):
        batch(table, *many)
