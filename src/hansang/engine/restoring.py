"""A new table made of a copy: its definition, its indexes, and the moment at which it is there."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import orjson

from hansang.engine.backfill import retried
from hansang.engine.descriptions import describe
from hansang.engine.faults import invalid_parameter
from hansang.engine.key_order import EVERYTHING
from hansang.engine.recovery import TableCopy, own, release
from hansang.engine.schema import TableSchema, compiled
from hansang.engine.sql.writer import Writer
from hansang.engine.table_rules import check_new_table
from hansang.engine.writes import index_row
from hansang.errors import WireError

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

_PIECE = 500
INDEXES = ("LocalSecondaryIndexes", "GlobalSecondaryIndexes")
_OVERRIDES = {
    "BillingModeOverride": "BillingMode",
    "ProvisionedThroughputOverride": "ProvisionedThroughput",
    "OnDemandThroughputOverride": "OnDemandThroughput",
}
_TAKEN_OVER = ("AttributeDefinitions", "KeySchema", "BillingMode", *INDEXES)
_IF_SET = ("ProvisionedThroughput", "OnDemandThroughput", "TableClass")


def planned(engine: Engine, source: Mapping[str, Any], request: Mapping[str, Any]) -> dict[str, Any]:
    """The request that would create the table; refused unless it can be made.

    As on AWS the new table has no stream, no time to live, no tags, no recovery and no protection.
    """
    plan = {name: orjson.loads(orjson.dumps(source[name])) for name in _TAKEN_OVER}
    plan |= {name: source[name] for name in _IF_SET if source.get(name)}
    plan |= {"TableName": request["TargetTableName"]}
    for title in INDEXES:
        plan[title] = [_plain(each) for each in plan[title]]
        wanted = request.get(f"{title.removesuffix('es')}Override")
        if wanted is not None:
            plan[title] = [_chosen(plan[title], each) for each in wanted]
        if not plan[title]:
            del plan[title]
    plan |= {name: request[given] for given, name in _OVERRIDES.items() if request.get(given) is not None}
    if plan["BillingMode"] == "PAY_PER_REQUEST":
        plan.pop("ProvisionedThroughput", None)
        for each in plan.get("GlobalSecondaryIndexes", ()):
            each.pop("ProvisionedThroughput", None)
    used = {
        element["AttributeName"]
        for owner in (plan, *(each for title in INDEXES for each in plan.get(title, ())))
        for element in owner["KeySchema"]
    }
    plan["AttributeDefinitions"] = [
        each for each in plan["AttributeDefinitions"] if each["AttributeName"] in used
    ]
    check_new_table(plan)
    catalog = engine.catalog()
    catalog.expect_served(plan)
    if catalog.find(plan["TableName"]) is not None:
        raise _taken(plan["TableName"])
    return plan


def _plain(index: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in index.items() if name not in ("rows", "Backfilling")}


def _chosen(indexes: list[dict[str, Any]], wanted: Mapping[str, Any]) -> dict[str, Any]:
    for index in indexes:
        if all(index[part] == wanted[part] for part in ("IndexName", "KeySchema", "Projection")):
            return {**index, **wanted}
    raise invalid_parameter(f"Index {wanted['IndexName']} does not match an index of the source table")


def _taken(name: str) -> WireError:
    return WireError("TableAlreadyExistsException", f"Table already exists: {name}")


def publish(
    engine: Engine, copy: TableCopy, plan: Mapping[str, Any], summary: Mapping[str, Any]
) -> dict[str, Any]:
    """Fill the indexes and let the table be there; its description."""
    definition = engine.store.write(partial(_defined, engine, copy, plan, summary))
    _fill_indexes(engine, copy, compiled(definition))
    description: dict[str, Any] = retried(engine, partial(_publish, engine, copy, definition))
    return description


def _defined(
    engine: Engine, copy: TableCopy, plan: Mapping[str, Any], summary: Mapping[str, Any], writer: Writer
) -> dict[str, Any]:
    now = engine.clock()
    indexes = {
        title: [{**each, "rows": writer.create_rows()} for each in plan.get(title, ())] for title in INDEXES
    }
    own(writer, copy, now, *(each["rows"] for title in INDEXES for each in indexes[title]))
    return {
        **dict.fromkeys(_IF_SET),
        **plan,
        **indexes,
        "id": str(uuid.uuid4()),
        "created": now,
        "billed": now if plan["BillingMode"] == "PAY_PER_REQUEST" else None,
        "protected": False,
        "tags": {},
        "stream": None,
        "expiry": None,
        "rows": copy.rows,
        "restored": dict(summary),
    }


def _fill_indexes(engine: Engine, copy: TableCopy, table: TableSchema) -> None:
    def job(low: bytes, writer: Writer) -> bytes | None:
        own(writer, copy, engine.clock())
        piece = writer.entries(table.rows, low, EVERYTHING[1], _PIECE)
        for key, blob, size in piece:
            item = orjson.loads(blob)
            for index in table.indexes:
                row = index_row(index, key, item, blob, size)
                if row is not None:
                    writer.put(index.rows, *row, None)
        return piece[-1][0] + b"\0" if len(piece) == _PIECE else None

    low: bytes | None = EVERYTHING[0] if table.indexes else None
    while low is not None:
        low = retried(engine, partial(engine.store.write, partial(job, low), _PIECE))


def _publish(engine: Engine, copy: TableCopy, definition: dict[str, Any]) -> dict[str, Any]:
    catalog = engine.catalog()
    if catalog.find(definition["TableName"]) is not None:
        raise _taken(definition["TableName"])

    def job(writer: Writer) -> dict[str, Any]:
        release(writer, copy)
        writer.save_table(definition)
        return describe(engine, writer, definition, "CREATING")

    return engine.change(catalog, job)
