"""Sample items for applications that have nothing yet."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from hansang.apps.application import Application, Progress
from hansang.design import Database
from hansang.parts.usage_periods import used_by


def is_empty(database: Database, application: Application) -> bool:
    """Whether no table of an application has an item."""
    return not any(
        database.call("Scan", {"TableName": database.name(table), "Limit": 1}, "sample")["Items"]
        for table in application.tables
    )


def make_empty(database: Database, application: Application) -> None:
    """Drop the tables of an application with all that is in them, and make them anew."""
    for table in application.tables:
        database.call("DeleteTable", {"TableName": database.name(table)}, "sample")
    database.create_tables(*application.tables)


def fill(
    database: Database, application: Application, now: datetime, progress: Progress, settings: Any = None
) -> int:
    """Write the sample of an application with its settings, as of a moment; how many items that were."""
    written = 0

    def count(items: int) -> None:
        nonlocal written
        written += items
        progress(items)

    write = application.fill if application.fill_of is None else application.fill_of(settings)
    mark = used_by.set(lambda: "sample data")
    try:
        if write is not None:
            write(database, now, count)
    finally:
        used_by.reset(mark)
    return written
