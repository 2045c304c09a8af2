"""Moments and days: which ones a field takes, and their text, which sorts by time and is always in UTC."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import Annotated

from pydantic import AfterValidator

from hansang.design.guards import MOMENT


class Seconds:
    """Marks a moment to the second, stored as `YYYY-MM-DDTHH:mm:ssZ`."""


class Milliseconds:
    """Marks a moment to the millisecond, stored as `YYYY-MM-DDTHH:mm:ss.SSSZ`."""


class Epoch:
    """Marks a moment to the second, stored as seconds since 1970, as DynamoDB's time to live wants it."""


class Touched:
    """Marks a moment that the database writes itself, with every write."""


def in_utc(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise ValueError(f"{moment.isoformat()} has no time zone. Give it one, such as datetime.UTC")
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise ValueError(f"{moment.isoformat()} is outside the years 1 to 9999 in UTC") from None


def to_second(moment: datetime) -> datetime:
    """The moment in UTC, or ValueError where something smaller than a second would be lost."""
    found = in_utc(moment)
    if found.microsecond:
        raise ValueError(
            f"{moment.isoformat()} is finer than a second. Cut it with .replace(microsecond=0), or use TimestampMs"
        )
    return found


def to_millisecond(moment: datetime) -> datetime:
    """The moment in UTC, or ValueError where something smaller than a millisecond would be lost."""
    found = in_utc(moment)
    if found.microsecond % 1000:
        raise ValueError(
            f"{moment.isoformat()} is finer than a millisecond. Cut it: "
            ".replace(microsecond=moment.microsecond // 1000 * 1000)"
        )
    return found


Timestamp = Annotated[datetime, Seconds(), MOMENT, AfterValidator(to_second)]
TimestampMs = Annotated[datetime, Milliseconds(), MOMENT, AfterValidator(to_millisecond)]
Expiry = Annotated[datetime, Epoch(), MOMENT, AfterValidator(to_second)]
UpdatedAt = Annotated[datetime, Seconds(), MOMENT, AfterValidator(to_second), Touched()]
"""When an item was written last: `updated_at: UpdatedAt = AT_WRITE`. The database keeps it up."""

AT_WRITE = datetime(1, 1, 1, tzinfo=UTC)
"""Stands for the moment of writing until there is one."""

# ── texts ─────────────────────────────────────────────────────────────────────────────────────────


def seconds_text(moment: datetime) -> str:
    return to_second(moment).isoformat()[:-6] + "Z"


def milliseconds_text(moment: datetime) -> str:
    return to_millisecond(moment).isoformat(timespec="milliseconds")[:-6] + "Z"


def parse_seconds(text: str) -> datetime:
    # The places that are looked at leave fromisoformat no other form of this length to accept.
    if text[7::3] != "-T::Z" or len(text) != 20:
        raise ValueError(f"{text} is not of the form YYYY-MM-DDTHH:mm:ssZ")
    return datetime.fromisoformat(text)


def parse_milliseconds(text: str) -> datetime:
    if len(text) != 24 or text[23] != "Z" or text[7:20:3] != "-T::.":
        raise ValueError(f"{text} is not of the form YYYY-MM-DDTHH:mm:ss.SSSZ")
    return datetime.fromisoformat(text)


_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@lru_cache(maxsize=4096)
def parse_day(text: str) -> date:
    """The day of a text; the same few days stand in many items."""
    if _DAY.fullmatch(text) is None:
        raise ValueError(f"{text} is not of the form YYYY-MM-DD")
    return date.fromisoformat(text)


def to_epoch(moment: datetime) -> int:
    return int(to_second(moment).timestamp())


def from_epoch(text: str) -> datetime:
    return datetime.fromtimestamp(int(text), UTC)
