"""Mentions: which links name a ticker."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice

from hansang.apps.news.design import Mention
from hansang.apps.news.patience import Sleep, insist
from hansang.apps.news.rules import Link, ticker_key
from hansang.design import Database

_AT_ONCE = 25


def mentions_of(pk: str, link: Link, source: str, uploaded_at_utc_ms: int) -> Iterator[Mention]:
    """One mention for each ticker of a link."""
    for ticker in link.tickers:
        yield Mention(
            ticker=ticker_key(ticker),
            uploaded_at_utc_ms=uploaded_at_utc_ms,
            item_pk=pk.replace("#", "-"),
            source=source,
            title=link.title,
            url=link.url,
            tickers=list(link.tickers),
        )


def note(database: Database, mentions: Iterable[Mention], sleep: Sleep) -> None:
    """Store mentions a few at a time, so that a lost answer repeats no more than those."""
    waiting = iter(mentions)
    while some := list(islice(waiting, _AT_ONCE)):
        insist(partial(database.batch_write, puts=some), sleep)
