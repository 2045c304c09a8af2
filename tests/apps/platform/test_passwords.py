"""How passwords are kept and compared."""

from __future__ import annotations

import pytest

from hansang.apps.platform.passwords import Passwords, check_strength
from hansang.errors import InvalidInput
from tests.apps.platform.signing_in import PASSWORD, at_once, quick_passwords


def test_only_the_same_password_fits() -> None:
    passwords = quick_passwords()
    kept = passwords.hashed(PASSWORD)
    assert passwords.fits(kept, PASSWORD)
    assert not passwords.fits(kept, PASSWORD + " ")
    assert not passwords.fits(kept, "")
    assert passwords.hashed(PASSWORD) != kept


def test_nothing_fits_when_nothing_is_kept() -> None:
    passwords = quick_passwords()
    assert not passwords.fits(None, "nobody has this password")
    assert not passwords.fits(None, "")


def test_a_hash_that_is_none_fits_nothing() -> None:
    assert not quick_passwords().fits("not a hash", PASSWORD)


def test_a_password_may_be_of_any_characters() -> None:
    passwords = quick_passwords()
    for password in ("열 글자가 넘는 비밀번호", "🔑" * 10, "\ud800" * 10, "\x00" * 10):
        check_strength(password, "seoyeon")
        assert passwords.fits(passwords.hashed(password), password)


@pytest.mark.parametrize("length", [0, 9, 201])
def test_the_length_is_said(length: int) -> None:
    with pytest.raises(InvalidInput, match=f"10 to 200 characters; this one has {length}"):
        check_strength("가" * length, "seoyeon")


def test_the_shortest_and_the_longest_are_taken() -> None:
    check_strength("가" * 10, "seoyeon")
    check_strength("가" * 200, "seoyeon")


def test_one_that_would_take_long_to_read_is_wrong_at_once() -> None:
    passwords = quick_passwords()
    marks = "\u0301" * 1_000_000
    assert not passwords.fits(passwords.hashed(PASSWORD), marks)
    with pytest.raises(InvalidInput, match="this one has 1000000"):
        check_strength(marks, "mina")


def test_many_at_the_same_time_take_turns_and_all_are_answered() -> None:
    passwords = Passwords()
    kept = passwords.hashed(PASSWORD)
    assert at_once(6, lambda _: passwords.fits(kept, PASSWORD)) == [True] * 6
