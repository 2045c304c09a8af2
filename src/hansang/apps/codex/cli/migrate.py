"""The commands that bring three old tables into the one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from hansang.apps.codex.application import APPLICATION
from hansang.apps.codex.migration.mapping import SAMPLE, Findings, read_mapping
from hansang.apps.codex.migration.migrating import DeltaBy, Migration, Progress
from hansang.clock import system_clock
from hansang.surfaces.cli.exit_codes import FAILED
from hansang.surfaces.cli.progress import watching
from hansang.surfaces.cli.stopping import stopping
from hansang.surfaces.cli.support import (
    AsJson,
    Place,
    new_group,
    open_application,
    open_place,
    place_of,
    print_json,
    print_rows,
    with_examples,
)

group = new_group("From PostsTable, CategoriesTable and CorpMetaTable to the one table.")

Origin = Annotated[
    str | None, typer.Option("--from", metavar="PLACE", help="Where the old tables are. [default: as --data]")
]
MappingFile = Annotated[
    Path | None,
    typer.Option("--mapping", metavar="FILE", help="Which attribute comes from where. [default: the sample]"),
]
_command = partial(with_examples, group)


@contextmanager
def _opened(data: str | None, origin: str | None, mapping: Path | None) -> Iterator[Migration]:
    """The migration from a place to a place, which may be the same."""
    where = place_of(data) if origin is None else origin
    mappings = read_mapping(mapping)
    with open_application(data, APPLICATION) as database:
        if where == place_of(data):
            yield Migration(database.backend, database, system_clock, mappings, where)
            return
        with open_place(where, create=False) as source:
            yield Migration(source, database, system_clock, mappings, where)


@contextmanager
def _shown() -> Iterator[Progress]:
    with watching() as watch:
        done: dict[str, int] = {}

        def tell(table: str, count: int) -> None:
            done[table] = done.get(table, 0) + count
            watch(table, done[table], 0)

        yield tell


@_command("""\
  hansang codex migrate mapping > mapping.toml""")
def mapping() -> None:
    """Print the sample mapping, to be changed for your own tables."""
    typer.echo(SAMPLE, nl=False)


@_command("""\
  hansang codex migrate plan
  hansang codex migrate plan --from aws:ap-northeast-2 --mapping mapping.toml --json""")
def plan(
    origin: Origin = None, mapping: MappingFile = None, data: Place = None, as_json: AsJson = False
) -> None:
    """Read everything and write nothing: what would be copied, and what has no mapping."""
    with _opened(data, origin, mapping) as found, _shown() as progress:
        plans = found.plan(progress)
    if as_json:
        print_json([asdict(each) for each in plans])
        return
    print_rows(("table", "type", "items"), [(each.source, each.type, each.items) for each in plans])
    for each in plans:
        _print_findings(each.source, each.findings)


def _print_findings(table: str, findings: Findings) -> None:
    for name, count in findings.unmapped.items():
        typer.echo(f"{table}: {name} has no mapping and is kept ({count:,} items)")
    counted = {
        "times of another form": findings.normalised,
        "posts without a category": findings.uncategorized,
        "items without a time": findings.estimated,
    }
    for about, count in counted.items():
        if count:
            typer.echo(f"{table}: {count:,} {about}")
    for text in (*findings.conflicts, *findings.failures):
        typer.echo(f"{table}: {text}")


@_command("""\
  hansang codex migrate copy --from aws:ap-northeast-2 --mapping mapping.toml""")
def copy(
    origin: Origin = None, mapping: MappingFile = None, data: Place = None, as_json: AsJson = False
) -> None:
    """Copy what is not copied yet. Ctrl+C stops between two pages, and the same command goes on."""
    with _opened(data, origin, mapping) as found, _shown() as progress, stopping() as stop:
        findings = found.copy(progress, stop)
        tables = [found.progress_of(each.source) for each in read_mapping(mapping)]
    told = [{"table": each.source, "copied": each.copied, "whole": each.is_whole} for each in tables]
    if as_json:
        print_json({"tables": told, "findings": asdict(findings)})
        return
    print_rows(("table", "copied", "whole"), [tuple(each.values()) for each in told])
    _print_findings("copy", findings)


@_command("""\
  hansang codex migrate delta
  hansang codex migrate delta --by stream""")
def delta(
    by: Annotated[
        DeltaBy, typer.Option("--by", help="time reads everything again; stream reads what has changed.")
    ] = "time",
    origin: Origin = None,
    mapping: MappingFile = None,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """Bring over what has changed in the old tables since: new, changed, moved and deleted items."""
    with _opened(data, origin, mapping) as found, _shown() as progress:
        report = found.delta(progress, by=by)
    if as_json:
        print_json(asdict(report))
        return
    typer.echo(f"{report.written:,} written, {report.deleted:,} deleted, {report.kept:,} newer here and kept")


@_command("""\
  hansang codex migrate verify""")
def verify(
    origin: Origin = None, mapping: MappingFile = None, data: Place = None, as_json: AsJson = False
) -> None:
    """Compare counts, the index and every item with the old tables; exit code 1 if anything differs."""
    with _opened(data, origin, mapping) as found, _shown() as progress:
        report = found.verify(progress)
    if as_json:
        print_json({"clean": report.is_clean, **asdict(report)})
    else:
        print_rows(("type", "old", "new", "index"), [(name, *count) for name, count in report.counts.items()])
        for each in report.named:
            typer.echo(each)
        typer.echo("Clean." if report.is_clean else f"{report.differences:,} differences.")
    if not report.is_clean:
        raise typer.Exit(FAILED)


@_command("""\
  hansang codex migrate switch
  hansang codex migrate switch --undo""")
def switch(
    undo: Annotated[bool, typer.Option("--undo", help="Take a switch back, within seven days.")] = False,
    origin: Origin = None,
    mapping: MappingFile = None,
    data: Place = None,
) -> None:
    """Say that the new table is the one from now on, after a clean verification."""
    with _opened(data, origin, mapping) as found:
        state = found.switch(undo=undo)
    typer.echo(
        "The switch is undone." if state.switched_at is None else f"Switched at {state.switched_at:%FT%TZ}."
    )


@_command("""\
  hansang codex migrate drop --yes""")
def drop(
    yes: Annotated[bool, typer.Option("--yes", help="Really delete the old tables.")] = False,
    origin: Origin = None,
    mapping: MappingFile = None,
    data: Place = None,
) -> None:
    """Delete the old tables, after a clean verification and the switch."""
    with _opened(data, origin, mapping) as found:
        if not yes:
            typer.echo("This deletes the old tables for good. Add --yes.", err=True)
            raise typer.Exit(FAILED)
        dropped: list[Any] = found.drop()
    typer.echo(f"Deleted: {', '.join(dropped) or 'nothing'}.")
