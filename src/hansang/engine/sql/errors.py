"""What SQLite raises, in our own words."""

from __future__ import annotations

import sqlite3

import orjson

from hansang.errors import DamagedFile, StoreBusy, StoreError

DATABASE_ERROR = sqlite3.DatabaseError
"""What SQLite raises."""
BROKEN = (DATABASE_ERROR, orjson.JSONDecodeError)
"""What a file that is damaged, full or gone makes of a request; `Store.fault` says it in our words."""


class RowsGone(Exception):
    """The rows were dropped by another process since the catalog was read."""


def is_about_schema(reason: BaseException) -> bool:
    """Whether a statement named what is not there; SQLite has no closer code, and ours fail for nothing else."""
    return getattr(reason, "sqlite_errorname", "") == "SQLITE_ERROR"


def translated(path: str, reason: BaseException) -> StoreError:
    """The error of SQLite in our own words."""
    name = getattr(reason, "sqlite_errorname", "")
    unreadable = isinstance(reason, orjson.JSONDecodeError) or is_about_schema(reason)
    if unreadable or name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return damaged(path, reason)
    if name.startswith("SQLITE_BUSY"):
        return StoreBusy(
            f"{path} is being written by another process, and was not let go in time. "
            "Nothing of this request was kept; try again in a moment."
        )
    return StoreError(f"{path} could not be used: {reason}. Nothing of this request was kept.")


def damaged(path: str, reason: BaseException) -> DamagedFile:
    """The error for a file that cannot be read."""
    return DamagedFile(
        f"{path} is damaged and was left as it is ({reason}). Restore it from a backup, or give another file."
    )
