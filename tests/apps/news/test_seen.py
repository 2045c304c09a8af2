"""The set of links that a run has seen."""

from __future__ import annotations

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as some

from hansang.apps.news import seen
from hansang.apps.news.seen import SeenLinks
from tests.clauses import clause


@given(some.lists(some.integers(0, 300)))
def test_it_says_what_a_set_would_say(numbers: list[int]) -> None:
    links, known = SeenLinks(), set[int]()
    for number in numbers:
        assert links.add(str(number)) is (number not in known)
        known.add(number)
    assert len(links) == len(known)


def test_it_grows_and_forgets_nothing() -> None:
    links = SeenLinks()
    wanted = [str(number) for number in range(20_000)]
    assert all(links.add(url) for url in wanted)
    assert not any(links.add(url) for url in wanted)


class Digest:
    """A hash whose first bytes a test says; the rest is as it would be."""

    def __init__(self, first: bytes, text: bytes) -> None:
        self._digest = first + sha256(text).digest()[len(first) :]

    def digest(self) -> bytes:
        return self._digest


@clause("X3-06")
def test_links_whose_keys_collide_are_two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seen, "sha256", lambda text: Digest(b"12345678", text))
    links = SeenLinks()
    assert links.add("https://a.example")
    assert links.add("https://b.example")
    assert not links.add("https://a.example")
    assert len(links) == 2


def test_a_hash_of_nothing_but_zeros_is_one_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seen, "sha256", lambda text: Digest(bytes(12), text))
    links = SeenLinks()
    assert links.add("https://a.example")
    assert not links.add("https://a.example")
