"""The state of the applications: their tables, what they have cost, what was changed last."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hansang.apps.application import Application
from hansang.blueprint.table_status import TableHealth, TableStatus, table_status
from hansang.parts.history import Change
from hansang.parts.usage import PatternUsage
from hansang.surfaces.addresses import table_path
from hansang.surfaces.application_settings import copied_databases
from hansang.surfaces.shell import Shell


@dataclass(frozen=True, slots=True)
class UsageTotal:
    """Requests and units since the server started."""

    requests: int = 0
    read: float = 0.0
    write: float = 0.0

    @property
    def units(self) -> float:
        return self.read + self.write


@dataclass(frozen=True, slots=True)
class ApplicationStatus:
    """One application as it is now."""

    application: Application
    tables: list[TableStatus]
    paths: list[str]
    """The data page of each table."""
    spent: UsageTotal
    latest: Change | None

    @property
    def items(self) -> int:
        return sum(each.items for each in self.tables)

    @property
    def size_bytes(self) -> int:
        """The size of its tables with their indexes."""
        return sum(each.whole for each in self.tables)

    @property
    def item_bytes(self) -> int:
        """The size of its items alone."""
        return sum(each.item_bytes for each in self.tables)

    @property
    def health(self) -> TableHealth:
        """The worst of its tables."""
        order: tuple[TableHealth, ...] = ("unreachable", "missing", "changing")
        return next((each for each in order if any(table.health == each for table in self.tables)), "active")


def application_status(
    shell: Shell, application: Application, used: Iterable[PatternUsage]
) -> ApplicationStatus:
    """The state of an application, given what everything was used for."""
    copies = copied_databases(application, shell.database, shell.chosen.get(application.name))
    places = [
        (copy, database, table)
        for copy, database in {"": shell.database, **copies}.items()
        for table in application.tables
    ]
    latest = next(iter(shell.history.page(application.name, 1)), None)
    return ApplicationStatus(
        application,
        [table_status(database, table) for _, database, table in places],
        [table_path(application, table, copy) for copy, _, table in places],
        usage_total(used, application.name),
        latest,
    )


def usage_total(used: Iterable[PatternUsage], app: str | None = None) -> UsageTotal:
    """What one application, or everything, has cost."""
    rows = [each for each in used if app is None or each.app == app]
    return UsageTotal(
        sum(each.requests for each in rows),
        sum(each.read_units for each in rows),
        sum(each.write_units for each in rows),
    )
