"""Designs by the names that people give on the command line."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

from hansang.blueprint.examples import entities, read_examples
from hansang.blueprint.subject import Design
from hansang.design import Entity, Table
from hansang.errors import SettingsError

_SHORT = {"platform": "hansang.parts.design:Platform"}


def load(names: Iterable[str]) -> Design:
    """The tables of `module:Table`, of a module, of an application by its short name, or of the platform."""
    tables: dict[type[Table], None] = {}
    examples: list[Entity] = []
    for name in names:
        module, wanted = _module(name)
        here = [_table(module, wanted)] if wanted else _tables(module)
        tables |= dict.fromkeys(here)
        examples += getattr(module, "EXAMPLES", ()) or entities(read_examples(module), here)
    return Design(list(tables), examples)


def _module(name: str) -> tuple[ModuleType, str]:
    path, _, table = _SHORT.get(name, name).partition(":")
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    application = f"hansang.apps.{path}.design"
    found = application if path.isidentifier() and _exists(application) else path
    if not _exists(found):
        raise SettingsError(
            f"There is no design {name}. Name an application, such as codex, a module, such as shop.design, "
            "or one table of it: shop.design:Shop."
        )
    return importlib.import_module(found), table


def _exists(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ModuleNotFoundError, ValueError):
        return False


def _tables(module: ModuleType) -> list[type[Table]]:
    found = [
        each
        for each in vars(module).values()
        if isinstance(each, type) and issubclass(each, Table) and each.__module__ == module.__name__
    ]
    if not found:
        raise SettingsError(f"The module {module.__name__} has no tables of its own.")
    return found


def _table(module: ModuleType, name: str) -> type[Table]:
    found = getattr(module, name, None)
    if not isinstance(found, type) or not issubclass(found, Table):
        names = ", ".join(each.__name__ for each in _tables(module))
        raise SettingsError(f"{module.__name__} has no table {name}. Its tables are {names}.")
    return found
