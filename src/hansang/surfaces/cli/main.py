"""The command line: `hansang`."""

from __future__ import annotations

import logging
from typing import Annotated

import typer

import hansang
from hansang.errors import HansangError, SettingsError, StoreError
from hansang.surfaces.cli import dynamodb, tables_live

EXIT_FAILED, EXIT_USAGE, EXIT_STORE = 1, 2, 3

app = typer.Typer(
    name="hansang",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    epilog=f"Exit codes: {EXIT_FAILED} cannot start, {EXIT_USAGE} wrong usage, {EXIT_STORE} bad data file.",
)
app.command(epilog=dynamodb.EXAMPLES)(dynamodb.dynamodb)
app.add_typer(tables_live.group, name="tables")


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"hansang {hansang.__version__}")
        raise typer.Exit


@app.callback()
def hansang_command(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and stop.")
    ] = False,
) -> None:
    """Hansang (한상): DynamoDB applications in Python. One table, fully set."""


def main() -> None:
    """Run the command line; whatever goes wrong is one line on the error output and an exit code."""
    logging.basicConfig(format="%(asctime)s %(name)s: %(message)s", level=logging.WARNING)
    try:
        app()
    except HansangError as error:
        typer.echo(f"hansang: {error}", err=True)
        raise SystemExit(_exit_code(error)) from None


def _exit_code(error: HansangError) -> int:
    if isinstance(error, StoreError):
        return EXIT_STORE
    return EXIT_USAGE if isinstance(error, SettingsError) else EXIT_FAILED
