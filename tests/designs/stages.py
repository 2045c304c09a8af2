"""Where the designs are played: fresh tables on a backend, and a clock that a test sets."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from hansang.backends.base import Backend
from hansang.design import Database, Query, Table

NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)
SECRET = b"the secret of these tests, 32 bytes"


class Watch:
    """A clock that stands still until a test moves it."""

    def __init__(self) -> None:
        self.seconds = NOW.timestamp()

    def __call__(self) -> float:
        return self.seconds

    def forward(self, seconds: int) -> datetime:
        """Let time pass, and say what time it is then."""
        self.seconds += seconds
        return datetime.fromtimestamp(self.seconds, UTC)


@contextmanager
def fresh(backend: Backend, watch: Watch, *tables: type[Table]) -> Iterator[Database]:
    """A database with nothing in these tables, which are gone afterwards."""
    names = {table: f"{table.name}-{uuid.uuid4().hex[:8]}" for table in tables}
    db = Database(backend, secret=SECRET, names=names, clock=watch)
    db.create_tables(*tables)
    yield db
    for name in names.values():
        backend.call("DeleteTable", {"TableName": name})


def in_pages(db: Database, query: Query[object], limit: int) -> list[list[object]]:
    """The answers to a question, a page at a time."""
    page = db.page(query, limit)
    found = [page.items]
    while page.cursor is not None:
        page = db.page(query, limit, page.cursor)
        found.append(page.items)
    return found
