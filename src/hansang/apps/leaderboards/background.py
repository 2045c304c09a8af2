"""What goes on behind the boards: changes of scores are counted, and friends are told, while plays come in."""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event

from hansang.apps.leaderboards.service import Leaderboards
from hansang.parts.jobs import tell_progress
from hansang.parts.words import Words

FOLD_EVERY = 0.1
"""How many seconds after a count the next one begins; what is not counted yet makes every rank a little dearer."""
MANY = 50
"""After a count of so many changes the next one begins in half the time, after twice as many nearly at once."""
IDLE = 50
"""After so many counts with nothing to count, the run ends; the next change begins another."""


def keep_counting(
    boards: Leaderboards, stop: Event, *, every: float = FOLD_EVERY, idle: int = IDLE
) -> tuple[int, int]:
    """Count and tell friends until nothing has changed for a while; how many changes and how many fan-outs."""
    counted = told = quiet = 0
    with (
        boards.fan_outs.hands() as hands,
        ThreadPoolExecutor(1, thread_name_prefix="hansang-friends") as beside,
    ):
        telling: Future[int] | None = None
        while not stop.is_set() and (quiet < idle or telling is not None):
            began = time.perf_counter()
            fresh = boards.fold()
            counted, quiet = counted + fresh, 0 if fresh else quiet + 1
            if telling is not None and telling.done():
                told, telling = told + telling.result(), None
            if telling is None and (fresh or quiet == 1):
                telling = beside.submit(boards.tell_friends, stop.is_set, hands)
            if fresh:
                tell_progress(Words(f"점수 {counted:,}건", f"{counted:,} scores"))
            stop.wait(pause_after(fresh, time.perf_counter() - began, every))
    return counted, told


def pause_after(changes: int, seconds: float, every: float = FOLD_EVERY) -> float:
    """How long to wait after a count of so many changes that took so long; some time is left to others."""
    wanted = every / 2 if changes >= MANY else every
    return max(wanted - seconds, every / 20 if changes >= 2 * MANY else every / 5)
