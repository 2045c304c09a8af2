"""How much the tables hold, as they describe themselves."""

from __future__ import annotations

from dataclasses import dataclass

from hansang.design import Database, Table
from hansang.errors import NoSuchTable


@dataclass(frozen=True, slots=True)
class TableSize:
    """How much a table with its indexes holds."""

    table: type[Table]
    items: int
    size_bytes: int
    indexes: dict[str, tuple[int, int]]
    """Entries and bytes of each index."""
    is_there: bool = True

    @property
    def whole(self) -> int:
        """The bytes of the table and of its indexes."""
        return self.size_bytes + sum(size_bytes for _, size_bytes in self.indexes.values())


def table_size(database: Database, table: type[Table]) -> TableSize:
    """How much a table holds at the moment; one that is not there holds nothing, and says so."""
    try:
        described = database.call("DescribeTable", {"TableName": database.name(table)}, "")["Table"]
    except NoSuchTable:
        return TableSize(table, 0, 0, {}, is_there=False)
    indexes = [
        each
        for title in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes")
        for each in described.get(title, [])
    ]
    return TableSize(
        table,
        int(described["ItemCount"]),
        int(described["TableSizeBytes"]),
        {each["IndexName"]: (int(each["ItemCount"]), int(each["IndexSizeBytes"])) for each in indexes},
    )
