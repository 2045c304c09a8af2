"""Numbers, sizes and times as people of each language write them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

from hansang.parts.words import Language

DEFAULT_ZONE = "Asia/Seoul"
Moment = float | datetime

_LARGE = {
    "ko": ((10**12, "조"), (10**8, "억"), (10**4, "만")),
    "en": ((10**12, "T"), (10**9, "B"), (10**6, "M"), (10**4, "K")),
}
_SIZES = ("B", "KB", "MB", "GB", "TB")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_AGO = (
    (60, 1, "방금", "just now", "just now"),
    (3600, 60, "{}분 전", "{} minute ago", "{} minutes ago"),
    (86400, 3600, "{}시간 전", "{} hour ago", "{} hours ago"),
    (86400 * 7, 86400, "{}일 전", "{} day ago", "{} days ago"),
)


@dataclass(frozen=True, slots=True)
class Formats:
    """How to write things for one reader, at one moment."""

    language: Language
    zone: ZoneInfo
    now: float

    def number(self, value: float, digits: int = 0) -> str:
        """1,234,567; with digits after the point only where they say something."""
        text = f"{value:,.{digits}f}"
        return text.rstrip("0").rstrip(".") if "." in text else text

    def compact(self, value: float) -> str:
        """277.4만 or 2.8M; small numbers as they are."""
        for unit, name in _LARGE[self.language]:
            if abs(value) >= unit:
                shown = 1000 if unit == 10**4 and name == "K" else unit
                return f"{self.number(value / shown, 1)}{name}"
        return self.number(value, 0 if abs(value) >= 100 or value == int(value) else 1)

    def size(self, size_bytes: float) -> str:
        """1.2 MB, counted in thousands of 1,024."""
        value, place = float(size_bytes), 0
        while value >= 1000 and place < len(_SIZES) - 1:
            value, place = value / 1024, place + 1
        return f"{self.number(value, 0 if place == 0 or value >= 100 else 1)} {_SIZES[place]}"

    def percent(self, share: float) -> str:
        """0.123 as 12.3%."""
        return f"{self.number(share * 100, 1)}%"

    def day(self, value: Moment | date) -> str:
        """2026년 11월 15일, or 15 Nov 2026."""
        at = value if isinstance(value, date) and not isinstance(value, datetime) else self._local(value)
        if self.language == "ko":
            return f"{at.year}년 {at.month}월 {at.day}일"
        return f"{at.day} {_MONTHS[at.month - 1]} {at.year}"

    def short_day(self, value: date) -> str:
        """11월 15일, or 15 Nov; for a day of which the year is known."""
        if self.language == "ko":
            return f"{value.month}월 {value.day}일"
        return f"{value.day} {_MONTHS[value.month - 1]}"

    def tick(self, value: date) -> str:
        """11/15, or 15 Nov; below a chart."""
        return f"{value.month}/{value.day}" if self.language == "ko" else self.short_day(value)

    def month(self, value: date) -> str:
        """2026년 11월, or Nov 2026."""
        if self.language == "ko":
            return f"{value.year}년 {value.month}월"
        return f"{_MONTHS[value.month - 1]} {value.year}"

    def moment(self, value: Moment) -> str:
        """The day and the minute."""
        return f"{self.day(value)} {self._local(value):%H:%M}"

    def period(self, value: Moment, grain: str) -> str:
        """A minute or an hour by its time, a day by its month and day; days are those of UTC."""
        if grain != "day":
            return f"{self._local(value):%H:%M}"
        at = self._local(value).astimezone(UTC)
        return f"{at.month}.{at.day}." if self.language == "ko" else f"{at.day} {_MONTHS[at.month - 1]}"

    def exact(self, value: Moment) -> str:
        """The day, the second and the zone."""
        return f"{self.day(value)} {self._local(value):%H:%M:%S %Z}"

    def ago(self, value: Moment) -> str:
        """How long since, in words; the day when it is more than a week."""
        passed = self.now - self._local(value).timestamp()
        for below, unit, ko, one, many in _AGO:
            if passed < below:
                count = max(1, int(passed // unit))
                return (ko if self.language == "ko" else one if count == 1 else many).format(count)
        return self.day(value)

    def lasting(self, seconds: float) -> str:
        """A span of time, by its largest unit: 3분, 2 hours."""
        for unit, ko, en in ((86400, "일", "day"), (3600, "시간", "hour"), (60, "분", "minute")):
            if seconds >= unit:
                return self._counted(round(seconds / unit), ko, en)
        return self._counted(max(1, round(seconds)), "초", "second")

    def span(self, seconds: float) -> str:
        """A span of time to the minute: 3시간 12분, 1 day 4 hours."""
        minutes = max(1, round(seconds / 60))
        days, hours = minutes // 1440, minutes // 60 % 24
        parts = [(days, "일", "day"), (hours, "시간", "hour"), (0 if days else minutes % 60, "분", "minute")]
        return " ".join(self._counted(*each) for each in parts if each[0])

    def iso(self, value: Moment) -> str:
        """For the datetime attribute of a time element."""
        return self._local(value).astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")

    def _counted(self, count: int, ko: str, en: str) -> str:
        return f"{count}{ko}" if self.language == "ko" else f"{count} {en}{'' if count == 1 else 's'}"

    def _local(self, value: Moment | date) -> datetime:
        if isinstance(value, datetime):
            return value.astimezone(self.zone)
        if isinstance(value, date):
            return datetime(value.year, value.month, value.day, tzinfo=self.zone)
        return datetime.fromtimestamp(value, self.zone)
