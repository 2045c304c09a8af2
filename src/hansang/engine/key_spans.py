"""The rows that conditions on a key ask for, and where a page of them goes on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hansang.engine.expressions.key_conditions import KeyRange, key_range
from hansang.engine.expressions.key_parts import Part
from hansang.engine.faults import invalid
from hansang.engine.schema import IndexSchema, TableSchema
from hansang.engine.start_keys import expect_number, place
from hansang.engine.values import Item


def wanted_rows(
    table: TableSchema,
    index: IndexSchema | None,
    parts: Mapping[str, Part],
    start: Item | None,
    *,
    backward: bool,
) -> KeyRange:
    """The rows that are asked for, and are still to come."""
    key = table.key if index is None else index.key
    if start is None:
        return key_range(parts, key)
    expect_number(start, table, index)
    wanted = key_range(parts, key, start)
    row = _restart(table, index, wanted, start)
    return replace(wanted, high=row) if backward else replace(wanted, low=row + b"\0")


def _restart(table: TableSchema, index: IndexSchema | None, wanted: KeyRange, start: Item) -> bytes:
    """The row behind which to go on, refused when the query could never have stopped there."""
    row = place(start, table, index)
    own = (table.key if index is None else index.key).partition(start)
    # The condition on the sort key is judged first, as if the place were in the right partition.
    if not wanted.low <= wanted.partition + row[len(own) :] < wanted.high:
        raise invalid("The provided starting key does not match the range key predicate")
    if own != wanted.partition and wanted.sort is None:
        raise invalid("The provided starting key is outside query boundaries based on provided conditions")
    if own != wanted.partition or is_single(table, index, wanted):
        raise invalid("The query can return at most one row and cannot be restarted")
    return row


def is_single(table: TableSchema, index: IndexSchema | None, wanted: KeyRange) -> bool:
    """Whether no more than one item can be found: the key of the table is given whole."""
    if index is not None:
        return False
    return not table.key.range or (wanted.sort is not None and wanted.sort.sign == "=")
