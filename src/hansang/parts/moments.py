"""Moments between the clock's seconds and what is stored."""

from __future__ import annotations

from datetime import UTC, datetime


def moment(seconds: float) -> datetime:
    """The moment that a clock shows, in UTC."""
    return datetime.fromtimestamp(seconds, UTC)


def second(seconds: float) -> datetime:
    """The whole second that a clock shows, as it is stored."""
    return moment(int(seconds))


def stamp(at: datetime) -> str:
    """A moment as text of one width, so that the order of texts is the order of time."""
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%f}Z"
