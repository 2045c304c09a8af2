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
from hansang.apps.news.design import NewsItem, NewsRow
from hansang.apps.news.reading import MOST_READ, ArticleFilter
from hansang.apps.news.reports import DayReport
from hansang.apps.news.rules import ZONES, Zone
from hansang.apps.news.searches import SavedSearch
from hansang.apps.news.service import News
from hansang.apps.news.texts import whole_text
from hansang.design import Page, Unreadable
from hansang.errors import NotFound
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, allowed

MOST_COUNTED = 10_000
"""How many links of a day the figures and the chart look at."""
_ON_A_PAGE = 30
_CHARTED_TICKERS = 7
_SPARK_DAYS = 14
SPANS = (1, 7, 30, 90)
"""How many days a page may show."""
_MOST_LOOKED_AT = 20_000
_MOST_RUNS = 500
_FILTERS = ("ticker", "source", "text")


@dataclass(frozen=True, slots=True)
class SearchAsked:
    """The last day, how many there are, the zone and the filters of a visit."""

    day: date
    days: int
    zone: Zone
    ticker: str
    source: str
    text: str

    @property
    def since(self) -> date:
        return self.day - timedelta(days=self.days - 1)

    @property
    def wanted(self) -> ArticleFilter:
        return ArticleFilter(self.since, self.day, self.zone, self.ticker, self.source, self.text)

    @property
    def is_filtered(self) -> bool:
        return bool(self.ticker or self.source or self.text)

    @property
    def filters(self) -> dict[str, str]:
        return {name: getattr(self, name) for name in _FILTERS if getattr(self, name)}

    def finds_as(self, search: SavedSearch) -> bool:
        return all(getattr(self, name) == getattr(search, name) for name in _FILTERS)

    def export(self, form: str) -> str:
        """Where the same articles are as a file."""
        asked = {"since": f"{self.since}", "until": f"{self.day}", "zone": self.zone}
        return f"/api/news/articles?{urlencode({**asked, **self.filters, 'format': form})}"


def show(visit: Visit) -> Response:
    """The articles of a day, or of several, the newest first, with these in numbers."""
    news, unreadable = news_of(visit), list[Unreadable]()
    asked = _asked(visit, news)
    rows, looked = _some(news, asked.wanted, visit.query("cursor") or None)
    counted, is_whole = news.reading.looked_through(asked.wanted, MOST_COUNTED, unreadable=unreadable.append)
    report = reports.day_report(counted, asked.zone)
    context: dict[str, Any] = {
        "asked": asked,
        "report": report,
        "is_cut": not is_whole,
        "most": MOST_COUNTED,
        "rows": rows,
        "looked": looked,
        "groups": news.reading.grouped(rows),
        "zones": choices(visit, asked.zone),
        "spans": [(each, visit.link(days=str(each), cursor=None)) for each in SPANS],
        "today": today_in(visit, asked.zone),
        "a_day": timedelta(days=1),
        "sources": _sources(news, asked, unreadable),
        "recent": _recent(news, asked, report, unreadable),
        "newest": None if len(rows) or asked.is_filtered else _newest_day(news, asked.zone),
        "hours": _hours_chart(visit, report, asked.zone)
        if asked.days == 1
        else _days_chart(visit, report, asked),
        "named": _tickers_chart(visit, report),
        "searches": (saved := news.searches.new_matches(visit.me.name)),
        "is_saved": any(asked.finds_as(each.search) for each in saved),
        "at": lambda row: moment_in(row.uploaded_at_utc_ms, asked.zone),
        "unreadable": visit.named([*rows.unreadable, *unreadable]),
    }
    return page(visit, "articles.html", **context)


def _some(news: News, wanted: ArticleFilter, cursor: str | None) -> tuple[Page[NewsRow], int]:
    """A page that has articles if that can be, and how many were looked at for one that has none."""
    rows, looked = news.reading.page(wanted, _ON_A_PAGE, cursor), MOST_READ
    while not rows.items and rows.cursor and looked < _MOST_LOOKED_AT:
        rows, looked = news.reading.page(wanted, _ON_A_PAGE, rows.cursor), looked + MOST_READ
    return rows, looked


def _asked(visit: Visit, news: News) -> SearchAsked:
    zone = zone_of(visit)
    day = day_of(visit) or _newest_day(news, zone) or today_in(visit, zone)
    days = next((each for each in SPANS if str(each) == visit.query("days")), 1)
    ticker, source, text = (visit.query(name).strip()[:200] for name in _FILTERS)
    return SearchAsked(day, days, zone, ticker.upper(), source, text)


def _newest_day(news: News, zone: Zone) -> date | None:
    """The last day of a zone that has articles, of about a month."""
    # What cannot be read has its place on the page of its own day.
    newest = news.reading.newest(1, news.today, unreadable=lambda _: None)
    return moment_in(newest[0].uploaded_at_utc_ms, zone).date() if newest else None


def _sources(news: News, asked: SearchAsked, unreadable: list[Unreadable]) -> list[str]:
    """The sources that had a run on the day, to choose from."""
    days = [each.day for each in asked.wanted.spans]
    every_run = news.reading.each_run(min(days), max(days), unreadable=unreadable.append)
    runs = islice(every_run, _MOST_RUNS)
    return sorted({run.source for run in runs} | ({asked.source} - {""}))


def _recent(
    news: News, asked: SearchAsked, report: DayReport, unreadable: list[Unreadable]
) -> list[int] | None:
    """How many articles each of the last days has; of a search, those of its days that fit."""
    if asked.is_filtered or asked.days > 1:
        return [report.days.get(each, 0) for each in span(asked.day, asked.days)] if asked.days > 1 else None
    days = span(asked.day, _SPARK_DAYS)
    found = news.reading.days(days[0], days[-1], unreadable=unreadable.append)
    counts = {each.day: each.inserted for each in found}
    return [counts.get(each, 0) for each in days]


def _days_chart(visit: Visit, report: DayReport, asked: SearchAsked) -> dict[str, Any]:
    days = span(asked.day, asked.days)
    return {
        "type": "bars",
        "labels": [visit.formats.tick(day) for day in days],
        "full": [visit.formats.day(day) for day in days],
        "head": visit.t("news.day"),
        "series": [
            {
                "key": "articles",
                "name": visit.t("news.articles.title"),
                "color": "blue",
                "kind": "bar",
                "values": [report.days.get(day, 0) for day in days],
            }
        ],
    }


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


# ── saved searches ────────────────────────────────────────────────────────────────────────────────


def save_search(visit: Visit) -> Response:
    """Keep what was searched for, to be told of new articles."""
    given = {name: visit.given(name) for name in _FILTERS}
    news_of(visit).searches.save(visit.me.name, **{**given, "ticker": given["ticker"].upper()})
    return visit.go(visit.given("next") or "/news", "news.search.saved")


def open_search(visit: Visit) -> Response:
    """See what a saved search finds; what is there now is no longer new."""
    found = news_of(visit).searches.look(visit.me.name, visit.param("id"))
    filters = {name: getattr(found, name) for name in _FILTERS if getattr(found, name)}
    return visit.go(f"/news?{urlencode({'days': '30', **filters})}")


def delete_search(visit: Visit) -> Response:
    """Forget a saved search."""
    news_of(visit).searches.delete(visit.me.name, visit.param("id"))
    return visit.go(visit.given("next") or "/news", "news.search.deleted")


PAGES = (
    PageRoute("/news", show, allowed(AREA, "read")),
    PageRoute("/news/searches", save_search, allowed(AREA, "read"), "POST"),
    PageRoute("/news/searches/{id}/open", open_search, allowed(AREA, "read"), "POST"),
    PageRoute("/news/searches/{id}/delete", delete_search, allowed(AREA, "read"), "POST"),
    PageRoute("/news/articles/{pk}", show_one, allowed(AREA, "read")),
    PageRoute("/news/articles/{pk}/text", body, allowed(AREA, "read")),
)
