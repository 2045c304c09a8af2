"""The API over a shell in memory, and its callers."""

from __future__ import annotations

from tests.surfaces.api.conftest import *  # noqa: F403 - the fixtures are listed there, once
