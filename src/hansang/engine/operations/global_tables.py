"""Global tables and the scaling of their replicas: one node has no other region, and says so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hansang.engine.faults import invalid_parameter
from hansang.engine.shapes import INDEX_NAME, TABLE_NAME, Many, RequestShape, Struct, Text, Whole, required
from hansang.errors import WireError

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

_REPLICA = Struct("Replica", RegionName=Text())
LIST = RequestShape(ExclusiveStartGlobalTableName=INDEX_NAME, Limit=Whole(least=1), RegionName=Text())
NAMED = RequestShape(GlobalTableName=required(INDEX_NAME))
CREATE = RequestShape(GlobalTableName=required(INDEX_NAME), ReplicationGroup=required(Many(_REPLICA)))
SCALED = RequestShape(TableName=required(TABLE_NAME))


def listed(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    LIST.check(request)
    return {"GlobalTables": []}


def create(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    CREATE.check(request)
    name = request["GlobalTableName"]
    if engine.catalog().find(name) is None:
        raise WireError("TableNotFoundException", f"Table not found: {name}")
    raise invalid_parameter(f"Global tables need another region, and only {engine.region} is served here")


def absent(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    """What is asked of a global table: there is none."""
    NAMED.check(request)
    raise WireError(
        "GlobalTableNotFoundException",
        f"Global table not found: Global table with name: '{request['GlobalTableName']}' does not exist.",
    )


def describe_scaling(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    SCALED.check(request)
    table = engine.catalog().described(request["TableName"])
    return {"TableAutoScalingDescription": {"TableName": table.name, "TableStatus": "ACTIVE", "Replicas": []}}


def update_scaling(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    SCALED.check(request)
    engine.catalog().described(request["TableName"])
    raise invalid_parameter("Table is not a global table: it has no replicas to scale")
