"""Looking a whole data file through: is every page, every item and every index as it has to be?

Items are compared with the rows of their indexes and these with their items, in pieces of one moment each, so a
file may be written meanwhile, and what is read of it at a time is bounded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from hansang.engine.catalog import Catalog
from hansang.engine.damage import Damage, DamageKind, DamageReport, row_text
from hansang.engine.file import check
from hansang.engine.key_order import EVERYTHING
from hansang.engine.key_reading import find_row_key
from hansang.engine.schema import EXPIRY, IndexSchema, TableSchema
from hansang.engine.sql.archives import documents as documents_of
from hansang.engine.sql.change_logs import changes_before, last_number
from hansang.engine.sql.checksums import SIZE, is_sound, unsealed
from hansang.engine.sql.connections import looking
from hansang.engine.sql.errors import BROKEN, DamagedRow
from hansang.engine.sql.reader import Reader
from hansang.engine.streams import sequence_number
from hansang.engine.table_backups import BACKUP
from hansang.engine.values import Item
from hansang.engine.writes import alike, expiry_row, index_row
from hansang.errors import DamagedFile, StoreError, WireError

Watch = Callable[[str, int, int], object]
"""Told which step is taken, how much of it is done, and of how much; 0 when nobody knows."""

PAGES, ITEMS, INDEXES = "check the pages", "check the items", "check the indexes"
_PIECE = 500
_NAMED = 5
_UNREADABLE = (*BROKEN, KeyError, TypeError, ValueError, AttributeError, WireError)

Stored = tuple[bytes, bytes, int]
"""A row as it stands: key, value, mark."""


@dataclass(frozen=True, slots=True)
class TableContents:
    """What is in one table: its items, their size, and the rows of each index."""

    name: str
    items: int
    size_bytes: int
    indexes: dict[str, int]


@dataclass(frozen=True, slots=True)
class Contents:
    """What is in a data file."""

    tables: tuple[TableContents, ...]
    size_bytes: int
    """The size of the file."""

    @property
    def items(self) -> int:
        return sum(each.items for each in self.tables)


def inspect(path: Path, watch: Watch, original: Path | None = None) -> Contents:
    """What is in a file that nobody has open; refused unless all of it is as it has to be.

    A copy that is looked through is told of as the `original`, which is damaged in the same way.
    """
    check(str(path))
    _expect_no_log(path)
    contents, report = examine(path, watch, at_rest=True)
    if report.total:
        found = "; ".join(each.said for each in report.damages[:_NAMED])
        more = f"; and {report.total - _NAMED:,} more" if report.total > _NAMED else ""
        way_out = "Take another backup" if original is None else "Mend it with --repair, or restore a backup"
        name = original or path
        raise DamagedFile(
            f"{name} is damaged and was left as it is ({found}{more}). See all of it with hansang check {name}. "
            f"{way_out}."
        )
    return contents


def examine(path: Path, watch: Watch, *, at_rest: bool = False) -> tuple[Contents, DamageReport]:
    """What is in a file, and everything that is wrong with it."""
    check(str(path))
    report = DamageReport()
    with looking(path, at_rest=at_rest) as reader:
        tables = _Inspection(reader, watch, report).tables()
    return Contents(tuple(tables), path.stat().st_size), report


def _expect_no_log(path: Path) -> None:
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and log.stat().st_size:
        raise StoreError(
            f"{path} has a log beside it, {log.name}: it is a data file that is in use, or was when it was "
            "copied, and no backup. Make one of it with hansang backup."
        )


class _Inspection:
    """One walk through all tables of a file."""

    def __init__(self, reader: Reader, watch: Watch, report: DamageReport) -> None:
        self._reader, self._watch, self._report = reader, watch, report
        self._has_plain = reader.has_plain_rows()
        self._seen: Catalog | None = None
        self._done, self._total = 0, 0

    def tables(self) -> list[TableContents]:
        self._pages()
        catalog = self._catalog()
        if catalog is None:
            return []
        self._total = sum((self._said(rows) or (0, 0))[0] for table in catalog for rows in table.places)
        for table in catalog:
            self._table(table.name)
        self._streams(catalog)
        self._backups()
        self._logs(catalog)
        self._counters(catalog)
        return [found for table in catalog if (found := self._contents(table.name)) is not None]

    @contextmanager
    def _noting(self, kind: DamageKind, table: str = "", index: str | None = "") -> Iterator[None]:
        """Note what cannot be read at all, and go on behind it."""
        try:
            yield
        except _UNREADABLE as reason:
            if getattr(reason, "sqlite_errorname", "") == "SQLITE_INTERRUPT":
                raise
            self._report.add(Damage(kind, table, index or "", detail=str(reason) or repr(reason)))

    def _pages(self) -> None:
        self._watch(PAGES, 0, 0)
        with self._noting("pages"):
            faults = self._reader.faults()
            if not faults:
                return
            for table in Catalog.load(self._reader):
                for rows, index in table.places.items():
                    with self._noting("pages", table.name, index):
                        own = self._reader.faults_of(rows)
                        if own:
                            self._report.add(Damage("pages", table.name, index or "", detail=own[0]))
            if not self._report.total:
                self._report.add(Damage("pages", detail="; ".join(faults[:_NAMED])))

    def _catalog(self) -> Catalog | None:
        try:
            return Catalog.load(self._reader)
        except _UNREADABLE as reason:
            self._report.add(Damage("catalog", detail=str(reason) or repr(reason)))
            return None

    def _now(self, name: str) -> TableSchema | None:
        """The table as it is at this moment; it may have been changed or deleted meanwhile."""
        self._reader.renew()
        if self._seen is None or self._seen.version != self._reader.catalog_version():
            self._seen = self._catalog()
        return None if self._seen is None else self._seen.find(name)

    # ── items and rows ────────────────────────────────────────────────────────────────────────────

    def _table(self, name: str) -> None:
        table = self._now(name)
        if table is None:
            return
        for rows, index in table.places.items():
            with self._noting("pages", name, index):
                for now, piece in self._pieces(name, rows):
                    for entry in piece:
                        self._entry(now, index, entry)

    def _pieces(self, name: str, rows: int) -> Iterator[tuple[TableSchema, list[Stored]]]:
        low = EVERYTHING[0]
        while (table := self._now(name)) is not None and rows in _kept(table):
            piece = self._reader.stored(rows, low, EVERYTHING[1], _PIECE)
            if not piece:
                return
            yield table, piece
            self._done += len(piece)
            self._watch(ITEMS if rows == table.rows else INDEXES, self._done, max(self._total, self._done))
            low = max(key for key, _, _ in piece) + b"\0"

    def _entry(self, table: TableSchema, index: str | None, entry: Stored) -> None:
        key, value, mark = entry
        rows = _rows_of(table, index)
        item = _decoded(value) if index != EXPIRY else None
        if not self._is_sound(rows, entry):
            self._report.add(_unsound(table, index, entry, item))
        elif index is None:
            self._item(table, key, value, mark & SIZE, item)
        elif index == EXPIRY:
            self._expiry(table, key)
        else:
            self._row(table, table.index(index), key, item)

    def _is_sound(self, rows: int, entry: Stored) -> bool:
        if is_sound(rows, *entry):
            return True
        is_plain = self._has_plain and isinstance(entry[2], int) and 0 <= entry[2] <= SIZE
        self._report.plain += is_plain
        return is_plain

    def _item(self, table: TableSchema, key: bytes, blob: bytes, size: int, item: Item | None) -> None:
        named = partial(row_text, table, None, key, item)
        if item is None or table.key.find(item) != key:
            self._report.add(Damage("item", table.name, "", named(), "it is not under its key", row=key))
            return
        for index in table.indexes:
            expected = None if index.filling else index_row(index, key, item, blob, size)
            if expected is not None:
                self._compare(table, index, expected, named)
        if table.expiry is not None and table.expiry_rows in _kept(table):
            place = expiry_row(table.expiry, key, item)
            if place is not None and self._reader.find_stored(table.expiry_rows, place) is None:
                self._report.add(Damage("missing", table.name, EXPIRY, named()))

    def _compare(
        self, table: TableSchema, index: IndexSchema, expected: Stored, named: Callable[[], str]
    ) -> None:
        found = self._reader.find_stored(index.rows, expected[0])
        if found is None:
            self._report.add(Damage("missing", table.name, index.name, named()))
        elif self._may_be_read(index.rows, (expected[0], *found)):
            value, mark = found
            if value != expected[1] and not alike((expected[0], value, mark & SIZE), expected):
                self._report.add(Damage("row", table.name, index.name, named()))

    def _may_be_read(self, rows: int, entry: Stored) -> bool:
        """Whether a row is sound; one that is not is noted when its turn comes."""
        return is_sound(rows, *entry) or (self._has_plain and isinstance(entry[2], int) and entry[2] <= SIZE)

    def _row(self, table: TableSchema, index: IndexSchema, key: bytes, row: Item | None) -> None:
        base = None if row is None else table.key.find(row)
        if base is None or not key.endswith(base):
            self._report.add(Damage("row", table.name, index.name, row_text(table, index.name, key, row)))
            return
        there = self._reader.find_stored(table.rows, base)
        item = None if there is None else _decoded(there[0])
        if there is not None and not self._may_be_read(table.rows, (base, *there)):
            # The item is noted already, and says nothing about its rows; one of them may be a copy of it.
            if index.names is None:
                self._report.add_copy(table.name, base, index.rows, key)
            return
        place = None if item is None else index.key.find(item)
        if place is None or place + base != key:
            self._report.add(Damage("stray", table.name, index.name, row_text(table, index.name, key, row)))

    def _expiry(self, table: TableSchema, key: bytes) -> None:
        assert table.expiry is not None
        there = self._reader.find_stored(table.rows, key[8:])
        item = None if there is None else _decoded(there[0])
        if there is not None and not self._may_be_read(table.rows, (key[8:], *there)):
            return
        if item is None or expiry_row(table.expiry, key[8:], item) != key:
            self._report.add(Damage("stray", table.name, EXPIRY, row_text(table, EXPIRY, key, item)))

    def _contents(self, name: str) -> TableContents | None:
        """What is in a table, when that is what the file has counted."""
        table = self._now(name)
        if table is None:
            return None
        found: dict[int, tuple[int, int]] = {}
        for rows, index in table.places.items():
            with self._noting("pages", name, index):
                self._reader.renew()
                found[rows], said = self._reader.measured(rows), self._said(rows)
                if found[rows] != said:
                    detail = f"{found[rows][0]} rows of {found[rows][1]} bytes, counted as {said}"
                    self._report.add(Damage("count", name, index or "", detail=detail))
        items, size_bytes = found.get(table.rows, (0, 0))
        indexes = {index.name: found.get(index.rows, (0, 0))[0] for index in table.indexes}
        return TableContents(name, items, size_bytes, indexes)

    def _said(self, rows: int) -> tuple[int, int] | None:
        try:
            return self._reader.counts(rows)
        except DamagedRow:
            return None

    # ── streams, tokens and counters ──────────────────────────────────────────────────────────────

    def _streams(self, catalog: Catalog) -> None:
        for stream in catalog.streams:
            number, after = stream["number"], 0
            with self._noting("stream", stream["table"]):
                while found := self._reader.stored_records(number, after, _PIECE):
                    for sequence, at, text in found:
                        self._record(stream["table"], number, sequence, at, text)
                    after = max(after, *(sequence for sequence, _, _ in found))
                    self._reader.renew()

    def _record(self, table: str, number: int, sequence: int, at: float, text: bytes) -> None:
        try:
            document = orjson.loads(unsealed(text, number, sequence, at))
            good = document["dynamodb"]["SequenceNumber"] == sequence_number(sequence)
        except _UNREADABLE:
            good = False
        if not good:
            self._report.add(Damage("stream", table, key=str(sequence), detail="it is deleted after a day"))

    def _backups(self) -> None:
        """Every row that a backup has is as it was written, and they are as many as were counted."""
        documents: dict[str, dict[str, Any]] = {}
        with self._noting("catalog"):
            documents = documents_of(self._reader, BACKUP)
        for backup in documents.values():
            rows, name, low = backup["rows"], backup["name"], EVERYTHING[0]
            with self._noting("pages", name):
                while piece := self._reader.stored(rows, low, EVERYTHING[1], _PIECE):
                    for entry in piece:
                        if not self._is_sound(rows, entry):
                            self._report.add(Damage("item", name, key=bytes(entry[0]).hex()))
                    low = max(key for key, _, _ in piece) + b"\0"
                    self._reader.renew()
                if self._reader.measured(rows) != self._said(rows):
                    self._report.add(Damage("count", name))

    def _logs(self, catalog: Catalog) -> None:
        """Every change that a table can be recovered by is as it was written."""
        for table in catalog:
            with self._noting("log", table.name):
                number = 0 if table.log is None else last_number(self._reader, table.log) + 1
                while number and table.log is not None:
                    piece = changes_before(self._reader, table.log, number, 0, _PIECE)
                    number = piece[-1][0] if piece else 0
                    self._reader.renew()

    def _counters(self, catalog: Catalog) -> None:
        with self._noting("token"):
            after = b""
            while found := self._reader.stored_tokens(after, _PIECE):
                for token, at, digest, sizes in found:
                    with self._noting("token"):
                        orjson.loads(unsealed(sizes, token.decode(), at, digest))
                after = max(after + b"\0", *(token for token, *_ in found))
        with self._noting("catalog"):
            given = self._reader.counters()
            used = max([given["last stream"], *(rows for table in catalog for rows in table.places)])
            if given["number"] < used or given["sequence"] < given["last record"]:
                self._report.add(Damage("catalog", detail="a number is in use that was not given yet"))


def _unsound(table: TableSchema, index: str | None, entry: Stored, item: Item | None) -> Damage:
    """A row that is not what was written; an item that is whole but for the key that it stands under knows its own."""
    row, value, mark = entry
    own = _own_key(table, item) if index is None else None
    if own is not None and (is_sound(table.rows, own, value, mark) or find_row_key(table, None, row) is None):
        return Damage("item", table.name, "", row_text(table, None, own, item), row=row, meant=own)
    return Damage(
        "item" if index is None else "row",
        table.name,
        index or "",
        row_text(table, index, row, item),
        row=row,
    )


def _own_key(table: TableSchema, item: Item | None) -> bytes | None:
    """The key that an item itself names, if it can be read."""
    try:
        return None if item is None else table.key.find(item)
    except _UNREADABLE:
        return None


def _kept(table: TableSchema) -> set[int]:
    """The rows that are kept whole; an index that is being filled lacks some, and gets them when it is opened."""
    kept = {table.rows, *(index.rows for index in table.indexes if not index.filling)}
    if table.expiry_rows is not None and not (table.definition.get("expiry") or {}).get("filling"):
        kept.add(table.expiry_rows)
    return kept


def _rows_of(table: TableSchema, index: str | None) -> int:
    return next(rows for rows, name in table.places.items() if name == index)


def _decoded(value: object) -> Item | None:
    """The item in a row; None when there is none to be read."""
    try:
        item = orjson.loads(value)  # type: ignore[arg-type]
    except (ValueError, TypeError):
        return None
    return item if isinstance(item, dict) else None
