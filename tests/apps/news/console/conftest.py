"""The console on a shell, and browsers for a few people."""

from __future__ import annotations

from tests.surfaces.console.conftest import (
    app,
    clock,
    rendering,
    shell,
    visitor,
    whole,
)

__all__ = ["app", "clock", "rendering", "shell", "visitor", "whole"]
