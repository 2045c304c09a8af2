"""The vault: what it seals opens with its key, for its purpose, and not otherwise."""

from __future__ import annotations

import pytest

from hansang.errors import SettingsError, WrongKey
from hansang.parts.vault import Vault

KEY = "thirty-two characters or more of it"


def test_what_is_sealed_opens_with_the_same_key() -> None:
    sealed = Vault(KEY).seal("cookies", b"secret")
    assert Vault(KEY).open("cookies", sealed) == b"secret"


def test_the_same_secret_is_never_sealed_to_the_same_text() -> None:
    vault = Vault(KEY)
    assert vault.seal("cookies", b"secret") != vault.seal("cookies", b"secret")


def test_another_purpose_opens_nothing() -> None:
    sealed = Vault(KEY).seal("cookies", b"secret")
    with pytest.raises(WrongKey):
        Vault(KEY).open("cursors", sealed)


@pytest.mark.parametrize("text", ["", "v1", "v1.x.", "v1.x.????", "v1.x.AAAA", "v1.x." + "A" * 80])
def test_what_was_not_sealed_is_refused(text: str) -> None:
    with pytest.raises(WrongKey):
        Vault(KEY).open("cookies", text)


def test_a_changed_letter_is_found() -> None:
    sealed = Vault(KEY).seal("cookies", b"secret")
    changed = sealed[:-6] + ("A" if sealed[-6] != "A" else "B") + sealed[-5:]
    with pytest.raises(WrongKey):
        Vault(KEY).open("cookies", changed)


def test_a_key_that_could_be_guessed_is_refused() -> None:
    with pytest.raises(SettingsError, match="at least 32"):
        Vault("short")
