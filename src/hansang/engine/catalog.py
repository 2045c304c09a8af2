"""The tables and streams that there are, as one version of the file's catalog has them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import copy
from typing import Any, Self

import orjson

from hansang.clock import Clock
from hansang.engine.faults import invalid, resource_in_use, resource_not_found, table_not_found
from hansang.engine.schema import TableSchema, compiled
from hansang.engine.shapes import table_in
from hansang.engine.sql.reader import Reader
from hansang.errors import WireError

Withheld = Callable[[Mapping[str, Any]], bool]
"""Whether a table of this definition is not served; of a table that was deleted only the name is known."""


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
        withheld: Withheld | None = None,
    ) -> None:
        """`texts` are the definitions by the names of their tables; what `before` has as well is taken over."""
        self.version = version
        self._region, self._account = region, account
        self._withheld = withheld
        self._texts: dict[str, str] = {}
        self._tables: dict[str, TableSchema] = {}
        self._kept_back: set[str] = set()
        for name, text in texts.items():
            if before is not None and before._texts.get(name) == text and name in before._tables:
                self._texts[name], self._tables[name] = text, before._tables[name]
            else:
                self._take(name, text)
        self.streams = self._served(streams)

    @classmethod
    def load(
        cls,
        reader: Reader,
        region: str | None = None,
        account: str | None = None,
        before: Catalog | None = None,
        withheld: Withheld | None = None,
    ) -> Self:
        """The present catalog; ARNs of another region or account are none of its own, if these are given.

        Tables that are `withheld` are in the file and not in the catalog: no operation finds them.
        """
        texts = dict(reader.tables())
        return cls(reader.catalog_version(), texts, reader.streams(), region, account, before, withheld)

    def changed(
        self, version: int, tables: Mapping[str, str | None], streams: list[dict[str, Any]] | None
    ) -> Catalog:
        """The catalog after a change of these tables, None for one that is gone, and of the streams, if any."""
        new = copy(self)
        new.version, new._texts, new._tables = version, dict(self._texts), dict(self._tables)
        new._kept_back = set(self._kept_back)
        for name, text in tables.items():
            if text is None:
                del new._texts[name], new._tables[name]
            else:
                new._take(name, text)
        if streams is not None:
            new.streams = new._served(streams)
        return new

    def _take(self, name: str, text: str) -> None:
        definition = orjson.loads(text)
        if self._is_withheld(definition):
            self._kept_back.add(name)
        else:
            self._texts[name], self._tables[name] = text, compiled(definition)

    def _served(self, streams: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [each for each in streams if not self.keeps_back({"TableName": each["table"]})]

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

    def expect_served(self, definition: Mapping[str, Any]) -> None:
        """Refuse to make a table, or to make a table one, that would be withheld."""
        if self.keeps_back(definition):
            raise WireError(
                "AccessDeniedException",
                f"The table {definition['TableName']} is reserved and is not served here. Choose another name "
                "and other indexes, or ask an endpoint with keys.",
            )

    def status(self, table: TableSchema) -> str:
        return "ACTIVE"

    def changeable(self, name: str) -> TableSchema:
        """The table for an operation that changes it: not while it is being made."""
        table = self.described(name)
        if self.status(table) == "CREATING":
            raise resource_in_use(
                f"Attempt to change a resource which is still in use: Table is being created: {table.name}"
            )
        return table

    def keeps_back(self, definition: Mapping[str, Any]) -> bool:
        """Whether a table of this definition is not served."""
        return definition["TableName"] in self._kept_back or self._is_withheld(definition)

    def _is_withheld(self, definition: Mapping[str, Any]) -> bool:
        return self._withheld is not None and self._withheld(definition)


class SettlingCatalog(Catalog):
    """A catalog whose tables take their time to come, as on AWS: until then no item is in them."""

    clock: Clock
    seconds: float

    def status(self, table: TableSchema) -> str:
        return "CREATING" if self.clock() < table.definition["created"] + self.seconds else "ACTIVE"

    def table(self, name: str) -> TableSchema:
        table = super().table(name)
        if self.status(table) == "CREATING":
            raise resource_not_found()
        return table
