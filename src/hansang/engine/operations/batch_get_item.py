"""BatchGetItem: up to 100 items by their keys, from any tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from hansang.engine.capacity import Consumed, read_units
from hansang.engine.catalog import Catalog
from hansang.engine.expressions.binding import Bound, bind, refuse_mixed
from hansang.engine.faults import invalid
from hansang.engine.operations.several import merge, report
from hansang.engine.schema import Table
from hansang.engine.shapes import (
    CONSUMED_CAPACITY,
    EXPRESSION,
    ITEM,
    NAMES,
    Flag,
    Many,
    Map,
    Shape,
    Struct,
    required,
)
from hansang.engine.store import Reader
from hansang.engine.values import Item, accept_item

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

_MOST = 100
# 16 MB are 16,000,000 bytes: AWS's own example returns 52 items of 300 KB.
_LARGEST_RESPONSE = 16_000_000

SHAPE = Shape(
    RequestItems=required(
        Map(
            Struct(
                "KeysAndAttributes",
                Keys=required(Many(ITEM, fewest=1)),
                ConsistentRead=Flag(),
                ProjectionExpression=EXPRESSION,
                ExpressionAttributeNames=NAMES,
            )
        )
    ),
    ReturnConsumedCapacity=CONSUMED_CAPACITY,
)


@dataclass(slots=True)
class _Wish:
    """The keys asked for of one table."""

    name: str
    request: Mapping[str, Any]
    keys: list[Item]
    bound: Bound


def run(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    if request.get("RequestItems") == {}:
        raise invalid("The requestItems parameter is required for BatchGetItem")
    SHAPE.check(request)
    _refuse_mixed(request["RequestItems"].values())
    wishes = [_wish(name, each) for name, each in request["RequestItems"].items()]
    if sum(len(wish.keys) for wish in wishes) > _MOST:
        raise invalid("Too many items requested for the BatchGetItem call")
    catalog = engine.catalog()
    located = [(wish, *_located(catalog, wish)) for wish in wishes]
    return engine.read(lambda reader: _read(reader, request, located))


def _refuse_mixed(requests: Iterable[Mapping[str, Any]]) -> None:
    """What is asked of one table in the older form does not go with an expression for another."""
    given = {name for each in requests for name in each if each[name] is not None}
    if given.issuperset({"AttributesToGet", "ProjectionExpression"}):
        refuse_mixed(["AttributesToGet"], ["ProjectionExpression"])


def _wish(name: str, request: Mapping[str, Any]) -> _Wish:
    if len(request["Keys"]) > _MOST:
        raise invalid(
            f"1 validation error detected: Value at 'RequestItems.{name}.member.Keys' failed to satisfy "
            f"constraint: Member must have length less than or equal to {_MOST}"
        )
    keys = [accept_item(key)[0] for key in request["Keys"]]
    if len({orjson.dumps(key, option=orjson.OPT_SORT_KEYS) for key in keys}) < len(keys):
        raise invalid("Provided list of item keys contains duplicates")
    return _Wish(name, request, keys, bind(request, "ProjectionExpression"))


def _located(catalog: Catalog, wish: _Wish) -> tuple[Table, list[bytes]]:
    table = catalog.table(wish.name)
    keys = [table.key_of(key) for key in wish.keys]
    table.refuse_nested(wish.bound.nested)
    return table, keys


def _read(
    reader: Reader, request: Mapping[str, Any], located: list[tuple[_Wish, Table, list[bytes]]]
) -> dict[str, Any]:
    responses: dict[str, list[Item]] = {}
    unread: dict[str, Any] = {}
    consumed: dict[str, Consumed] = {}
    room = _LARGEST_RESPONSE
    for wish, table, keys in located:
        found = responses.setdefault(wish.name, [])
        for position, key in enumerate(keys):
            row = reader.get(table.rows, key)
            size = row[1] if row else 0
            room -= size
            if room < 0:
                unread[wish.name] = {**wish.request, "Keys": wish.request["Keys"][position:]}
                break
            merge(consumed, wish.name, Consumed(read_units(size, consistent=_strong(wish))))
            if row is not None:
                item = orjson.loads(row[0])
                found.append(wish.bound.projection.pick(item) if wish.bound.projection else item)
    return {"Responses": responses, "UnprocessedKeys": unread} | report(request, consumed)


def _strong(wish: _Wish) -> bool:
    return bool(wish.request.get("ConsistentRead"))
