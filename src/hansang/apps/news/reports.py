"""Numbers of the list as pages and charts show them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import combinations

from hansang.apps.news.design import NewsRow, Run
from hansang.apps.news.rules import ZONES, Zone, without_tracking


def _moment(row: NewsRow, zone: Zone) -> datetime:
    return datetime.fromtimestamp(row.uploaded_at_utc_ms / 1000, UTC).astimezone(ZONES[zone])


@dataclass(frozen=True, slots=True)
class DayReport:
    """The links of a day in numbers; sources and tickers with the most links first."""

    hours: list[int]
    """How many came in each hour, as the clocks of the zone show it."""
    sources: list[tuple[str, int]]
    tickers: list[tuple[str, int]]
    days: dict[date, int]
    """How many came on each day, as the calendar of the zone has it; only days that have any."""
    near_duplicates: int
    """Links that differ from an earlier one in nothing but where the reader came from (X3-21)."""

    @property
    def articles(self) -> int:
        return sum(self.hours)


def day_report(rows: Iterable[NewsRow], zone: Zone) -> DayReport:
    """What the links of a day have in common, by one look at each."""
    hour_counts: Counter[int] = Counter()
    days: Counter[date] = Counter()
    sources: Counter[str] = Counter()
    named: Counter[str] = Counter()
    addresses: Counter[str] = Counter()
    for row in rows:
        moment = _moment(row, zone)
        hour_counts[moment.hour] += 1
        days[moment.date()] += 1
        sources[row.source] += 1
        named.update(row.tickers)
        addresses[without_tracking(row.url)] += 1
    again = addresses.total() - len(addresses)
    by_hour = [hour_counts[hour] for hour in range(24)]
    return DayReport(by_hour, sources.most_common(), named.most_common(), dict(days), again)


@dataclass(frozen=True, slots=True)
class TickerReport:
    """How often a ticker was named, day by day, and with which others."""

    ticker: str
    days: dict[date, int]
    together: list[tuple[str, int]]

    @property
    def total(self) -> int:
        return sum(self.days.values())


def ticker_report(ticker: str, rows: Iterable[NewsRow], since: date, until: date, zone: Zone) -> TickerReport:
    """What the links that name a ticker say of it, for every day of a span."""
    days = {since + timedelta(days=each): 0 for each in range((until - since).days + 1)}
    together: Counter[str] = Counter()
    for row in rows:
        day = _moment(row, zone).date()
        if day in days:
            days[day] += 1
            together.update(set(row.tickers) - {ticker})
    return TickerReport(ticker, days, together.most_common(12))


@dataclass(frozen=True, slots=True)
class Tickers:
    """The tickers of some links: how often each was named, and which were named together."""

    counts: list[tuple[str, int]]
    pairs: list[tuple[tuple[str, str], int]]


def tickers(rows: Iterable[NewsRow], most: int = 40) -> Tickers:
    """The tickers that were named most."""
    counts: Counter[str] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    for row in rows:
        counts.update(row.tickers)
        pairs.update(combinations(sorted(set(row.tickers)), 2))
    return Tickers(counts.most_common(most), pairs.most_common(most))


@dataclass(frozen=True, slots=True)
class RunDay:
    """What the runs of a day brought."""

    day: date
    runs: int
    inserted: int
    duplicate: int
    troubled: int
    """Collisions, invalid and failed lines."""


def run_days(runs: Iterable[Run], since: date, until: date) -> list[RunDay]:
    """The runs of a span, day by day."""
    found: dict[date, list[Run]] = {
        since + timedelta(days=each): [] for each in range((until - since).days + 1)
    }
    for run in runs:
        found.get(run.uploaded_at.date(), []).append(run)
    return [
        RunDay(
            day,
            len(of_day),
            sum(run.inserted for run in of_day),
            sum(run.duplicate + run.duplicate_in_batch for run in of_day),
            sum(run.collision + run.invalid + run.failed for run in of_day),
        )
        for day, of_day in found.items()
    ]
