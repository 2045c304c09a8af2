"""The pages of the news application: articles, loading, tickers, runs, and the queue of the crawl."""

from __future__ import annotations

from hansang.apps.news.console import articles, load, queue, runs, tickers
from hansang.apps.news.console.search import search
from hansang.surfaces.console.plugged import Pages, Section

PAGES = Pages(
    routes=(*articles.PAGES, *load.PAGES, *tickers.PAGES, *runs.PAGES, *queue.PAGES),
    sections=(
        Section("/news", "news.tab.articles"),
        Section("/news/load", "news.tab.load", "write"),
        Section("/news/tickers", "news.tab.tickers"),
        Section("/news/runs", "news.tab.runs"),
        Section("/news/queue", "news.tab.queue"),
        Section("/apps/news", "news.tab.overview"),
    ),
    search=search,
)
