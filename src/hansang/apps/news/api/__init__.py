"""The news list as routes: loads and their reports, articles, tickers, the queue of the crawl."""

from __future__ import annotations

from hansang.apps.news.api.articles import ArticleRoutes
from hansang.apps.news.api.loads import LoadRoutes
from hansang.apps.news.api.queue import QueueRoutes

ROUTES = (LoadRoutes, ArticleRoutes, QueueRoutes)
