"""The command that starts an application: a small one, or one around what a team already has."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from hansang.apps.catalog import PLATFORM, tables_in
from hansang.backends.base import Backend
from hansang.backends.urls import is_file
from hansang.blueprint.copying import tables_of
from hansang.blueprint.inference.checking import TableCheck, checked, loaded
from hansang.blueprint.inference.facts import TableFacts
from hansang.blueprint.inference.inferring import Inferred, infer
from hansang.blueprint.inference.live import TableSample, sample_table
from hansang.blueprint.inference.module_file import expect_new, write_design
from hansang.blueprint.inference.templates import is_template, read_document, template_tables
from hansang.blueprint.inference.workbench import is_workbench, workbench_tables
from hansang.errors import NoSuchTable, SettingsError
from hansang.surfaces.cli.exit_codes import FAILED
from hansang.surfaces.cli.progress import counting
from hansang.surfaces.cli.scaffold import PROJECT, Starter
from hansang.surfaces.cli.support import AsJson, cell, names_of, open_place, print_json

EXAMPLES = """
Examples:

\b
  hansang new shop
  hansang new shop --from hansang.db
  hansang new shop --from aws:ap-northeast-2 --table Shop --table Orders
  hansang new shop --from "http://localhost:8000?region=us-east-1" --sample 20000
  hansang new shop --from template.yaml
  hansang new shop --from workbench.json
"""

_DOCUMENTS = frozenset({".yaml", ".yml", ".json", ".template"})


def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name of the application's folder.")],
    source: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="PLACE",
            help="A data file, aws:REGION, http://HOST:PORT?region=REGION, a CloudFormation or SAM template, or a "
            "NoSQL Workbench model.",
        ),
    ] = None,
    table: Annotated[
        list[str] | None,
        typer.Option(metavar="TABLE", help="Only this table. May be repeated. [default: all]"),
    ] = None,
    sample: Annotated[
        int, typer.Option(min=1, metavar="N", help="How many items of each live table to read at most.")
    ] = 5000,
    as_json: AsJson = False,
) -> None:
    """Start an application. A small one has a page, a command, a job and a test; another is made around what is there."""
    starter = Starter(name)
    if source is None:
        _tell_written(starter.write(Path()), starter, as_json=as_json)
        return
    start_from(expect_new(name, Path()), source, table or [], sample, as_json=as_json)


def _tell_written(paths: Sequence[Path], starter: Starter, *, as_json: bool) -> None:
    if as_json:
        print_json({"files": [str(each) for each in paths]})
        return
    for each in paths:
        typer.echo(f"{each}: written")
    typer.echo(f"Serve it: hansang up --app {starter.name}.application:APPLICATION")
    typer.echo(f"Try it: python -m pytest {starter.name}")
    if Path(PROJECT) not in paths:
        typer.echo(
            f"{PROJECT} was there already. To install the application, add to it:\n"
            f'[project.entry-points."hansang.applications"]\n{starter.name} = "{starter.name}.application:APPLICATION"'
        )


def start_from(path: Path, source: str, wanted: Sequence[str], most: int, *, as_json: bool) -> None:
    """Write the design of what is there, check it with every item that was read, and say what came of it."""
    samples: list[TableSample] = []
    if _is_document(source):
        facts = _only(_of_document(Path(source)), wanted, source)
    else:
        samples = _sampled(source, wanted, most)
        facts = [each.facts for each in samples]
    found = infer(facts)
    write_design(path, found.text)
    with loaded(path.read_text(encoding="utf-8")) as module:
        checks = checked(module, found.tables)
        tables = [each.__name__ for each in tables_in(module)]
    Starter(path.parent.name).write_around(path.parent.parent, tables)
    if as_json:
        print_json(_as_data(path, found, samples, checks))
    else:
        _tell(path, found, samples, checks)
    if any(check.differing for check in checks):
        raise typer.Exit(FAILED)


# ── where from ────────────────────────────────────────────────────────────────────────────────────


def _is_document(source: str) -> bool:
    return is_file(source) and Path(source).suffix.lower() in _DOCUMENTS


def _of_document(path: Path) -> list[TableFacts]:
    if not path.is_file():
        raise SettingsError(f"There is no file {path}. Check the path.")
    document = read_document(path)
    if is_template(document):
        return template_tables(document)
    if is_workbench(document):
        return workbench_tables(document)
    raise SettingsError(
        f"{path} is neither a CloudFormation or SAM template, which has Resources, nor a NoSQL Workbench model, "
        "which has a DataModel."
    )


def _only(facts: list[TableFacts], wanted: Sequence[str], source: str) -> list[TableFacts]:
    names = [each.name for each in facts]
    for each in wanted:
        if each not in names:
            raise NoSuchTable(
                f"There is no table {each} in {source}. There are {', '.join(names) or 'none'}."
            )
    found = [each for each in facts if not wanted or each.name in wanted]
    if not found:
        raise NoSuchTable(f"There is no table in {source}.")
    return found


def _sampled(source: str, wanted: Sequence[str], most: int) -> list[TableSample]:
    with open_place(source, create=False) as backend:
        names = list(dict.fromkeys(wanted)) or _tables_of(backend)
        if not names:
            raise NoSuchTable(
                f"There is no table in {source}. hansang tables list --data {source} shows them."
            )
        return [_sample(backend, each, most) for each in names]


def _tables_of(backend: Backend) -> list[str]:
    """Every table but for those that Hansang keeps people and changes in."""
    own = {*names_of(PLATFORM.tables).values(), *(table.name for table in PLATFORM.tables)}
    return [each for each in tables_of(backend) if each not in own]


def _sample(backend: Backend, table: str, most: int) -> TableSample:
    with counting(f"{table}: read", most) as progress:
        return sample_table(backend, table, most, progress)


# ── what came of it ───────────────────────────────────────────────────────────────────────────────


def _tell(path: Path, found: Inferred, samples: Sequence[TableSample], checks: Sequence[TableCheck]) -> None:
    for sample in samples:
        items = f"{len(sample.facts.items):,} items" + ("" if sample.is_whole else ", a sample")
        typer.echo(f"{sample.facts.name}: read {items}; {sample.read_units:,.1f} read units")
    for table, check in zip(found.tables, checks, strict=True):
        kinds = ", ".join(each.name for each in table.entities)
        typer.echo(f"{check.table}: kinds of items: {kinds}")
        if table.facts.items:
            typer.echo(
                f"{check.table}: verified, {check.placed:,} items placed, {check.unplaced:,} not placed, "
                f"{len(check.differing):,} differing"
            )
        for each in check.differing[:5]:
            typer.echo(f"  {each.entity}.{each.attribute}: {cell(each.reason)[:200]}", err=True)
    errors, warnings = found.findings["error"], found.findings["warning"]
    typer.echo(f"{path}: written; its review has {errors} errors and {warnings} warnings")
    typer.echo(f"Read on with: hansang tables lint {path.parent.name}.design")
    typer.echo(f"Serve it: hansang up --app {path.parent.name}.application:APPLICATION")
    if any(not sample.is_whole for sample in samples):
        typer.echo("A kind of which no item was read is not in the design. A larger --sample finds more.")


def _as_data(
    path: Path, found: Inferred, samples: Sequence[TableSample], checks: Sequence[TableCheck]
) -> dict[str, Any]:
    read = {each.facts.name: each for each in samples}
    return {
        "design": str(path),
        "tables": [
            {
                "table": check.table,
                "entities": [each.name for each in table.entities],
                "read": len(table.facts.items),
                "whole": read[check.table].is_whole if check.table in read else True,
                "read_units": read[check.table].read_units if check.table in read else 0,
                "placed": check.placed,
                "not_placed": check.unplaced,
                "differing": len(check.differing),
            }
            for table, check in zip(found.tables, checks, strict=True)
        ],
        "findings": found.findings,
    }
