"""Articles and tickers as routes: the list by day, zone, ticker, source and text."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from itertools import islice
from typing import Annotated

from fastapi import Path as InPath
from fastapi import Query as InAddress
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response

from hansang.apps.news import reports
from hansang.apps.news.design import NewsItem, NewsRow, TextForm
from hansang.apps.news.reading import ArticleFilter, whole_item
from hansang.apps.news.rules import ZONES, Zone
from hansang.apps.news.service import News
from hansang.apps.news.texts import whole_text
from hansang.design import Unreadable
from hansang.parts.permissions import Principal
from hansang.surfaces.api.endpoints import RouteGroup, answered
from hansang.surfaces.api.exports import chosen, export
from hansang.surfaces.api.lists import most
from hansang.surfaces.api.parameters import PAGE, Exported, Spoken
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Gate
from hansang.surfaces.api.unreadable import ListPage, unreadable_shown, walked_with
from hansang.surfaces.naming import Naming
from hansang.surfaces.shell import Shell

AREA = "news"
ArticlePk = Annotated[str, InPath(min_length=1, max_length=100)]
Ticker = Annotated[str, InPath(max_length=100)]
_ROWS_OF_TICKERS = 20_000


class DaysAsked(Spoken):
    """Which days are asked for."""

    since: date | None = None
    until: date | None = None
    zone: Zone = "utc"


class ArticlesAsked(Exported):
    """Which articles are asked for."""

    since: date | None = None
    until: date | None = None
    zone: Zone = "utc"
    ticker: Annotated[str, Field(max_length=100)] = ""
    source: Annotated[str, Field(max_length=100)] = ""
    text: Annotated[str, Field(max_length=200)] = ""


class TickerCount(BaseModel):
    """A ticker, and how many articles name it."""

    ticker: str
    articles: int


class NearDuplicates(BaseModel):
    """Articles that differ in nothing but where the reader came from."""

    pk: str
    others: list[str]


class ArticlesPage(ListPage):
    """A page of articles, the newest first."""

    items: list[NewsRow]
    offset: int
    near_duplicates: list[NearDuplicates]
    """Which of them differ in nothing but where the reader came from (X3-21)."""


class TextShown(BaseModel):
    """The text of an article."""

    pk: str
    text: str
    form: TextForm
    is_cut: bool
    content_type: str
    fetched_at: datetime


class SourceCount(BaseModel):
    """A source, and how many articles it has."""

    source: str
    articles: int


class DayAsked(Spoken):
    """Which day is asked for."""

    day: date | None = None
    zone: Zone = "utc"


class DayShown(BaseModel):
    """The articles of a day in numbers."""

    day: date
    zone: Zone
    articles: int
    hours: list[int]
    sources: list[SourceCount]
    tickers: list[TickerCount]
    near_duplicates: int
    is_whole: bool
    """Whether every article was counted."""


class PairCount(BaseModel):
    """Two tickers, and how many articles name both."""

    tickers: tuple[str, str]
    articles: int


class TickersShown(BaseModel):
    """The tickers that were named most."""

    counts: list[TickerCount]
    pairs: list[PairCount]


class TickerShown(BaseModel):
    """One ticker, day by day, and the tickers named with it."""

    ticker: str
    total: int
    days: dict[date, int]
    together: list[TickerCount]


class ArticleRoutes:
    """Reading the list."""

    def __init__(self, shell: Shell, gate: Gate) -> None:
        self._shell, self._news = shell, News(shell.database, shell.clock, sandbox=shell.sandbox)
        self._group = RouteGroup("/api/news", AREA, gate.allow(AREA, "read"))

    def all(self) -> list[ApiRoute]:
        """Every route of them."""
        return [
            self._group.route("GET", "/articles", self.articles, ArticlesPage),
            self._group.route("GET", "/articles/{pk}", self.article, NewsItem),
            self._group.route("GET", "/articles/{pk}/text", self.text, TextShown),
            self._group.route("GET", "/day", self.day, DayShown),
            self._group.route("GET", "/tickers", self.tickers, TickersShown),
            self._group.route("GET", "/tickers/{ticker}", self.ticker, TickerShown),
        ]

    def articles(
        self, request: Request, asked: Annotated[ArticlesAsked, InAddress()], principal: Principal
    ) -> Response:
        """Articles by day, ticker, source and text, the newest first; jsonl and csv have all of them."""
        first, last = self._days(asked.since, asked.until)
        wanted = ArticleFilter(first, last, asked.zone, asked.ticker, asked.source, asked.text)
        naming = Naming(self._shell, principal)
        form = chosen(asked.format, request.headers.get("accept", ""))
        if form == PAGE:
            page = self._news.reading.page(wanted, asked.limit, asked.cursor)
            bad = unreadable_shown(naming, page.unreadable)
            near = [
                NearDuplicates(pk=each.first.pk, others=[other.pk for other in each.others])
                for each in self._news.reading.grouped(page)
                if each.others
            ]
            return answered(
                ArticlesPage(
                    items=page.items,
                    unreadable=bad,
                    cursor=page.cursor,
                    offset=page.offset,
                    near_duplicates=near,
                )
            )
        limit = most(asked)
        rows = walked_with(lambda tell: islice(self._news.reading.each(wanted, unreadable=tell), limit))
        found = (each if isinstance(each, Unreadable) else whole_item(each) for each in rows)
        return export(found, (NewsItem,), form, "news-articles", naming)

    def article(self, pk: ArticlePk, principal: Principal) -> Response:
        """One article as it was first written."""
        return answered(self._news.reading.get(pk))

    def text(self, pk: ArticlePk, principal: Principal) -> Response:
        """The text of an article as people read it, without its markup."""
        item = self._news.reading.get(pk)
        found = self._news.texts.get(item.pk)
        return answered(
            TextShown(
                pk=item.pk,
                text=whole_text(found),
                form=found.form,
                is_cut=found.is_cut,
                content_type=found.content_type,
                fetched_at=found.fetched_at,
            )
        )

    def day(self, asked: Annotated[DayAsked, InAddress()], principal: Principal) -> Response:
        """A day in numbers, as the page of articles shows it; near-duplicates differ in tracking only."""
        day = asked.day or datetime.fromtimestamp(self._shell.clock(), ZONES[asked.zone]).date()
        rows = islice(self._news.reading.each(ArticleFilter(day, day, asked.zone)), _ROWS_OF_TICKERS)
        found = reports.day_report(rows, asked.zone)
        return answered(
            DayShown(
                day=day,
                zone=asked.zone,
                articles=found.articles,
                hours=found.hours,
                sources=[SourceCount(source=name, articles=count) for name, count in found.sources],
                tickers=[TickerCount(ticker=name, articles=count) for name, count in found.tickers],
                near_duplicates=found.near_duplicates,
                is_whole=found.articles < _ROWS_OF_TICKERS,
            )
        )

    def tickers(self, asked: Annotated[DaysAsked, InAddress()], principal: Principal) -> Response:
        """The tickers that the articles of some days name most, alone and together."""
        first, last = self._days(asked.since, asked.until)
        rows = islice(self._news.reading.each(ArticleFilter(first, last, asked.zone)), _ROWS_OF_TICKERS)
        found = reports.tickers(rows)
        counts = [TickerCount(ticker=ticker, articles=count) for ticker, count in found.counts]
        pairs = [PairCount(tickers=pair, articles=count) for pair, count in found.pairs]
        return answered(TickersShown(counts=counts, pairs=pairs))

    def ticker(
        self, ticker: Ticker, asked: Annotated[DaysAsked, InAddress()], principal: Principal
    ) -> Response:
        """How often a ticker was named, day by day, and with which others."""
        first, last = self._days(asked.since, asked.until)
        rows = self._news.reading.each(ArticleFilter(first, last, asked.zone, ticker))
        found = reports.ticker_report(ticker.strip().upper(), rows, first, last, asked.zone)
        together = [TickerCount(ticker=name, articles=count) for name, count in found.together]
        return answered(
            TickerShown(ticker=found.ticker, total=found.total, days=found.days, together=together)
        )

    def _days(self, since: date | None, until: date | None) -> tuple[date, date]:
        last = until or max(self._news.today, since or self._news.today)
        return since or last - min(timedelta(days=1), last - date.min), last
