"""Which applications there are: ours, those of installed packages, and those that somebody names."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from types import ModuleType
from typing import Any

from hansang.apps.application import Application
from hansang.apps.dotted import imported
from hansang.design import Table
from hansang.errors import DesignError, HansangError, NotFound, SettingsError
from hansang.parts.words import Words

PLATFORM: Application
"""What knows people and keys; it is always served."""
APPLICATIONS: tuple[Application, ...]
"""Those that come with Hansang."""
TABLES: tuple[type[Table], ...]
"""Every table that Hansang has, the platform's own first."""

NAMES = ("assets", "leaderboards", "rankings", "news", "codex")
_PLATFORM_NAME = "platform"

ENTRY_POINTS = "hansang.applications"
"""What a package names its descriptors under to be served without being named."""

RESERVED = frozenset(
    {"account", "admin", "api", "apps", "capacity", "changes", "data", "docs", "health", "live", "metrics"}
    | {"openapi", "preferences", "problems", "sign-in", "sign-out", "spec", "static"}
)
"""Names that addresses of the kit begin with; an application cannot have one of them."""

_GENERAL = frozenset({"design", "designs", "tables", "models", "application"})
"""Last names of modules that say nothing; the application is called after the package then."""


def __getattr__(name: str) -> Any:
    """The three above, imported when they are asked for: a command of one application starts without the others."""
    if name == "PLATFORM":
        return _platform()
    if name == "APPLICATIONS":
        return _applications()
    if name == "TABLES":
        return _tables()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def own(name: str) -> Application | None:
    """The application of ours of this name, the platform too, without importing any other; None if there is none."""
    if name != _PLATFORM_NAME and name not in NAMES:
        return None
    found: Application = import_module(f"hansang.apps.{name}.application").APPLICATION
    return found


def _platform() -> Application:
    found = own(_PLATFORM_NAME)
    assert found is not None
    return found


@cache
def _applications() -> tuple[Application, ...]:
    return tuple(filter(None, map(own, NAMES)))


@cache
def _tables() -> tuple[type[Table], ...]:
    return tuple(table for each in (_platform(), *_applications()) for table in each.tables)


def available() -> tuple[Application, ...]:
    """Ours and those of installed packages; one that cannot be loaded is a DesignError."""
    return _joined([*_applications(), *(_installed(each) for each in _entry_points())])


def chosen(names: Iterable[str]) -> tuple[Application, ...]:
    """The applications of these names or references, or all that are available when there are none.

    A reference is `package.module:NAME` of a descriptor or a table, or a module that has one or some.
    """
    found = [application(name) for name in dict.fromkeys(names)]
    return _joined(found) if found else available()


def application(name: str) -> Application:
    """The application of this name or reference, or NotFound."""
    if name in NAMES and (found := own(name)) is not None:
        return found
    for point in _entry_points():
        if point.name == name:
            return _installed(point)
    if ":" in name or imported(name) is not None:
        return plugged(name)
    known = ", ".join([*NAMES, *(each.name for each in _entry_points())])
    raise NotFound(
        f"Application {name} not found. There are {known}. "
        "Name another one as package.module:APPLICATION, or a module of tables."
    )


def unfailing(names: Iterable[str], warn: Callable[[str], object]) -> list[Application]:
    """Those of others: of installed packages and by references, without the ones that cannot be loaded."""
    known, found = set(NAMES), list[Application]()
    for name in dict.fromkeys([*(each.name for each in _entry_points()), *names]):
        if name in known:
            continue
        try:
            found.append(application(name))
        except HansangError as fault:
            warn(f"The application {name} is left out. {fault}")
    return found


def with_platform(name: str) -> Application:
    """The application of this name or reference; the platform too."""
    return _platform() if name == _PLATFORM_NAME else application(name)


def plugged(reference: str) -> Application:
    """The application that a reference stands for; tables without a descriptor become one."""
    module_name, _, name = reference.partition(":")
    module = imported(module_name)
    if module is None:
        raise NotFound(f"Module {module_name} not found.")
    found = getattr(module, name or "APPLICATION", None)
    if isinstance(found, Application):
        return _checked(found)
    if not name and (below := _below(module)) is not None:
        return plugged(below)
    tables = tuple(tables_in(module))
    if not name:
        return _checked(_of_tables(module, tables))
    if isinstance(found, type) and issubclass(found, Table):
        return _checked(_of_tables(module, (found,)))
    known = ", ".join(each.__name__ for each in tables)
    raise SettingsError(
        f"{module_name} has no application and no table {name}. Its tables are {known or 'none'}."
    )


def _below(module: ModuleType) -> str | None:
    """Where a package has its descriptor or its tables, if not in itself."""
    if not hasattr(module, "__path__") or any(tables_in(module)):
        return None
    names = (f"{module.__name__}.{each}" for each in ("application", "design"))
    return next((each for each in names if imported(each) is not None), None)


def _of_tables(module: ModuleType, tables: tuple[type[Table], ...]) -> Application:
    if not tables:
        raise SettingsError(f"The module {module.__name__} has no APPLICATION and no tables of its own.")
    names = module.__name__.split(".")
    last = names[-2] if names[-1] in _GENERAL and len(names) > 1 else names[-1]
    title = last.replace("_", " ").strip().capitalize()
    about = (inspect.getdoc(module) or "").partition("\n")[0]
    return Application(
        name=re.sub(r"[^a-z0-9_-]", "-", last.lower()).lstrip("-_0123456789")[:40],
        title=Words(title, title),
        summary=Words(about, about),
        icon="table-2",
        tables=tables,
    )


def tables_in(module: ModuleType) -> Iterator[type[Table]]:
    """The tables that a module has itself."""
    for each in vars(module).values():
        if isinstance(each, type) and issubclass(each, Table) and each.__module__ == module.__name__:
            yield each


@cache
def _entry_points() -> list[EntryPoint]:
    return sorted(entry_points(group=ENTRY_POINTS), key=lambda each: each.name)


def _installed(point: EntryPoint) -> Application:
    found = plugged(point.value)
    if found.name != point.name:
        raise DesignError(
            f"The entry point {point.name} leads to the application {found.name}. Give both the same name."
        )
    return found


def _checked(found: Application) -> Application:
    if found.name in RESERVED or found.name == _PLATFORM_NAME:
        raise DesignError(f"An application cannot be called {found.name}: addresses of the console begin so.")
    return found


def _joined(applications: Iterable[Application]) -> tuple[Application, ...]:
    """The applications, if no two have a name or a table in common."""
    by_name: dict[str, Application] = {}
    by_table = {table.name: _platform() for table in _platform().tables}
    for each in applications:
        if each.name in by_name:
            raise DesignError(
                f"Two applications are called {each.name}. Serve one of them: --app {each.name}."
            )
        by_name[each.name] = each
        for table in each.tables:
            other = by_table.setdefault(table.name, each)
            if other is not each:
                raise DesignError(f"{other.name} and {each.name} both have a table {table.name}. Rename one.")
    return tuple(by_name.values())
