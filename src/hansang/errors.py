"""Every error that Hansang raises.

::

    HansangError
    ├── DesignError              the design says something that cannot be; said when it is loaded
    ├── InvalidKey               a value cannot be in a key: empty, too wide, or with a separator in it
    ├── InvalidCursor            a cursor is forged, or of another question
    ├── InvalidInput             something that a person or a client gave is not as it has to be
    │   └── Exceeded             it takes more time or memory to read than it may have
    ├── NotAllowed               whoever asks may not do that, or nobody may
    │   ├── Immutable            the item is kept for ever as it was first written
    │   ├── ApplicationOnly      the application alone writes that; says the way
    │   └── LastOwner            nobody would be left who owns everything
    ├── SignInRefused            the name and the password, the link or the key do not open anything
    │   └── LockedOut            too many tries; says when to come back
    ├── Busy                     the same request is still being worked on; says when to come back
    ├── Overloaded               too many requests wait for a thread already; says when to come back
    ├── RequestStopped           the request took too long, whoever sent it has left, or an operator stopped it
    ├── DataError                what the table answered
    │   ├── NotFound             the item was not found
    │   ├── AlreadyExists        the item exists already
    │   ├── Conflict             the item is not as the caller has seen it; carries the item that stood in the way
    │   ├── TooLarge             the item, the batch or the transaction is over DynamoDB's limit
    │   ├── Throttled            the table did not keep up, after every retry
    │   ├── NoSuchTable          the table or the index was not found
    │   ├── UnexpectedItem       an item in the table does not fit its entity
    │   ├── Refused              the request was refused for another reason
    │   └── Unavailable          the service failed or could not be reached
    ├── WireError                what DynamoDB answers: a code, a message, an HTTP status
    ├── SettingsError            a setting is not valid, or contradicts another
    ├── AddressError             the address cannot be listened on
    └── StoreError               the data file cannot be used; it was left as it is
        ├── ForeignFile          the file is not Hansang's
        ├── DamagedFile          the file is Hansang's, but broken
        ├── WrongKey             the key that opens the secrets in the data is missing, or another one
        ├── NewerFile            the file was written by a newer Hansang
        ├── StoreBusy            the file is being written, and was not let go in time; says by whom, if that is known
        └── StoreFull            the disk is full; what is there can be read
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self


def word_key(code: str) -> str:
    """The key of the words of a code: `news.no-run` has its own beside the news, `not-found` is a problem."""
    area, dot, name = code.partition(".")
    return f"{area}.error.{name}" if dot else f"problem.{code}.detail"


class HansangError(Exception):
    """Whatever Hansang has to say about something that did not work.

    `code` says what it is: a class has one, and whoever raises it may give a closer one, such as `news.no-run`. Words in
    both languages are found by the code. The message is in English; its places, such as {run}, are filled with `values`.
    """

    code = "internal"

    def __init__(self, message: str, *, code: str = "", values: Mapping[str, object] | None = None) -> None:
        super().__init__(message.format_map(values) if values else message)
        self.values = dict(values or {})
        if code:
            self.code = code


class DesignError(HansangError):
    """The design says something that cannot be; `rule` is the code that lint gives to it, if it has its own."""

    def __init__(self, message: str, rule: str = "") -> None:
        super().__init__(message)
        self.rule = rule


class InvalidKey(HansangError, ValueError):
    """A value cannot be in a key."""

    code = "invalid-key"


class InvalidCursor(HansangError, ValueError):
    """A cursor is forged, or belongs to another question."""

    code = "invalid-cursor"


class InvalidInput(HansangError, ValueError):
    """Something that a person or a client gave is not as it has to be; `field` is which, if it is one.

    `found` is what the validator of the field found, with its `type` and its `ctx` as pydantic has them.
    """

    code = "invalid-input"

    def __init__(
        self,
        message: str,
        field: str = "",
        value: Any = None,
        *,
        code: str = "",
        values: Mapping[str, object] | None = None,
        found: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message, code=code, values=values)
        self.field, self.value, self.found = field, value, found


class Exceeded(InvalidInput):
    """What somebody gave takes more time or memory to read than it may have."""


class NotAllowed(HansangError):
    """Whoever asks may not do that, or nobody may."""

    code = "not-allowed"


class Immutable(NotAllowed):
    """The item is kept for ever as it was first written."""

    code = "kept-for-ever"


class ApplicationOnly(NotAllowed):
    """The application alone writes that; `instead` is the way, in each language."""

    code = "application-only"

    def __init__(
        self,
        message: str,
        instead: Mapping[str, str],
        *,
        code: str = "",
        values: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(message, code=code, values=values)
        self.instead = instead


class LastOwner(NotAllowed):
    """Nobody would be left who owns everything."""


class SignInRefused(HansangError):
    """The name and the password, the link or the key do not open anything."""

    code = "sign-in-refused"


class LockedOut(SignInRefused):
    """There were too many tries."""

    code = "locked-out"

    def __init__(
        self,
        message: str,
        retry_after: float,
        *,
        code: str = "",
        values: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(message, code=code, values=values)
        self.retry_after = retry_after


class Busy(HansangError):
    """The same request is still being worked on."""

    code = "busy"

    def __init__(
        self,
        message: str,
        retry_after: float = 1.0,
        *,
        code: str = "",
        values: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(message, code=code, values=values)
        self.retry_after = retry_after


class Overloaded(HansangError):
    """Too many requests wait already."""

    code = "overloaded"

    def __init__(self, message: str, retry_after: float = 1.0) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class RequestStopped(HansangError):
    """The request took longer than it may, whoever sent it has left, or an operator has stopped its export."""

    code = "request-stopped"


class DataError(HansangError):
    """What the table answered instead of doing what was asked."""


class NotFound(DataError):
    """The item was not found."""

    code = "not-found"


class AlreadyExists(DataError):
    """The item exists already."""

    code = "already-exists"

    def __init__(
        self,
        message: str,
        item: Any = None,
        *,
        code: str = "",
        values: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(message, code=code, values=values)
        self.item = item


class Conflict(DataError):
    """The item is not as the caller has seen it."""

    code = "conflict"

    def __init__(
        self,
        message: str,
        item: Any = None,
        *,
        code: str = "",
        values: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(message, code=code, values=values)
        self.item = item


class TooLarge(DataError):
    """The item, the batch or the transaction is over DynamoDB's limit."""

    code = "too-large"


class Throttled(DataError):
    """The table did not keep up, after every retry."""

    code = "throttled"


class NoSuchTable(DataError):
    """The table or the index was not found."""

    code = "table-missing"


class UnexpectedItem(DataError):
    """An item in the table does not fit its entity.

    `item` is that item as it was found, `kind` the entity that it should be, `attribute` the one that is missing or
    cannot be read, if it is one.
    """

    code = "unexpected-item"

    def __init__(
        self,
        message: str,
        item: Mapping[str, Any] | None = None,
        kind: type[Any] | None = None,
        attribute: str = "",
    ) -> None:
        super().__init__(message)
        self.item, self.kind, self.attribute = item, kind, attribute


class Refused(DataError):
    """The request was refused for another reason; `wire_code` is what DynamoDB calls it, if it was DynamoDB."""

    code = "refused"

    def __init__(self, message: str, wire_code: str = "", detail: str = "") -> None:
        """`detail` is DynamoDB's own sentence, without its code."""
        super().__init__(message)
        self.wire_code, self.detail = wire_code, detail or message


class Unavailable(DataError):
    """The service failed or could not be reached."""

    code = "unavailable"


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
# AWS spells the member that carries the message with a capital for these.
_CAPITAL = frozenset({"TransactionCanceledException", "SerializationException", "AccessDeniedException"})
_STATUSES = {
    "InternalServerError": 500,
    "RequestEntityTooLarge": 413,
    "ServiceUnavailable": 503,
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

    @classmethod
    def answered(cls, code: str, message: str | None, fields: Mapping[str, Any]) -> Self:
        """The error that a service elsewhere has answered with, whatever its code."""
        return cls(code, message, **fields)

    @property
    def status(self) -> int:
        return _STATUSES.get(self.code, 400)

    def body(self) -> dict[str, Any]:
        """The JSON document that DynamoDB sends with this error."""
        document: dict[str, Any] = {"__type": _NAMESPACES.get(self.code, _DYNAMODB) + self.code}
        if self.message is not None:
            document["Message" if self.code in _CAPITAL else "message"] = self.message
        return document | self.fields


class SettingsError(HansangError):
    """A setting has a value that is not valid, or that contradicts another."""


def not_installed(missing: ModuleNotFoundError, extra: str) -> SettingsError:
    """What to do when the library is installed without something that a part of it needs."""
    return SettingsError(f"{missing.name} is not installed. Install it with: pip install 'hansang[{extra}]'")


class AddressError(HansangError):
    """The address cannot be listened on."""


class StoreError(HansangError):
    """The data file cannot be used. It was left as it is."""

    code = "store"


class ForeignFile(StoreError):
    """The file is a database, or something else, that Hansang did not write."""


class DamagedFile(StoreError):
    """The file is Hansang's, and parts of it cannot be read."""

    code = "damaged"


class WrongKey(StoreError):
    """The secrets in the data were encrypted with another key than the one that is there, or it is missing."""


class NewerFile(StoreError):
    """The file was written by a newer Hansang than this one."""


class StoreBusy(StoreError):
    """The data file is being written and was not let go in time; nothing of the request was kept.

    `owner` is who has it, such as `process 4711 (hansang news load)`, or empty if that is not known.
    """

    code = "store-busy"

    def __init__(
        self,
        message: str,
        owner: str = "",
        retry_after: float = 1.0,
        *,
        code: str = "",
        values: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(message, code=code, values=values)
        self.owner, self.retry_after = owner, retry_after


class StoreFull(StoreError):
    """The disk with the data file is full: nothing can be written, and all that is there can be read."""

    code = "store-full"
