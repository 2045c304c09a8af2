"""What DynamoDB demands of the change of a table, before it looks at the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hansang.engine import billing, stream_control
from hansang.engine.faults import invalid, invalid_parameter
from hansang.engine.table_rules import check_class

IndexUpdate = tuple[str, Mapping[str, Any]]
"""`Create`, `Update` or `Delete`, and the index."""

_ACTIONS = ("Create", "Update", "Delete")
_ALONE = {"TableClass": "TableClass", "DeletionProtectionEnabled": "DeletionProtection"}
_CHANGES = (
    "BillingMode",
    "ProvisionedThroughput",
    "OnDemandThroughput",
    "StreamSpecification",
    "SSESpecification",
    "WarmThroughput",
    "GlobalSecondaryIndexUpdates",
    *_ALONE,
)


def check_update(request: Mapping[str, Any]) -> list[IndexUpdate]:
    """The changes of indexes in an UpdateTable request; refused if its parts do not go together."""
    changes = {name for name in _CHANGES if request.get(name) is not None}
    updates = request.get("GlobalSecondaryIndexUpdates")
    if not changes - ({"GlobalSecondaryIndexUpdates"} if not updates else set()):
        raise invalid(
            "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
            "GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, "
            "ReplicaTransitRoleArn, MultiRegionConsistency, DeletionProtectionEnabled, OnDemandThroughput, "
            "WarmThroughput or TableClass is required"
        )
    if updates is not None and not updates:
        raise invalid_parameter("List of GlobalSecondaryIndexUpdates is empty")
    check_class(request)
    billing.check_bounds(request)
    stream_control.check_change(request.get("StreamSpecification"))
    found = [_action(each) for each in updates or ()]
    _check_once(found)
    _check_together(changes, request, found)
    return found


def _action(update: Mapping[str, Any]) -> IndexUpdate:
    given = [(kind, update[kind]) for kind in _ACTIONS if update.get(kind) is not None]
    if not given:
        raise invalid_parameter(
            "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
            "GlobalSecondaryIndexUpdate.Delete must not be null"
        )
    if len(given) > 1:
        raise invalid_parameter(
            "Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object"
        )
    return given[0]


def _check_once(updates: Sequence[IndexUpdate]) -> None:
    names = [update["IndexName"] for _, update in updates]
    for name in names:
        if names.count(name) > 1:
            raise invalid_parameter(
                f"Only one global secondary index update per index is allowed simultaneously. Index: {name}"
            )


def _check_together(changes: set[str], request: Mapping[str, Any], updates: Sequence[IndexUpdate]) -> None:
    """Most changes want a request of their own; of several such the first in this order is named."""
    for name, title in _ALONE.items():
        if name in changes and len(changes) > 1:
            raise invalid_parameter(f"{title} modification must be the only operation in the request")
    streams = "StreamSpecification" in changes
    indexes = any(kind != "Update" for kind, _ in updates)
    units = "ProvisionedThroughput" in changes
    if "OnDemandThroughput" in changes and (streams or updates):
        raise invalid_parameter(
            "OnDemandThroughput can only be combined with BillingMode in an UpdateTable request"
        )
    if streams and (units or request.get("BillingMode") == "PROVISIONED"):
        raise invalid_parameter("You cannot modify stream status while updating table IOPS")
    if indexes and units:
        raise invalid_parameter("You cannot create or delete index while updating table IOPS")
    if indexes and streams:
        raise invalid_parameter("You cannot create or delete index while changing stream status")
