"""Whether tables are there, and how much they hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from hansang.apps.leaderboards.design import UsersLeaderboard
from hansang.apps.news.design import NewsItems
from hansang.blueprint.table_status import expect_tables, table_status
from hansang.design import Database
from hansang.errors import NoSuchTable, Unavailable, WireError
from tests.storing import opened

INDEX = "dt_utc-uploaded_at_utc_ms-index"


class Silent:
    """A backend that does not answer."""

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        raise WireError("ServiceUnavailable", "gone")


class Changing:
    """A backend whose tables are in one state."""

    def __init__(self, status: str) -> None:
        self.status = status

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        return {"Table": {"TableStatus": self.status, "ItemCount": 3, "TableSizeBytes": 70}}


def test_a_table_that_is_not_there_holds_nothing() -> None:
    with opened(NewsItems) as db:
        found = table_status(db, NewsItems)
        assert (found.health, found.is_usable, found.indexes) == ("active", True, {INDEX: (0, 0)})
        missing = table_status(db, UsersLeaderboard)
        assert (missing.health, missing.is_there, missing.is_usable) == ("missing", False, False)
        assert (missing.items, missing.whole) == (0, 0)


def test_a_table_that_does_not_answer_is_not_said_to_be_missing() -> None:
    found = table_status(Database(Silent()), NewsItems)
    assert (found.health, found.status, found.is_there) == ("unreachable", "ServiceUnavailable", False)
    with pytest.raises(Unavailable):
        expect_tables(Database(Silent()), {"news": [NewsItems]}, "aws:")


@pytest.mark.parametrize(
    ("status", "health", "is_usable"),
    [("ACTIVE", "active", True), ("UPDATING", "changing", True), ("CREATING", "changing", False)],
)
def test_a_table_that_is_changed_can_be_used_meanwhile(status: str, health: str, is_usable: bool) -> None:
    found = table_status(Database(Changing(status)), NewsItems)
    assert (found.health, found.is_usable, found.is_there, found.items) == (health, is_usable, True, 3)


def test_missing_tables_are_named_with_the_command_that_creates_them() -> None:
    with opened(NewsItems) as db:
        expect_tables(db, {"news": [NewsItems]}, "here.db")
        with pytest.raises(NoSuchTable) as refusal:
            expect_tables(
                db, {"news": [NewsItems], "leaderboards": [UsersLeaderboard]}, "aws:", " --suffix=-dev"
            )
    assert str(refusal.value) == (
        "Tables not found in aws:: UsersLeaderboard. "
        "Run: hansang tables create leaderboards --data aws: --suffix=-dev"
    )
