"""Retrying what was throttled, or whose answer was lost."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from hansang.errors import Throttled, Unavailable

R = TypeVar("R")
Sleep = Callable[[float], object]

BRIEF = (0.02, 0.1, 0.4)
"""The pauses, in seconds, of a request that somebody waits for."""
PATIENT = tuple(0.02 * 2**number for number in range(7))
"""The pauses of work that is long anyway, and should outlast a busy table."""


def retry(work: Callable[[], R], sleep: Sleep = time.sleep, pauses: Sequence[float] = BRIEF) -> R:
    """What `work` returns, tried once more after each pause while it is throttled or unavailable.

    The answer to a try may have been lost after it had worked, so `work` must do no harm when it happens twice.
    """
    for pause in pauses:
        try:
            return work()
        except (Throttled, Unavailable):
            sleep(pause)
    return work()
