"""Exit codes: what a program that runs `hansang` can tell from the way it ends."""

from __future__ import annotations

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

MEANINGS = {
    DONE: "done",
    FAILED: "it did not work, or something was found that is not as it has to be",
    USAGE: "wrong usage: an option, a setting or an input that means nothing",
    STORE: "the data file or the backup cannot be used; it was left as it is",
    MISSING: "there is no such thing, or no such table",
    CONFLICT: "it is there already, or somebody else has changed it",
    REFUSED: "that is not allowed",
    UNAVAILABLE: "the service did not answer, or not in time; try again later",
    INTERRUPTED: "interrupted with Ctrl+C",
}
"""What each exit code says."""

CODES: dict[type[HansangError], int] = {
    HansangError: FAILED,
    errors.DesignError: FAILED,
    errors.InvalidKey: USAGE,
    errors.InvalidCursor: USAGE,
    errors.InvalidInput: USAGE,
    errors.NotAllowed: REFUSED,
    errors.LastOwner: REFUSED,
    errors.SignInRefused: REFUSED,
    errors.LockedOut: REFUSED,
    errors.Busy: UNAVAILABLE,
    errors.DataError: FAILED,
    errors.NotFound: MISSING,
    errors.AlreadyExists: CONFLICT,
    errors.Conflict: CONFLICT,
    errors.TooLarge: FAILED,
    errors.Throttled: UNAVAILABLE,
    errors.NoSuchTable: MISSING,
    errors.UnexpectedItem: FAILED,
    errors.Refused: FAILED,
    errors.Unavailable: UNAVAILABLE,
    errors.WireError: FAILED,
    errors.SettingsError: USAGE,
    errors.AddressError: FAILED,
    errors.StoreError: STORE,
    errors.ForeignFile: STORE,
    errors.DamagedFile: STORE,
    errors.NewerFile: STORE,
}
"""The exit code of every error; a kind that is not listed has that of the kind above it."""


def exit_code(error: HansangError) -> int:
    """How a command ends that an error has ended."""
    return next(CODES[kind] for kind in type(error).__mro__ if kind in CODES)
