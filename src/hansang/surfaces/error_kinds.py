"""What each error is to the outside: the code and the HTTP status of its problem, and the exit code of a command.

The API's problems, the console's pages of failures and the exit codes all follow from this table; the texts stand
with each of them, by code.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hansang import errors
from hansang.errors import HansangError

DONE = 0
FAILED = 1
USAGE = 2
STORE = 3
MISSING = 4
CONFLICT = 5
REFUSED = 6
UNAVAILABLE = 7
INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class ErrorKind:
    """How one kind of error is told."""

    code: str
    status: int
    exit_code: int


KINDS: Mapping[type[HansangError], ErrorKind] = {
    HansangError: ErrorKind("internal", 500, FAILED),
    errors.DesignError: ErrorKind("internal", 500, FAILED),
    errors.InvalidKey: ErrorKind("invalid-key", 422, USAGE),
    errors.InvalidCursor: ErrorKind("invalid-cursor", 400, USAGE),
    errors.InvalidInput: ErrorKind("invalid-input", 422, USAGE),
    errors.NotAllowed: ErrorKind("not-allowed", 403, REFUSED),
    errors.Immutable: ErrorKind("kept-for-ever", 403, REFUSED),
    errors.ApplicationOnly: ErrorKind("application-only", 403, REFUSED),
    errors.LastOwner: ErrorKind("not-allowed", 403, REFUSED),
    errors.SignInRefused: ErrorKind("sign-in-refused", 401, REFUSED),
    errors.LockedOut: ErrorKind("locked-out", 429, REFUSED),
    errors.Busy: ErrorKind("busy", 409, UNAVAILABLE),
    errors.DataError: ErrorKind("internal", 500, FAILED),
    errors.NotFound: ErrorKind("not-found", 404, MISSING),
    errors.AlreadyExists: ErrorKind("already-exists", 409, CONFLICT),
    errors.Conflict: ErrorKind("conflict", 409, CONFLICT),
    errors.TooLarge: ErrorKind("too-large", 413, FAILED),
    errors.Throttled: ErrorKind("throttled", 503, UNAVAILABLE),
    errors.NoSuchTable: ErrorKind("table-missing", 503, MISSING),
    errors.UnexpectedItem: ErrorKind("unexpected-item", 500, FAILED),
    errors.Refused: ErrorKind("refused", 400, FAILED),
    errors.Unavailable: ErrorKind("unavailable", 503, UNAVAILABLE),
    errors.WireError: ErrorKind("internal", 500, FAILED),
    errors.SettingsError: ErrorKind("internal", 500, USAGE),
    errors.AddressError: ErrorKind("internal", 500, FAILED),
    errors.StoreError: ErrorKind("store", 503, STORE),
    errors.ForeignFile: ErrorKind("store", 503, STORE),
    errors.DamagedFile: ErrorKind("store", 503, STORE),
    errors.NewerFile: ErrorKind("store", 503, STORE),
    errors.StoreBusy: ErrorKind("store-busy", 503, UNAVAILABLE),
}
"""Every error; one that is not listed is told as the kind above it."""

STATUSES: Mapping[str, int] = {each.code: each.status for each in KINDS.values()}
"""The HTTP status of each code."""


def kind_of(error: HansangError) -> ErrorKind:
    """How an error is told."""
    return next(KINDS[each] for each in type(error).__mro__ if each in KINDS)
