"""Mentions: which links name a ticker."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice

from hansang.apps.news.design import Mention
from hansang.apps.news.rules import Link, ticker_key
from hansang.design import Database
from hansang.parts.retry import PATIENT, Sleep, retry

_AT_ONCE = 25
_AT_A_TIME = 40 * _AT_ONCE
"""How many mentions are made before they are stored; a link may have hundreds, so not all of a part."""

Each = Callable[[Callable[[list[Mention]], object], Iterable[list[Mention]]], Iterable[object]]
"""Calls a function with one batch after the other, or with several at the same time."""


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


def note(database: Database, mentions: Iterable[Mention], sleep: Sleep, each: Each = map) -> None:
    """Store mentions a few at a time, so that a lost answer repeats no more than those."""

    def store(some: list[Mention]) -> None:
        retry(partial(database.batch_write, puts=some), sleep, PATIENT)

    waiting = iter(mentions)
    while made := list(islice(waiting, _AT_A_TIME)):
        for _ in each(store, _batches(made)):
            pass


def _batches(mentions: list[Mention]) -> Iterator[list[Mention]]:
    for start in range(0, len(mentions), _AT_ONCE):
        yield mentions[start : start + _AT_ONCE]
