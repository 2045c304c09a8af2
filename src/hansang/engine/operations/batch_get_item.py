"""BatchGetItem: up to 100 items by their keys, from any tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from hansang.engine.capacity import Consumed, read_units
from hansang.engine.catalog import Catalog
from hansang.engine.expressions.binding import BoundExpressions, bind, refuse_mixed
from hansang.engine.faults import invalid
from hansang.engine.legacy_shapes import ATTRIBUTES_TO_GET
from hansang.engine.operations.several import merge, report
from hansang.engine.schema import TableSchema
from hansang.engine.shapes import (
    CONSUMED_CAPACITY,
    EXPRESSION,
    ITEM,
    NAMES,
    TABLE_NAME,
    Flag,
    Many,
    Map,
    RequestShape,
    Struct,
    required,
)
from hansang.engine.sql.reader import Reader
from hansang.engine.values import Item, accept_item
from hansang.errors import WireError

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

_MOST = 100
# 16 MB are 16,000,000 bytes: AWS's own example returns 52 items of 300 KB.
_LARGEST_RESPONSE = 16_000_000

SHAPE = RequestShape(
    RequestItems=required(
        Map(
            Struct(
                "KeysAndAttributes",
                Keys=required(Many(ITEM, fewest=1)),
                ConsistentRead=Flag(),
                AttributesToGet=ATTRIBUTES_TO_GET,
                ProjectionExpression=EXPRESSION,
                ExpressionAttributeNames=NAMES,
            ),
            names=TABLE_NAME,
        )
    ),
    ReturnConsumedCapacity=CONSUMED_CAPACITY,
)


@dataclass(slots=True)
class _TableRead:
    """The keys asked for of one table."""

    name: str
    request: Mapping[str, Any]
    keys: list[Item]
    bound: BoundExpressions


def run(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    if request.get("RequestItems") == {}:
        raise invalid("The requestItems parameter is required for BatchGetItem")
    SHAPE.check(request)
    _refuse_mixed(request["RequestItems"].values())
    reads = [_table_read(name, each) for name, each in request["RequestItems"].items()]
    if sum(len(read.keys) for read in reads) > _MOST:
        raise invalid("Too many items requested for the BatchGetItem call")
    catalog = engine.catalog()
    located = [(read, *_located(catalog, read)) for read in reads]
    return engine.read(lambda reader: _read(engine, reader, request, located))


def _refuse_mixed(requests: Iterable[Mapping[str, Any]]) -> None:
    """What is asked of one table in the older form does not go with an expression for another."""
    given = {name for each in requests for name in each if each[name] is not None}
    if given.issuperset({"AttributesToGet", "ProjectionExpression"}):
        refuse_mixed(["AttributesToGet"], ["ProjectionExpression"])


def _table_read(name: str, request: Mapping[str, Any]) -> _TableRead:
    if len(request["Keys"]) > _MOST:
        raise invalid(
            f"1 validation error detected: Value at 'RequestItems.{name}.member.Keys' failed to satisfy "
            f"constraint: Member must have length less than or equal to {_MOST}"
        )
    keys = [accept_item(key)[0] for key in request["Keys"]]
    if len({orjson.dumps(key, option=orjson.OPT_SORT_KEYS) for key in keys}) < len(keys):
        raise invalid("Provided list of item keys contains duplicates")
    return _TableRead(name, request, keys, bind(request, "ProjectionExpression"))


def _located(catalog: Catalog, read: _TableRead) -> tuple[TableSchema, list[bytes]]:
    table = catalog.table(read.name)
    keys = [table.key_of(key) for key in read.keys]
    table.refuse_nested(read.bound.nested)
    return table, keys


def _read(
    engine: Engine,
    reader: Reader,
    request: Mapping[str, Any],
    located: list[tuple[_TableRead, TableSchema, list[bytes]]],
) -> dict[str, Any]:
    responses: dict[str, list[Item]] = {}
    unread: dict[str, Any] = {}
    consumed: dict[str, Consumed] = {}
    room, throttling = _LARGEST_RESPONSE, engine.throttling
    refused: list[WireError] = []
    for read, table, keys in located:
        found = responses.setdefault(read.name, [])
        consistent = bool(read.request.get("ConsistentRead"))
        for position, key in enumerate(keys):
            if throttling is not None:
                try:
                    throttling.expect_read(table, None, key)
                except WireError as refusal:
                    refused.append(refusal)
                    again = unread.setdefault(read.name, {**read.request, "Keys": []})
                    again["Keys"].append(read.request["Keys"][position])
                    continue
            row = reader.get(table.rows, key)
            size = row[1] if row else 0
            room -= size
            if room < 0:
                again = unread.setdefault(read.name, {**read.request, "Keys": []})
                again["Keys"] += read.request["Keys"][position:]
                break
            units = read_units(size, consistent=consistent)
            if throttling is not None:
                throttling.spend_read(table, None, key, units)
            merge(consumed, read.name, Consumed(units))
            if row is not None:
                item = orjson.loads(row[0])
                found.append(read.bound.projection.pick(item) if read.bound.projection else item)
    if refused and len(refused) == sum(len(keys) for _, _, keys in located):
        raise refused[0]
    return {"Responses": responses, "UnprocessedKeys": unread} | report(request, consumed)
