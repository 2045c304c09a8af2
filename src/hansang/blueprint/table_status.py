"""Whether tables are there and can be used, and how much they hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from hansang.design import Database, Table
from hansang.design.translation import translated
from hansang.errors import NoSuchTable, WireError

TableHealth = Literal["active", "changing", "missing", "unreachable"]


@dataclass(frozen=True, slots=True)
class TableStatus:
    """One table as its backend describes it; one that is missing or does not answer holds nothing."""

    table: type[Table]
    name: str
    health: TableHealth
    status: str
    """DynamoDB's own word for it, or the code with which it was refused."""
    items: int = 0
    item_bytes: int = 0
    """The bytes of the items alone; what is called the size of a table is `whole`."""
    indexes: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Entries and bytes of each index."""
    fault: WireError | None = None
    """Why it is missing or does not answer."""

    @property
    def is_there(self) -> bool:
        return self.health in ("active", "changing")

    @property
    def is_usable(self) -> bool:
        """Whether it takes requests; one that is changed does so meanwhile."""
        return self.status in ("ACTIVE", "UPDATING")

    @property
    def whole(self) -> int:
        """The size of a table wherever one is told: its items and its indexes, which is what AWS charges for."""
        return self.item_bytes + self.index_bytes

    @property
    def index_bytes(self) -> int:
        return sum(size_bytes for _, size_bytes in self.indexes.values())

    @property
    def kinds(self) -> list[str]:
        """The names of the entities that it holds."""
        return [shape.cls.__name__ for shape in self.table.shapes]


def table_status(database: Database, table: type[Table]) -> TableStatus:
    """How a table is; that it is missing or does not answer is said and not raised."""
    name = database.name(table)
    try:
        described = database.backend.call("DescribeTable", {"TableName": name})["Table"]
    except WireError as error:
        is_missing = error.code == "ResourceNotFoundException"
        return TableStatus(table, name, "missing" if is_missing else "unreachable", error.code, fault=error)
    indexes = [
        each
        for title in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes")
        for each in described.get(title, [])
    ]
    return TableStatus(
        table,
        name,
        "active" if described["TableStatus"] == "ACTIVE" else "changing",
        described["TableStatus"],
        int(described["ItemCount"]),
        int(described["TableSizeBytes"]),
        {each["IndexName"]: (int(each["ItemCount"]), int(each["IndexSizeBytes"])) for each in indexes},
    )


def expect_tables(
    database: Database, designs: Mapping[str, Iterable[type[Table]]], place: str, suffix_option: str = ""
) -> None:
    """Refuse a place where tables of these designs are missing, with the command that creates them."""
    missing: dict[str, list[str]] = {design: [] for design in designs}
    for design, tables in designs.items():
        for found in (table_status(database, table) for table in tables):
            if found.health == "missing":
                missing[design].append(found.name)
            elif found.fault is not None:
                raise translated(found.fault) from found.fault
    if any(missing.values()):
        names = ", ".join(dict.fromkeys(name for found in missing.values() for name in found))
        wanted = " ".join(design for design, found in missing.items() if found)
        raise NoSuchTable(
            f"Tables not found in {place}: {names}. "
            f"Run: hansang tables create {wanted} --data {place}{suffix_option}"
        )
