"""Where things of the data pages are: applications and tables by the path, and the paths to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

from hansang.apps.application import Application
from hansang.design import Table
from hansang.design.shape import Item
from hansang.errors import NotFound
from hansang.surfaces.addresses import address
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.guards import Guard
from hansang.surfaces.wording import first_line


def application_of(visit: Visit) -> Application:
    """The application of the path, or NotFound."""
    return visit.shell.application(visit.param("app"))


def table_of(visit: Visit) -> tuple[Application, type[Table]]:
    """The application and the table of the path, or NotFound."""
    application = application_of(visit)
    for table in application.tables:
        if table.name == visit.param("table"):
            return application, table
    known = ", ".join(table.name for table in application.tables)
    raise NotFound(
        "{application} has no table {table}. There are {known}.",
        code="surfaces.no-table",
        values={"application": application.name, "table": visit.param("table"), "known": known},
    )


def guard_of(visit: Visit, application: Application) -> Guard:
    """What of an application whoever looks is not shown."""
    return Guard.of(application, visit.role(application.name))


def question_path(application: Application, label: str, texts: Mapping[str, str] | None = None) -> str:
    """The page of an access pattern, with arguments if they are given."""
    given = {argument(name): text for name, text in (texts or {}).items()}
    return f"/data/{application.name}/patterns/{quote(label)}{'?' + urlencode(given) if given else ''}"


def argument(name: str) -> str:
    """The name that an argument has behind the question mark, where it meets no other parameter."""
    return f"arg-{name}"


def picked_key(table: type[Table], item: Item) -> str:
    """The key of an item as a row of a list carries it, for what is done with several."""
    return urlencode(address(table, item))


def meaning(visit: Visit, application: Application, name: str, documented: Any) -> str:
    """What a table, an entity or a pattern of a design is, in the language of whoever looks."""
    found = visit.console.wording.find(f"{application.name}.meaning.{name}", visit.language)
    return found or first_line(documented)
