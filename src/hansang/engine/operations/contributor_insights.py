"""Contributor insights of a table and of its indexes: switched on and off, and described."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import orjson

from hansang.engine.faults import invalid
from hansang.engine.schema import TableSchema
from hansang.engine.shapes import INDEX_NAME, TABLE_NAME, RequestShape, Text, Whole, required

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

_MODE = Text("ACCESSED_AND_THROTTLED_KEYS", "THROTTLED_KEYS")
_RULES = ("PKC", "PKT", "SKC", "SKT")
DESCRIBE = RequestShape(TableName=required(TABLE_NAME), IndexName=INDEX_NAME)
UPDATE = RequestShape(
    TableName=required(TABLE_NAME),
    IndexName=INDEX_NAME,
    ContributorInsightsAction=required(Text("ENABLE", "DISABLE")),
    ContributorInsightsMode=_MODE,
)
LIST = RequestShape(TableName=TABLE_NAME, NextToken=Text(), MaxResults=Whole(most=100))


def describe(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    DESCRIBE.check(request)
    table = engine.catalog().described(request["TableName"])
    kept = _kept(table).get(_place(table, request), {})
    answer = _named(table, request) | {
        "ContributorInsightsStatus": "ENABLED" if kept.get("on") else "DISABLED",
        "ContributorInsightsRuleList": _rules(table, request) if kept.get("on") else [],
    }
    if kept:
        answer |= {"LastUpdateDateTime": kept["changed"], "ContributorInsightsMode": kept["mode"]}
    return answer


def update(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    UPDATE.check(request)
    catalog = engine.catalog()
    table = catalog.described(request["TableName"])
    on = request["ContributorInsightsAction"] == "ENABLE"
    mode = request.get("ContributorInsightsMode") or "ACCESSED_AND_THROTTLED_KEYS"
    definition = orjson.loads(orjson.dumps(table.definition))
    kept = definition.setdefault("insights", {})
    kept[_place(table, request)] = {"on": on, "mode": mode, "changed": engine.clock()}
    engine.change(catalog, lambda writer: writer.save_table(definition))
    status = "ENABLING" if on else "DISABLING"
    return _named(table, request) | {"ContributorInsightsStatus": status, "ContributorInsightsMode": mode}


def listed(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    LIST.check(request)
    if request.get("NextToken") is not None:
        raise invalid("Invalid NextToken")
    catalog = engine.catalog()
    name = request.get("TableName")
    tables = list(catalog) if name is None else [catalog.described(name)]
    return {
        "ContributorInsightsSummaries": [
            _named(table, {"IndexName": place or None})
            | {"ContributorInsightsStatus": "ENABLED", "ContributorInsightsMode": kept["mode"]}
            for table in tables
            for place, kept in _kept(table).items()
            if kept["on"]
        ]
    }


def _kept(table: TableSchema) -> Mapping[str, Any]:
    found: Mapping[str, Any] = table.definition.get("insights", {})
    return found


def _place(table: TableSchema, request: Mapping[str, Any]) -> str:
    """The index, or nothing for the table itself."""
    name: str | None = request.get("IndexName")
    return "" if name is None else table.index(name).name


def _named(table: TableSchema, request: Mapping[str, Any]) -> dict[str, Any]:
    name = request.get("IndexName")
    return {"TableName": table.name} | ({"IndexName": name} if name is not None else {})


def _rules(table: TableSchema, request: Mapping[str, Any]) -> list[str]:
    """The names of the rules that AWS makes; a key without a sort key has half of them."""
    place = _place(table, request)
    key = table.index(place).key if place else table.key
    end = f"{table.name}-{place}" if place else table.name
    kinds = _RULES if key.range else _RULES[:2]
    return [f"DynamoDBContributorInsights-{kind}-{end}" for kind in kinds]
