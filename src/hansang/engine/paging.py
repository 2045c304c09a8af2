"""One page of a query or of a scan: rows in order, up to the limit or 1 MB, then the filter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from hansang.engine.capacity import Consumed, read_units
from hansang.engine.expressions import conditions
from hansang.engine.expressions.binding import Bound
from hansang.engine.faults import invalid, invalid_parameter
from hansang.engine.schema import Index, KeySchema, Table
from hansang.engine.store import Reader, Row
from hansang.engine.values import Item, accept_item

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

_LARGEST_PAGE = 1024 * 1024
_FETCHED_AT_ONCE = 128


@dataclass(slots=True)
class Source:
    """Where a page is read from, and which attributes its items shall have."""

    table: Table
    index: Index | None
    select: str
    bound: Bound
    consistent: bool
    fetches: bool
    """Whether the items have attributes that only the table holds (a local index fetches them)."""

    @property
    def rows(self) -> int:
        return self.table.rows if self.index is None else self.index.rows

    @property
    def key(self) -> KeySchema:
        return self.table.key if self.index is None else self.index.key

    @property
    def key_names(self) -> dict[str, None]:
        """The attributes that name a place in the order of this source."""
        return dict.fromkeys(self.key.names + self.table.key.names)


# ── what a request may ask for ────────────────────────────────────────────────────────────────────


def source(table: Table, request: Mapping[str, Any], bound: Bound, *, by_key: bool) -> Source:
    """Where the request reads from; refused when it cannot be read as the request asks."""
    name = request.get("IndexName")
    index = None if name is None else _readable_index(table, name)
    consistent = bool(request.get("ConsistentRead"))
    if index is not None and index.is_global and consistent:
        raise invalid("Consistent reads are not supported on global secondary indexes")
    if by_key:
        _refuse_key_filter(table.key if index is None else index.key, bound)
    table.refuse_nested(bound.nested)
    select = _select(request, index)
    return Source(table, index, select, bound, consistent, _fetches(index, select, bound))


def _readable_index(table: Table, name: str) -> Index:
    index = table.index(name)
    for description in table.definition["GlobalSecondaryIndexes"]:
        if description["IndexName"] == name and description.get("Backfilling"):
            raise invalid(f"Cannot read from backfilling global secondary index: {name}")
    return index


def _select(request: Mapping[str, Any], index: Index | None) -> str:
    projected = request.get("ProjectionExpression") is not None
    default = "ALL_PROJECTED_ATTRIBUTES" if index is not None else "ALL_ATTRIBUTES"
    select: str = request.get("Select") or ("SPECIFIC_ATTRIBUTES" if projected else default)
    if projected and select != "SPECIFIC_ATTRIBUTES":
        what = "only the Count" if select == "COUNT" else select
        raise invalid(f"Cannot specify the ProjectionExpression when choosing to get {what}")
    if select == "SPECIFIC_ATTRIBUTES" and not projected:
        raise invalid(
            "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES"
        )
    if select == "ALL_PROJECTED_ATTRIBUTES" and index is None:
        raise invalid("ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName")
    if select == "ALL_ATTRIBUTES" and index is not None and index.is_global and index.names is not None:
        raise invalid_parameter(
            f"Select type ALL_ATTRIBUTES is not supported for global secondary index {index.name} "
            "because its projection type is not ALL"
        )
    return select


def _fetches(index: Index | None, select: str, bound: Bound) -> bool:
    if index is None or index.names is None:
        return False
    if bound.filter is not None:
        _refuse_unprojected_filter(index, bound.filter)
    missing = [
        name for name in (bound.projection.roots if bound.projection else ()) if not index.projects(name)
    ]
    if index.is_global and missing:
        raise invalid_parameter(
            f"Global secondary index {index.name} does not project [{', '.join(missing)}]"
        )
    return bool(missing) or (select == "ALL_ATTRIBUTES" and not index.is_global)


def _refuse_unprojected_filter(index: Index, condition: conditions.Parsed) -> None:
    names = dict.fromkeys(str(path[0]) for path in condition.paths)
    missing = [name for name in names if not index.projects(name)]
    if missing:
        raise invalid_parameter(
            f"Secondary index {index.name} does not project one or more filter attributes: [{', '.join(missing)}]"
        )


def _refuse_key_filter(key: KeySchema, bound: Bound) -> None:
    """A query's filter may not look at the key that the query is by."""
    if bound.filter is None:
        return
    for path in bound.filter.paths:
        if path[0] in key.names:
            raise invalid(
                "Filter Expression can only contain non-primary key attributes: "
                f"Primary key attribute: {path[0]}"
            )


def start_key(source: Source, given: Mapping[str, Any]) -> Item:
    """The ExclusiveStartKey, refused unless it names a place in this source."""
    start, _ = accept_item(given)
    names = source.key_names
    if start.keys() != names.keys():
        raise invalid(_MISFIT if source.index is None else "The provided starting key is invalid")
    for attribute in (*source.key.attributes, *source.table.key.attributes):
        value = start[attribute.name]
        if not attribute.fits(value):
            raise invalid(_MISFIT)
        if attribute.empty(value):
            raise invalid("The provided starting key is invalid")
    source.key.check_lengths(start)
    return start


_MISFIT = "The provided starting key is invalid: The provided key element does not match the schema"


def place(source: Source, start: Item) -> bytes:
    """The row key of a place."""
    if source.index is None:
        return source.table.key.encode(start)
    return source.index.key.encode(start) + source.table.key.encode(start)


# ── the page ──────────────────────────────────────────────────────────────────────────────────────


def page(
    engine: Engine, source: Source, request: Mapping[str, Any], low: bytes, high: bytes, *, backward: bool
) -> dict[str, Any]:
    """Read a page between two keys and answer with it."""
    if source.fetches:
        with engine.store.snapshot() as reader:
            return _page(reader, source, request, low, high, backward=backward)
    reader = engine.store.acquire()
    try:
        return _page(reader, source, request, low, high, backward=backward)
    finally:
        engine.store.release(reader)


def _page(
    reader: Reader, source: Source, request: Mapping[str, Any], low: bytes, high: bytes, *, backward: bool
) -> dict[str, Any]:
    rows, size, cut = _rows(reader, source.rows, low, high, backward=backward, limit=request.get("Limit"))
    consumed = _cost(source, size)
    bound, response = source.bound, dict[str, Any]()
    if source.select == "COUNT" and bound.filter is None:
        count = len(rows)
        last = orjson.loads(rows[-1][0]) if cut else None
    else:
        items = _items(reader, source, rows, consumed)
        last = items[-1] if cut else None
        kept = _kept(bound, items)
        count = len(kept)
        if source.select != "COUNT":
            response["Items"] = kept if bound.projection is None else list(map(bound.projection.pick, kept))
    response["Count"], response["ScannedCount"] = count, len(rows)
    if last is not None:
        response["LastEvaluatedKey"] = {name: last[name] for name in source.key_names}
    mode = request.get("ReturnConsumedCapacity", "NONE")
    if mode != "NONE":
        response["ConsumedCapacity"] = consumed.report(source.table.name, mode)
    return response


def _kept(bound: Bound, items: list[Item]) -> list[Item]:
    if bound.filter is None:
        return items
    test, values = bound.filter.test, bound.values
    return [item for item in items if test(item, values)]


def _rows(
    reader: Reader, rows: int, low: bytes, high: bytes, *, backward: bool, limit: int | None
) -> tuple[list[Row], int, bool]:
    """The rows of a page, their size, and whether there may be more behind it.

    A page ends with the row that brings it to its limit, whether more follow or not, as on AWS.
    """
    found: list[Row] = []
    total = 0
    cursor = reader.range(rows, low, high, backward=backward)
    try:
        while True:
            wanted = _FETCHED_AT_ONCE if limit is None else min(limit - len(found), _FETCHED_AT_ONCE)
            chunk = cursor.fetchmany(wanted)
            size = sum([row[1] for row in chunk])
            if total + size >= _LARGEST_PAGE:
                return *_cut(found, total, chunk), True
            found += chunk
            total += size
            if len(found) == limit:
                return found, total, True
            if len(chunk) < wanted:
                return found, total, False
    finally:
        cursor.close()


def _cut(found: list[Row], total: int, chunk: list[Row]) -> tuple[list[Row], int]:
    for position, row in enumerate(chunk, 1):
        total += row[1]
        if total >= _LARGEST_PAGE:
            return found + chunk[:position], total
    return found + chunk, total


def _cost(source: Source, size: int) -> Consumed:
    units = read_units(size, consistent=source.consistent)
    consumed = Consumed()
    if source.index is None:
        consumed.table = units
    else:
        consumed.add_index(source.index.name, units, is_global=source.index.is_global)
    return consumed


def _items(reader: Reader, source: Source, rows: list[Row], consumed: Consumed) -> list[Item]:
    # Decoding all rows as one document takes less time than one at a time.
    items: list[Item] = orjson.loads(b"[" + b",".join([row[0] for row in rows]) + b"]")
    if not source.fetches:
        return items
    whole = []
    for item in items:
        row = reader.get(source.table.rows, source.table.key.encode(item))
        if row is not None:
            consumed.table += read_units(row[1], consistent=source.consistent)
            whole.append(orjson.loads(row[0]))
    return whole
