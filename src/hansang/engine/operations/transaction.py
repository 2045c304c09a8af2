"""What reading and writing transactions refuse alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hansang.engine.faults import NOT_VALID_PARAMETER, invalid, transaction_cancelled
from hansang.errors import WireError

LARGEST = 4 * 1024 * 1024
NO_REASON = {"Code": "None"}


def refuse_faulty(faults: Sequence[WireError | None]) -> None:
    """Cancel the transaction for an action that is not valid; of several only the first is named."""
    first = next((position for position, fault in enumerate(faults) if fault is not None), None)
    if first is None:
        return
    reasons: list[dict[str, Any]] = [dict(NO_REASON) for _ in faults]
    fault = faults[first]
    assert fault is not None
    reasons[first] = {"Code": "ValidationError", "Message": fault.message}
    raise transaction_cancelled(reasons)


def faults_the_request(fault: WireError) -> bool:
    """Whether a fault of one action is one of the whole request: an empty value in a key, of any kind."""
    return (fault.message or "").startswith(NOT_VALID_PARAMETER)


def throttled_reason(fault: WireError) -> dict[str, Any]:
    """Why an action cancels its transaction when there is no room for it."""
    provisioned = fault.code == "ProvisionedThroughputExceededException"
    code = "ProvisionedThroughputExceeded" if provisioned else "ThrottlingError"
    return {"Code": code, "Message": fault.message}


def refuse_repeated(targets: Sequence[tuple[str, bytes]]) -> None:
    if len(set(targets)) < len(targets):
        raise invalid("Transaction request cannot include multiple operations on one item")
