"""DeleteTable: a table, its indexes and everything in them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hansang.engine import stream_control
from hansang.engine.descriptions import describe
from hansang.engine.faults import invalid, resource_in_use
from hansang.engine.schema import TableSchema
from hansang.engine.shapes import TABLE_NAME, RequestShape, required
from hansang.engine.sql.writer import Writer
from hansang.engine.table_backups import drop_items

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

SHAPE = RequestShape(TableName=required(TABLE_NAME))
_TOLD = (
    "TableName",
    "TableStatus",
    "ProvisionedThroughput",
    "TableSizeBytes",
    "ItemCount",
    "TableArn",
    "TableId",
    "BillingModeSummary",
    "DeletionProtectionEnabled",
)
"""What is said of a table that goes: not what it was made of."""


def run(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    SHAPE.check(request)
    catalog = engine.catalog()
    table = catalog.changeable(request["TableName"])
    _check_free(table.definition)

    def job(writer: Writer) -> dict[str, Any]:
        description = describe(engine, writer, table.definition, "DELETING")
        _drop(writer, table, engine.clock())
        return {"TableDescription": {name: description[name] for name in _TOLD if name in description}}

    return engine.change(catalog, job)


def _check_free(definition: Mapping[str, Any]) -> None:
    if definition["protected"]:
        raise invalid(
            "Resource cannot be deleted as it is currently protected against deletion. "
            "Disable deletion protection first."
        )
    if any(index.get("Backfilling") for index in definition["GlobalSecondaryIndexes"]):
        raise resource_in_use(
            "Attempt to change a resource which is still in use: "
            "Cannot delete table while indexes are being created, updated, or deleted."
        )


def _drop(writer: Writer, table: TableSchema, now: float) -> None:
    drop_items(writer, table, now)
    for rows in (table.expiry_rows, *(index.rows for index in table.indexes)):
        if rows is not None:
            writer.drop_rows(rows)
    if table.stream is not None:
        stream_control.close(writer, table.stream.number, now)
    writer.delete_table(table.name)
