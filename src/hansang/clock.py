"""Where the time comes from. Nothing else in Hansang reads the system clock."""

from __future__ import annotations

import time
from collections.abc import Callable

Clock = Callable[[], float]
"""Seconds since 1970, as a float."""

system_clock: Clock = time.time
