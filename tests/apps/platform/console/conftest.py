"""The console on a shell, and browsers for a few people."""

from __future__ import annotations

from tests.surfaces.console.conftest import *  # noqa: F403 - the fixtures are listed there, once
