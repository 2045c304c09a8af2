"""Checking a day without changing it: whether what stands beside the list is what the list says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from itertools import islice

from hansang.apps.news.design import Mention, MentionKey, NewsDayKey, NewsRow
from hansang.apps.news.mentions import mentions_of
from hansang.apps.news.reading import Reading
from hansang.apps.news.rules import Link
from hansang.design import Database

_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class DayCheck:
    """The links of a day, and what is wrong with what stands beside them."""

    day: date
    links: int
    counted: int
    """How many links the count of the day says."""
    missing_mentions: int
    """Tickers of links under which the link is not found."""
    collisions: int
    """Links that the runs of the day kept aside."""

    @property
    def drift(self) -> int:
        """How much a mend would change."""
        return abs(self.links - self.counted) + self.missing_mentions


def check_day(database: Database, day: date) -> DayCheck:
    """What a mend of the day would find."""
    links = missing = 0
    rows = database.each(NewsRow.uploaded_on(day))
    while some := list(islice(rows, _AT_ONCE)):
        links += len(some)
        missing += _missing(database, some)
    counted = database.find(NewsDayKey(day=day), consistent=True)
    collisions = sum(run.collision for run in Reading(database).each_run(day, day))
    return DayCheck(day, links, counted.inserted if counted else 0, missing, collisions)


def _missing(database: Database, rows: list[NewsRow]) -> int:
    wanted = {_key(mention) for row in rows for mention in _mentions(row)}
    found = {_key(mention) for mention in database.batch_get(wanted)}
    return len(wanted - found)


def _mentions(row: NewsRow) -> Iterator[Mention]:
    link = Link(row.title, row.url, tuple(row.tickers))
    return mentions_of(row.pk, link, row.source, row.uploaded_at_utc_ms)


def _key(mention: Mention) -> MentionKey:
    return MentionKey(
        ticker=mention.ticker, uploaded_at_utc_ms=mention.uploaded_at_utc_ms, item_pk=mention.item_pk
    )
