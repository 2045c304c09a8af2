"""The table of the news list: every link once, by the hash of it, as it was first seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import date, datetime
from typing import Annotated, Self

from pydantic import Field

from hansang.apps.news.rules import pk_of, upload_times
from hansang.design import GSI, Entity, Key, Query, Table, Timestamp, View, attr, pattern

YAHOO_LATEST = "yf_latest"

Milliseconds = Annotated[int, Field(strict=True)]


class NewsItems(Table, name="news_items", pk="pk", sk=None):
    """Links; the index is beside the document and over attributes that items have anyway (X3-08)."""

    by_day = GSI(
        "dt_utc-uploaded_at_utc_ms-index",
        pk="dt_utc",
        sk="uploaded_at_utc_ms",
        project=["url", "title", "tickers", "source"],
    )


class NewsKey(Key["NewsItem"], pk="{pk}"):
    """The key of a link."""

    pk: str

    @classmethod
    def of(cls, url: str) -> NewsKey:
        """The key of the link that is this text, to the letter."""
        return NewsKey(pk=pk_of(url))


class NewsItem(NewsKey, Entity, table=NewsItems):
    """A link as it was first uploaded, with the time of that in three zones."""

    source: str
    title: str
    url: str
    tickers: list[str]
    uploaded_at_utc_iso: Timestamp
    uploaded_at_utc_ms: Milliseconds
    uploaded_at_est_iso: str
    uploaded_at_kst_iso: str
    dt_utc: date
    dt_est: date
    dt_kst: date
    tz_est_abbr: str
    tz_est_is_dst: bool

    @classmethod
    def uploaded(
        cls, at: datetime, *, url: str, title: str, tickers: Sequence[str], source: str = YAHOO_LATEST
    ) -> Self:
        """The item of a link that is uploaded at this moment."""
        return cls(
            pk=pk_of(url),
            source=source,
            title=title,
            url=url,
            tickers=list(tickers),
            **asdict(upload_times(at)),
        )

    @pattern
    def with_url(cls, url: str) -> Query[NewsItem]:
        """The item of a link."""
        return cls.query(NewsItem.pk == pk_of(url))


class NewsRow(NewsKey, View, index=NewsItems.by_day):
    """What a later stage needs of a link."""

    source: str
    title: str
    url: str
    tickers: list[str]
    dt_utc: date
    uploaded_at_utc_ms: Milliseconds

    @pattern
    def uploaded_on(cls, day: date) -> Query[NewsRow]:
        """What was uploaded on a day of UTC, in the order of its runs."""
        return cls.query(NewsRow.dt_utc == day)

    @pattern
    def uploaded_between(cls, day: date, since_ms: int, until_ms: int) -> Query[NewsRow]:
        """What was uploaded on a day of UTC in a span of milliseconds, both ends included."""
        span = attr(NewsRow.uploaded_at_utc_ms).between(since_ms, until_ms)
        return cls.query(NewsRow.dt_utc == day, span)
