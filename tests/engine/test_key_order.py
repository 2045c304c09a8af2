"""Keys become bytes that sort as DynamoDB sorts, and ranges of keys hold what they should."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansang.engine import key_order
from hansang.engine.key_order import EVERYTHING, after, escaped, ordered, partition, segment
from hansang.engine.values import encoded

strings = st.text(alphabet=st.sampled_from("\0\x01az가\uffff😀") | st.characters(exclude_categories=["Cs"]))
key_bytes = st.binary(max_size=6) | st.text("\0\x01\xff", max_size=5).map(lambda text: text.encode("latin-1"))
segments = st.integers(1, 2000).flatmap(lambda total: st.tuples(st.integers(0, total - 1), st.just(total)))


@given(strings, strings)
def test_string_keys_sort_as_their_utf8_bytes(left: str, right: str) -> None:
    assert (ordered("S", left) < ordered("S", right)) == (left.encode() < right.encode())
    assert (ordered("S", left) == ordered("S", right)) == (left == right)


@given(key_bytes, key_bytes)
def test_binary_keys_sort_as_unsigned_bytes(left: bytes, right: bytes) -> None:
    first, second = ordered("B", encoded(left)), ordered("B", encoded(right))
    assert (first < second) == (left < right)
    assert (first == second) == (left == right)


@given(strings, strings, st.binary(max_size=3), st.binary(max_size=3))
def test_what_follows_a_key_does_not_change_its_place(left: str, right: str, a: bytes, b: bytes) -> None:
    if left.encode() < right.encode():
        assert ordered("S", left) + a < ordered("S", right) + b


@given(strings, strings)
def test_the_range_of_a_prefix_holds_what_begins_with_it(prefix: str, text: str) -> None:
    low = escaped("S", prefix)
    assert (low <= ordered("S", text) < after(low)) == text.startswith(prefix)
    assert low <= ordered("S", prefix + text) < after(low)


@given(key_bytes, key_bytes)
def test_the_range_of_a_binary_prefix_holds_what_begins_with_it(prefix: bytes, value: bytes) -> None:
    low = b"p" + escaped("B", encoded(prefix))
    assert (low <= b"p" + ordered("B", encoded(value)) < after(low)) == value.startswith(prefix)


@given(st.binary(min_size=1, max_size=5), st.binary(max_size=5))
def test_after_is_behind_all_that_begins_with_the_prefix(prefix: bytes, rest: bytes) -> None:
    if prefix.strip(b"\xff"):
        assert prefix + rest < after(prefix)
        assert not after(prefix).startswith(prefix)


@given(st.lists(strings, min_size=2, max_size=4), st.lists(strings, min_size=2, max_size=4))
def test_partitions_of_several_values_differ_where_the_values_do(left: list[str], right: list[str]) -> None:
    first, second = (partition([("S", text) for text in texts]) for texts in (left, right))
    if len(left) == len(right):
        assert (first == second) == (left == right)
        assert not first.startswith(second) or left == right


@given(strings, strings)
def test_no_partition_begins_with_another(left: str, right: str) -> None:
    first, second = partition([("S", left)]), partition([("S", right)])
    assert first.startswith(second) == (left == right)


@given(segments, strings)
def test_a_row_is_in_exactly_one_segment(chosen: tuple[int, int], key: str) -> None:
    _, total = chosen
    row = partition([("S", key)])
    homes = [
        number for number in range(total) if segment(number, total)[0] <= row < segment(number, total)[1]
    ]
    assert len(homes) == 1


@given(segments)
def test_segments_follow_one_another_without_gaps(chosen: tuple[int, int]) -> None:
    number, total = chosen
    low, high = segment(number, total)
    assert low <= high
    assert number == total - 1 or high == segment(number + 1, total)[0]
    assert EVERYTHING[0] <= low


@pytest.mark.parametrize("total", [1, 3, 1_000_000])
def test_the_last_segment_ends_behind_every_row(total: int) -> None:
    assert segment(total - 1, total)[1] == EVERYTHING[1]


@pytest.mark.parametrize(
    ("tag", "content", "length"), [("S", "가a", 4), ("B", "AAEC", 3), ("S", "", 0), ("S", "\0", 1)]
)
def test_limits_on_length_count_the_bytes_of_a_key(tag: str, content: str, length: int) -> None:
    assert len(key_order.raw(tag, content)) == length
