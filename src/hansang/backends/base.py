"""The seam between a design, or a wire, and whatever answers it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol


class Backend(Protocol):
    """Something that answers DynamoDB's operations in DynamoDB's own JSON form, or raises `WireError`."""

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]: ...
