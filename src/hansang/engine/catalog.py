"""The tables and streams that there are, as one version of the file's catalog has them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hansang.engine.faults import invalid, resource_not_found, table_not_found
from hansang.engine.schema import TableSchema, compiled
from hansang.engine.shapes import table_in
from hansang.engine.sql.reader import Reader


class CatalogChanged(Exception):
    """Another request changed the catalog meanwhile; the operation is to be tried again."""


class Catalog:
    """One version of the catalog. It never changes; a change makes another."""

    def __init__(
        self,
        version: int,
        definitions: list[dict[str, Any]],
        streams: list[dict[str, Any]],
        region: str | None = None,
        account: str | None = None,
    ) -> None:
        self.version = version
        self._region, self._account = region, account
        self._tables: dict[str, TableSchema] = {each["TableName"]: compiled(each) for each in definitions}
        self.streams = streams

    @classmethod
    def load(cls, reader: Reader, region: str | None = None, account: str | None = None) -> Catalog:
        """The present catalog; ARNs of another region or account are none of its own, if these are given."""
        return cls(reader.catalog_version(), reader.tables(), reader.streams(), region, account)

    @property
    def names(self) -> list[str]:
        return list(self._tables)

    def __iter__(self) -> Iterator[TableSchema]:
        return iter(self._tables.values())

    def find(self, name: str) -> TableSchema | None:
        table = self._tables.get(name)
        if table is not None or (short := table_in(name)) == name:
            return table
        _, _, _, region, account, _ = name.split(":")
        if self._region not in (None, region):
            raise invalid(f"1 validation error detected: Invalid AWS region in '{name}'")
        return self._tables.get(short) if self._account in (None, account) else None

    def table(self, name: str) -> TableSchema:
        """The table for an operation on items."""
        table = self._tables.get(name) or self.find(name)
        if table is None:
            raise resource_not_found()
        return table

    def described(self, name: str) -> TableSchema:
        """The table for an operation on the table itself, which names it in its error."""
        table = self.find(name)
        if table is None:
            raise table_not_found(table_in(name))
        return table
