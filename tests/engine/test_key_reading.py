"""Keys are read back from their bytes, or not at all."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansang.engine.key_reading import find_row_key
from hansang.engine.numbers import from_sortable, normal, sortable, sortable_length
from hansang.engine.schema import EXPIRY, IndexSchema, KeyAttribute, KeySchema, TableSchema
from hansang.engine.values import encoded

texts = st.text(
    st.sampled_from("\0\x01#a가") | st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20
)
numbers = st.decimals(
    allow_nan=False, allow_infinity=False, places=5, min_value=-(10**20), max_value=10**20
).map(lambda number: normal(str(number + 0)))
values = {
    "S": texts,
    "N": numbers | st.sampled_from(["0", "1e125", "-1e-130", "9" * 38]).map(normal),
    "B": st.binary(min_size=1, max_size=8).map(encoded),
}


@given(numbers)
def test_a_number_is_read_back_from_its_sortable_bytes(text: str) -> None:
    row = sortable(text)
    assert from_sortable(row) == text
    assert sortable_length(row + b"\0\xff") == len(row)
    assert Decimal(from_sortable(row)) == Decimal(text)


def table(hashed: str, ranged: str) -> TableSchema:
    """A table with an index; the numbers of its rows do not matter here."""
    own, other = KeyAttribute("pk", hashed), KeyAttribute("sk", ranged)
    by_colour = KeySchema((KeyAttribute("colour", "S"),), (other,))
    index = IndexSchema("by-colour", True, by_colour, "ALL", frozenset(), 2)
    return TableSchema("rice", KeySchema((own,), (other,)), (index,), 1, None, None, None, {})


@pytest.mark.parametrize("hashed", "SNB")
@pytest.mark.parametrize("ranged", "SNB")
@given(drawn=st.data())
def test_a_key_is_read_back_from_the_rows_of_table_and_indexes(
    hashed: str, ranged: str, drawn: st.DataObject
) -> None:
    schema = table(hashed, ranged)
    wanted: dict[str, Any] = {
        "pk": {hashed: drawn.draw(values[hashed])},
        "sk": {ranged: drawn.draw(values[ranged])},
    }
    row = schema.key.encode(wanted)
    assert find_row_key(schema, None, row) == wanted
    assert find_row_key(schema, EXPIRY, bytes(8) + row) == wanted
    behind = schema.index("by-colour").key.encode({**wanted, "colour": {"S": "red"}}) + row
    assert find_row_key(schema, "by-colour", behind) == wanted
    for cut in range(len(row)):
        assert find_row_key(schema, None, row[:cut]) is None


@given(texts, st.data())
def test_a_partition_key_with_another_byte_is_not_whole(text: str, drawn: st.DataObject) -> None:
    schema = table("S", "S")
    row = bytearray(schema.key.encode({"pk": {"S": text}, "sk": {"S": "x"}}))
    place = drawn.draw(st.integers(0, 3 + len(text.encode())))
    row[place] ^= drawn.draw(st.integers(1, 255))
    assert find_row_key(schema, None, bytes(row)) is None


@given(st.binary(max_size=40))
def test_any_bytes_are_a_key_or_none(row: bytes) -> None:
    for hashed in "SNB":
        for ranged in "SNB":
            for place in (None, EXPIRY, "by-colour"):
                find_row_key(table(hashed, ranged), place, row)
