"""What the search of the console finds in the news: articles by their title, and tickers."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from itertools import islice

from hansang.apps.news.console.links import article_path, brief, news_of, ticker_path
from hansang.apps.news.reading import ArticleFilter
from hansang.surfaces.console.matching import rank
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.plugged import SearchResult

DAYS = 31
MOST_READ = 2000
"""How many articles one search looks at, the newest first."""
_MOST_FOUND = 6


def search(visit: Visit, typed: str) -> Iterator[SearchResult]:
    """The newest articles of a month whose titles fit, and the tickers that they name."""
    news = news_of(visit)
    wanted = ArticleFilter(news.today - timedelta(days=DAYS - 1), news.today)
    rows = list(islice(news.reading.each(wanted, unreadable=lambda _: None), MOST_READ))
    named = dict.fromkeys(ticker for row in rows for ticker in row.tickers)
    fitting = (ticker for ticker in named if rank(typed, ticker) is not None)
    for ticker in sorted(islice(fitting, _MOST_FOUND * 4), key=lambda each: (rank(typed, each), each)):
        yield SearchResult("news.search.tickers", ticker_path(ticker), ticker, icon="chart-candlestick")
    titled = (row for row in rows if rank(typed, row.title, row.source) is not None)
    for row in islice(titled, _MOST_FOUND):
        when = visit.formats.moment(row.uploaded_at_utc_ms / 1000)
        about = f"{row.source} · {when}"
        yield SearchResult(
            "news.search.articles", article_path(row.pk), brief(row.title, row.url), about, "newspaper"
        )
