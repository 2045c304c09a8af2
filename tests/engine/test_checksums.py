"""The checksums of rows, alone and added up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansang.engine.sql.checksums import SIZE, are_sound, count_mark, is_sound, mark_of, sealed, unsealed
from hansang.engine.sql.errors import DamagedRow

ROWS = st.lists(
    st.tuples(st.binary(min_size=1, max_size=40), st.binary(max_size=60), st.integers(0, 400 * 1024)),
    min_size=1,
    max_size=128,
)


@given(ROWS, st.integers(1, 1 << 20))
def test_marks_add_up_for_any_rows(rows: list[tuple[bytes, bytes, int]], number: int) -> None:
    marks = [mark_of(number, *row) for row in rows]
    assert all(mark & SIZE == size for mark, (_, _, size) in zip(marks, rows, strict=True))
    assert 0 < sum(marks) < 1 << 63
    assert are_sound(number, *joined(rows), sum(marks), len(rows))
    assert not are_sound(number + 1, *joined(rows), sum(marks), len(rows))


def joined(rows: list[tuple[bytes, bytes, int]]) -> tuple[bytes, bytes]:
    return b",".join(key for key, _, _ in rows), b",".join(value for _, value, _ in rows)


@given(st.binary(min_size=1, max_size=40), st.binary(min_size=1, max_size=60), st.data())
def test_a_changed_byte_is_noticed(key: bytes, value: bytes, data: st.DataObject) -> None:
    mark = mark_of(7, key, value, 100)
    row = bytearray(key + value)
    place = data.draw(st.integers(0, len(row) - 1))
    row[place] ^= data.draw(st.integers(1, 255))
    changed = bytes(row[: len(key)]), bytes(row[len(key) :])
    assert is_sound(7, key, value, mark)
    assert not is_sound(7, *changed, mark)
    assert not are_sound(7, *changed, mark, 1)


@pytest.mark.parametrize("row", [(None, b"", 1), (b"k", "text", 1), (b"k", b"v", None), (b"k", b"v", 2.5)])
def test_a_row_of_other_types_is_not_sound(row: tuple[object, object, object]) -> None:
    assert not is_sound(1, *row)


def test_a_document_is_read_under_its_own_name_alone() -> None:
    stored = sealed(b"{}", "rice", 1)
    assert unsealed(stored, "rice", 1) == b"{}"
    for wrong in (stored.replace(b"{", b"["), stored[:-1], b"\n", None):
        with pytest.raises(DamagedRow):
            unsealed(wrong, "rice", 1)
    with pytest.raises(DamagedRow):
        unsealed(stored, "soup", 1)


def test_a_document_from_before_there_were_checksums_is_read() -> None:
    assert unsealed(b'{"a":1}', "rice") == b'{"a":1}'


def test_the_mark_of_a_count_grows_with_it() -> None:
    assert count_mark(3, 5, 700) == count_mark(3, 0, 0) + count_mark(0, 2, 300) + count_mark(0, 3, 400)
