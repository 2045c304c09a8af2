"""Sending again what was throttled, as the SDKs of AWS do."""

from __future__ import annotations

import time
from collections.abc import Callable
from random import random
from typing import Any

from hansang.engine.throttling import THROTTLED
from hansang.errors import WireError

ATTEMPTS = 8
_FIRST, _LONGEST = 0.05, 20.0


def sent_again(
    send: Callable[[], dict[str, Any]],
    *,
    attempts: int = ATTEMPTS,
    sleep: Callable[[float], object] = time.sleep,
    chance: Callable[[], float] = random,
) -> dict[str, Any]:
    """The answer, after pauses that double and are cut short by chance; the refusal, if the last try has one.

    A cancelled transaction is not sent again: no SDK does that.
    """
    for attempt in range(attempts - 1):
        try:
            return send()
        except WireError as refusal:
            if refusal.code not in THROTTLED:
                raise
        sleep(chance() * min(_LONGEST, _FIRST * 2**attempt))
    return send()
