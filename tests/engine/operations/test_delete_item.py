"""DeleteItem: an item leaves by its key, under a condition or without, and may be shown once more."""

from __future__ import annotations

from typing import Any

import pytest

from hansang.engine import Engine
from hansang.errors import WireError
from tests.engine.items import Item, item
from tests.engine.tables import Index, Table, create, refused

MISFIT = "The provided key element does not match the schema"
NESTED_KEY = "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: "


@pytest.fixture
def table(engine: Engine) -> Table:
    return create(engine, "pk sk:N", local=[Index("by_l", "pk l")])


KEY = item(pk="a", sk=1)
WHOLE = item(pk="a", sk=1, n=1)


def test_an_item_is_deleted_and_its_neighbours_stay(table: Table) -> None:
    for number in (1, 2):
        table.put(item(pk="a", sk=number))
    assert table.delete(KEY) == {}
    assert table.all() == [item(pk="a", sk=2)]


def test_deleting_what_is_not_there_is_no_error(table: Table) -> None:
    assert table.delete(KEY) == {}
    assert table.delete(KEY, ReturnValues="ALL_OLD") == {}


@pytest.mark.parametrize("mode", ["ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"])
def test_only_the_old_item_can_be_returned(table: Table, mode: str) -> None:
    with refused("ReturnValues can only be ALL_OLD or NONE"):
        table.delete(KEY, ReturnValues=mode)


def test_a_condition_that_fails_keeps_the_item(table: Table) -> None:
    table.put(WHOLE)
    with refused("The conditional request failed", "ConditionalCheckFailedException"):
        table.delete(KEY, ConditionExpression="n = :n", n=2)
    assert table.all() == [WHOLE]


def test_a_condition_on_an_item_that_is_not_there_can_fail(table: Table) -> None:
    with refused("The conditional request failed", "ConditionalCheckFailedException"):
        table.delete(KEY, ConditionExpression="attribute_exists(pk)")


@pytest.mark.parametrize(("mode", "fields"), [("NONE", {}), ("ALL_OLD", {"Item": WHOLE})])
def test_a_failed_condition_shows_the_item_when_asked(
    table: Table, mode: str, fields: dict[str, Any]
) -> None:
    table.put(WHOLE)
    with pytest.raises(WireError) as caught:
        table.delete(
            KEY, ConditionExpression="attribute_not_exists(pk)", ReturnValuesOnConditionCheckFailure=mode
        )
    assert caught.value.fields == fields


@pytest.mark.parametrize(
    "key",
    [{}, item(pk="a"), item(pk="a", sk="1"), item(pk="a", sk=1, n=1), item(pk="a", n=1), item(pk=b"a", sk=1)],
)
def test_a_key_of_another_schema_is_refused(table: Table, key: Item) -> None:
    with refused(MISFIT):
        table.delete(key)


def test_a_key_is_judged_before_the_condition(table: Table) -> None:
    with refused(MISFIT):
        table.delete(item(pk="a"), ConditionExpression="attribute_exists(pk)")


@pytest.mark.parametrize(("condition", "which"), [("pk.x = :v", "Key: pk"), ("l[0] = :v", "IndexKey: l")])
def test_a_condition_cannot_look_into_a_key(table: Table, condition: str, which: str) -> None:
    with refused(NESTED_KEY + which):
        table.delete(KEY, ConditionExpression=condition, v="v")


def test_an_expression_is_judged_before_the_table_is_looked_for(engine: Engine) -> None:
    with refused("Invalid ConditionExpression: The expression can not be empty;"):
        Table(engine, "missing").delete(KEY, ConditionExpression="")


def test_the_key_is_required_and_what_is_returned_is_one_of_five(table: Table) -> None:
    with refused(
        "1 validation error detected: Value null at 'key' failed to satisfy constraint: Member must not be null"
    ):
        table.call("DeleteItem")
    with refused(
        "1 validation error detected: Value 'hi' at 'returnValues' failed to satisfy constraint: "
        "Member must satisfy enum value set: [ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]"
    ):
        table.call("DeleteItem", Key=KEY, ReturnValues="hi")


def test_a_table_that_is_not_there_is_not_found(engine: Engine) -> None:
    with refused("Requested resource not found", "ResourceNotFoundException"):
        Table(engine, "missing").delete({})


def test_the_item_collection_is_measured_even_when_nothing_is_deleted(table: Table) -> None:
    assert table.delete(KEY, ReturnItemCollectionMetrics="SIZE") == {
        "ItemCollectionMetrics": {"ItemCollectionKey": item(pk="a"), "SizeEstimateRangeGB": [0.0, 1.0]}
    }


def test_the_table_may_be_named_by_its_arn(table: Table) -> None:
    table.put(WHOLE)
    Table(table.engine, table.engine.table_arn(table.name)).delete(KEY)
    assert table.all() == []
