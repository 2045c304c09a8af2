"""The command line: `hansang`."""

from __future__ import annotations

import logging
from typing import Annotated

import typer

import hansang
from hansang.apps.application import Application
from hansang.apps.catalog import APPLICATIONS, PLATFORM, unfailing
from hansang.errors import HansangError
from hansang.settings import named_applications
from hansang.surfaces.cli import backup, capacity, check, demo, dynamodb, exit_codes, new, tables_check, up

_CODES = "; ".join(f"{code} {meaning}" for code, meaning in exit_codes.MEANINGS.items())

app = typer.Typer(
    name="hansang",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    epilog=f"Exit codes: {_CODES}.",
)
app.command(epilog=up.EXAMPLES)(up.up)
app.command(epilog=dynamodb.EXAMPLES)(dynamodb.dynamodb)
app.command(epilog=new.EXAMPLES)(new.new)
app.command(epilog=demo.EXAMPLES)(demo.demo)
app.command(epilog=backup.BACKUP_EXAMPLES)(backup.backup)
app.command(epilog=backup.RESTORE_EXAMPLES)(backup.restore)
app.command(epilog=check.EXAMPLES)(check.check)
app.command(epilog=capacity.EXAMPLES)(capacity.capacity)
app.add_typer(tables_check.group, name="tables")


def _add_commands(application: Application) -> None:
    """Add what an application brings: a group under its name, or several under theirs."""
    found = application.load("commands")
    groups = found if isinstance(found, dict) else {application.name: found} if found is not None else {}
    for name, group in groups.items():
        app.add_typer(group, name=name)


for _each in (PLATFORM, *APPLICATIONS):
    _add_commands(_each)


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
        _add_others()
        app()
    except HansangError as error:
        raise SystemExit(_ended(str(error), exit_codes.exit_code(error))) from None
    except OSError as error:
        raise SystemExit(_ended(str(error), exit_codes.FAILED)) from None
    except SystemExit as end:
        if end.code == exit_codes.INTERRUPTED:
            _ended("interrupted.", exit_codes.INTERRUPTED)
        raise


def _add_others() -> None:
    """Add the commands of somebody else's applications; one that fails does not take ours with it."""

    def warn(why: str) -> None:
        typer.echo(f"hansang: {why}", err=True)

    for each in unfailing(named_applications(), warn):
        try:
            _add_commands(each)
        except HansangError as fault:
            warn(f"The commands of {each.name} are left out. {fault}")


def _ended(why: str, code: int) -> int:
    typer.echo(f"hansang: {why}", err=True)
    return code
