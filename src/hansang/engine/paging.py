"""One page of a query or of a scan: rows in order, up to the limit or 1 MB, then the filter."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from hansang.engine.capacity import Consumed, read_units
from hansang.engine.expressions import conditions
from hansang.engine.expressions.binding import BoundExpressions
from hansang.engine.faults import invalid, invalid_parameter
from hansang.engine.schema import IndexSchema, KeySchema, TableSchema
from hansang.engine.sql.checksums import SIZE
from hansang.engine.sql.reader import JOINED_AT_ONCE, Reader, RowPiece
from hansang.engine.start_keys import place_names
from hansang.engine.values import Item

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

LARGEST_PAGE = 1024 * 1024


@dataclass(slots=True)
class PageSource:
    """Where a page is read from, and which attributes its items shall have."""

    table: TableSchema
    index: IndexSchema | None
    select: str
    bound: BoundExpressions
    consistent: bool
    fetches: bool
    """Whether the items have attributes that only the table holds (a local index fetches them)."""
    splices: bool = False
    """Whether items that are asked for whole go into the answer as they are stored, to be encoded with it."""

    @property
    def rows(self) -> int:
        return self.table.rows if self.index is None else self.index.rows

    @property
    def is_whole(self) -> bool:
        """Whether every row that is read is shown, with all that the rows have."""
        chosen = self.bound.filter or self.bound.projection
        return chosen is None and not self.fetches and self.select != "COUNT"


@dataclass(slots=True)
class RowSpan:
    """Which rows of it: between two keys, in one direction, up to a limit."""

    low: bytes
    high: bytes
    limit: int | None
    backward: bool = False
    room: int = LARGEST_PAGE
    """How many bytes may be read; when they are read, how many are left."""


# ── what a request may ask for ────────────────────────────────────────────────────────────────────


def index_of(table: TableSchema, request: Mapping[str, Any]) -> IndexSchema | None:
    """The index that the request reads, if any; refused when it cannot be read now, or not so."""
    name = request.get("IndexName")
    if name is None:
        return None
    index = table.index(name)
    if index.filling:
        raise invalid(f"Cannot read from backfilling global secondary index: {name}")
    if index.is_global and request.get("ConsistentRead"):
        raise invalid("Consistent reads are not supported on global secondary indexes")
    return index


def source(
    table: TableSchema,
    index: IndexSchema | None,
    request: Mapping[str, Any],
    bound: BoundExpressions,
    *,
    by_key: bool,
) -> PageSource:
    """What is read; refused when it has not what the request asks for."""
    if by_key and bound.filter is not None:
        _refuse_key_filter(table.key if index is None else index.key, bound.filter)
        if index is not None:
            refuse_unprojected_filter(index, bound.filter)
    select = _select(request, index, bound)
    consistent = bool(request.get("ConsistentRead"))
    return PageSource(table, index, select, bound, consistent, _fetches(index, select, bound))


def _select(request: Mapping[str, Any], index: IndexSchema | None, bound: BoundExpressions) -> str:
    projected = bound.projection is not None
    default = "ALL_PROJECTED_ATTRIBUTES" if index is not None else "ALL_ATTRIBUTES"
    select: str = request.get("Select") or ("SPECIFIC_ATTRIBUTES" if projected else default)
    if projected and select != "SPECIFIC_ATTRIBUTES":
        what = "only the Count" if select == "COUNT" else select
        named = "AttributesToGet" if "AttributesToGet" in request else "ProjectionExpression"
        raise invalid(f"Cannot specify the {named} when choosing to get {what}")
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


def _fetches(index: IndexSchema | None, select: str, bound: BoundExpressions) -> bool:
    if index is None or index.names is None:
        return False
    missing = [
        name for name in (bound.projection.roots if bound.projection else ()) if not index.projects(name)
    ]
    if index.is_global and missing:
        raise invalid_parameter(
            f"Global secondary index {index.name} does not project [{', '.join(missing)}]"
        )
    return bool(missing) or (select == "ALL_ATTRIBUTES" and not index.is_global)


def refuse_unprojected_filter(index: IndexSchema, condition: conditions.ParsedCondition) -> None:
    """A query's filter may only look at what its index holds; that of a scan just does not see the rest."""
    missing = sorted({str(path[0]) for path in condition.paths if not index.projects(str(path[0]))})
    if missing:
        raise invalid_parameter(
            f"Secondary index {index.name} does not project one or more filter attributes: [{', '.join(missing)}]"
        )


def _refuse_key_filter(key: KeySchema, condition: conditions.ParsedCondition) -> None:
    """A query's filter may not look at the key that the query is by."""
    for path in condition.paths:
        if path[0] in key.names:
            named = "QueryFilter" if condition.label == "QueryFilter" else "Filter Expression"
            raise invalid(
                f"{named} can only contain non-primary key attributes: Primary key attribute: {path[0]}"
            )


# ── the page ──────────────────────────────────────────────────────────────────────────────────────


def page(engine: Engine, source: PageSource, span: RowSpan, request: Mapping[str, Any]) -> dict[str, Any]:
    """Read a page and answer with it."""
    throttling, key = engine.throttling, span.high if span.backward else span.low
    if throttling is not None:
        throttling.expect_read(source.table, source.index, key)
    if source.fetches:
        with engine.store.snapshot() as reader:
            response, consumed = _page(reader, source, span, request)
    else:
        reader = engine.store.acquire()
        try:
            response, consumed = _page(reader, source, span, request)
        finally:
            engine.store.release(reader)
    if throttling is not None:
        throttling.spend_read(source.table, source.index, key, consumed.total)
    return response


def _page(
    reader: Reader, source: PageSource, span: RowSpan, request: Mapping[str, Any]
) -> tuple[dict[str, Any], Consumed]:
    splices = source.splices and source.is_whole
    found = _rows(reader, source.rows, span, with_last=splices)
    consumed = _cost(source, found.size)
    if splices:
        shown = {"Items": orjson.Fragment(found.text), "Count": found.count, "ScannedCount": found.count}
        response, last = shown, orjson.loads(found.last) if found.cut else None
    else:
        items: list[Item] = orjson.loads(found.text)
        response, last = _shown(reader, source, items, consumed), items[-1] if found.cut else None
    if last is not None:
        response["LastEvaluatedKey"] = {name: last[name] for name in place_names(source.table, source.index)}
    mode = request.get("ReturnConsumedCapacity", "NONE")
    if mode != "NONE":
        response["ConsumedCapacity"] = consumed.report(request["TableName"], mode)
    return response, consumed


def _shown(reader: Reader, source: PageSource, items: list[Item], consumed: Consumed) -> dict[str, Any]:
    """The items of an answer and how many they are, of those that were read."""
    bound, response = source.bound, dict[str, Any]()
    if source.select == "COUNT" and bound.filter is None:
        count = len(items)
    else:
        kept = _kept(bound, items, _fetched(reader, source, items, consumed) if source.fetches else items)
        count = len(kept)
        if source.select != "COUNT":
            response["Items"] = kept if bound.projection is None else list(map(bound.projection.pick, kept))
    response["Count"], response["ScannedCount"] = count, len(items)
    return response


def _kept(bound: BoundExpressions, items: list[Item], shown: list[Item]) -> list[Item]:
    """The items to show of those that pass the filter, which sees them as the index holds them."""
    if bound.filter is None:
        return shown
    test, values = bound.filter.test, bound.values
    if shown is items:
        return [item for item in items if test(item, values)]
    return [whole for item, whole in zip(items, shown, strict=True) if test(item, values)]


@dataclass(slots=True)
class _Found:
    """The rows of a page as one text, their size, whether there may be more behind it, and their number."""

    values: list[bytes]
    size: int
    cut: bool
    count: int = 0
    last: bytes = b""
    """The last of the rows, if it was asked for."""

    @property
    def text(self) -> bytes:
        """All rows as one document: to decode it takes less time than one row after the other."""
        return b"[" + b",".join(self.values) + b"]"


def _rows(reader: Reader, rows: int, span: RowSpan, *, with_last: bool) -> _Found:
    """The rows of a page: in one piece when they are few, else one after the other.

    A page ends with the row that brings it to its limit, whether more follow or not, as on AWS.
    """
    limit = span.limit
    wanted = JOINED_AT_ONCE if limit is None else limit
    found, joins = None, False
    if wanted <= JOINED_AT_ONCE:
        joined = reader.joined(rows, span.low, span.high, wanted, backward=span.backward, with_last=with_last)
        if joined is not None and joined[1] < span.room and (joined[2] < wanted or limit is not None):
            values, size, count, last = joined
            found = _Found([values] if count else [], size, count == limit, count, last)
        joins = limit is None and joined is not None and joined[1] < span.room
    if found is None:
        found = _piece_by_piece(reader, rows, span, joins=joins)
    span.room -= found.size
    start = span.high if span.backward else span.low
    reader.expect_edges(rows, start, 0 if found.cut else found.count, backward=span.backward)
    return found


def _piece_by_piece(reader: Reader, rows: int, span: RowSpan, *, joins: bool) -> _Found:
    """Rows in joined pieces, if they may be, as long as the page does not end in them; the end row by row."""
    found = _Found([], 0, True)
    with reader.standing_still():
        low, high = _take_joined(reader, rows, span, found) if joins else (span.low, span.high)
        with closing(reader.pieces(rows, low, high, backward=span.backward)) as pieces:
            for piece in pieces:
                if not _takes_whole(found, span, piece):
                    _take_some(found, span, piece)
                    return found
    found.cut = False
    return found


def _take_joined(reader: Reader, rows: int, span: RowSpan, found: _Found) -> tuple[bytes, bytes]:
    """Take what can be taken of a page without a limit in joined pieces, and say where the rest lies."""
    low, high = span.low, span.high
    with closing(reader.joined_pieces(rows, low, high, backward=span.backward)) as pieces:
        for piece, *rest in pieces:
            if found.size + piece.size >= span.room:
                break
            found.values.append(piece.values)
            found.size += piece.size
            found.count += piece.number
            low, high = rest
    return low, high


def _takes_whole(found: _Found, span: RowSpan, piece: RowPiece) -> bool:
    """Take a piece, unless the page ends in it or with it."""
    size, count = found.size + piece.size, found.count + len(piece.values)
    if size >= span.room or (span.limit is not None and count >= span.limit):
        return False
    found.values += piece.values
    found.size, found.count, found.last = size, count, piece.values[-1]
    return True


def _take_some(found: _Found, span: RowSpan, piece: RowPiece) -> None:
    """Take rows of a piece up to the one that ends the page."""
    for value, mark in zip(piece.values, piece.marks, strict=True):
        found.values.append(value)
        found.size += mark & SIZE
        found.count += 1
        found.last = value
        if found.size >= span.room or found.count == span.limit:
            return


def _cost(source: PageSource, size: int) -> Consumed:
    units = read_units(size, consistent=source.consistent)
    consumed = Consumed()
    if source.index is None:
        consumed.table = units
    else:
        consumed.add_index(source.index.name, units, is_global=source.index.is_global)
    return consumed


def _fetched(reader: Reader, source: PageSource, items: list[Item], consumed: Consumed) -> list[Item]:
    """The same items as the table holds them, each charged as a read of its own."""
    whole = []
    for item in items:
        row = reader.get(source.table.rows, source.table.key.encode(item))
        assert row is not None, "an index and its table are read at the same moment"
        consumed.table += read_units(row[1], consistent=source.consistent)
        whole.append(orjson.loads(row[0]))
    return whole
