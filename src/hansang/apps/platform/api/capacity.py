"""What was used in the last hour, day or month and what it costs on AWS, as a route."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Annotated

from fastapi import Query as InAddress
from pydantic import BaseModel, PlainSerializer
from starlette.responses import Response

from hansang.parts.permissions import PLATFORM
from hansang.parts.spending import Spending, Spent, UsageRange
from hansang.surfaces.api.endpoints import RouteGroup, answered
from hansang.surfaces.api.parameters import Spoken
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Gate
from hansang.surfaces.capacity_report import CapacityReport, capacity_report
from hansang.surfaces.shell import Shell

Money = Annotated[
    Decimal, PlainSerializer(lambda amount: f"{round(amount, 12).normalize():f}", str, when_used="json")
]
"""An amount of money, written out: prices are small, and 6.8E-7 is not what people expect."""


class CapacityAsked(Spoken):
    """Which span, of which application, at whose prices."""

    range: UsageRange = "day"
    area: str = ""
    region: str = ""


class CapacitySpentShown(BaseModel):
    """What one pattern, table, index or route has used."""

    app: str
    name: str
    about: str
    requests: int
    read_units: float
    write_units: float
    cost: Money
    share: float


class CapacityPeriodShown(BaseModel):
    """What was used in one minute, hour or day."""

    at: datetime
    requests: int
    read_units: float
    write_units: float


class CapacityUsedShown(BaseModel):
    """Requests and units of the whole span, and what they cost on demand."""

    requests: int
    read_units: float
    write_units: float
    cost: Money


class CapacityShown(BaseModel):
    """What was used over a span of time, and what it costs on AWS."""

    range: UsageRange
    area: str
    region: str
    currency: str
    prices_as_of: str
    since: datetime
    until: datetime
    counted_since: datetime
    used: CapacityUsedShown
    overhead: CapacityUsedShown | None
    provisioned: Money | None
    stored_bytes: int
    storage_month: Money | None
    estimated_month: Money | None
    estimate_missing_seconds: int
    periods: list[CapacityPeriodShown]
    patterns: list[CapacitySpentShown]
    tables: list[CapacitySpentShown]
    indexes: list[CapacitySpentShown]
    routes: list[CapacitySpentShown]


class CapacityRoutes:
    """What everything costs."""

    def __init__(self, shell: Shell, gate: Gate) -> None:
        self._shell, self._reader = shell, gate.allow(PLATFORM, "read")

    def all(self) -> list[ApiRoute]:
        """The one of them."""
        group = RouteGroup("/api/platform", PLATFORM, self._reader)
        return [group.route("GET", "/capacity", self.capacity, CapacityShown)]

    def capacity(self, asked: Annotated[CapacityAsked, InAddress()]) -> Response:
        """What was used in the last hour, day or month, and what it costs on AWS."""
        region = asked.region or self._shell.settings.region
        return answered(capacity_shown(capacity_report(self._shell, asked.range, asked.area, region)))


def capacity_shown(report: CapacityReport) -> CapacityShown:
    """A report as programs read it."""
    spending, span, bill = report.spending, report.span, report.bill
    return CapacityShown(
        range=span.range,
        area=report.area,
        region=spending.prices.region,
        currency=spending.prices.currency,
        prices_as_of=spending.prices.as_of,
        since=span.since,
        until=span.until,
        counted_since=report.counted_since,
        used=_used(spending),
        overhead=None if report.overhead is None else _used(report.overhead),
        provisioned=bill.provisioned,
        stored_bytes=bill.stored_bytes,
        storage_month=bill.storage,
        estimated_month=bill.month,
        estimate_missing_seconds=int(span.missing.total_seconds()),
        periods=[
            CapacityPeriodShown(
                at=period, requests=each.requests, read_units=each.read, write_units=each.write
            )
            for period, each in spending.periods()
        ],
        patterns=_rows(spending.patterns()),
        tables=_rows(spending.tables()),
        indexes=_rows(spending.indexes()),
        routes=_rows(spending.routes()),
    )


def _used(spending: Spending) -> CapacityUsedShown:
    return CapacityUsedShown(
        requests=spending.requests,
        read_units=spending.read,
        write_units=spending.write,
        cost=spending.cost,
    )


def _rows(found: list[Spent]) -> list[CapacitySpentShown]:
    """The dearest first."""
    return [
        CapacitySpentShown(
            app=each.app,
            name=each.name,
            about=each.about,
            requests=each.requests,
            read_units=each.read,
            write_units=each.write,
            cost=each.cost,
            share=each.share,
        )
        for each in sorted(found, key=lambda each: (each.cost, each.requests), reverse=True)
    ]
