"""How a table is billed: the units that it and its indexes may have, and the way from one mode to the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hansang.engine.faults import invalid, invalid_parameter

_MOST_UNITS = 10**12
_UNITS = ("ReadCapacityUnits", "WriteCapacityUnits")
_LIMITS = ("MaxReadRequestUnits", "MaxWriteRequestUnits")
_NO_LIMIT = -1
_NEITHER = "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified"

Definition = dict[str, Any]


def check_new(request: Mapping[str, Any]) -> str:
    """The billing mode of a new table; refused if its units do not go with it."""
    billing = request.get("BillingMode") or "PROVISIONED"
    given = request.get("ProvisionedThroughput") is not None
    if billing == "PAY_PER_REQUEST" and given:
        raise invalid_parameter(f"{_NEITHER} when BillingMode is PAY_PER_REQUEST")
    if billing == "PROVISIONED" and not given:
        raise invalid_parameter(
            "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED"
        )
    check_bounds(request)
    check_limits(request, billing)
    return billing


def check_bounds(request: Mapping[str, Any]) -> None:
    throughput = request.get("ProvisionedThroughput") or {}
    for name in _UNITS:
        if throughput.get(name, 0) > _MOST_UNITS:
            raise invalid(f"Given value {throughput[name]} for {name} is out of bounds")


def check_limits(given: Mapping[str, Any], billing: str, least: int = 1) -> None:
    """The limits of requests on demand, of a table or of an index; there are none to limit otherwise."""
    index = f" for index : {given['IndexName']}" if "IndexName" in given else ""
    for name, units in _limits(given).items():
        if billing == "PROVISIONED":
            raise invalid_parameter(
                f"{name} for OnDemandThroughput{index} cannot be specified "
                "when the table BillingMode is PROVISIONED"
            )
        if units < least or units == 0:
            raise invalid_parameter(
                f"Requested {name} for OnDemandThroughput{index or ' for table'} is outside of valid range"
            )


def _limits(owner: Mapping[str, Any]) -> dict[str, int]:
    given = owner.get("OnDemandThroughput") or {}
    return {name: given[name] for name in _LIMITS if given.get(name) is not None}


def check_new_index(index: Mapping[str, Any], billing: str) -> None:
    """The units of an index that is made with its table."""
    given = index.get("ProvisionedThroughput") is not None
    if billing == "PAY_PER_REQUEST" and given:
        raise invalid_parameter(
            f"ProvisionedThroughput should not be specified for index: {index['IndexName']} "
            "when BillingMode is PAY_PER_REQUEST"
        )
    if billing == "PROVISIONED" and not given:
        raise invalid_parameter(f"ProvisionedThroughput is not specified for index: {index['IndexName']}")
    check_limits(index, billing)


def check_added_index(index: Mapping[str, Any], billing: str) -> None:
    """The units of an index that is added to a table, for which DynamoDB has other words."""
    given = index.get("ProvisionedThroughput") is not None
    if billing == "PAY_PER_REQUEST" and given:
        raise invalid_parameter(
            f"{_NEITHER} for index: {index['IndexName']} when BillingMode is PAY_PER_REQUEST"
        )
    if billing == "PROVISIONED" and not given:
        raise invalid_parameter(
            f"Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: {index['IndexName']}"
        )
    check_limits(index, billing)


# ── changes ───────────────────────────────────────────────────────────────────────────────────────


def change(definition: Definition, request: Mapping[str, Any], now: float) -> None:
    """Give a table the mode, the units and the limits that are asked for."""
    wanted = request.get("BillingMode") or definition["BillingMode"]
    throughput = request.get("ProvisionedThroughput")
    if wanted == "PAY_PER_REQUEST" and throughput is not None:
        raise invalid_parameter(f"{_NEITHER} when BillingMode is PAY_PER_REQUEST")
    if request.get("BillingMode") == "PROVISIONED" and throughput is None:
        raise invalid_parameter("ProvisionedThroughput must be specified when BillingMode is PROVISIONED")
    check_limits(request, wanted, _NO_LIMIT)
    if wanted != definition["BillingMode"]:
        _switch(definition, wanted, now)
    if throughput is not None:
        _change_units(definition, throughput, "the table", "the table")
    _change_limits(definition, request)


def _switch(definition: Definition, wanted: str, now: float) -> None:
    definition["BillingMode"] = wanted
    if wanted == "PAY_PER_REQUEST":
        definition["billed"] = now
    for each in (definition, *definition["GlobalSecondaryIndexes"]):
        each["ProvisionedThroughput"] = each["OnDemandThroughput"] = None


def change_index(index: Definition, request: Mapping[str, Any], billing: str) -> None:
    name, throughput = index["IndexName"], request.get("ProvisionedThroughput")
    check_limits(request, billing, _NO_LIMIT)
    if billing == "PAY_PER_REQUEST" and (throughput is not None or not _limits(request)):
        raise invalid_parameter(
            f"The only Updates for index: {name} when TableThroughputMode is PAY_PER_REQUEST "
            "can be to OnDemandThroughput, WarmThroughput"
        )
    if throughput is not None:
        _change_units(index, throughput, f"the index {name}", f"index {name}")
    _change_limits(index, request)


def check_every_index(definition: Definition) -> None:
    """A provisioned table has units for every index; none are given to it unasked."""
    missing = [
        index["IndexName"]
        for index in definition["GlobalSecondaryIndexes"]
        if not index.get("ProvisionedThroughput")
    ]
    if missing and definition["BillingMode"] == "PROVISIONED":
        raise invalid_parameter(f"ProvisionedThroughput must be specified for index: {','.join(missing)}")


def _change_units(owner: Definition, wanted: Mapping[str, int], title: str, place: str) -> None:
    current = owner.get("ProvisionedThroughput")
    if current and all(current[name] == wanted[name] for name in _UNITS):
        numbers = " ".join(
            f"Current {name} provisioned for {place}: {current[name]}. Requested {name}: {wanted[name]}."
            for name in _UNITS
        )
        raise invalid(
            f"The provisioned throughput for {title} will not change. "
            f"The requested value equals the current value. {numbers} "
            "Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits."
        )
    owner["ProvisionedThroughput"] = {name: wanted[name] for name in _UNITS}


def _change_limits(owner: Definition, request: Mapping[str, Any]) -> None:
    """Each limit stays until it is given anew; -1 takes it away."""
    merged = _limits(owner) | _limits(request)
    limits = {name: units for name, units in merged.items() if units != _NO_LIMIT}
    owner["OnDemandThroughput"] = limits or None
