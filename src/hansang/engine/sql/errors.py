"""What SQLite raises, in our own words."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import orjson

from hansang.errors import DamagedFile, StoreBusy, StoreError, StoreFull

DATABASE_ERROR = sqlite3.DatabaseError
"""What SQLite raises."""


class DamagedRow(Exception):
    """A row is not what was once written: its rows and its key, or None when it is one of the catalog's."""

    def __init__(self, rows: int | None, key: bytes | None) -> None:
        super().__init__("a row does not have its checksum")
        self.rows, self.key = rows, key


UNREADABLE = (orjson.JSONDecodeError, DamagedRow, UnicodeDecodeError)
BROKEN = (DATABASE_ERROR, *UNREADABLE)
"""What a file that is damaged, full or gone makes of a request; `Store.fault` says it in our words."""


class RowsGone(Exception):
    """The rows were dropped by another process since the catalog was read."""


def is_about_schema(reason: BaseException) -> bool:
    """Whether a statement named what is not there; SQLite has no closer code, and ours fail for nothing else."""
    return getattr(reason, "sqlite_errorname", "") == "SQLITE_ERROR"


def translated(path: str, reason: BaseException) -> StoreError:
    """The error of SQLite in our own words."""
    name = getattr(reason, "sqlite_errorname", "")
    unreadable = isinstance(reason, UNREADABLE) or is_about_schema(reason)
    if unreadable or name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return damaged(path, reason)
    if name == "SQLITE_FULL":
        return StoreFull(
            f"The disk with {path} is full. Nothing of this request was kept; make room and try again."
        )
    if name.startswith("SQLITE_BUSY"):
        return StoreBusy(
            f"{path} is being written by another process, and was not let go in time. "
            "Nothing of this request was kept; try again in a moment."
        )
    return StoreError(f"{path} could not be used: {reason}. Nothing of this request was kept.")


def damaged(path: str, reason: BaseException) -> DamagedFile:
    """The error for a file that cannot be read."""
    return DamagedFile(
        f"{path} is damaged and was left as it is ({reason}). See what is damaged with hansang check {path}. "
        "Restore it from a backup, or give another file."
    )


def damaged_in(path: str, table: str, index: str | None) -> DamagedFile:
    """The error for a row that is not what was once written, with the table and the index that it is in."""
    file = Path(path).name
    if index is None:
        return DamagedFile(
            "{file} is damaged: a row of the table {table} is not what was written. "
            "Run hansang check {file} to see which rows are damaged.",
            code="surfaces.damaged-table",
            values={"file": file, "table": table},
        )
    return DamagedFile(
        "{file} is damaged: a row of the index {index} of the table {table} is not what was written. "
        "Run hansang check {file} --repair to rebuild the index from its items.",
        code="surfaces.damaged-index",
        values={"file": file, "table": table, "index": index},
    )
