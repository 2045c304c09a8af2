"""DescribeTable: what a table is made of, and how much is in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hansang.engine.descriptions import describe
from hansang.engine.shapes import TABLE_NAME, RequestShape, required

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

SHAPE = RequestShape(TableName=required(TABLE_NAME))


def run(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    SHAPE.check(request)
    catalog = engine.catalog()
    table = catalog.described(request["TableName"])
    status = catalog.status(table)
    return {"Table": engine.read(lambda reader: describe(engine, reader, table.definition, status))}
