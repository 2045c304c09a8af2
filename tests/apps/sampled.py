"""Databases that hold the sample of an application, and what the tests ask of every sample."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from hansang.apps.application import Application
from hansang.apps.samples import fill
from hansang.design import Database, Query, Table
from hansang.design.query import patterns
from hansang.design.shape import Item
from tests.storing import opened

NOW = datetime(2026, 10, 23, 5, 20, 7, tzinfo=UTC)
"""A Friday in Seoul, when a week of the leaderboards begins."""


@contextmanager
def filled(application: Application, now: datetime = NOW) -> Iterator[tuple[Database, list[int]]]:
    """A database in memory with the sample of an application, and what the progress of it said."""
    said: list[int] = []
    with opened(*application.tables) as db:
        fill(db, application, now, said.append)
        yield db, said


def stored(db: Database, application: Application) -> int:
    """How many items there are in the tables of an application."""
    return sum(1 for table in application.tables for _ in items(db, table))


def items(db: Database, table: type[Table]) -> Iterator[Item]:
    """Every item of a table, however many pages that takes."""
    start: dict[str, Any] = {}
    while True:
        page = db.backend.call("Scan", {"TableName": db.name(table), **start})
        yield from page["Items"]
        if "LastEvaluatedKey" not in page:
            return
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


def everything(db: Database, application: Application) -> list[str]:
    """All items of an application's tables, in an order of their own."""
    return sorted(repr(sorted(item.items())) for table in application.tables for item in items(db, table))


def pattern_names(application: Application) -> set[str]:
    """The names of the access patterns of an application."""
    owners = (shape.cls for table in application.tables for shape in (*table.shapes, *table.views))
    return {f"{owner.__name__}.{each.label}" for owner in owners for each in patterns(owner)}


def unanswered(db: Database, questions: Iterable[Query[Any]]) -> set[str]:
    """The names of the questions that nothing answers."""
    return {question.name for question in questions if db.first(question) is None}
