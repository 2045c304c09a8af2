"""The inbox in numbers: what waits, how long the first answer takes, and how many inquiries come a week."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from statistics import median
from zoneinfo import ZoneInfo

from hansang.apps.codex.design import ContactInquiry

WEEKS = 12
LATE = timedelta(days=1)
"""After which an inquiry that is not done is late."""
_MONTH = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class InboxReport:
    """What waits, the time to the first answer now and a month before, and the weeks."""

    new: int
    oldest: datetime | None
    in_progress: int
    late: int
    first_answer: timedelta | None
    first_answer_before: timedelta | None
    weeks: list[tuple[date, int]]


def inbox_report(found: Sequence[ContactInquiry], now: datetime, zone: ZoneInfo) -> InboxReport:
    """The inbox at a moment; weeks begin on Mondays of the zone."""
    new = [each for each in found if each.status == "new"]
    begun = [each for each in found if each.status == "in_progress"]
    return InboxReport(
        new=len(new),
        oldest=min((each.created_at for each in new), default=None),
        in_progress=len(begun),
        late=sum(is_late(each, now) for each in begun),
        first_answer=_first_answer(found, now - _MONTH, now),
        first_answer_before=_first_answer(found, now - 2 * _MONTH, now - _MONTH),
        weeks=_weeks(found, now, zone),
    )


def is_late(inquiry: ContactInquiry, now: datetime) -> bool:
    """Whether somebody waits for more than a day."""
    return inquiry.status in ("new", "in_progress") and now - inquiry.created_at > LATE


def _first_answer(found: Sequence[ContactInquiry], since: datetime, until: datetime) -> timedelta | None:
    """The median of the time until somebody began; spam is not counted."""
    steps = [
        (each.history[1].at - each.created_at).total_seconds()
        for each in found
        if since < each.created_at <= until and each.history and len(each.history) > 1
        if each.status != "spam"
    ]
    return timedelta(seconds=median(steps)) if steps else None


def _weeks(found: Sequence[ContactInquiry], now: datetime, zone: ZoneInfo) -> list[tuple[date, int]]:
    this = _monday(now, zone)
    counts = {this - timedelta(weeks=each): 0 for each in reversed(range(WEEKS))}
    for each in found:
        week = _monday(each.created_at, zone)
        if week in counts and each.status != "spam":
            counts[week] += 1
    return list(counts.items())


def _monday(at: datetime, zone: ZoneInfo) -> date:
    day = at.astimezone(zone).date()
    return day - timedelta(days=day.weekday())
