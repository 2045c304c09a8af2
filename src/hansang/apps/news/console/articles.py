"""The articles of a day, and one article as it was first written."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import islice
from typing import Any
from urllib.parse import urlencode

from starlette.responses import Response

from hansang.apps.news import reports
from hansang.apps.news.console.bodies import ShownBody, shown
from hansang.apps.news.console.links import AREA, news_of, page, ticker_path
from hansang.apps.news.console.zones import choices, day_of, moment_in, span, today_in, zone_of
from hansang.apps.news.design import NewsItem
from hansang.apps.news.reading import ArticleFilter
from hansang.apps.news.reports import DayReport
from hansang.apps.news.rules import ZONES, Zone
from hansang.apps.news.service import News
from hansang.apps.news.texts import whole_text
from hansang.design import Unreadable
from hansang.errors import NotFound
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, allowed

MOST_COUNTED = 10_000
"""How many links of a day the figures and the chart look at."""
_ON_A_PAGE = 30
_CHARTED_TICKERS = 7
_SPARK_DAYS = 14
_MOST_RUNS = 500
_FILTERS = ("ticker", "source", "text")


@dataclass(frozen=True, slots=True)
class DayAsked:
    """The day, the zone and the filters of a visit."""

    day: date
    zone: Zone
    ticker: str
    source: str
    text: str

    @property
    def wanted(self) -> ArticleFilter:
        return ArticleFilter(self.day, self.day, self.zone, self.ticker, self.source, self.text)

    @property
    def is_filtered(self) -> bool:
        return bool(self.ticker or self.source or self.text)

    def export(self, form: str) -> str:
        """Where the same articles are as a file."""
        asked = {"since": f"{self.day}", "until": f"{self.day}", "zone": self.zone}
        filters = {name: getattr(self, name) for name in _FILTERS if getattr(self, name)}
        return f"/api/news/articles?{urlencode({**asked, **filters, 'format': form})}"


def show(visit: Visit) -> Response:
    """The articles of a day, the newest first, with the day in numbers."""
    news, unreadable = news_of(visit), list[Unreadable]()
    asked = _asked(visit, news)
    rows = news.reading.page(asked.wanted, _ON_A_PAGE, visit.query("cursor") or None)
    counted = islice(news.reading.each(asked.wanted, unreadable=unreadable.append), MOST_COUNTED)
    report = reports.day_report(counted, asked.zone)
    context: dict[str, Any] = {
        "asked": asked,
        "report": report,
        "is_cut": report.articles == MOST_COUNTED,
        "most": MOST_COUNTED,
        "rows": rows,
        "groups": news.reading.grouped(rows),
        "zones": choices(visit, asked.zone),
        "today": today_in(visit, asked.zone),
        "a_day": timedelta(days=1),
        "sources": _sources(news, asked, unreadable),
        "recent": _recent(news, asked.day, unreadable),
        "newest": None if len(rows) or asked.is_filtered else _newest_day(news, asked.zone),
        "hours": _hours_chart(visit, report, asked.zone),
        "named": _tickers_chart(visit, report),
        "at": lambda row: moment_in(row.uploaded_at_utc_ms, asked.zone),
        "unreadable": visit.named([*rows.unreadable, *unreadable]),
    }
    return page(visit, "articles.html", **context)


def _asked(visit: Visit, news: News) -> DayAsked:
    zone = zone_of(visit)
    day = day_of(visit) or _newest_day(news, zone) or today_in(visit, zone)
    ticker, source, text = (visit.query(name).strip()[:200] for name in _FILTERS)
    return DayAsked(day, zone, ticker.upper(), source, text)


def _newest_day(news: News, zone: Zone) -> date | None:
    """The last day of a zone that has articles, of about a month."""
    # What cannot be read has its place on the page of its own day.
    newest = news.reading.newest(1, news.today, unreadable=lambda _: None)
    return moment_in(newest[0].uploaded_at_utc_ms, zone).date() if newest else None


def _sources(news: News, asked: DayAsked, unreadable: list[Unreadable]) -> list[str]:
    """The sources that had a run on the day, to choose from."""
    days = [each.day for each in asked.wanted.spans]
    every_run = news.reading.each_run(min(days), max(days), unreadable=unreadable.append)
    runs = islice(every_run, _MOST_RUNS)
    return sorted({run.source for run in runs} | ({asked.source} - {""}))


def _recent(news: News, day: date, unreadable: list[Unreadable]) -> list[int]:
    """How many links each of the last days has brought."""
    days = span(day, _SPARK_DAYS)
    found = news.reading.days(days[0], days[-1], unreadable=unreadable.append)
    counts = {each.day: each.inserted for each in found}
    return [counts.get(each, 0) for each in days]


def _hours_chart(visit: Visit, report: DayReport, zone: Zone) -> dict[str, Any]:
    return {
        "type": "bars",
        "labels": [visit.t("news.hour", hour=hour) for hour in range(24)],
        "full": [f"{hour:02d}:00–{hour:02d}:59 {visit.t(f'news.zone.{zone}')}" for hour in range(24)],
        "head": visit.t("news.articles.hour"),
        "series": [
            {
                "key": "articles",
                "name": visit.t("news.articles.title"),
                "color": "blue",
                "kind": "bar",
                "values": report.hours,
            }
        ],
    }


def _tickers_chart(visit: Visit, report: DayReport) -> dict[str, Any]:
    most = report.tickers[:_CHARTED_TICKERS]
    items = [
        {"name": ticker, "value": count, "color": "teal", "href": ticker_path(ticker)}
        for ticker, count in most
    ]
    return {"type": "ranked", "items": items}


# ── one article ───────────────────────────────────────────────────────────────────────────────────


def show_one(visit: Visit) -> Response:
    """All that is known of an article."""
    news = news_of(visit)
    item = news.reading.get(visit.param("pk"))
    context: dict[str, Any] = {
        "item": item,
        "work": news.queue.find(item.pk),
        "body": _body(news, item),
        "now_ms": int(visit.shell.clock() * 1000),
        "times": [_clock(item.uploaded_at_utc_ms, zone) for zone in ZONES],
        "day_link": f"/news?{urlencode({'day': f'{item.dt_utc}', 'zone': 'utc'})}",
    }
    return page(visit, "article.html", **context)


def _clock(ms: int, zone: Zone) -> tuple[Zone, datetime, str]:
    """A moment on the clocks of a zone, and how far these are from UTC."""
    moment = moment_in(ms, zone)
    return zone, moment, moment.isoformat()[-6:]


def _body(news: News, item: NewsItem) -> ShownBody | None:
    try:
        return shown(news.texts.get(item.pk))
    except NotFound:
        return None


def body(visit: Visit) -> Response:
    """The text of an article as a file, whole."""
    news = news_of(visit)
    item = news.reading.get(visit.param("pk"))
    text = whole_text(news.texts.get(item.pk))
    name = f"{item.pk.replace('#', '-')}.txt"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text, headers=headers, media_type="text/plain; charset=utf-8")


PAGES = (
    PageRoute("/news", show, allowed(AREA, "read")),
    PageRoute("/news/articles/{pk}", show_one, allowed(AREA, "read")),
    PageRoute("/news/articles/{pk}/text", body, allowed(AREA, "read")),
)
