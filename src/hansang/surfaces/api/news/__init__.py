"""The news list as routes: loads and their reports, articles, tickers, the queue of the crawl."""

from __future__ import annotations

from hansang.surfaces.api.news.articles import ArticleRoutes
from hansang.surfaces.api.news.loads import LoadRoutes
from hansang.surfaces.api.news.queue import QueueRoutes

ROUTES = (LoadRoutes, ArticleRoutes, QueueRoutes)

__all__ = ["ROUTES"]
