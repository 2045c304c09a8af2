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
_OF_REPLICAS = (
    "ReplicaUpdates",
    "MultiRegionConsistency",
    "GlobalTableWitnessUpdates",
    "GlobalTableSourceArn",
    "GlobalTableSettingsReplicationMode",
    "DisassociationProtectionEnabled",
)
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
    raise _alone(engine)


def refuse_replicas(engine: Engine, request: Mapping[str, Any]) -> None:
    """Refuse a table that is made, or made into, a replica; it would never get what others write."""
    if any(request.get(name) for name in _OF_REPLICAS):
        raise _alone(engine)


def _alone(engine: Engine) -> WireError:
    return invalid_parameter(f"Global tables need another region, and only {engine.region} is served here")


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
