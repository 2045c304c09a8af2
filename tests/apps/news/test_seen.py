"""The set of links that a run has seen."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as some

from hansang.apps.news.rules import pk_of
from hansang.apps.news.seen import SeenKeys


@given(some.lists(some.integers(0, 300)))
def test_it_says_what_a_set_would_say(numbers: list[int]) -> None:
    keys, seen = SeenKeys(), set[str]()
    for number in numbers:
        pk = pk_of(str(number))
        assert keys.add(pk) is (pk not in seen)
        seen.add(pk)
    assert len(keys) == len(seen)


def test_it_grows_and_forgets_nothing() -> None:
    keys = SeenKeys()
    wanted = [pk_of(str(number)) for number in range(20_000)]
    assert all(keys.add(pk) for pk in wanted)
    assert not any(keys.add(pk) for pk in wanted)


def test_a_hash_of_nothing_but_zeros_is_one_too() -> None:
    keys = SeenKeys()
    assert keys.add("h#" + "0" * 16)
    assert not keys.add("h#" + "0" * 16)
