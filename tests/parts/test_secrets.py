"""Secrets of the server."""

from __future__ import annotations

import pytest

from hansang.design import Database
from hansang.errors import WrongKey
from hansang.parts.secrets import Secret, SecretKey, are_sealed, renew, secret
from hansang.parts.vault import Vault
from tests.parts.faults import at_once, losing

VAULT = Vault("a key for the tests of the secrets")


def test_a_secret_is_made_once_and_stays_the_same(database: Database) -> None:
    first = secret(database, VAULT, "cookies")
    assert len(first) == 32
    assert secret(Database(database.backend), VAULT, "cookies") == first


def test_secrets_of_other_names_are_others(database: Database) -> None:
    assert secret(database, VAULT, "cookies") != secret(database, VAULT, "cursors")


def test_workers_that_start_together_get_the_same_secret(database: Database) -> None:
    found = at_once(8, lambda number: secret(Database(database.backend), VAULT, "cookies"))
    assert all(isinstance(each, bytes) for each in found)
    assert len(set(map(repr, found))) == 1


def test_a_lost_answer_does_not_make_a_second_secret(database: Database) -> None:
    names = [f"name{number}" for number in range(6)]
    found = [secret(losing(database, 0.5, seed), VAULT, name) for seed, name in enumerate(names)]
    assert [secret(database, VAULT, name) for name in names] == found


def test_what_is_stored_does_not_hold_the_secret(database: Database) -> None:
    found = secret(database, VAULT, "cookies")
    stored = database.get(SecretKey(name="cookies"))
    assert stored.plain is None
    assert stored.sealed is not None
    assert found.hex() not in stored.sealed
    assert VAULT.open("cookies", stored.sealed) == found


def test_a_secret_that_lay_open_is_made_anew_and_is_gone(database: Database) -> None:
    lay_open = b"o" * 32
    database.put(Secret(name="cookies", plain=lay_open))
    assert not are_sealed(database)
    found = secret(database, VAULT, "cookies")
    assert found != lay_open
    assert database.get(SecretKey(name="cookies")).plain is None
    assert are_sealed(database)
    assert secret(database, VAULT, "cookies") == found


def test_workers_that_upgrade_together_get_the_same_secret(database: Database) -> None:
    database.put(Secret(name="cookies", plain=b"o" * 32))
    found = at_once(8, lambda number: secret(Database(database.backend), VAULT, "cookies"))
    assert len(set(map(repr, found))) == 1


def test_another_key_opens_nothing_and_says_what_to_do(database: Database) -> None:
    secret(database, VAULT, "cookies")
    with pytest.raises(WrongKey, match="hansang secrets renew"):
        secret(database, Vault("another key for the tests of the secrets"), "cookies")


def test_renewed_secrets_are_others_and_open_with_the_new_key(database: Database) -> None:
    before = secret(database, VAULT, "cookies")
    other = Vault("another key for the tests of the secrets")
    renew(database, other)
    assert secret(database, other, "cookies") != before
