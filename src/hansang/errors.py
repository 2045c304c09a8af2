"""Every error that Hansang raises.

::

    HansangError
    ├── WireError                what DynamoDB answers: a code, a message, an HTTP status
    └── StoreError               the data file cannot be used; it was left as it is
        ├── ForeignFile          the file is not Hansang's
        ├── DamagedFile          the file is Hansang's, but broken
        └── NewerFile            the file was written by a newer Hansang
"""

from __future__ import annotations

from typing import Any


class HansangError(Exception):
    """Whatever Hansang has to say about something that did not work."""


# The HTTP status and the namespace of each code are DynamoDB's own.
_CORAL = "com.amazon.coral.service#"
_DYNAMODB = "com.amazonaws.dynamodb.v20120810#"

_NAMESPACES = {
    "ValidationException": "com.amazon.coral.validate#",
    "SerializationException": _CORAL,
    "UnknownOperationException": _CORAL,
    "MissingAuthenticationTokenException": _CORAL,
    "IncompleteSignatureException": _CORAL,
    "InvalidSignatureException": _CORAL,
    "UnrecognizedClientException": _CORAL,
    "AccessDeniedException": _CORAL,
}
_STATUSES = {
    "InternalServerError": 500,
    "RequestEntityTooLarge": 413,
}


class WireError(HansangError):
    """An error in DynamoDB's own form: what AWS would answer to the same request."""

    def __init__(self, code: str, message: str | None, **fields: Any) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.fields = fields
        self.consumed: list[dict[str, Any]] = []
        """What the refused request cost, as ConsumedCapacity; AWS charges it and does not say so (R8)."""

    @property
    def status(self) -> int:
        return _STATUSES.get(self.code, 400)

    def body(self) -> dict[str, Any]:
        """The JSON document that DynamoDB sends with this error."""
        document: dict[str, Any] = {"__type": _NAMESPACES.get(self.code, _DYNAMODB) + self.code}
        if self.message is not None:
            # AWS spells the member differently for a cancelled transaction.
            document["Message" if self.code == "TransactionCanceledException" else "message"] = self.message
        return document | self.fields


class StoreError(HansangError):
    """The data file cannot be used. It was left as it is."""


class ForeignFile(StoreError):
    """The file is a database, or something else, that Hansang did not write."""


class DamagedFile(StoreError):
    """The file is Hansang's, and parts of it cannot be read."""


class NewerFile(StoreError):
    """The file was written by a newer Hansang than this one."""
