"""Reading the list: by day in any zone, by ticker, by source, by text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from itertools import islice

from hansang.apps.news.design import (
    Collision,
    Mention,
    NewsDay,
    NewsItem,
    NewsKey,
    NewsRow,
    Run,
    RunKey,
    RunPart,
)
from hansang.apps.news.rules import Span, Zone, is_run, spans_of, ticker_key, without_tracking
from hansang.design import Database, Page, Query, Unreadable
from hansang.errors import InvalidInput, NotFound
from hansang.parts.chained import Chain, in_order

Unread = Callable[[Unreadable], object]
"""Told of each item that cannot be read; where nobody is told, it is an error."""

_LONGEST_SPAN = timedelta(days=365)
_FIRST_DAY, _LAST_DAY = date(1970, 1, 1), date(2199, 12, 31)
_MONTH = re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])").fullmatch
MOST_READ = 5000
"""How many links a page looks at; when few of them fit, it is short, and its cursor goes on."""
_SEARCHED_AT_ONCE = 500


def check_days(since: date, until: date) -> None:
    """Refuse a span of days that ends before it begins, is too long, or cannot be meant."""
    if until < since:
        raise InvalidInput("The last day comes before the first.", "until", code="news.days-reversed")
    if until - since > _LONGEST_SPAN:
        raise InvalidInput("At most 366 days can be read at a time.", "since", code="news.many-days")
    if since < _FIRST_DAY or until > _LAST_DAY:
        raise InvalidInput(
            "Choose days from {first} to {last}.",
            "since",
            code="news.far-day",
            values={"first": _FIRST_DAY, "last": _LAST_DAY},
        )


@dataclass(frozen=True, slots=True)
class ArticleFilter:
    """Which links to read: those of some days of a zone, of a source, with a text in their title."""

    since: date
    until: date
    zone: Zone = "utc"
    ticker: str = ""
    source: str = ""
    text: str = ""

    def check(self) -> None:
        """Refuse days that cannot be meant."""
        check_days(self.since, self.until)

    @property
    def days(self) -> list[date]:
        return [self.since + timedelta(days=each) for each in range((self.until - self.since).days + 1)]

    @property
    def spans(self) -> list[Span]:
        return [span for day in self.days for span in spans_of(day, self.zone)]

    @property
    def is_searched(self) -> bool:
        """Whether links are looked through for what fits."""
        return bool(self.source or self.text)

    @property
    def unsearched(self) -> ArticleFilter:
        """The links that are looked through."""
        return replace(self, source="", text="")

    def questions(self) -> dict[str, Query[NewsRow]]:
        """One for each day of UTC that the days touch, by its first moment, the newest first."""
        return {
            str(span.since_ms): NewsRow.uploaded_between(span.day, span.since_ms, span.until_ms).descending()
            for span in reversed(self.spans)
        }

    def of_ticker(self) -> Query[Mention]:
        spans = self.spans
        ticker = ticker_key(self.ticker.strip().upper())
        return Mention.of_ticker_between(ticker, max(0, spans[0].since_ms), spans[-1].until_ms)

    def fits(self, row: NewsRow) -> bool:
        """Whether a link is of the source and has the text; capitals do not matter."""
        if self.source and row.source != self.source:
            return False
        return self.text.casefold() in row.title.casefold()

    def fitting(self, rows: Iterable[NewsRow]) -> list[NewsRow]:
        """Those of some links that fit."""
        return list(filter(self.fits, rows))


@dataclass(frozen=True, slots=True)
class DuplicateGroup:
    """Links that differ in nothing but where the reader came from (X3-21)."""

    first: NewsRow
    others: tuple[NewsRow, ...]


class Reading:
    """Questions to the list."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, pk: str) -> NewsItem:
        """One link as it was first written, or NotFound."""
        return self._database.get(NewsKey(pk=pk))

    def find_all(self, pks: Iterable[str], *, unreadable: Unread | None = None) -> dict[str, NewsItem]:
        """Those of some links that are there, by their keys."""
        keys = [NewsKey(pk=pk) for pk in dict.fromkeys(pks)]
        return {item.pk: item for item in self._database.batch_get(keys, unreadable=unreadable)}

    def each(self, wanted: ArticleFilter, *, unreadable: Unread | None = None) -> Iterator[NewsRow]:
        """The links that are wanted, the newest first."""
        wanted.check()
        if wanted.ticker:
            return self._each_of_ticker(wanted, unreadable)
        return self._each_of_days(wanted, unreadable)

    def _each_of_days(self, wanted: ArticleFilter, unreadable: Unread | None) -> Iterator[NewsRow]:
        for question in wanted.questions().values():
            yield from filter(wanted.fits, self._database.each(question, unreadable=unreadable))

    def _each_of_ticker(self, wanted: ArticleFilter, unreadable: Unread | None) -> Iterator[NewsRow]:
        mentions = self._database.each(wanted.of_ticker(), unreadable=unreadable)
        return filter(wanted.fits, map(_row, mentions))

    def looked_through(
        self, wanted: ArticleFilter, most: int, *, unreadable: Unread | None = None
    ) -> tuple[list[NewsRow], bool]:
        """Those that are wanted among the newest links, and whether these were all that there are."""
        rows = self.each(wanted.unsearched, unreadable=unreadable)
        looked = list(islice(rows, most))
        return wanted.fitting(looked), len(looked) < most

    def page(self, wanted: ArticleFilter, limit: int = 50, cursor: str | None = None) -> Page[NewsRow]:
        """Some of the links that are wanted, the newest first, and a cursor to the next ones.

        When few links fit, a page may have less than `limit` of them, or none, and still a cursor.
        """
        wanted.check()
        subject = f"news {wanted}"
        if wanted.ticker:
            mentions = in_order({"": wanted.of_ticker()})
            of_ticker = Chain(
                subject, mentions, lambda page: wanted.fitting(map(_row, page)), most_read=MOST_READ
            )
            return of_ticker.page(self._database, limit, cursor)
        days = Chain(
            subject,
            in_order(wanted.questions()),
            wanted.fitting,
            at_least=_SEARCHED_AT_ONCE if wanted.is_searched else 1,
            most_read=MOST_READ,
        )
        return days.page(self._database, limit, cursor)

    def grouped(self, rows: Iterable[NewsRow]) -> list[DuplicateGroup]:
        """The links with their near-duplicates, in the order of the first of each."""
        groups: dict[str, list[NewsRow]] = {}
        for row in rows:
            groups.setdefault(without_tracking(row.url), []).append(row)
        return [DuplicateGroup(first, tuple(others)) for first, *others in groups.values()]

    def newest(
        self, limit: int, today: date, days: int = 31, *, unreadable: Unread | None = None
    ) -> list[NewsRow]:
        """The links that came last, of the last days."""
        wanted = ArticleFilter(today - timedelta(days=days - 1), today)
        return list(islice(self.each(wanted, unreadable=unreadable), limit))

    def days(self, since: date, until: date, *, unreadable: Unread | None = None) -> list[NewsDay]:
        """The counts of the days of a span that have links."""
        return self._database.all(NewsDay.between(since, until), unreadable=unreadable)

    # ── runs ──────────────────────────────────────────────────────────────────────────────────────

    def run(self, run: str) -> Run:
        """One run, or NotFound."""
        if not is_run(run):
            raise NotFound("Run {run} not found.", code="news.no-run", values={"run": run})
        return self._database.get(RunKey.of(run), consistent=True)

    def runs(self, month: str, limit: int = 50, cursor: str | None = None) -> Page[Run]:
        """The runs of a month, such as 2026-11, the newest first."""
        if not _MONTH(month):
            raise InvalidInput(
                "{month!r} is not a valid month. Write it as 2026-11.",
                "month",
                code="news.not-a-month",
                values={"month": month},
            )
        return self._database.page(Run.of_month(month), limit, cursor)

    def each_run(self, since: date, until: date, *, unreadable: Unread | None = None) -> Iterator[Run]:
        """The runs of a span, the newest first."""
        month = until.replace(day=1)
        while month >= since.replace(day=1):
            for run in self._database.each(Run.of_month(f"{month:%Y-%m}"), unreadable=unreadable):
                if since <= run.uploaded_at.date() <= until:
                    yield run
            month = (month - timedelta(days=1)).replace(day=1)

    def report(self, run: str, *, unreadable: Unread | None = None) -> Iterator[RunPart]:
        """What became of each line of a run."""
        return self._database.each(RunPart.of_run(run), unreadable=unreadable)

    def collisions(self, limit: int = 50, cursor: str | None = None) -> Page[Collision]:
        """Links that were kept aside because another one has their key, the newest first."""
        return self._database.page(Collision.newest(), limit, cursor)


def whole_item(row: NewsRow) -> NewsItem:
    """A link as it was first written; all that an index leaves out follows from its moment."""
    at = datetime.fromtimestamp(row.uploaded_at_utc_ms // 1000, UTC)
    return NewsItem.uploaded(at, url=row.url, title=row.title, tickers=row.tickers, source=row.source)


def _row(mention: Mention) -> NewsRow:
    moment = datetime.fromtimestamp(mention.uploaded_at_utc_ms // 1000, UTC)
    mark, _, digest = mention.item_pk.partition("-")
    return NewsRow(
        pk=f"{mark}#{digest}",
        source=mention.source,
        title=mention.title,
        url=mention.url,
        tickers=mention.tickers,
        dt_utc=moment.date(),
        uploaded_at_utc_ms=mention.uploaded_at_utc_ms,
    )
