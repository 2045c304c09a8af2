"""The actions of a writing transaction, written briefly, and why one was cancelled."""

from __future__ import annotations

from typing import Any

import pytest

from hansang.engine import Engine
from hansang.errors import WireError
from tests.engine.items import Item
from tests.engine.tables import Answer, request


def put(whole: Item, table: str = "Table", **options: Any) -> dict[str, Any]:
    return {"Put": {"TableName": table, "Item": whole, **request(**options)}}


def update(key: Item, expression: str, table: str = "Table", **options: Any) -> dict[str, Any]:
    return {"Update": {"TableName": table, "Key": key, "UpdateExpression": expression, **request(**options)}}


def delete(key: Item, table: str = "Table", **options: Any) -> dict[str, Any]:
    return {"Delete": {"TableName": table, "Key": key, **request(**options)}}


def check(key: Item, condition: str, table: str = "Table", **options: Any) -> dict[str, Any]:
    return {
        "ConditionCheck": {
            "TableName": table,
            "Key": key,
            "ConditionExpression": condition,
            **request(**options),
        }
    }


def transact(engine: Engine, *actions: dict[str, Any], **options: Any) -> Answer:
    return engine.call("TransactWriteItems", {"TransactItems": list(actions), **options})


def reasons(engine: Engine, *actions: dict[str, Any]) -> list[dict[str, Any]]:
    """Why the transaction was cancelled, action by action."""
    with pytest.raises(WireError) as caught:
        transact(engine, *actions)
    assert caught.value.code == "TransactionCanceledException", caught.value
    found: list[dict[str, Any]] = caught.value.fields["CancellationReasons"]
    codes = ", ".join(reason["Code"] for reason in found)
    assert (
        caught.value.message
        == f"Transaction cancelled, please refer cancellation reasons for specific reasons [{codes}]"
    )
    return found
