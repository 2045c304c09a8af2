"""ExecuteTransaction: statements that all happen, or none."""

from __future__ import annotations

from typing import Any

import pytest

from hansang.engine import Engine
from hansang.errors import WireError
from tests.engine.items import item
from tests.engine.tables import Index, Table, create, refused


@pytest.fixture
def table(engine: Engine) -> Table:
    found = create(engine, "pk", "Rice", world=[Index("far", "g")])
    for name in "ab":
        found.put(item(pk=name, x=1, g="g"))
    return found


def transact(table: Table, *statements: str, **more: Any) -> dict[str, Any]:
    asked = [{"Statement": statement} for statement in statements]
    return table.engine.call("ExecuteTransaction", {"TransactStatements": asked, **more})


def cancelled(table: Table, *statements: str) -> list[str]:
    with pytest.raises(WireError) as caught:
        transact(table, *statements)
    assert caught.value.code == "TransactionCanceledException"
    return [reason["Code"] for reason in caught.value.fields["CancellationReasons"]]


def test_all_writes_happen(table: Table) -> None:
    answer = transact(
        table,
        "INSERT INTO Rice VALUE {'pk': 'c'}",
        "UPDATE Rice SET x = x + 1 WHERE pk = 'a'",
        "EXISTS(SELECT * FROM Rice WHERE pk = 'b' AND x = 1)",
        ReturnConsumedCapacity="TOTAL",
    )
    assert answer["Responses"] == [{}, {}, {}]
    assert answer["ConsumedCapacity"] == [
        {"TableName": "Rice", "CapacityUnits": 7.0, "WriteCapacityUnits": 7.0}
    ]
    assert table.found(item(pk="a")) == item(pk="a", x=2, g="g")
    assert table.found(item(pk="c")) == item(pk="c")


def test_none_happens_when_one_fails(table: Table) -> None:
    reasons = cancelled(
        table,
        "INSERT INTO Rice VALUE {'pk': 'c'}",
        "INSERT INTO Rice VALUE {'pk': 'a'}",
        "EXISTS(SELECT * FROM Rice WHERE pk = 'b' AND x = 2)",
    )
    assert reasons == ["None", "DuplicateItem", "ConditionalCheckFailed"]
    assert table.found(item(pk="c")) is None


def test_what_is_to_exist_must_be_there(table: Table) -> None:
    assert cancelled(table, "EXISTS(SELECT x FROM Rice WHERE pk = 'z')") == ["ConditionalCheckFailed"]


def test_reads_are_of_one_moment_and_have_their_conditions(table: Table) -> None:
    answer = transact(
        table,
        "SELECT x FROM Rice WHERE pk = 'a'",
        "SELECT * FROM Rice WHERE pk = 'b' AND x = 2",
        "SELECT * FROM Rice WHERE pk = 'z'",
    )
    assert answer == {"Responses": [{"Item": item(x=1)}, {}, {}]}


def test_a_token_makes_a_transaction_happen_once(table: Table) -> None:
    statement = "UPDATE Rice SET x = x + 1 WHERE pk = 'a'"
    for _ in range(2):
        transact(table, statement, ClientRequestToken="once")
    assert table.found(item(pk="a")) == item(pk="a", x=2, g="g")
    with pytest.raises(WireError) as caught:
        transact(table, "DELETE FROM Rice WHERE pk = 'a'", ClientRequestToken="once")
    assert caught.value.code == "IdempotentParameterMismatchException"


IN_FIRST = "Validation failed in TransactStatements[0]: "


@pytest.mark.parametrize(
    ("statements", "words"),
    [
        (
            ["SELECT * FROM Rice WHERE pk = 'a'", "DELETE FROM Rice WHERE pk = 'b'"],
            "ExecuteTransaction API does not support both read and write operations in the same request.",
        ),
        (
            ["DELETE FROM Rice WHERE pk = 'a'", "UPDATE Rice SET x = 1 WHERE pk = 'a'"],
            "Transaction request cannot include multiple operations on one item",
        ),
        (
            ["UPDATE Rice SET x = 1 WHERE pk = 'a' RETURNING ALL NEW *"],
            IN_FIRST + "RETURNING clause is not supported in ExecuteTransaction.",
        ),
        (
            ["SELECT * FROM Rice.far WHERE g = 'g'"],
            IN_FIRST + "Reads on indices are not supported within transactions.",
        ),
        (
            ["SELECT * FROM Rice"],
            "Select statements within ExecuteTransaction must specify the primary key in the where clause.",
        ),
        (
            [],
            "1 validation error detected: Value '[]' at 'transactStatements' failed to satisfy constraint: "
            "Member must have length greater than or equal to 1",
        ),
    ],
)
def test_what_does_not_make_a_transaction_is_refused(table: Table, statements: list[str], words: str) -> None:
    with refused(words):
        transact(table, *statements)
