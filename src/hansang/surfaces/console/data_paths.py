"""Where things of the data pages are: applications and tables by the path, and the paths to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from hansang.apps.application import Application
from hansang.design import Database, Entity, Table
from hansang.design.shape import Item
from hansang.errors import NotFound
from hansang.parts.history import subject_of
from hansang.surfaces.addresses import address, item_path, table_path
from hansang.surfaces.application_settings import copied_databases
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


@dataclass(frozen=True, slots=True)
class TablePlace:
    """A table of an application, or the same one of a further copy, which is only read."""

    application: Application
    table: type[Table]
    database: Database
    copy: str = ""
    """The name in front of the tables of the copy; empty for the first."""

    @property
    def name(self) -> str:
        """What pages call it: by its design, or as the copy is stored."""
        return self.database.name(self.table) if self.copy else self.table.name

    @property
    def path(self) -> str:
        return table_path(self.application, self.table, self.copy)

    def item_path(self, item: Item, verb: str = "item") -> str:
        return item_path(self.application, self.table, item, verb, self.copy)

    def subject(self, key: Item) -> str:
        """What an item is called where it is not found."""
        return self.name + subject_of(self.table, key).removeprefix(self.table.name)


def place_of(visit: Visit) -> TablePlace:
    """The table of the path, in the copy that the path names if it names one; or NotFound."""
    application, table = table_of(visit)
    copy = str(visit.request.path_params.get("copy", ""))
    if not copy:
        return TablePlace(application, table, visit.shell.database)
    copies = copies_at(visit, application)
    if copy not in copies:
        raise NotFound(
            "{application} has no copy {copy} of its tables. There are {known}.",
            code="surfaces.no-copy",
            values={"application": application.name, "copy": copy, "known": ", ".join(copies) or "none"},
        )
    return TablePlace(application, table, copies[copy], copy)


def copies_at(visit: Visit, application: Application) -> dict[str, Database]:
    """The further copies of an application's tables, by the names in front of them."""
    return copied_databases(application, visit.shell.database, visit.shell.chosen.get(application.name))


def copy_ways(visit: Visit, place: TablePlace, kinds: Iterable[type[Entity]]) -> list[str]:
    """How the items of a copy are changed, since its pages do not: what the application says of it and of these kinds."""
    if not place.copy:
        return []
    application = place.application
    rules = (application.write_rule(each).instead for each in kinds)
    said = dict.fromkeys(each.text(visit.language) for each in rules if each is not None)
    about = application.copies_about
    return [*said, *([visit.t(about, copy=place.copy)] if about else [])]


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
