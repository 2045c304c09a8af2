"""People as commands of applications ask for them: by sign-in name, at the place of the data."""

from __future__ import annotations

from collections.abc import Iterable

from hansang.apps.catalog import PLATFORM
from hansang.design import Database
from hansang.errors import NotFound


def expect_people(database: Database, names: Iterable[str]) -> None:
    """Refuse a name with which nobody signs in."""
    [table] = PLATFORM.tables
    person = next(each for each in table.shapes if each.type_name == "Person")
    for name in names:
        if database.find_item(table, person.key({"name": name})) is None:
            raise NotFound("Person {name} not found.", code="platform.no-person", values={"name": name})
