"""Exit codes: what a program that runs `hansang` can tell from the way it ends."""

from __future__ import annotations

from hansang.errors import HansangError
from hansang.surfaces.error_kinds import (
    CONFLICT,
    DONE,
    FAILED,
    INTERRUPTED,
    MISSING,
    REFUSED,
    STORE,
    UNAVAILABLE,
    USAGE,
    kind_of,
)

MEANINGS = {
    DONE: "done",
    FAILED: "it did not work, or something was found that is not as it has to be",
    USAGE: "wrong usage: an option, a setting or an input that means nothing",
    STORE: "the data file or the backup cannot be used; it was left as it is",
    MISSING: "not found, or no such table",
    CONFLICT: "it is there already, or somebody else has changed it",
    REFUSED: "that is not allowed",
    UNAVAILABLE: "the service did not answer, or not in time; try again later",
    INTERRUPTED: "interrupted with Ctrl+C",
}
"""What each exit code says."""


def exit_code(error: HansangError) -> int:
    """How a command ends that an error has ended."""
    return kind_of(error).exit_code


__all__ = [
    "CONFLICT",
    "DONE",
    "FAILED",
    "INTERRUPTED",
    "MEANINGS",
    "MISSING",
    "REFUSED",
    "STORE",
    "UNAVAILABLE",
    "USAGE",
    "exit_code",
]
