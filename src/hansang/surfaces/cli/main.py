"""The command line: `hansang`."""

from __future__ import annotations

import logging
from typing import Annotated

import typer

import hansang
from hansang.errors import HansangError
from hansang.surfaces.cli import exit_codes
from hansang.surfaces.cli.commands import Commands

_CODES = "; ".join(f"{code} {meaning}" for code, meaning in exit_codes.MEANINGS.items())

app = typer.Typer(
    name="hansang",
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    epilog=f"Exit codes: {_CODES}.",
)


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
    logging.getLogger("urllib3").setLevel(logging.ERROR)  # Each of its retries; what comes of them is told.
    try:
        app()
    except HansangError as error:
        raise SystemExit(_ended(str(error), exit_codes.exit_code(error))) from None
    except OSError as error:
        raise SystemExit(_ended(str(error), exit_codes.FAILED)) from None
    except SystemExit as end:
        if end.code == exit_codes.INTERRUPTED:
            _ended("interrupted.", exit_codes.INTERRUPTED)
        raise


def _ended(why: str, code: int) -> int:
    typer.echo(f"hansang: {why}", err=True)
    return code
