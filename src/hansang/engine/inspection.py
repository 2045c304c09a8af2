"""Looking a whole data file through: is every page, every item and every index as it has to be?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import orjson

from hansang.engine.catalog import Catalog
from hansang.engine.file import check
from hansang.engine.key_order import EVERYTHING
from hansang.engine.schema import TableSchema
from hansang.engine.sql.connections import looking
from hansang.engine.sql.reader import Reader
from hansang.engine.values import Item
from hansang.engine.writes import expiry_row
from hansang.errors import DamagedFile, StoreError, WireError

Watch = Callable[[str, int, int], object]
"""Told which step is taken, how much of it is done, and of how much; 0 when nobody knows."""

PAGES, ITEMS = "check the pages", "check the items"
_PIECE = 500


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


def inspect(path: Path, watch: Watch) -> Contents:
    """What is in a file that nobody has open; refused unless all of it is as it has to be."""
    check(str(path))
    _expect_no_log(path)
    with looking(path, at_rest=True) as reader:
        watch(PAGES, 0, 0)
        if faults := reader.faults():
            raise _damaged(path, "; ".join(faults))
        return Contents(tuple(_Inspection(path, reader, watch).tables()), path.stat().st_size)


def _expect_no_log(path: Path) -> None:
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and log.stat().st_size:
        raise StoreError(
            f"{path} has a log beside it, {log.name}: it is a data file that is in use, or was when it was "
            "copied, and no backup. Make one of it with hansang backup."
        )


def _damaged(path: Path, reason: str) -> DamagedFile:
    return DamagedFile(f"{path} is damaged and was left as it is ({reason}). Take another backup.")


class _Inspection:
    """One walk through all tables of a file."""

    def __init__(self, path: Path, reader: Reader, watch: Watch) -> None:
        self._path, self._reader, self._watch = path, reader, watch
        self._done, self._total = 0, 0

    def tables(self) -> Iterator[TableContents]:
        catalog = self._catalog()
        self._total = sum(self._reader.counts(table.rows)[0] for table in catalog)
        for table in catalog:
            yield self._contents(table)

    def _catalog(self) -> Catalog:
        try:
            return Catalog.load(self._reader)
        except (KeyError, TypeError, AttributeError, WireError) as reason:
            raise _damaged(self._path, f"the catalog cannot be read: {reason!r}") from reason

    def _contents(self, table: TableSchema) -> TableContents:
        expected: Counter[int] = Counter()
        for key, blob, _ in self._entries(table):
            expected.update(self._places(table, key, orjson.loads(blob)))
        items, size_bytes = self._counted(table, table.rows)
        indexes = {index.name: self._counted(table, index.rows)[0] for index in table.indexes}
        # An index that is still being filled lacks some rows, and gets them when the file is opened.
        kept = [index.rows for index in table.indexes if not index.filling]
        if table.expiry_rows is not None and not (table.definition.get("expiry") or {}).get("filling"):
            kept.append(table.expiry_rows)
        for rows in kept:
            found = self._counted(table, rows)[0]
            if found != expected[rows]:
                fault = f"an index of {table.name} has {found} rows for {expected[rows]} items with its key"
                raise _damaged(self._path, fault)
        return TableContents(table.name, items, size_bytes, indexes)

    def _entries(self, table: TableSchema) -> Iterator[tuple[bytes, bytes, int]]:
        low = EVERYTHING[0]
        while entries := self._reader.entries(table.rows, low, EVERYTHING[1], _PIECE):
            yield from entries
            low = entries[-1][0] + b"\0"
            self._done += len(entries)
            self._watch(ITEMS, self._done, self._total)

    def _places(self, table: TableSchema, key: bytes, item: Item) -> Iterator[int]:
        """The indexes that an item has a row in, once the item itself is under its own key."""
        if table.key.find(item) != key:
            raise _damaged(self._path, f"an item of {table.name} is not under its key")
        for index in table.indexes:
            if index.key.find(item) is not None:
                yield index.rows
        if table.expiry is not None and expiry_row(table.expiry, key, item) is not None:
            assert table.expiry_rows is not None
            yield table.expiry_rows

    def _counted(self, table: TableSchema, rows: int) -> tuple[int, int]:
        """The rows as they are, when that is what the file has counted."""
        found, said = self._reader.measured(rows), self._reader.counts(rows)
        if found != said:
            raise _damaged(
                self._path, f"{table.name} has {found[0]} rows of {found[1]} bytes and has counted {said}"
            )
        return found
