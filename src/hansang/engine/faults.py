"""The errors that the engine answers with, each in DynamoDB's own words."""

from __future__ import annotations

from typing import Any

from hansang.errors import WireError

INVALID_PARAMETER = "One or more parameter values were invalid: "
NOT_VALID_PARAMETER = "One or more parameter values are not valid. "


def invalid(message: str) -> WireError:
    """A request that is well formed and asks for something that cannot be."""
    return WireError("ValidationException", message)


class ValueFault(WireError):
    """A number that is none, or a set that is not one: DynamoDB does not say which parameter it was in."""


def invalid_value(message: str) -> ValueFault:
    return ValueFault("ValidationException", message)


def invalid_parameter(message: str) -> WireError:
    return invalid(INVALID_PARAMETER + message)


def unreadable(message: str) -> WireError:
    """A request whose JSON does not have the form of the operation's parameters."""
    return WireError("SerializationException", message)


def resource_not_found(message: str = "Requested resource not found") -> WireError:
    return WireError("ResourceNotFoundException", message)


def table_not_found(name: str) -> WireError:
    """Control-plane operations name the table that is missing; data-plane operations do not."""
    return resource_not_found(f"Requested resource not found: Table: {name} not found")


def resource_in_use(message: str) -> WireError:
    return WireError("ResourceInUseException", message)


def condition_failed(item: dict[str, Any] | None) -> WireError:
    fields = {"Item": item} if item else {}
    return WireError("ConditionalCheckFailedException", "The conditional request failed", **fields)


def too_large() -> WireError:
    return invalid("Item size has exceeded the maximum allowed size")


def duplicate_item(item: dict[str, Any] | None) -> WireError:
    """An INSERT of an item whose key is there already."""
    return WireError("DuplicateItemException", "Duplicate primary key exists in table")


def transaction_cancelled(reasons: list[dict[str, Any]]) -> WireError:
    codes = ", ".join(reason["Code"] for reason in reasons)
    return WireError(
        "TransactionCanceledException",
        f"Transaction cancelled, please refer cancellation reasons for specific reasons [{codes}]",
        CancellationReasons=reasons,
    )
