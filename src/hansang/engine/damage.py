"""What is found wrong with a data file: in which table and index, under which key, and whether it can be mended."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import orjson

from hansang.engine.key_reading import find_row_key
from hansang.engine.schema import TableSchema
from hansang.engine.values import Item

DamageKind = Literal["pages", "catalog", "item", "row", "missing", "stray", "count", "stream", "token", "log"]

SAID: dict[DamageKind, str] = {
    "pages": "SQLite finds pages that are not sound",
    "catalog": "the catalog is not what was written",
    "item": "the item is not what was written",
    "row": "the row differs from its item",
    "missing": "the item has no row in the index",
    "stray": "the row has no item",
    "count": "the number or the size of rows is not what was counted",
    "stream": "the record is not what was written",
    "token": "the token of a transaction is not what was written",
    "log": "a change that is kept for recovery is not what was written",
}
_MOST = 1000


@dataclass(frozen=True, slots=True)
class Damage:
    """One thing that is wrong; `key` is that of the item as JSON, or the bytes of a row's key in hexadecimal."""

    kind: DamageKind
    table: str = ""
    index: str = ""
    key: str = ""
    detail: str = ""
    row: bytes = b""
    """The key under which the row stands, for an item that may be found elsewhere."""
    meant: bytes = b""
    """The key that it was written under, if that is another one."""

    @property
    def is_mendable(self) -> bool:
        """Whether it can be made again from the items."""
        return bool(self.index) or self.kind == "count"

    @property
    def said(self) -> str:
        place = " ".join(each for each in (self.table, self.index, self.key) if each)
        text = f"{place}: {SAID[self.kind]}" if place else SAID[self.kind]
        return f"{text} ({self.detail})" if self.detail else text

    def document(self) -> dict[str, Any]:
        told = {name: value for name, value in asdict(self).items() if name not in ("row", "meant")}
        return {**told, "mendable": self.is_mendable}


@dataclass(slots=True)
class DamageReport:
    """Everything that is wrong, and the first thousand of it one by one."""

    damages: list[Damage] = field(default_factory=list)
    total: int = 0
    plain: int = 0
    """How many rows have no checksum yet."""
    copies: dict[tuple[str, bytes], tuple[int, bytes]] = field(default_factory=dict)
    """Where a damaged item, by its table and key, has a row in an index that holds all of it."""

    def add(self, damage: Damage) -> None:
        self.total += 1
        if len(self.damages) < _MOST:
            self.damages.append(damage)

    def add_copy(self, table: str, item: bytes, rows: int, key: bytes) -> None:
        if len(self.copies) < _MOST:
            self.copies[table, item] = (rows, key)


def row_text(table: TableSchema, index: str | None, row: bytes, item: Item | None) -> str:
    """How a row is named: by the key under which it stands; if that is damaged by the one in it, or by its bytes."""
    found = find_row_key(table, index, row)
    if found is None and item is not None and all(name in item for name in table.key.names):
        found = table.key.pick(item)
    return bytes(row).hex() if found is None else orjson.dumps(found).decode()
