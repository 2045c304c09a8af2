"""TransactGetItems: up to 100 items, all as they were at one moment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from hansang.engine.capacity import Consumed, read_units
from hansang.engine.expressions.binding import BoundExpressions, bind
from hansang.engine.expressions.legacy import ignored
from hansang.engine.faults import invalid, transaction_cancelled
from hansang.engine.operations.several import merge, report
from hansang.engine.operations.transaction import (
    LARGEST,
    NO_REASON,
    refuse_faulty,
    refuse_repeated,
    throttled_reason,
)
from hansang.engine.schema import TableSchema
from hansang.engine.shapes import (
    CONSUMED_CAPACITY,
    EXPRESSION,
    ITEM,
    NAMES,
    TABLE_NAME,
    Many,
    RequestShape,
    Struct,
    required,
)
from hansang.engine.sql.reader import Row
from hansang.engine.throttling import Throttling
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
SHAPE = RequestShape(
    TransactItems=required(Many(Struct("TransactGetItem", Get=required(_GET)), fewest=1, most=100)),
    ReturnConsumedCapacity=CONSUMED_CAPACITY,
)


@dataclass(slots=True)
class ItemRead:
    """One item asked for; the table is named as the request names it."""

    name: str
    key: Item
    bound: BoundExpressions


def run(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    SHAPE.check(request)
    return read_items(engine, request, [_item_read(each["Get"]) for each in request["TransactItems"]])


def read_items(engine: Engine, request: Mapping[str, Any], reads: list[ItemRead]) -> dict[str, Any]:
    """All of these items, as they are at one moment."""
    catalog = engine.catalog()
    tables = [catalog.table(read.name) for read in reads]
    keys = _located(tables, reads)
    if engine.throttling is not None:
        _expect_room(engine.throttling, tables, keys)
    with engine.store.snapshot() as reader:
        rows = [reader.get(table.rows, key) for table, key in zip(tables, keys, strict=True)]
    if sum(row[1] for row in rows if row is not None) > LARGEST:
        # The limit is documented; the words of the refusal are not.
        raise invalid("The aggregate size of the items in the transaction exceeded 4 MB")
    if engine.throttling is not None:
        for table, key, row in zip(tables, keys, rows, strict=True):
            units = 2 * read_units(row[1] if row else 0, consistent=True)
            engine.throttling.spend_read(table, None, key, units)
    return _answer(request, reads, rows)


def _expect_room(throttling: Throttling, tables: list[TableSchema], keys: list[bytes]) -> None:
    reasons = [dict[str, Any](NO_REASON) for _ in keys]
    for place, (table, key) in enumerate(zip(tables, keys, strict=True)):
        try:
            throttling.expect_read(table, None, key)
        except WireError as refusal:
            reasons[place] = throttled_reason(refusal)
    if any(reason != NO_REASON for reason in reasons):
        raise transaction_cancelled(reasons)


def _item_read(request: Mapping[str, Any]) -> ItemRead:
    key, _ = accept_item(request["Key"])
    return ItemRead(request["TableName"], key, bind(ignored(request), "ProjectionExpression"))


def _located(tables: list[TableSchema], reads: list[ItemRead]) -> list[bytes]:
    for table, read in zip(tables, reads, strict=True):
        table.refuse_nested(read.bound.nested)
    found: list[bytes] = []
    faults: list[WireError | None] = []
    for table, read in zip(tables, reads, strict=True):
        try:
            found.append(table.key_of(read.key))
            faults.append(None)
        except WireError as fault:
            faults.append(fault)
    refuse_faulty(faults)
    refuse_repeated([(table.name, key) for table, key in zip(tables, found, strict=True)])
    return found


def _answer(request: Mapping[str, Any], reads: list[ItemRead], rows: list[Row | None]) -> dict[str, Any]:
    consumed: dict[str, Consumed] = {}
    for read, row in zip(reads, rows, strict=True):
        # Read in a transaction, an item costs double.
        units = 2 * read_units(row[1] if row else 0, consistent=True)
        merge(consumed, read.name, Consumed(units))
    responses = [_response(read.bound, row) for read, row in zip(reads, rows, strict=True)]
    return {"Responses": responses} | report(request, consumed, "Read")


def _response(bound: BoundExpressions, row: Row | None) -> dict[str, Any]:
    """The item, or what is wanted of it; of an item that has nothing of that, no Item at all."""
    item = None if row is None else orjson.loads(row[0])
    if item and bound.filter and not bound.filter.test(item, bound.values):
        return {}
    if item and bound.projection:
        item = bound.projection.pick(item)
    return {"Item": item} if item else {}
