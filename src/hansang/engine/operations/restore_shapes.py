"""The parameters that restores, exports and imports share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hansang.engine.faults import invalid, unreadable
from hansang.engine.shapes import Many, Parameter, Struct, Text
from hansang.engine.sql import archives
from hansang.engine.table_shapes import BILLING_MODE, GLOBAL_INDEX, LOCAL_INDEX, ON_DEMAND, THROUGHPUT
from hansang.engine.values import json_kind
from hansang.errors import WireError

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

ARN = Text(shortest=37, longest=1024)
OVERRIDES: dict[str, Parameter] = {
    "BillingModeOverride": BILLING_MODE,
    "GlobalSecondaryIndexOverride": Many(GLOBAL_INDEX),
    "LocalSecondaryIndexOverride": Many(LOCAL_INDEX),
    "ProvisionedThroughputOverride": THROUGHPUT,
    "OnDemandThroughputOverride": ON_DEMAND,
    "SSESpecificationOverride": Struct("SSESpecification"),
}


class Moment(Parameter):
    """A time, in seconds since 1970."""

    def fits(self, value: Any) -> bool:
        return type(value) in (int, float)

    def read(self, value: Any) -> None:
        if not self.fits(value):
            raise unreadable(f"{json_kind(value)}_VALUE cannot be converted to Date")

    def faults(self, value: float, path: str) -> Iterator[str]:
        return iter(())


# ── exports and imports ───────────────────────────────────────────────────────────────────────────

BUCKET = Text(longest=255, pattern="[a-zA-Z0-9][a-zA-Z0-9._-]*")
CLIENT_TOKEN = Text(pattern="[^$]+")
EXPORT, IMPORT = "export/", "import/"
"""What the ids of their documents begin with."""


def with_token(engine: Engine, kind: str, request: Mapping[str, Any]) -> dict[str, Any] | None:
    """What was made by an earlier request with the same token; refused if that asked for something else."""
    token = request.get("ClientToken")
    for document in engine.read(lambda reader: archives.documents(reader, kind)).values() if token else ():
        if document["request"].get("ClientToken") == token:
            if document["request"] != request:
                if kind == EXPORT:
                    raise WireError(
                        "ExportConflictException", f"The token {token} was used for another Export"
                    )
                raise WireError("ImportConflictException", f"The token {token} was used for another Import")
            return document
    return None


def page(
    found: list[dict[str, Any]], request: Mapping[str, Any], size: str
) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """The documents behind a token, as many as are asked for, and the next token if there are more."""
    last, limit = request.get("NextToken"), request.get(size) or 25
    if last is not None:
        if all(each["id"] != last for each in found):
            raise invalid("Invalid NextToken")
        found = [each for each in found if each["id"] > last]
    return found[:limit], {"NextToken": found[limit - 1]["id"]} if len(found) > limit else {}
