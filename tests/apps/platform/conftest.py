"""The platform's table in memory, and a clock that shows what a test says."""

from __future__ import annotations

from tests.parts.conftest import (
    clock,
    database,
)

__all__ = ["clock", "database"]
