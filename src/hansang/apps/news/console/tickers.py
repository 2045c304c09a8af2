"""The tickers that the articles name: the most named, those named together, and one of them over time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from itertools import islice
from typing import Any
from urllib.parse import urlencode

from starlette.responses import Response

from hansang.apps.news import reports
from hansang.apps.news.console.links import AREA, news_of, page, ticker_path
from hansang.apps.news.console.zones import choices, moment_in, span, today_in, zone_of
from hansang.apps.news.reading import ArticleFilter
from hansang.apps.news.reports import TickerReport
from hansang.design import Unreadable
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, allowed

DAYS = 30
WEEKS = 26
SPANS = (30, 90, 182)
MOST_READ = 20_000
"""How many articles one page looks at, the newest first."""
_MOST_TICKERS, _MOST_PAIRS, _ARTICLES = 15, 13, 12


def show(visit: Visit) -> Response:
    """The tickers of the last month; a search leads to the ticker."""
    if wanted := visit.query("q").strip():
        return visit.go(ticker_path(wanted.upper()))
    news, zone = news_of(visit), zone_of(visit)
    today = today_in(visit, zone)
    wanted_days, unreadable = ArticleFilter(today - timedelta(days=DAYS - 1), today, zone), list[Unreadable]()
    rows = islice(news.reading.each(wanted_days, unreadable=unreadable.append), MOST_READ)
    found = reports.tickers(rows, MOST_READ)
    context: dict[str, Any] = {
        "days": DAYS,
        "found": found,
        "mentions": sum(count for _, count in found.counts),
        "chart": _ranked(found.counts[:_MOST_TICKERS], "blue"),
        "pairs": found.pairs[:_MOST_PAIRS],
        "rest": found.counts[_MOST_TICKERS : _MOST_TICKERS * 4],
        "unreadable": visit.named(unreadable),
    }
    return page(visit, "tickers.html", **context)


def _ranked(counts: Sequence[tuple[str, int]], color: str) -> dict[str, Any]:
    items = [
        {"name": ticker, "value": count, "color": color, "href": ticker_path(ticker)}
        for ticker, count in counts
    ]
    return {"type": "ranked", "items": items}


# ── one ticker ────────────────────────────────────────────────────────────────────────────────────


def show_one(visit: Visit) -> Response:
    """One ticker: day by day for half a year, with whom it is named, and its newest articles."""
    news, zone, ticker = news_of(visit), zone_of(visit), visit.param("ticker").strip().upper()
    today = today_in(visit, zone)
    first = _first_monday(today)
    wanted, unreadable = ArticleFilter(first, today, zone, ticker), list[Unreadable]()
    rows = list(islice(news.reading.each(wanted, unreadable=unreadable.append), MOST_READ))
    report = reports.ticker_report(ticker, rows, first, today, zone)
    days = _days_asked(visit)
    busiest = max(report.days.items(), key=lambda each: each[1])
    context: dict[str, Any] = {
        "ticker": ticker,
        "report": report,
        "days": days,
        "spans": [(each, visit.link(days=str(each))) for each in SPANS],
        "zones": choices(visit, zone),
        "zone": zone,
        "calendar": _calendar(visit, report),
        "course": _course(visit, report, today, days),
        "together": _ranked(report.together, "violet"),
        "recent": sum(report.days.get(each, 0) for each in span(today, DAYS)),
        "busiest": busiest,
        "busiest_link": f"/news?{urlencode({'day': f'{busiest[0]}', 'zone': zone, 'ticker': ticker})}",
        "articles": rows[:_ARTICLES],
        "at": lambda row: moment_in(row.uploaded_at_utc_ms, zone),
        "month": DAYS,
        "weeks": WEEKS,
        "unreadable": visit.named(unreadable),
    }
    return page(visit, "ticker.html", **context)


def _first_monday(today: date) -> date:
    """The Monday that the first week of the calendar begins with."""
    return today - timedelta(days=today.weekday(), weeks=WEEKS - 1)


def _days_asked(visit: Visit) -> int:
    return next((each for each in SPANS if str(each) == visit.query("days")), SPANS[0])


def _calendar(visit: Visit, report: TickerReport) -> dict[str, Any]:
    return {
        "type": "calendar",
        "name": visit.t("news.ticker.mentions"),
        "color": "teal",
        "days": [{"day": f"{day}", "value": count} for day, count in report.days.items()],
    }


def _course(visit: Visit, report: TickerReport, today: date, count: int) -> dict[str, Any]:
    days = [each for each in span(today, count) if each in report.days]
    return {
        "type": "area",
        "labels": [visit.formats.tick(day) for day in days],
        "full": [visit.formats.day(day) for day in days],
        "head": visit.t("news.day"),
        "series": [
            {
                "key": "mentions",
                "name": visit.t("news.ticker.mentions"),
                "color": "blue",
                "kind": "line",
                "values": [report.days[day] for day in days],
            }
        ],
    }


PAGES = (
    PageRoute("/news/tickers", show, allowed(AREA, "read")),
    PageRoute("/news/tickers/{ticker:path}", show_one, allowed(AREA, "read")),
)
