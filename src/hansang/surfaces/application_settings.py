"""The settings that an application has of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hansang.apps.application import Application
from hansang.apps.table_names import copied
from hansang.design import Database, Table
from hansang.errors import SettingsError
from hansang.settings import application_settings


def settings_of(application: Application) -> Any:
    """The settings of an application as the environment says, or None if it has none."""
    return (
        None if application.settings is None else application_settings(application.name, application.settings)
    )


def copies_of(application: Application, names: Mapping[type[Table], str]) -> Iterator[dict[type[Table], str]]:
    """The names of each further copy of an application's tables that its settings ask for."""
    if application.copies is None:
        return
    taken = set(names.values())
    for prefix in application.copies(settings_of(application)):
        found = copied(prefix, application.tables, names.__getitem__)
        if twice := sorted(taken.intersection(found.values())):
            raise SettingsError(
                f"Two tables of {application.name} would be called {twice[0]}. Change HANSANG_TABLE_NAMES."
            )
        taken.update(found.values())
        yield found


def notices(applications: Iterable[Application], database: Database) -> list[str]:
    """What applications say of their settings and data before they are served; a SettingsError refuses them."""
    return [
        notice
        for each in applications
        if each.at_start is not None
        for notice in each.at_start(database, settings_of(each))
    ]


def databases_of(application: Application, database: Database, settings: Any) -> Iterator[Database]:
    """The database, and for each further copy of an application's tables one that has it instead."""
    yield database
    yield from copied_databases(application, database, settings).values()


def copied_databases(application: Application, database: Database, settings: Any) -> dict[str, Database]:
    """A database for each further copy of an application's tables, by the name that stands in front of them."""
    names = () if application.copies is None or settings is None else application.copies(settings)
    return {each: database.renamed(copied(each, application.tables, database.name)) for each in names}
