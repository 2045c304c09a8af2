"""Days and hours of the news list, as the clocks of New York, Seoul or UTC show them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from hansang.apps.news.rules import ZONES, Zone
from hansang.errors import InvalidInput
from hansang.surfaces.console.pages import Visit

_FIRST, _LAST = date(1970, 1, 2), date(2999, 12, 31)
_OF_BROWSERS: dict[str, Zone] = {"America/New_York": "est", "Asia/Seoul": "kst"}


def zone_of(visit: Visit) -> Zone:
    """The zone that is asked for, else that of the browser if it is one of the three, else that of the reader."""
    asked = visit.query("zone")
    for zone in ZONES:
        if asked == zone:
            return zone
    return _OF_BROWSERS.get(visit.formats.zone.key, "kst" if visit.language == "ko" else "utc")


def day_of(visit: Visit) -> date | None:
    """The day that is asked for."""
    text = visit.query("day")
    if not text:
        return None
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = None
    if day is None or not _FIRST <= day <= _LAST:
        raise InvalidInput("A day looks like 2026-11-15.", "day", code="news.no-day")
    return day


def today_in(visit: Visit, zone: Zone) -> date:
    """The day that it is now in a zone."""
    return datetime.fromtimestamp(visit.shell.clock(), ZONES[zone]).date()


def moment_in(ms: int, zone: Zone) -> datetime:
    """A moment as the clocks of a zone show it."""
    return datetime.fromtimestamp(ms // 1000, UTC).astimezone(ZONES[zone])


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the zones to choose from."""

    zone: Zone
    name: str
    href: str
    is_current: bool


def choices(visit: Visit, here: Zone) -> list[Choice]:
    """The zones, each with the way to this page in it."""
    return [
        Choice(zone, visit.t(f"news.zone.{zone}"), visit.link(zone=zone, cursor=None), zone == here)
        for zone in ZONES
    ]


def span(until: date, days: int) -> list[date]:
    """Some days up to one, the oldest first."""
    return [until - timedelta(days=back) for back in range(days - 1, -1, -1)]
