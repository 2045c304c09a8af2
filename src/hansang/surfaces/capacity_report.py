"""What the applications have used in the last hour, day or month: one report for the API, the console and commands."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from hansang.blueprint.prices import prices, regions
from hansang.blueprint.table_status import table_status
from hansang.parts.permissions import PLATFORM
from hansang.parts.spending import Bill, Spending, UsageRange, UsageSpan
from hansang.parts.timestamps import to_datetime
from hansang.surfaces.shell import Shell


@dataclass(frozen=True, slots=True)
class CapacityReport:
    """What one application, or all of them, have used; what the platform itself uses is told apart."""

    area: str
    """An application, the platform, or nothing for all applications."""
    counted_since: datetime
    spending: Spending
    bill: Bill
    overhead: Spending | None
    """What the platform used for itself meanwhile, where all applications were asked for."""

    @property
    def span(self) -> UsageSpan:
        return self.spending.span


def capacity_report(shell: Shell, name: UsageRange, area: str, region: str) -> CapacityReport:
    """The report of a range that ends now; an area that is not there is NotFound."""
    if area not in ("", PLATFORM):
        shell.application(area)
    periods, counted_since = shell.usage.periods, shell.usage.periods.began_at()
    span, listed = UsageSpan.of(name, to_datetime(shell.clock()), counted_since), prices(known_region(region))
    used, routes = periods.used(span.grain, span.first), periods.routes(span.grain, span.first)

    def spending(is_own: bool) -> Spending:
        """Of the applications that were asked for, or of the platform."""

        def is_wanted(app: str) -> bool:
            return app == PLATFORM if is_own else app != PLATFORM and area in ("", app)

        return Spending(
            [each for each in used if is_wanted(each.app)],
            [each for each in routes if is_wanted(each.app)],
            span,
            listed,
        )

    chosen = spending(is_own=area == PLATFORM)
    tables = [
        table
        for each in shell.plugged
        if each.name == area or (not area and each.name != PLATFORM)
        for table in each.tables
    ]
    bill = chosen.bill(table_status(shell.database, each) for each in tables)
    return CapacityReport(area, counted_since, chosen, bill, None if area else spending(is_own=True))


def known_region(wanted: str) -> str:
    """The region itself if it has prices, else the first one that has."""
    known = regions()
    return wanted if wanted in known else known[0]
