"""From DynamoDB's errors to ours: one map, complete."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hansang.errors import (
    DataError,
    NoSuchTable,
    Refused,
    Throttled,
    TooLarge,
    Unavailable,
    WireError,
)

_CODES: dict[str, type[DataError]] = {
    "ResourceNotFoundException": NoSuchTable,
    "TableNotFoundException": NoSuchTable,
    "IndexNotFoundException": NoSuchTable,
    "ProvisionedThroughputExceededException": Throttled,
    "ThrottlingException": Throttled,
    "RequestLimitExceeded": Throttled,
    "LimitExceededException": Throttled,
    "TransactionInProgressException": Throttled,
    "TransactionConflictException": Throttled,
    "ReplicatedWriteConflictException": Throttled,
    "ItemCollectionSizeLimitExceededException": TooLarge,
    "RequestEntityTooLarge": TooLarge,
    "InternalServerError": Unavailable,
    "InternalServerErrorException": Unavailable,
    "ServiceUnavailable": Unavailable,
    "ValidationException": Refused,
    "SerializationException": Refused,
    "UnknownOperationException": Refused,
    "AccessDeniedException": Refused,
    "UnrecognizedClientException": Refused,
    "InvalidSignatureException": Refused,
    "IncompleteSignatureException": Refused,
    "MissingAuthenticationTokenException": Refused,
    "ExpiredTokenException": Refused,
    "IdempotentParameterMismatchException": Refused,
    "ResourceInUseException": Refused,
    "DuplicateItemException": Refused,
    "ExpiredIteratorException": Refused,
    "TrimmedDataAccessException": Refused,
}
# DynamoDB has no code of its own for what is too large: its message is all that there is to tell it by.
_SIZES = ("size has exceeded", "size to update has exceeded", "cannot exceed", "exceeds the limit")


def translated(error: WireError, request: Mapping[str, Any] | None = None) -> DataError:
    """What an error of DynamoDB means to the caller of a plan."""
    message = error.message or error.code
    if error.code == "ValidationException" and any(words in message for words in _SIZES):
        return TooLarge(f"{message}. Split it up, or store less in it.")
    kind = _CODES.get(error.code, Refused)
    if kind is NoSuchTable and request is not None:
        return NoSuchTable(f"{_missing(error.code, request)} ({error.code}: {message})")
    if kind is Refused:
        return Refused(f"{error.code}: {message}", error.code, message)
    return kind(f"{error.code}: {message}")


def _missing(code: str, request: Mapping[str, Any]) -> str:
    """Which table is not there, and what makes it."""
    if code == "IndexNotFoundException":
        return f"The table {request.get('TableName')} has no index {request.get('IndexName')}. Add it with UpdateTable."
    names = _tables(request)
    if not names:
        return "Not found."
    one = len(names) == 1
    return (
        f"Table {' or '.join(names)} not found. Create {'it' if one else 'them'} with db.create_tables(…), or with "
        "hansang tables create."
    )


def _tables(request: Mapping[str, Any]) -> list[str]:
    if "TableName" in request:
        return [str(request["TableName"])]
    found = list(request.get("RequestItems", {}))
    for action in request.get("TransactItems", []):
        found += [str(each["TableName"]) for each in action.values()]
    return list(dict.fromkeys(found))
