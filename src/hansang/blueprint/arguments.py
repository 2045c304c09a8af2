"""The arguments of access patterns: which of them a field has refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hansang.errors import InvalidInput


def refused_argument(error: InvalidInput, arguments: Mapping[str, Any]) -> str:
    """The argument that an error is about; the error knows the value, and the field that it was compared with."""
    if error.field in arguments:
        return error.field
    given = (name for name, value in arguments.items() if value is not None and value == error.value)
    return next(given, "")
