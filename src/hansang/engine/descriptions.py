"""How DynamoDB describes a table."""

from __future__ import annotations

from collections.abc import Mapping
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from hansang.engine.faults import invalid_parameter
from hansang.engine.sql.reader import Reader

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

_WARM_UNITS = ("ReadUnitsPerSecond", "WriteUnitsPerSecond")
_WARM: dict[str, Any] = {"ReadUnitsPerSecond": 12000, "WriteUnitsPerSecond": 4000, "Status": "ACTIVE"}


def describe(
    engine: Engine, reader: Reader, definition: Mapping[str, Any], status: str = "ACTIVE"
) -> dict[str, Any]:
    """The TableDescription of a table, with its counts as they are now; the caller may keep it."""
    definition = _copied(definition)
    name = definition["TableName"]
    items, size_bytes = reader.counts(definition["rows"])
    description = {
        "AttributeDefinitions": sorted(definition["AttributeDefinitions"], key=itemgetter("AttributeName")),
        "TableName": name,
        "KeySchema": definition["KeySchema"],
        "TableStatus": status,
        "CreationDateTime": definition["created"],
        "TableSizeBytes": size_bytes,
        "ItemCount": items,
        "TableArn": engine.table_arn(name),
        "TableId": definition["id"],
        "DeletionProtectionEnabled": definition["protected"],
    }
    description |= _capacity(definition) | _billing(definition) | _class(definition)
    for title in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
        if definition[title]:
            is_global = title.startswith("Global")
            description[title] = [
                _index(engine, reader, name, each, status, is_global=is_global) for each in definition[title]
            ]
    description |= _encryption(engine, definition)
    return description | _stream(engine, definition) | _restored(engine, definition)


def _copied(given: Any) -> Any:
    """The same JSON value in dicts and lists of its own."""
    if isinstance(given, dict):
        return {name: _copied(each) for name, each in given.items()}
    return [_copied(each) for each in given] if isinstance(given, list) else given


def _capacity(owner: Mapping[str, Any]) -> dict[str, Any]:
    """The units and the limits of a table or of a global index."""
    given = owner.get("ProvisionedThroughput")
    found = {"ProvisionedThroughput": _throughput(given), "WarmThroughput": _warm(owner)}
    if owner.get("OnDemandThroughput"):
        found["OnDemandThroughput"] = owner["OnDemandThroughput"]
    return found


def _throughput(given: Mapping[str, int] | None) -> dict[str, Any]:
    units = given or {"ReadCapacityUnits": 0, "WriteCapacityUnits": 0}
    return {"NumberOfDecreasesToday": 0, **units}


def _projection(projection: Mapping[str, Any]) -> dict[str, Any]:
    """A projection as AWS gives it back: the included attributes sorted by name."""
    if "NonKeyAttributes" not in projection:
        return dict(projection)
    return {**projection, "NonKeyAttributes": sorted(projection["NonKeyAttributes"])}


def warmer(owner: Mapping[str, Any], asked: Mapping[str, int | None]) -> dict[str, int]:
    """What a table is warmed up to by a change of it; it never cools down."""
    now, kept = _warm(owner), dict(owner.get("WarmThroughput") or {})
    for name in _WARM_UNITS:
        units = asked.get(name)
        if units is None:
            continue
        if units < now[name]:
            raise invalid_parameter(
                f"Requested {name} for WarmThroughput for table is lower than current WarmThroughput, "
                "decreasing WarmThroughput is not supported"
            )
        kept[name] = units
    return kept


def _warm(owner: Mapping[str, Any]) -> dict[str, Any]:
    """What a table or a global index can bear at once: what it was warmed up to, and never less than it has."""
    given = owner.get("ProvisionedThroughput")
    found = dict(_WARM)
    if given is not None:
        found["ReadUnitsPerSecond"] = given["ReadCapacityUnits"]
        found["WriteUnitsPerSecond"] = given["WriteCapacityUnits"]
    asked = owner.get("WarmThroughput") or {}
    for name in _WARM_UNITS:
        found[name] = max(found[name], asked.get(name) or 0)
    return found


def _encryption(engine: Engine, definition: Mapping[str, Any]) -> dict[str, Any]:
    """How the table was asked to be encrypted; without a word of it AWS describes nothing."""
    given = definition.get("SSESpecification") or {}
    if not given.get("Enabled"):
        return {}
    key = given.get("KMSMasterKeyId") or "alias/aws/dynamodb"
    if not key.startswith("arn:"):
        kind = "" if key.startswith("alias/") else "key/"
        key = f"arn:aws:kms:{engine.region}:{engine.account}:{kind}{key}"
    return {
        "SSEDescription": {
            "Status": "ENABLED",
            "SSEType": given.get("SSEType") or "KMS",
            "KMSMasterKeyArn": key,
        }
    }


def _billing(definition: Mapping[str, Any]) -> dict[str, Any]:
    """A table that was ever billed on demand says so, and since when."""
    if definition["billed"] is None:
        return {}
    summary = {
        "BillingMode": definition["BillingMode"],
        "LastUpdateToPayPerRequestDateTime": definition["billed"],
    }
    return {"BillingModeSummary": summary}


def _class(definition: Mapping[str, Any]) -> dict[str, Any]:
    if not definition.get("TableClass"):
        return {}
    return {"TableClassSummary": {"TableClass": definition["TableClass"]}}


def _index(
    engine: Engine,
    reader: Reader,
    table: str,
    index: Mapping[str, Any],
    table_status: str,
    *,
    is_global: bool,
) -> dict[str, Any]:
    items, size_bytes = reader.counts(index["rows"])
    description = {
        "IndexName": index["IndexName"],
        "KeySchema": index["KeySchema"],
        "Projection": _projection(index["Projection"]),
        "IndexSizeBytes": size_bytes,
        "ItemCount": items,
        "IndexArn": f"{engine.table_arn(table)}/index/{index['IndexName']}",
    }
    if is_global:
        filling = bool(index.get("Backfilling"))
        status = "CREATING" if filling or table_status == "CREATING" else "ACTIVE"
        description["IndexStatus"] = "DELETING" if table_status == "DELETING" else status
        description |= _capacity(index)
        if filling:
            description["Backfilling"] = True
    return description


def _stream(engine: Engine, definition: Mapping[str, Any]) -> dict[str, Any]:
    stream = definition.get("stream")
    found: dict[str, Any] = {}
    label = stream["label"] if stream else definition.get("last_stream")
    if stream:
        found["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": stream["view"]}
    if label:
        found["LatestStreamLabel"] = label
        found["LatestStreamArn"] = engine.stream_arn(definition["TableName"], label)
    return found


def _restored(engine: Engine, definition: Mapping[str, Any]) -> dict[str, Any]:
    restored = definition.get("restored")
    if not restored:
        return {}
    backup = {"SourceBackupArn": restored["backup"]} if "backup" in restored else {}
    source = {"SourceTableArn": engine.table_arn(restored["source"]), "RestoreDateTime": restored["at"]}
    return {"RestoreSummary": {**backup, **source, "RestoreInProgress": False}}


def features(definition: Mapping[str, Any]) -> dict[str, Any]:
    """What a table had besides its items when it was backed up."""
    parts = ("IndexName", "KeySchema", "Projection", "ProvisionedThroughput")
    found: dict[str, Any] = {
        title: [{part: each[part] for part in parts if each.get(part)} for each in definition[title]]
        for title in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes")
        if definition[title]
    }
    if definition.get("stream"):
        found["StreamDescription"] = {
            "StreamEnabled": True,
            "StreamViewType": definition["stream"]["view"],
        }
    if definition.get("expiry"):
        attribute = definition["expiry"]["attribute"]
        found["TimeToLiveDescription"] = {"TimeToLiveStatus": "ENABLED", "AttributeName": attribute}
    return found
