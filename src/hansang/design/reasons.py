"""Why a value is refused, in English words and never as a regular expression."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_RIGHT_FORMAT = "it is not in the right format"


def reason_of(found: Mapping[str, Any], example: str = "") -> str:
    """What pydantic found, as the end of a sentence; `example` is a value of the right format."""
    if found["type"] == "string_pattern_mismatch":
        return f"{_RIGHT_FORMAT}, which is that of {example}" if example else _RIGHT_FORMAT
    if found["type"] == "missing":
        return "it is required"
    text = str(found["msg"]).removeprefix("Value error, ").removeprefix("Assertion failed, ")
    return text.removesuffix(".")
