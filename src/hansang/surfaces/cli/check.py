"""The command that looks a data file through, and mends it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hansang.engine import Engine
from hansang.engine.damage import DamageReport
from hansang.engine.inspection import Contents, examine
from hansang.engine.repair import repair as mended
from hansang.errors import SettingsError, StoreError
from hansang.surfaces.cli import exit_codes
from hansang.surfaces.cli.backup import described, size_of
from hansang.surfaces.cli.progress import watching
from hansang.surfaces.cli.support import AsJson, print_json

EXAMPLES = """
Examples:

\b
  hansang check hansang.db
  hansang check hansang.db --json
  hansang check hansang.db --repair
  hansang check hansang.db --repair --from monday.db

The server may go on reading and writing. Everything that is wrong is listed with its table, its index and its key,
and the exit code is then 1. --repair makes indexes again from the items and corrects counts; it can be stopped and
started again. A damaged item is put back from an index that holds all of it, or from the backup that --from names.
"""


def check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The data file or backup to check.")],
    repair: Annotated[
        bool, typer.Option("--repair", help="Rebuild damaged indexes from the items, and correct counts.")
    ] = False,
    source: Annotated[
        Path | None,
        typer.Option(
            "--from", metavar="BACKUP", help="With --repair: put damaged items back from this backup."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check a data file while it is in use, and repair it. Every page, item and index is looked at."""
    if source is not None and not repair:
        raise SettingsError(
            "--from says where --repair takes damaged items from. Add --repair, or leave it out."
        )
    if not file.is_file():
        raise StoreError(f"Data file not found: {file}.")
    with watching() as watch:
        contents, report = examine(file, watch)
        before = report.total
        if repair and (report.total or report.plain):
            with Engine.open(file, sweep_seconds=None) as engine:
                mended(engine, report, watch, source)
            contents, report = examine(file, watch)
    _tell(file, contents, report, before - report.total, as_json=as_json)
    if report.total:
        raise typer.Exit(exit_codes.FAILED)


def _tell(file: Path, contents: Contents, report: DamageReport, repaired: int, *, as_json: bool) -> None:
    if as_json:
        found = {"damages": [each.document() for each in report.damages], "damaged": report.total}
        more = {"repaired": max(repaired, 0), "without_checksum": report.plain}
        print_json({"file": str(file), **found, **more, **described(contents)})
        return
    if repaired > 0:
        typer.echo(f"Repaired: {repaired:,}.")
    for each in report.damages:
        typer.echo(each.said)
    if report.total > len(report.damages):
        typer.echo(f"… and {report.total - len(report.damages):,} more.")
    if not report.total:
        typer.echo(f"{file} is whole: {size_of(contents)}.")
    else:
        typer.echo(f"{file} is damaged: {report.total:,} found. {_way_out(file, report)}")
    if report.plain:
        typer.echo(f"{report.plain:,} rows were written before there were checksums; --repair adds them.")


def _way_out(file: Path, report: DamageReport) -> str:
    if all(each.is_mendable for each in report.damages):
        return f"Repair it: hansang check {file} --repair"
    return (
        "Items that are not what was written cannot be made again from anything else in the file: put them back from a "
        f"backup with hansang check {file} --repair --from BACKUP, or restore all of it with hansang restore BACKUP "
        f"--data {file}"
    )
