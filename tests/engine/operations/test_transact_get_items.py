"""TransactGetItems: up to 100 items as of one moment, or the reasons why none is read."""

from __future__ import annotations

from typing import Any

import pytest

from hansang.engine import Engine
from hansang.errors import WireError
from tests.clauses import clause
from tests.engine.items import LARGEST, Item, filled, item
from tests.engine.tables import Answer, Index, Table, create, refused

MISFIT = "The provided key element does not match the schema"


@pytest.fixture
def plain(engine: Engine) -> Table:
    return create(engine, "pk", "Plain")


@pytest.fixture
def ranged(engine: Engine) -> Table:
    return create(engine, "pk sk:N", "Ranged", world=[Index("by_g", "g")])


def get(table: str, key: Item, **options: Any) -> dict[str, Any]:
    return {"Get": {"TableName": table, "Key": key, **options}}


def transact(engine: Engine, *gets: dict[str, Any]) -> Answer:
    return engine.call("TransactGetItems", {"TransactItems": list(gets)})


def reasons(engine: Engine, *gets: dict[str, Any]) -> list[dict[str, Any]]:
    """Why the transaction was cancelled, action by action."""
    with pytest.raises(WireError) as caught:
        transact(engine, *gets)
    assert caught.value.code == "TransactionCanceledException", caught.value
    found: list[dict[str, Any]] = caught.value.fields["CancellationReasons"]
    codes = ", ".join(reason["Code"] for reason in found)
    assert (
        caught.value.message
        == f"Transaction cancelled, please refer cancellation reasons for specific reasons [{codes}]"
    )
    return found


# ── what is found ─────────────────────────────────────────────────────────────────────────────────


def test_the_items_come_in_the_order_of_the_gets(plain: Table, ranged: Table) -> None:
    plain.put(item(pk="a", x=1))
    ranged.put(item(pk="a", sk=1, x=2))
    answer = transact(plain.engine, get("Ranged", item(pk="a", sk=1)), get("Plain", item(pk="a")))
    assert answer == {"Responses": [{"Item": item(pk="a", sk=1, x=2)}, {"Item": item(pk="a", x=1)}]}


@clause("E2")
def test_a_projection_returns_what_it_names_and_no_key(plain: Table) -> None:
    plain.put(item(pk="a", x=1, m={"k": 2, "l": 3}))
    answer = transact(
        plain.engine,
        get("Plain", item(pk="a"), ProjectionExpression="#x, m.k", ExpressionAttributeNames={"#x": "x"}),
    )
    assert answer == {"Responses": [{"Item": item(x=1, m={"k": 2})}]}


def test_a_projection_that_names_nothing_there_returns_no_item(plain: Table) -> None:
    plain.put(item(pk="a"))
    assert transact(plain.engine, get("Plain", item(pk="a"), ProjectionExpression="x")) == {"Responses": [{}]}


def test_a_hundred_items_are_read_at_once(plain: Table) -> None:
    found = [item(pk=f"{number:03}") for number in range(100)]
    for each in found:
        plain.put(each)
    answer = transact(plain.engine, *(get("Plain", each) for each in found))
    assert [response["Item"] for response in answer["Responses"]] == found


def test_the_table_may_be_named_by_its_arn(plain: Table) -> None:
    plain.put(item(pk="a"))
    answer = transact(plain.engine, get(plain.engine.table_arn("Plain"), item(pk="a")))
    assert answer == {"Responses": [{"Item": item(pk="a")}]}


# ── the whole request refused ─────────────────────────────────────────────────────────────────────


@clause("E14")
def test_a_transaction_has_at_least_one_action(engine: Engine) -> None:
    with refused(
        "1 validation error detected: Value '[]' at 'transactItems' failed to satisfy constraint: "
        "Member must have length greater than or equal to 1"
    ):
        transact(engine)


def test_a_transaction_has_at_most_a_hundred_actions(engine: Engine) -> None:
    with pytest.raises(WireError) as caught:
        transact(engine, *(get("missing", item(pk=str(number))) for number in range(101)))
    message = caught.value.message or ""
    assert message.startswith("1 validation error detected: Value '[")
    assert message.endswith(
        "]' at 'transactItems' failed to satisfy constraint: Member must have length less than or equal to 100"
    )


SYNTAX = [
    ({"ProjectionExpression": "!!!"}, 'Invalid ProjectionExpression: Syntax error; token: "!", near: "!!"'),
    ({"ProjectionExpression": ""}, "Invalid ProjectionExpression: The expression can not be empty;"),
    ({"ProjectionExpression": "#x"}, "Invalid ProjectionExpression: An expression attribute name used in the document "
     "path is not defined; attribute name: #x"),
    ({"ProjectionExpression": "x", "ExpressionAttributeNames": {"#y": "y"}},
     "Value provided in ExpressionAttributeNames unused in expressions: keys: {#y}"),
    ({"ExpressionAttributeNames": {"#y": "y"}},
     "ExpressionAttributeNames can only be specified when using expressions"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "message"), SYNTAX)
def test_an_expression_that_cannot_be_read_refuses_the_whole_request(
    plain: Table, options: dict[str, Any], message: str
) -> None:
    with refused(message):
        transact(plain.engine, get("Plain", item(pk="a")), get("Plain", {}, **options))


def test_a_table_that_is_not_there_is_not_found(plain: Table) -> None:
    with refused("Requested resource not found", "ResourceNotFoundException"):
        transact(plain.engine, get("Plain", {}), get("missing", item(pk="a")))


def test_an_item_is_read_once_in_a_transaction(plain: Table) -> None:
    with refused("Transaction request cannot include multiple operations on one item"):
        transact(plain.engine, *(get("Plain", item(pk=key)) for key in "aba"))


def test_the_same_key_in_two_tables_is_not_the_same(plain: Table) -> None:
    create(plain.engine, "pk", "Other")
    answer = transact(plain.engine, get("Plain", item(pk="a")), get("Other", item(pk="a")))
    assert answer == {"Responses": [{}, {}]}


def test_a_get_is_required_and_its_table_and_key(engine: Engine) -> None:
    with pytest.raises(WireError) as caught:
        engine.call("TransactGetItems", {"TransactItems": [{}, {"Get": {}}]})
    words = "failed to satisfy constraint: Member must not be null"
    for path in ("1.member.get", "2.member.get.tableName", "2.member.get.key"):
        assert f"Value null at 'transactItems.{path}' {words}" in (caught.value.message or "")


def test_items_of_more_than_four_megabytes_are_not_read_in_one_transaction(plain: Table) -> None:
    for number in range(11):
        plain.put(filled(LARGEST, pk=str(number)))
    gets = [get("Plain", item(pk=str(number)), ProjectionExpression="pk") for number in range(11)]
    assert len(transact(plain.engine, *gets[:10])["Responses"]) == 10
    with pytest.raises(WireError):
        transact(plain.engine, *gets)


# ── one action refused ────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "key", [{}, item(pk="a"), item(pk="a", sk="1"), item(pk="a", sk=1, x=1), item(pk=1, sk=1)]
)
def test_a_key_of_another_schema_cancels_the_transaction(plain: Table, ranged: Table, key: Item) -> None:
    found = reasons(plain.engine, get("Plain", item(pk="a")), get("Ranged", key), get("Plain", item(pk="b")))
    assert found == [{"Code": "None"}, {"Code": "ValidationError", "Message": MISFIT}, {"Code": "None"}]


def test_only_the_first_invalid_action_is_named(plain: Table) -> None:
    found = reasons(plain.engine, get("Plain", item(pk="a")), get("Plain", {}), get("Plain", item(pk=1)))
    assert [reason["Code"] for reason in found] == ["None", "ValidationError", "None"]


def test_an_empty_key_cancels_the_transaction(plain: Table) -> None:
    found = reasons(plain.engine, get("Plain", item(pk="")))
    words = "The AttributeValue for a key attribute cannot contain an empty string value. Key: pk"
    assert found == [
        {"Code": "ValidationError", "Message": f"One or more parameter values are not valid. {words}"}
    ]
