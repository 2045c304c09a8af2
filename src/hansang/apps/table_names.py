"""The names that tables have where they are: each one's own, or what the settings say instead."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from hansang.design import Table
from hansang.errors import SettingsError


def copied(
    prefix: str, tables: Iterable[type[Table]], name: Callable[[type[Table]], str]
) -> dict[type[Table], str]:
    """The names of a further copy of tables: `speed-UsersLeaderboard` beside `UsersLeaderboard`."""
    return {table: f"{prefix}-{name(table)}" for table in tables}


@dataclass(frozen=True, slots=True)
class TableNames:
    """A suffix for all of them, and names for some."""

    suffix: str = ""
    names: Mapping[str, str] = field(default_factory=dict)
    """By the name in the design; a table that is named here gets no suffix."""

    def name(self, table: type[Table]) -> str:
        return self.names.get(table.name, f"{table.name}{self.suffix}")

    def of(self, tables: Iterable[type[Table]]) -> dict[type[Table], str]:
        """The names of tables, as a database takes them."""
        found = {table: self.name(table) for table in tables}
        by_name: dict[str, type[Table]] = {}
        for table, name in found.items():
            if by_name.setdefault(name, table) is not table:
                raise SettingsError(
                    f"The tables {by_name[name].name} and {table.name} would both be called {name}. "
                    "Give each a name of its own in HANSANG_TABLE_NAMES."
                )
        return found
