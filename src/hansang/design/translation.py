"""From DynamoDB's errors to ours: one map, complete."""

from __future__ import annotations

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
_SIZES = ("size has exceeded", "size to update has exceeded", "cannot exceed", "exceeds the limit")


def translated(error: WireError) -> DataError:
    """What an error of DynamoDB means to the caller of a plan."""
    message = error.message or error.code
    if error.code == "ValidationException" and any(words in message for words in _SIZES):
        return TooLarge(f"{message}. Split it up, or store less in it.")
    return _CODES.get(error.code, Refused)(f"{error.code}: {message}")
