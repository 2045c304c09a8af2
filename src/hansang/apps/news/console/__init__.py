"""The pages of the news application: articles, loading, tickers, runs, and the queue of the crawl."""

from __future__ import annotations

from hansang.apps.news.console import articles, load, queue, runs, tickers
from hansang.surfaces.console.plugged import ApplicationSection, Pages

PAGES = Pages(
    routes=(*articles.PAGES, *load.PAGES, *tickers.PAGES, *runs.PAGES, *queue.PAGES),
    sections=(
        ApplicationSection("/news", "news.tab.articles"),
        ApplicationSection("/news/load", "news.tab.load", "write"),
        ApplicationSection("/news/tickers", "news.tab.tickers"),
        ApplicationSection("/news/runs", "news.tab.runs"),
        ApplicationSection("/news/queue", "news.tab.queue"),
        ApplicationSection("/apps/news", "news.tab.overview"),
    ),
)
