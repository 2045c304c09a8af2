"""A design against the table that is there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hansang.backends.base import Backend
from hansang.design import Table
from hansang.design.translation import translated
from hansang.errors import NoSuchTable, WireError

_COPY = "It cannot be changed: create a table under another name and copy the items."
_UPDATE = "UpdateTable can change it."
_REINDEX = "Drop the index and add it again."
_LOCAL = "A local index is made with its table: create another table and copy the items."


@dataclass(frozen=True, slots=True)
class TableDifference:
    """One thing that is not as the design has it."""

    what: str
    design: str
    live: str
    remedy: str


def describe(backend: Backend, name: str) -> dict[str, Any] | None:
    """The description of a table, None when there is none."""
    try:
        found: dict[str, Any] = call(backend, "DescribeTable", {"TableName": name})["Table"]
    except NoSuchTable:
        return None
    return found


def call(backend: Backend, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
    """The response; refusals come out as our own errors."""
    try:
        return backend.call(operation, request)
    except WireError as fault:
        raise translated(fault) from fault


def differences(backend: Backend, table: type[Table], name: str) -> list[TableDifference]:
    """What a live table has otherwise than the design says."""
    described = describe(backend, name)
    if described is None:
        return [TableDifference("table", name, "none", "Create it: hansang tables create.")]
    wanted = table.definition(name)
    return [
        *_changed("key", _keys(wanted), _keys(described), _COPY),
        *_kinds(wanted, described),
        *_changed("billing", _billing(wanted), _billing(described), _UPDATE),
        *_changed("capacity", _capacity(wanted), _capacity(described), _UPDATE),
        *_changed("deletion protection", _protection(wanted), _protection(described), _UPDATE),
        *_changed("stream", _stream(wanted), _stream(described), _UPDATE),
        *_changed(
            "time to live",
            table.time_to_live() or "off",
            expiry(backend, name) or "off",
            "Use UpdateTimeToLive.",
        ),
        *_indexes("global index", wanted, described, "GlobalSecondaryIndexes", _REINDEX),
        *_indexes("local index", wanted, described, "LocalSecondaryIndexes", _LOCAL),
    ]


def _changed(what: str, design: str, live: str, remedy: str) -> Iterator[TableDifference]:
    if design != live:
        yield TableDifference(what, design, live, remedy)


def _keys(described: Mapping[str, Any]) -> str:
    return ", ".join(f"{each['AttributeName']} {each['KeyType']}" for each in described["KeySchema"])


def _kinds(wanted: Mapping[str, Any], described: Mapping[str, Any]) -> Iterator[TableDifference]:
    """Key attributes that both have, of different types."""
    ours, theirs = (
        {each["AttributeName"]: each["AttributeType"] for each in side["AttributeDefinitions"]}
        for side in (wanted, described)
    )
    for name in ours.keys() & theirs.keys():
        yield from _changed(f"type of {name}", ours[name], theirs[name], _COPY)


def _billing(described: Mapping[str, Any]) -> str:
    found = described.get("BillingMode") or described.get("BillingModeSummary", {}).get("BillingMode")
    return str(found or "PROVISIONED")


def _capacity(described: Mapping[str, Any]) -> str:
    """The units of a table and of each of its global indexes, where they are paid for by the hour."""
    if _billing(described) == "PAY_PER_REQUEST":
        return "by request"
    parts = [
        ("table", described),
        *((each["IndexName"], each) for each in described.get("GlobalSecondaryIndexes", ())),
    ]
    units = {name: each.get("ProvisionedThroughput", {}) for name, each in parts}
    return ", ".join(
        f"{name} {each.get('ReadCapacityUnits')}/{each.get('WriteCapacityUnits')}"
        for name, each in sorted(units.items())
    )


def _protection(described: Mapping[str, Any]) -> str:
    return "on" if described.get("DeletionProtectionEnabled") else "off"


def _stream(described: Mapping[str, Any]) -> str:
    given = described.get("StreamSpecification") or {}
    return str(given["StreamViewType"]) if given.get("StreamEnabled") else "off"


def expiry(backend: Backend, name: str) -> str | None:
    """The attribute by which the items of a live table expire."""
    found = call(backend, "DescribeTimeToLive", {"TableName": name})["TimeToLiveDescription"]
    return found.get("AttributeName") if found.get("TimeToLiveStatus") in ("ENABLED", "ENABLING") else None


def _indexes(
    what: str, wanted: Mapping[str, Any], described: Mapping[str, Any], title: str, remedy: str
) -> Iterator[TableDifference]:
    ours = {each["IndexName"]: each for each in wanted.get(title, ())}
    theirs = {each["IndexName"]: each for each in described.get(title, ())}
    for name in dict.fromkeys((*ours, *theirs)):
        design, live = (_index(side[name]) if name in side else "none" for side in (ours, theirs))
        advice = remedy if name in ours and name in theirs else _one_sided(remedy, missing=name in ours)
        yield from _changed(f"{what} {name}", design, live, advice)


def _one_sided(remedy: str, *, missing: bool) -> str:
    if remedy == _LOCAL:
        return remedy
    return "Add it with UpdateTable." if missing else "Drop it with UpdateTable, or write it into the design."


def _index(index: Mapping[str, Any]) -> str:
    projection = index["Projection"]
    names = ", ".join(sorted(projection.get("NonKeyAttributes", ())))
    return f"{_keys(index)}, {projection['ProjectionType']}{f' of {names}' if names else ''}"
