"""Secrets of the server."""

from __future__ import annotations

from hansang.design import Database
from hansang.parts.secrets import secret
from tests.parts.faults import at_once, losing


def test_a_secret_is_made_once_and_stays_the_same(database: Database) -> None:
    first = secret(database, "cookies")
    assert len(first) == 32
    assert secret(Database(database.backend), "cookies") == first


def test_secrets_of_other_names_are_others(database: Database) -> None:
    assert secret(database, "cookies") != secret(database, "cursors")


def test_workers_that_start_together_get_the_same_secret(database: Database) -> None:
    found = at_once(8, lambda number: secret(Database(database.backend), "cookies"))
    assert all(isinstance(each, bytes) for each in found)
    assert len(set(map(repr, found))) == 1


def test_a_lost_answer_does_not_make_a_second_secret(database: Database) -> None:
    names = [f"name{number}" for number in range(6)]
    found = [secret(losing(database, 0.5, seed), name) for seed, name in enumerate(names)]
    assert [secret(database, name) for name in names] == found
