"""Moments from 1970 to 2100, with those in which the clocks of New York are changed among them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import strategies as some

END = int(datetime(2101, 1, 1, tzinfo=UTC).timestamp())
NEW_YORK = ZoneInfo("America/New_York")


def new_york_changes() -> list[int]:
    """The seconds in which the clocks of New York are changed."""
    found, step = [], 86_400
    for start in range(0, END, step):
        low, high = start, start + step
        if _offset(low) == _offset(high):
            continue
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if _offset(middle) == _offset(low) else (low, middle)
        found.append(high)
    return found


def _offset(second: int) -> timedelta | None:
    return datetime.fromtimestamp(second, UTC).astimezone(NEW_YORK).utcoffset()


CHANGES = new_york_changes()
_EDGES = some.tuples(some.sampled_from(CHANGES), some.integers(-2, 2)).map(sum)
_HOURS = some.tuples(some.sampled_from(CHANGES), some.integers(-90_000, 90_000)).map(sum)
_DAYS = some.tuples(some.integers(0, END // 3600 - 1), some.integers(-1, 1)).map(
    lambda each: max(0, each[0] * 3600 + each[1])
)
SECONDS = some.integers(0, END - 1) | _EDGES | _HOURS | _DAYS
MOMENTS = some.tuples(SECONDS, some.integers(0, 999_999)).map(
    lambda each: datetime.fromtimestamp(each[0], UTC) + timedelta(microseconds=each[1])
)
"""Any second, the seconds and the days around a change of clocks, and those around a full hour."""

CHANGED_DAYS = [datetime.fromtimestamp(second, NEW_YORK).date() for second in CHANGES]
