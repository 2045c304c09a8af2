"""For tests: DynamoDB for boto3 in the process, and the whole product with somebody who has signed in.

As a plugin of pytest, `pytest_plugins = ["hansang.testing"]`, it has the fixtures of `hansang.testing.fixtures`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hansang.errors import not_installed

try:
    from hansang.testing.in_process import InProcess, boto3
except ModuleNotFoundError as missing:
    raise not_installed(missing, "aws") from missing
from hansang.testing.movable_clock import MovableClock

if TYPE_CHECKING:
    from hansang.testing.browsing import csrf, signed_in

__all__ = ["InProcess", "MovableClock", "boto3", "csrf", "signed_in"]

pytest_plugins = ["hansang.testing.fixtures"]


def __getattr__(name: str) -> Any:
    # Whoever tests boto3 alone has no server installed.
    if name not in ("csrf", "signed_in"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        from hansang.testing import browsing
    except ModuleNotFoundError as missing:
        raise not_installed(missing, "test") from missing
    return getattr(browsing, name)
