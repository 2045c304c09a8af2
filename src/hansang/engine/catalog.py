"""The tables and streams that there are, as one version of the file's catalog has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy
from typing import Any

import orjson

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
        texts: dict[str, str],
        streams: list[dict[str, Any]],
        region: str | None = None,
        account: str | None = None,
        before: Catalog | None = None,
    ) -> None:
        """`texts` are the definitions by the names of their tables; what `before` has as well is taken over."""
        self.version = version
        self._region, self._account = region, account
        self._texts = texts
        self._tables: dict[str, TableSchema] = {}
        for name, text in texts.items():
            if before is not None and before._texts.get(name) == text:
                self._tables[name] = before._tables[name]
            else:
                self._tables[name] = compiled(orjson.loads(text))
        self.streams = streams

    @classmethod
    def load(
        cls,
        reader: Reader,
        region: str | None = None,
        account: str | None = None,
        before: Catalog | None = None,
    ) -> Catalog:
        """The present catalog; ARNs of another region or account are none of its own, if these are given."""
        texts = dict(reader.tables())
        return cls(reader.catalog_version(), texts, reader.streams(), region, account, before)

    def changed(
        self, version: int, tables: Mapping[str, str | None], streams: list[dict[str, Any]] | None
    ) -> Catalog:
        """The catalog after a change of these tables, None for one that is gone, and of the streams, if any."""
        new = copy(self)
        new.version, new._texts, new._tables = version, dict(self._texts), dict(self._tables)
        for name, text in tables.items():
            if text is None:
                del new._texts[name], new._tables[name]
            else:
                new._texts[name], new._tables[name] = text, compiled(orjson.loads(text))
        if streams is not None:
            new.streams = streams
        return new

    @property
    def names(self) -> list[str]:
        return sorted(self._tables)

    def __iter__(self) -> Iterator[TableSchema]:
        return (self._tables[name] for name in self.names)

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
