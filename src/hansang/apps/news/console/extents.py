"""How far a run in the background has come: what is done, how fast it goes, and what is left."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hansang.apps.news.design import Run
from hansang.apps.news.sent_lists import SentList


@dataclass(frozen=True, slots=True)
class RunExtent:
    """How much of its list a run has read, and what is likely to be left."""

    read: int
    length: int
    """In bytes."""
    a_minute: int
    """Lines, of late."""
    lines_left: int

    @property
    def percent(self) -> int:
        return self.read * 100 // max(1, self.length)

    @property
    def seconds_left(self) -> int | None:
        """None while nobody can tell."""
        return self.lines_left * 60 // self.a_minute if self.a_minute and self.lines_left else None


def extent_of(run: Run, sent: SentList | None, message: Mapping[str, Any] | None) -> RunExtent | None:
    """How far a run has come that is loaded from a list that is kept."""
    if sent is None or run.run_state not in ("waiting", "running"):
        return None
    read, rate, lines = (int((message or {}).get(name, 0)) for name in ("read", "rate", "lines"))
    left = max(0, lines - run.total)
    return RunExtent(read, sent.length, rate, left if left < 1000 else left // 100 * 100)
