"""The settings that an application has of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hansang.apps.application import Application
from hansang.apps.table_names import copied
from hansang.design import Table
from hansang.settings import application_settings


def settings_of(application: Application) -> Any:
    """The settings of an application as the environment says, or None if it has none."""
    return (
        None if application.settings is None else application_settings(application.name, application.settings)
    )


def copies_of(application: Application, names: Mapping[type[Table], str]) -> Iterator[dict[type[Table], str]]:
    """The names of each further copy of an application's tables that its settings ask for."""
    if application.copies is not None:
        for prefix in application.copies(settings_of(application)):
            yield copied(prefix, application.tables, names.__getitem__)
