"""Weeks and scores, decided without reading anything."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta

FRIDAY = 4
HIGHEST_SCORE = 99_999

_WEEK = re.compile(r"(\d{4}-\d{2}-\d{2}), ?(\d{4}-\d{2}-\d{2})")


@dataclass(frozen=True, slots=True, order=True)
class Week:
    """Seven days, by the first and the last of them."""

    start: date
    end: date

    def __post_init__(self) -> None:
        if self.end - self.start != timedelta(days=6):
            raise ValueError(f"{self} is no week: it has to end six days after it starts.")

    def __str__(self) -> str:
        """The week as it stands in keys: `2014-05-09, 2014-05-15`."""
        return f"{self.start}, {self.end}"

    @property
    def days(self) -> tuple[date, date]:
        """Its first and its last day, as questions take them."""
        return self.start, self.end

    @classmethod
    def parse(cls, text: str) -> Week:
        """The week of a text, with a space behind the comma or, as the source has it, without (X2-03)."""
        found = _WEEK.fullmatch(text)
        if found is None:
            raise ValueError(f"{text!r} is no week. Write it as 2014-05-09, 2014-05-15.")
        return cls(date.fromisoformat(found[1]), date.fromisoformat(found[2]))


def week_of(day: date, first: int = FRIDAY) -> Week:
    """The week that a day is in, when weeks start on that day of the week (Monday is 0)."""
    start = day - timedelta(days=(day.weekday() - first) % 7)
    return Week(start, start + timedelta(days=6))


def is_jump(before: int | None, score: int, highest: int) -> bool:
    """Whether a best is suddenly so much better that somebody should look at it: by more than half of all points."""
    return before is not None and score - before > highest // 2
