"""The console on a shell, and browsers for a few people."""

from __future__ import annotations

from tests.surfaces.console.conftest import (
    app,
    applications,
    clock,
    rendering,
    shell,
    visitor,
    whole,
)

__all__ = ["app", "applications", "clock", "rendering", "shell", "visitor", "whole"]
