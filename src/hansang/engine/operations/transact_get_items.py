"""TransactGetItems: up to 100 items, all as they were at one moment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import orjson

from hansang.engine.capacity import Consumed, read_units
from hansang.engine.catalog import Catalog
from hansang.engine.expressions.binding import Bound, bind
from hansang.engine.operations.several import merge, report
from hansang.engine.operations.transaction import refuse_faulty, refuse_repeated
from hansang.engine.schema import Table
from hansang.engine.shapes import (
    CONSUMED_CAPACITY,
    EXPRESSION,
    ITEM,
    NAMES,
    TABLE_NAME,
    Many,
    Shape,
    Struct,
    required,
)
from hansang.engine.values import Item, accept_item
from hansang.errors import WireError

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

_GET = Struct(
    "Get",
    TableName=required(TABLE_NAME),
    Key=required(ITEM),
    ProjectionExpression=EXPRESSION,
    ExpressionAttributeNames=NAMES,
)
SHAPE = Shape(
    TransactItems=required(Many(Struct("TransactGetItem", Get=required(_GET)), fewest=1, most=100)),
    ReturnConsumedCapacity=CONSUMED_CAPACITY,
)


def run(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    SHAPE.check(request)
    gets = [each["Get"] for each in request["TransactItems"]]
    keys = [accept_item(get["Key"])[0] for get in gets]
    bounds = [bind(get, "ProjectionExpression") for get in gets]
    catalog = engine.catalog()
    tables = [catalog.table(get["TableName"]) for get in gets]
    for table, bound in zip(tables, bounds, strict=True):
        table.refuse_nested(bound.nested)
    located = _located(catalog, tables, keys)
    return _read(engine, request, tables, located, bounds)


def _located(catalog: Catalog, tables: list[Table], keys: list[Item]) -> list[bytes]:
    found: list[bytes] = []
    faults: list[WireError | None] = []
    for table, key in zip(tables, keys, strict=True):
        try:
            found.append(table.key_of(key))
            faults.append(None)
        except WireError as fault:
            faults.append(fault)
    refuse_faulty(faults)
    refuse_repeated([(table.name, key) for table, key in zip(tables, found, strict=True)])
    return found


def _read(
    engine: Engine,
    request: Mapping[str, Any],
    tables: list[Table],
    keys: list[bytes],
    bounds: list[Bound],
) -> dict[str, Any]:
    responses: list[dict[str, Any]] = []
    consumed: dict[str, Consumed] = {}
    with engine.store.snapshot() as reader:
        for table, key, bound in zip(tables, keys, bounds, strict=True):
            row = reader.get(table.rows, key)
            # Read in a transaction, an item costs double.
            units = 2 * read_units(row[1] if row else 0, consistent=True)
            merge(consumed, table.name, Consumed(units))
            responses.append({} if row is None else {"Item": _picked(bound, orjson.loads(row[0]))})
    return {"Responses": responses} | report(request, consumed, "Read")


def _picked(bound: Bound, item: Item) -> Item:
    return bound.projection.pick(item) if bound.projection else item
