"""The API over a shell in memory, and its callers."""

from __future__ import annotations

from tests.surfaces.api.conftest import (
    api,
    clock,
    nobody,
    owner,
    reader,
    served,
    shell,
    standing_api,
    standing_shell,
    standing_with,
    with_scopes,
)

__all__ = [
    "api",
    "clock",
    "nobody",
    "owner",
    "reader",
    "served",
    "shell",
    "standing_api",
    "standing_shell",
    "standing_with",
    "with_scopes",
]
