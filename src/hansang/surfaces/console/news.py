"""The pages of the news application: articles, loading, tickers, runs, and the queue of the crawl."""

from __future__ import annotations

from hansang.surfaces.console import news_articles, news_load, news_queue, news_runs, news_tickers
from hansang.surfaces.console.routing import PageRoute

PAGES: tuple[PageRoute, ...] = (
    *news_articles.PAGES,
    *news_load.PAGES,
    *news_tickers.PAGES,
    *news_runs.PAGES,
    *news_queue.PAGES,
)
