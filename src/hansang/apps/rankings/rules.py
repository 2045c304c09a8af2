"""What the rankings decide without reading anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from hansang.apps.rankings.design import Period
from hansang.errors import InvalidInput

OFFICIAL = 100
PERIODS: dict[Period, timedelta] = {
    "day": timedelta(days=1),
    "week": timedelta(days=7),
    "month": timedelta(days=30),
}
MOVERS_AMONG = 1000
"""So many players at the top of a board are compared when somebody asks; all of them in the background."""
_LEAST_ROUND_POWER = 10_000
SEOUL = ZoneInfo("Asia/Seoul")


def rank_at(offset: int, index: int) -> int:
    """The rank of a row: how many rows stand on earlier pages, and where it stands on its own (5-15)."""
    return offset + index + 1


def day_in_seoul(moment: float) -> date:
    """The day that it is in Seoul (X5-15)."""
    return datetime.fromtimestamp(moment, SEOUL).date()


def expect_span(low: int, high: int) -> None:
    """Refuse a range whose ends are the wrong way round (X5-29)."""
    if low > high:
        raise InvalidInput(
            "The range from {low} to {high} is empty. Give the lower end first.",
            "low",
            code="rankings.empty-range",
            values={"low": low, "high": high},
        )


def other_position(place: int, officials: Sequence[int]) -> int:
    """Where the row at a place among all but the officials stands among everyone; both from 0 (X5-05)."""
    position = place
    for official in officials:
        if official > position:
            break
        position += 1
    return position


def others_before(position: int, officials: Sequence[int]) -> int:
    """How many rows that are no officials stand before a position among everyone."""
    return position - sum(official < position for official in officials)


@dataclass(frozen=True, slots=True)
class Milestone:
    """Something that happened for the first time."""

    day: date
    kind: str
    """`official` for the first time in the top hundred, `level` and `power` for round ones, `best` for the best rank,
    `climb` for the biggest climb."""
    board: str
    value: int


def round_levels(before: int, after: int, step: int = 50) -> list[int]:
    """The round levels that a player has reached between two days."""
    return list(range(before // step * step + step, after + 1, step))


def round_powers(before: int, after: int) -> list[int]:
    """The last round power that a player has reached between two days: a digit and zeros, from ten thousand on."""
    unit = 10 ** (len(str(after)) - 1)
    reached: int = after // unit * unit
    return [reached] if before < reached and reached >= _LEAST_ROUND_POWER else []
