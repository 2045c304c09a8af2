"""The console with some days of rankings, made once for the tests of a module that only read."""

from __future__ import annotations

from tests.apps.rankings.console.club import club
from tests.surfaces.console.conftest import *  # noqa: F403 - the fixtures are listed there, once

__all__ = ["club"]
