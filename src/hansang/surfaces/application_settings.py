"""The settings that an application has of its own."""

from __future__ import annotations

from typing import Any

from hansang.apps.application import Application
from hansang.settings import application_settings


def settings_of(application: Application) -> Any:
    """The settings of an application as the environment says, or None if it has none."""
    return (
        None if application.settings is None else application_settings(application.name, application.settings)
    )
