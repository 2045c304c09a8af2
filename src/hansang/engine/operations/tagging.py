"""What the operations on tags share: from an ARN to a table, and the change of its tags."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import orjson

from hansang.engine.faults import invalid, resource_not_found
from hansang.engine.schema import Table
from hansang.engine.shapes import table_in
from hansang.errors import WireError

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

_MOST = 50


def tagged_table(engine: Engine, arn: str, operation: str) -> Table:
    """The table of an ARN; a table of another account is none of ours to speak of."""
    name = table_in(arn)
    if name == arn:
        raise invalid(f"Invalid TableArn: Invalid ResourceArn provided as input {arn}")
    if arn != engine.table_arn(name):
        raise WireError(
            "AccessDeniedException",
            f"User: arn:aws:iam::{engine.account}:root is not authorized to perform: "
            f"dynamodb:{operation} on resource: {arn}",
        )
    table = engine.catalog().find(name)
    if table is None:
        raise resource_not_found(f"Requested resource not found: ResourcArn: {arn} not found")
    return table


def change_tags(
    engine: Engine, request: Mapping[str, Any], operation: str, change: Callable[[dict[str, str]], None]
) -> dict[str, Any]:
    catalog = engine.catalog()
    table = tagged_table(engine, request["ResourceArn"], operation)
    definition = orjson.loads(orjson.dumps(table.definition))
    change(definition["tags"])
    if len(definition["tags"]) > _MOST:
        raise invalid(f"The number of tags exceeds the limit of {_MOST}")
    engine.write(catalog, lambda writer: writer.save_table(definition))
    return {}
