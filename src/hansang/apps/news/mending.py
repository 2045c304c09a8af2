"""Mending what a run that died half-way left undone beside the list: counts of days, mentions."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from itertools import islice

from hansang.apps.news.design import Mention, NewsDay, NewsDayKey, NewsRow
from hansang.apps.news.rules import ticker_key
from hansang.design import Database, attr

_AT_ONCE = 200


def mend_day(database: Database, day: date) -> int:
    """Count the links of a day anew and note every mention in them; how many links it has.

    Nothing of it depends on what was there before, so it may run at any time and as often as one likes.
    """
    rows = database.each(NewsRow.uploaded_on(day))
    count = 0
    while group := list(islice(rows, _AT_ONCE)):
        count += len(group)
        database.batch_write(puts=(mention for row in group for mention in _mentions(row)))
    if count:
        database.update(NewsDayKey(day=day), attr(NewsDay.inserted).set(count), upsert=True)
    return count


def _mentions(row: NewsRow) -> Iterator[Mention]:
    for ticker in row.tickers:
        yield Mention(
            ticker=ticker_key(ticker),
            uploaded_at_utc_ms=row.uploaded_at_utc_ms,
            item_pk=row.pk.replace("#", "-"),
            source=row.source,
            title=row.title,
            url=row.url,
            tickers=row.tickers,
        )
