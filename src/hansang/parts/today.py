"""What an application shows of itself on the home page: a few figures and lines of today, in few reads.

Labels are keys of the application's words. Whoever may read the application sees it, so it holds nothing that is
for some of them alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any, Literal
from zoneinfo import ZoneInfo

from hansang.clock import Clock
from hansang.design import Database
from hansang.errors import DesignError

MOST_FIGURES, MOST_LINES = 3, 3
SEOUL = ZoneInfo("Asia/Seoul")

FigureKind = Literal["number", "won"]
Tone = Literal["plain", "good", "warn", "bad"]


@dataclass(frozen=True, slots=True)
class TodayFigure:
    """One number: what it is of, how it is written, and whether it asks for attention."""

    label: str
    value: int
    kind: FigureKind = "number"
    tone: Tone = "plain"
    href: str = ""


@dataclass(frozen=True, slots=True)
class TodayLine:
    """One line of a short list: a name, and a number or a moment that belongs to it."""

    name: str
    value: int | datetime | None = None
    kind: FigureKind = "number"
    badge: str = ""
    """The key of a word that says how it stands."""
    tone: Tone = "plain"
    href: str = ""


@dataclass(frozen=True, slots=True)
class Today:
    """What matters in an application today."""

    about: str
    """What the figures and lines are of, such as the month or the week."""
    values: Mapping[str, object] = field(default_factory=dict)
    """What stands in its places."""
    figures: tuple[TodayFigure, ...] = ()
    lines: tuple[TodayLine, ...] = ()
    is_ranked: bool = False
    """Whether the lines are the first, second and third."""
    nothing: str = ""
    """What is said where there are no lines."""

    def __post_init__(self) -> None:
        if len(self.figures) > MOST_FIGURES or len(self.lines) > MOST_LINES:
            raise DesignError(
                f"The home page has room for {MOST_FIGURES} figures and {MOST_LINES} lines of an application."
            )


TodayHook = Callable[[Database, Clock, Any], Today]
"""Reads what an application shows, given its settings, or None if it has none."""


def seoul_day(clock: Clock) -> date:
    """The day that it is in Seoul."""
    return datetime.fromtimestamp(clock(), UTC).astimezone(SEOUL).date()
