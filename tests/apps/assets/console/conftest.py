"""The console with the ledger of a couple."""

from __future__ import annotations

from tests.apps.assets.console.homes import home, read_home
from tests.surfaces.console.conftest import *  # noqa: F403 - the fixtures are listed there, once

__all__ = ["home", "read_home"]
