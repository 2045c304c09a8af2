"""Patience with a table that is busy or cannot be reached."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from hansang.errors import Throttled, Unavailable

T = TypeVar("T")
Sleep = Callable[[float], None]

_TRIES = 8


def insist(attempt: Callable[[], T], sleep: Sleep) -> T:
    """Try again while the table is busy or cannot be reached, with longer and longer pauses.

    The answer to an attempt may have been lost after it had worked, so an attempt has to bear repetition.
    """
    for tried in range(_TRIES - 1):
        try:
            return attempt()
        except (Throttled, Unavailable):
            sleep(min(5.0, 0.02 * 2**tried))
    return attempt()
