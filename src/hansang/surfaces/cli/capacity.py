"""The command that tells what was used and what it costs on AWS."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from hansang.parts.spending import UsageRange
from hansang.settings import ServerSettings
from hansang.surfaces.capacity_report import CapacityReport, capacity_report
from hansang.surfaces.cli.support import AsJson, Figure, Place, print_json, print_rows, shown_time
from hansang.surfaces.shell import Shell

EXAMPLES = """
Examples:

\b
  hansang capacity
  hansang capacity --range hour --app news
  hansang capacity --range month --prices ap-northeast-2 --json

A server writes its counts down every minute. A month is estimated once a day or more has been counted.
"""


def capacity(
    data: Place = None,
    span: Annotated[UsageRange, typer.Option("--range", help="The span that ends now.")] = "day",
    app: Annotated[
        str,
        typer.Option(
            "--app", metavar="APP", help="One application, or platform. [default: all applications]"
        ),
    ] = "",
    region: Annotated[
        str,
        typer.Option("--prices", metavar="REGION", help="The region whose prices apply. [default: its own]"),
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Show what was used, and what it costs on AWS. The span is the last hour, day or month."""
    with _open(data) as shell:
        report = capacity_report(shell, span, app, region or shell.settings.region)
    if as_json:
        print_json(_plain(report))
    else:
        _tell(report)


@contextmanager
def _open(place: str | None) -> Iterator[Shell]:
    # The server takes a while to import, and the other commands do without it.
    from hansang.wiring import open_shell

    with open_shell(ServerSettings.chosen({"data": place, "jobs": False})) as shell:
        yield shell


def _tell(report: CapacityReport) -> None:
    spending, bill, currency = report.spending, report.bill, report.spending.prices.currency
    columns = ["app", "pattern", "requests", "RCU", "WCU", f"cost ({currency})", "share"]
    rows = sorted(spending.patterns(), key=lambda each: (each.cost, each.requests), reverse=True)
    typer.echo(f"Counted from {shown_time(report.span.since)} to {shown_time(report.span.until)}.")
    print_rows(
        columns,
        [
            (
                each.app or "-",
                each.name,
                each.requests,
                Figure(f"{each.read:,.1f}"),
                Figure(f"{each.write:,.1f}"),
                Figure(f"{each.cost:.6f}"),
                Figure(f"{each.share:.1%}"),
            )
            for each in rows
        ],
    )
    typer.echo(f"On demand:   {bill.on_demand:.6f} {currency}")
    if bill.provisioned is not None:
        typer.echo(f"Provisioned: {bill.provisioned:.6f} {currency}")
    if bill.storage is not None:
        typer.echo(f"Storage:     {bill.storage:.6f} {currency} per month")
    if report.overhead is not None:
        typer.echo(f"Platform:    {report.overhead.cost:.6f} {currency}, not part of the above")
    typer.echo(_estimate(report))


def _estimate(report: CapacityReport) -> str:
    if report.bill.month is not None:
        return (
            f"A month:     {report.bill.month:.2f} {report.spending.prices.currency}, on demand at this rate"
        )
    if report.span.range == "hour":
        return "An hour says too little about a month. Use --range day or --range month."
    hours, minutes = divmod(int(report.span.missing.total_seconds()) // 60, 60)
    return f"A month is estimated from 24 hours of counts: {hours} h {minutes} min to go."


def _plain(report: CapacityReport) -> dict[str, object]:
    span, bill = report.span, report.bill
    return {
        "range": span.range,
        "area": report.area,
        "since": span.since,
        "until": span.until,
        "currency": report.spending.prices.currency,
        "on_demand": str(bill.on_demand),
        "provisioned": None if bill.provisioned is None else str(bill.provisioned),
        "storage_month": None if bill.storage is None else str(bill.storage),
        "estimated_month": None if bill.month is None else str(bill.month),
        "estimate_missing_seconds": int(span.missing.total_seconds()),
        "overhead": None if report.overhead is None else str(report.overhead.cost),
        "patterns": [
            {
                "app": each.app,
                "name": each.name,
                "requests": each.requests,
                "read_units": each.read,
                "write_units": each.write,
                "cost": str(each.cost),
            }
            for each in report.spending.patterns()
        ],
    }
