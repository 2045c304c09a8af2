"""The commands on tables: what follows from a design."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from hansang.blueprint import reports
from hansang.blueprint.findings import Finding, has_errors
from hansang.blueprint.lint import lint as linted
from hansang.blueprint.lint import unloadable, without
from hansang.blueprint.requests import read as requests_of
from hansang.blueprint.rules.requests import review
from hansang.errors import DesignError, SettingsError
from hansang.surfaces.cli.designs import load

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="What follows from a design: its review, its document, its template, its cost, its tables.",
)

Designs = Annotated[
    list[str],
    typer.Argument(
        metavar="DESIGN...",
        help="An application (codex), a module (shop.design) or a table (shop.design:Shop).",
    ),
]
Output = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write to a file instead of the standard output.")
]


class Format(StrEnum):
    """The form of a report of findings."""

    text = "text"
    json = "json"
    sarif = "sarif"


def command(examples: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a function a command of this group, with examples below its help."""
    return app.command(epilog=f"Examples:\n\n\b\n{examples}")


def write(text: str, output: Path | None) -> None:
    """Say it, or put it into a file."""
    if output is None:
        typer.echo(text)
        return
    try:
        output.write_text(text if text.endswith("\n") else f"{text}\n", encoding="utf-8")
    except OSError as fault:
        raise SettingsError(f"{output} cannot be written: {fault.strerror}.") from fault


def read(path: Path) -> str:
    """The text of a file."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise SettingsError(f"{path} cannot be read: {fault}.") from fault


@command("""\
  hansang tables lint codex
  hansang tables lint shop.design --format sarif --output findings.sarif
  hansang tables lint shop.design:Shop --ignore H204 --ignore H301
  hansang tables lint --requests document.toml""")
def lint(
    designs: Annotated[
        list[str] | None, typer.Argument(metavar="[DESIGN]...", help="The designs to review.")
    ] = None,
    requests: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Review requests as a document writes them, from a TOML file."),
    ] = None,
    form: Annotated[Format, typer.Option("--format", help="The form of the report.")] = Format.text,
    ignore: Annotated[
        list[str] | None, typer.Option(metavar="CODE", help="Leave out the findings of a rule.")
    ] = None,
    output: Output = None,
) -> None:
    """Review a design: find what DynamoDB would refuse, and what will hurt. Exit code 1 if there is an error."""
    if not designs and not requests:
        raise SettingsError("There is nothing to review. Name a design, or a file with --requests.")
    findings = [*_of_designs(designs or []), *_of_requests(requests or [])]
    kept = without(findings, ignore or ())
    write(reports.FORMATS[form.value](kept), output)
    if has_errors(kept):
        raise typer.Exit(1)


def _of_designs(names: list[str]) -> list[Finding]:
    try:
        return linted(load(names)) if names else []
    except DesignError as fault:
        return [unloadable(" ".join(names), fault)]


def _of_requests(files: list[Path]) -> list[Finding]:
    return review(request for file in files for request in requests_of(read(file)))
