"""Secrets that are given out once."""

from __future__ import annotations

from secrets import token_bytes

from hansang.apps.platform.tokens import digest, new_token


def test_a_token_is_all_of_the_randomness_that_it_was_given() -> None:
    assert new_token(lambda length: b"\xff" * length) == "_" * 42 + "8"
    assert new_token(lambda length: bytes(length), 6) == "A" * 8


def test_tokens_differ_and_are_safe_in_addresses() -> None:
    made = {new_token(token_bytes) for _ in range(100)}
    assert len(made) == 100
    assert all(each.replace("-", "").replace("_", "").isalnum() and len(each) == 43 for each in made)


def test_a_digest_is_sha_256() -> None:
    assert digest("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
