"""Sample items for applications that have nothing yet."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from hansang.apps.catalog import application
from hansang.apps.samples import fill, is_empty, make_empty
from hansang.backends.embedded import Embedded
from hansang.design import Database

NOW = datetime(2026, 11, 15, 9, 30, tzinfo=UTC)
NEWS, CODEX = application("news"), application("codex")


@pytest.fixture
def database() -> Iterator[Database]:
    with Embedded.open() as backend:
        database = Database(backend)
        database.create_tables(*NEWS.tables, *CODEX.tables)
        yield database


def test_a_filled_application_is_not_empty_and_the_others_are(database: Database) -> None:
    assert is_empty(database, CODEX)
    heard: list[int] = []
    assert fill(database, CODEX, NOW, heard.append) == sum(heard) > 0
    assert not is_empty(database, CODEX)
    assert is_empty(database, NEWS)


def test_an_item_in_any_table_of_an_application_counts(database: Database) -> None:
    last = NEWS.tables[-1]
    key = {each["AttributeName"]: {"S": "x"} for each in last.definition()["KeySchema"]}
    database.call("PutItem", {"TableName": last.name, "Item": key}, "test")
    assert not is_empty(database, NEWS)


def test_an_emptied_application_can_be_filled_again(database: Database) -> None:
    first = fill(database, CODEX, NOW, lambda _: None)
    make_empty(database, CODEX)
    assert is_empty(database, CODEX)
    assert fill(database, CODEX, NOW, lambda _: None) == first
