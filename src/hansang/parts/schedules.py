"""Schedules: when a job runs, as a value that can be asked, told to people and given to EventBridge."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Literal, Self, cast
from zoneinfo import ZoneInfo

from hansang.errors import DesignError
from hansang.parts.words import Words

Weekday = Literal["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]
WEEKDAYS: tuple[Weekday, ...] = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")
SEOUL = "Asia/Seoul"

_DAYS_KO = "월화수목금토일"
_DAYS_EN = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_SHORTEST_MONTH = 28
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MINUTE, _HOUR, _DAY = 60, 3600, 86400
_UNITS = ((_DAY, "일", "day"), (_HOUR, "시간", "hour"), (_MINUTE, "분", "minute"), (1, "초", "second"))
_EVERY = re.compile(r"every ([0-9]{1,9})").fullmatch
_AT = re.compile(
    r"(?:daily|weekly (?P<weekday>[A-Z]{3})|monthly (?P<day>[0-9]{1,2}))"
    r" (?P<hour>[0-9]{2}):(?P<minute>[0-9]{2})(?: (?P<zone>[A-Za-z0-9_+/-]+))?"
).fullmatch


@dataclass(frozen=True, slots=True)
class Schedule:
    """Every so many seconds, or at a time of the day in a zone: daily, on a weekday, or on a day of the month.

    A time that the clocks of the zone leave out is the next moment that they show; one that they show twice
    is the first of the two. A day that a month does not have is its last day.
    """

    seconds: int | None = None
    at: time | None = None
    zone: str = SEOUL
    weekday: Weekday | None = None
    day: int | None = None

    def __post_init__(self) -> None:
        if (self.seconds is None) == (self.at is None):
            raise DesignError("A schedule has either seconds or a time of the day.")
        if self.seconds is not None and not (isinstance(self.seconds, int) and self.seconds >= 1):
            raise DesignError(f"A schedule comes every whole number of seconds, not every {self.seconds!r}.")
        if self.at is not None and (self.at.tzinfo or self.at.second or self.at.microsecond):
            raise DesignError(f"{self.at!r} is not an hour and a minute. Name the zone with zone='{SEOUL}'.")
        if self.weekday is not None and (self.weekday not in WEEKDAYS or self.day or self.at is None):
            raise DesignError(f"{self.weekday!r} is not a weekday for a schedule: use {', '.join(WEEKDAYS)}.")
        if self.day is not None and (not 1 <= self.day <= 31 or self.at is None):
            raise DesignError(f"{self.day!r} is not a day of a month: use 1 to 31.")
        _zone(self.zone)

    # ── making ────────────────────────────────────────────────────────────────────────────────────

    @classmethod
    def every(cls, seconds: int) -> Self:
        """At every multiple of so many seconds since 1970."""
        return cls(seconds=seconds)

    @classmethod
    def daily(cls, at: time, zone: str = SEOUL) -> Self:
        return cls(at=at, zone=zone)

    @classmethod
    def weekly(cls, weekday: Weekday, at: time, zone: str = SEOUL) -> Self:
        return cls(at=at, zone=zone, weekday=weekday)

    @classmethod
    def monthly(cls, day: int, at: time, zone: str = SEOUL) -> Self:
        """On a day of every month; 29 to 31 are the last day of a month that is shorter."""
        return cls(at=at, zone=zone, day=day)

    @classmethod
    def parse(cls, text: str) -> Self:
        """The schedule that a text names: `every 300`, `daily 09:00`, `monthly 31 09:00 Asia/Seoul`."""
        if every := _EVERY(text):
            return cls(seconds=int(every[1]))
        found = _AT(text)
        if found is None or int(found["hour"]) > 23 or int(found["minute"]) > 59:
            raise DesignError(
                f"{text!r} is not a valid schedule. Write every 300, daily 09:00, weekly MON 09:00 or "
                f"monthly 31 09:00, and behind a time its zone if that is not {SEOUL}."
            )
        at = time(int(found["hour"]), int(found["minute"]))
        weekday, day = cast("Weekday | None", found["weekday"]), found["day"]
        return cls(at=at, zone=found["zone"] or SEOUL, weekday=weekday, day=int(day) if day else None)

    def __str__(self) -> str:
        """The text that `parse` reads."""
        if self.at is None:
            return f"every {self.seconds}"
        return f"{self._kind} {self._at}"

    @property
    def _kind(self) -> Literal["daily", "weekly", "monthly"]:
        return "weekly" if self.weekday else "monthly" if self.day else "daily"

    @property
    def _at(self) -> str:
        which = f"{self.weekday or self.day} " if self.weekday or self.day else ""
        return f"{which}{self.at:%H:%M} {self.zone}"

    # ── asking ────────────────────────────────────────────────────────────────────────────────────

    def next_after(self, moment: datetime) -> datetime:
        """The first moment of the schedule that comes after this one."""
        if self.seconds is not None:
            return self.last_until(moment) + timedelta(seconds=self.seconds)
        days = self._days(moment, -1, 1)
        return next(found for found in map(self._moment, days) if found > moment)

    def last_until(self, moment: datetime) -> datetime:
        """The last moment of the schedule that has come by then."""
        if self.seconds is not None:
            length = timedelta(seconds=self.seconds)
            return _EPOCH + (moment - _EPOCH) // length * length
        days = self._days(moment, 1, -1)
        return next(found for found in map(self._moment, days) if found <= moment)

    def slot(self, moment: datetime) -> str:
        """A name for `last_until`, in UTC, so that names are in the order of time: `2026-11-15T08:20:00Z`."""
        return f"{self.last_until(moment):%Y-%m-%dT%H:%M:%S}Z"

    def _days(self, moment: datetime, first: int, step: int) -> Iterator[date]:
        """The days of the schedule from one beside a moment's day on, forward or backward."""
        # A clock that goes back over midnight shows the day before once more.
        day = moment.astimezone(_zone(self.zone)).date() + timedelta(days=first)
        while True:
            if self._falls_on(day):
                yield day
            day += timedelta(days=step)

    def _falls_on(self, day: date) -> bool:
        if self.weekday is not None:
            return WEEKDAYS[day.weekday()] == self.weekday
        return self.day is None or day.day == min(self.day, monthrange(day.year, day.month)[1])

    def _moment(self, day: date) -> datetime:
        """The first moment at which the clocks of the zone show the time of a day, or a later one."""
        assert self.at is not None
        zone = _zone(self.zone)
        wanted = datetime.combine(day, self.at)
        found = wanted.replace(tzinfo=zone).astimezone(UTC)
        if found.astimezone(zone).replace(tzinfo=None) == wanted:
            return found
        early = wanted.replace(tzinfo=zone, fold=1).astimezone(UTC)
        return _first_showing(wanted, zone, early, found)

    # ── telling ───────────────────────────────────────────────────────────────────────────────────

    @property
    def words(self) -> Words:
        """The schedule for people: 매주 월요일 09:00 (Asia/Seoul)."""
        if self.seconds is not None:
            return _every_words(self.seconds)
        at = f"{self.at:%H:%M} ({self.zone})"
        if self.weekday is not None:
            number = WEEKDAYS.index(self.weekday)
            return Words(f"매주 {_DAYS_KO[number]}요일 {at}", f"every {_DAYS_EN[number]} at {at}")
        if self.day is None:
            return Words(f"매일 {at}", f"daily at {at}")
        or_last = self.day > _SHORTEST_MONTH
        ko, en = ("(없으면 말일)", ", or the last,") if or_last else ("", "")
        return Words(f"매월 {self.day}일{ko} {at}", f"monthly on day {self.day}{en} at {at}")

    @property
    def parts(self) -> dict[str, Any]:
        """The schedule for programs, by its kind; three of the four are None."""
        kind = None if self.at is None else self._kind
        return {
            "every_seconds": self.seconds,
            **{f"{each}_at": self._at if each == kind else None for each in ("daily", "weekly", "monthly")},
        }

    @property
    def expressions(self) -> tuple[str, ...]:
        """The schedule for EventBridge Scheduler; two for the 29th and 30th, since February may lack them.

        EventBridge knows no rate below a minute, and seconds are rounded up to whole minutes.
        """
        if self.seconds is not None:
            return (_rate(self.seconds),)
        assert self.at is not None
        when = f"{self.at.minute} {self.at.hour}"
        if self.weekday is not None:
            return (f"cron({when} ? * {self.weekday} *)",)
        if self.day is None or self.day <= _SHORTEST_MONTH:
            return (f"cron({when} {self.day or '*'} * ? *)",)
        if self.day == 31:
            return (f"cron({when} L * ? *)",)
        longer = ",".join(str(month) for month in range(1, 13) if month != 2)
        return f"cron({when} {self.day} {longer} ? *)", f"cron({when} L 2 ? *)"


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, KeyError):
        raise DesignError(f"{name!r} is not a valid time zone. Name one such as {SEOUL} or UTC.") from None


def _first_showing(wanted: datetime, zone: ZoneInfo, early: datetime, late: datetime) -> datetime:
    """The second between two moments at which the clocks of a zone jump over a time."""
    before, after = int(early.timestamp()), int(late.timestamp())
    while after - before > 1:
        middle = (before + after) // 2
        if datetime.fromtimestamp(middle, zone).replace(tzinfo=None) < wanted:
            before = middle
        else:
            after = middle
    return datetime.fromtimestamp(after, UTC)


def _every_words(seconds: int) -> Words:
    length, ko, en = next(unit for unit in _UNITS if seconds % unit[0] == 0)
    count = seconds // length
    return Words(f"{count}{ko}마다", f"every {en}" if count == 1 else f"every {count} {en}s")


def _rate(seconds: int) -> str:
    minutes = -(-seconds // _MINUTE) * _MINUTE
    length, _, unit = next(each for each in _UNITS if minutes % each[0] == 0)
    count = minutes // length
    return f"rate({count} {unit}{'' if count == 1 else 's'})"
