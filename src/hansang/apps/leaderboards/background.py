"""What goes on behind the boards: changes of scores are counted, and friends are told, while plays come in."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event

from hansang.apps.leaderboards.service import Leaderboards
from hansang.parts.jobs import tell_progress
from hansang.parts.words import Words

FOLD_EVERY = 0.1
"""How many seconds lie between two counts; what is not counted yet makes every rank a little dearer."""
IDLE = 50
"""After so many counts with nothing to count, the run ends; the next change begins another."""


def keep_counting(
    boards: Leaderboards, stop: Event, *, every: float = FOLD_EVERY, idle: int = IDLE
) -> tuple[int, int]:
    """Count and tell friends until nothing has changed for a while; how many changes and how many fan-outs."""
    counted = told = quiet = 0
    with ThreadPoolExecutor(1, thread_name_prefix="hansang-friends") as beside:
        telling: Future[int] | None = None
        while not stop.is_set() and (quiet < idle or telling is not None):
            fresh = boards.fold()
            counted, quiet = counted + fresh, 0 if fresh else quiet + 1
            if telling is not None and telling.done():
                told, telling = told + telling.result(), None
            if telling is None and (fresh or quiet == 1):
                telling = beside.submit(boards.tell_friends, stop.is_set)
            if fresh:
                tell_progress(Words(f"점수 {counted:,}건", f"{counted:,} scores"))
            stop.wait(every)
    return counted, told
