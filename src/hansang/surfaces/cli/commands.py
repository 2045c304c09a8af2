"""Which commands there are. What a command needs is imported when it is asked for, so that the others start at once."""

from __future__ import annotations

import gc
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

import typer
from typer.main import get_group

from hansang.errors import HansangError
from hansang.settings import named_applications
from hansang.surfaces.cli.help_lines import HelpGroup

if TYPE_CHECKING:
    from hansang.apps.application import Application

_KIT = {
    "up": ("up", "EXAMPLES"),
    "dynamodb": ("dynamodb", "EXAMPLES"),
    "new": ("new", "EXAMPLES"),
    "demo": ("demo", "EXAMPLES"),
    "backup": ("backup", "BACKUP_EXAMPLES"),
    "restore": ("backup", "RESTORE_EXAMPLES"),
    "check": ("check", "EXAMPLES"),
    "capacity": ("capacity", "EXAMPLES"),
    "partiql": ("partiql", "EXAMPLES"),
}
"""The commands that belong to no application: the module beside this one, and the name of its examples."""


def plain() -> typer.Typer:
    """A group of commands that says what it has to say in plain lines."""
    return typer.Typer(cls=HelpGroup, rich_markup_mode=None, pretty_exceptions_enable=False)


class Commands(HelpGroup):
    """The kit's commands by their names, then those that applications bring."""

    def list_commands(self, _: Any) -> list[str]:
        """Every name, in the order of the help."""
        return [*_KIT, "tables", *self._of_applications]

    def get_command(self, _: Any, name: str) -> Any:
        """The command of this name, or None."""
        if name in _KIT or name == "tables":
            return _of_kit(name)
        return _of_application(name) or self._of_applications.get(name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that is asked for; from here on the collector looks at what is new."""
        found = super().resolve_command(ctx, args)
        if not gc.isenabled():
            gc.freeze()
            gc.enable()
        return found

    @cached_property
    def _of_applications(self) -> dict[str, Any]:
        from hansang.apps import catalog

        commands = plain()
        for each in (catalog.PLATFORM, *catalog.APPLICATIONS):
            _add(commands, each)
        for each in catalog.unfailing(named_applications(), warn):
            try:
                _add(commands, each)
            except HansangError as fault:
                warn(f"The commands of {each.name} are left out. {fault}")
        return dict(get_group(commands).commands)


def _of_application(name: str) -> Any:
    """A command of the platform or of the application of that name, without those of all others; None if neither."""
    from hansang.apps import catalog

    for found in filter(None, (catalog.own(name), catalog.PLATFORM)):
        commands = plain()
        _add(commands, found)
        if name in (known := get_group(commands).commands):
            return known[name]
    return None


def _of_kit(name: str) -> Any:
    commands = plain()
    if name == "tables":
        commands.add_typer(import_module("hansang.surfaces.cli.tables_check").group, name=name)
    else:
        module_name, examples = _KIT[name]
        module = import_module(f"hansang.surfaces.cli.{module_name}")
        commands.command(epilog=getattr(module, examples))(getattr(module, name))
    return get_group(commands).commands[name]


def _add(commands: typer.Typer, application: Application) -> None:
    """Add what an application brings: a group under its name, or several under theirs."""
    found = application.load("commands")
    groups = found if isinstance(found, dict) else {application.name: found} if found is not None else {}
    for name, group in groups.items():
        commands.add_typer(group, name=name)


def warn(why: str) -> None:
    """One line on the error output; the command goes on."""
    typer.echo(f"hansang: {why}", err=True)
