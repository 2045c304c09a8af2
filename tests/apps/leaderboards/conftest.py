"""The clock of a shell in memory."""

from __future__ import annotations

from tests.surfaces.shells import clock

__all__ = ["clock"]
