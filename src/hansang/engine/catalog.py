"""The tables and streams that there are, as one version of the file's catalog has them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hansang.engine.faults import resource_not_found, table_not_found
from hansang.engine.schema import Table, compiled
from hansang.engine.shapes import table_in
from hansang.engine.store import Reader


class CatalogChanged(Exception):
    """Another request changed the catalog meanwhile; the operation is to be tried again."""


class Catalog:
    """One version of the catalog. It never changes; a change makes another."""

    def __init__(
        self, version: int, definitions: list[dict[str, Any]], streams: list[dict[str, Any]]
    ) -> None:
        self.version = version
        self._tables: dict[str, Table] = {each["TableName"]: compiled(each) for each in definitions}
        self.streams = streams

    @classmethod
    def load(cls, reader: Reader) -> Catalog:
        return cls(reader.catalog_version(), reader.tables(), reader.streams())

    @property
    def names(self) -> list[str]:
        return list(self._tables)

    def __iter__(self) -> Iterator[Table]:
        return iter(self._tables.values())

    def find(self, name: str) -> Table | None:
        table = self._tables.get(name)
        return table if table is not None else self._tables.get(table_in(name))

    def table(self, name: str) -> Table:
        """The table for an operation on items."""
        table = self._tables.get(name) or self.find(name)
        if table is None:
            raise resource_not_found()
        return table

    def described(self, name: str) -> Table:
        """The table for an operation on the table itself, which names it in its error."""
        table = self.find(name)
        if table is None:
            raise table_not_found(table_in(name))
        return table
