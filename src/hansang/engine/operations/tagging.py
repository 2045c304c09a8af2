"""What the operations on tags share: from an ARN to a table, and the change of its tags."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import orjson

from hansang.engine.faults import invalid, invalid_parameter, resource_not_found
from hansang.engine.schema import TableSchema
from hansang.engine.shapes import Text, required, table_in
from hansang.engine.tags import MOST, too_many
from hansang.errors import WireError

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

RESOURCE_ARN = required(Text(shortest=1, longest=1283))

_RESOURCE = re.compile(r"arn:aws[a-z-]*:dynamodb:[^:]*:[^:]*:table/[^/]+(/index/.+|/stream/.+)?")


def check_arn(engine: Engine, arn: str, operation: str) -> None:
    """Refuse what is no table of this region; of a table of another account nothing is said."""
    if not arn.startswith("arn:"):
        raise invalid_parameter(f"ARNs must start with 'arn:': {arn}")
    found = _RESOURCE.fullmatch(arn)
    if found is None:
        raise invalid_parameter(f"Provided Arn is not a DynamoDB resource arn: {arn}")
    if found[1] and found[1].startswith("/index/"):
        raise invalid_parameter(
            f"Invalid resource arn provided, only table or stream is accepted. Provided resource arn: {arn}"
        )
    if table_in(arn) == arn or arn.split(":")[3] != engine.region:
        raise invalid(f"Invalid TableArn: Invalid ResourceArn provided as input {arn}")
    if arn.split(":")[4] != engine.account:
        raise WireError(
            "AccessDeniedException",
            f"User: arn:aws:iam::{engine.account}:root is not authorized to perform: "
            f"dynamodb:{operation} on resource: {arn}",
        )


def tagged_table(engine: Engine, arn: str) -> TableSchema:
    table = engine.catalog().find(arn)
    if table is None:
        raise resource_not_found(f"Requested resource not found: ResourceArn: {arn} not found")
    return table


def change_tags(engine: Engine, arn: str, change: Callable[[dict[str, str]], None]) -> dict[str, Any]:
    catalog = engine.catalog()
    table = tagged_table(engine, arn)
    definition = orjson.loads(orjson.dumps(table.definition))
    change(definition["tags"])
    if len(definition["tags"]) > MOST:
        raise too_many()
    engine.change(catalog, lambda writer: writer.save_table(definition))
    return {}
