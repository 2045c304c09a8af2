"""Asking again when an answer was lost."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from hansang.errors import Throttled, Unavailable

R = TypeVar("R")
Sleep = Callable[[float], object]

_PAUSES = (0.02, 0.1, 0.4)


def until_answered(attempt: Callable[[], R], sleep: Sleep = time.sleep) -> R:
    """What an attempt answers; it has to be one that does no harm when it happens twice."""
    for pause in _PAUSES:
        try:
            return attempt()
        except (Unavailable, Throttled):
            sleep(pause)
    return attempt()
