"""The console with a small company site, made once for a module."""

from __future__ import annotations

from tests.apps.codex.console.newsroom import newsroom
from tests.surfaces.console.conftest import *  # noqa: F403 - the fixtures are listed there, once

__all__ = ["newsroom"]
