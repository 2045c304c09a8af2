"""Timestamps: from the seconds of a clock to datetimes in UTC and to text."""

from __future__ import annotations

from datetime import UTC, datetime


def to_datetime(seconds: float) -> datetime:
    """The seconds of a clock as a datetime in UTC."""
    return datetime.fromtimestamp(seconds, UTC)


def to_whole_second(seconds: float) -> datetime:
    """The same without fractions of a second, as it is stored."""
    return to_datetime(int(seconds))


def iso_timestamp(at: datetime) -> str:
    """A datetime as ISO 8601 text of one width, so that the order of texts is the order of time."""
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%f}Z"
