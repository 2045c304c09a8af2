"""Where the commands of the news list find it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hansang.apps.news.design import NewsItems, NewsWork
from hansang.apps.news.service import News
from hansang.backends.embedded import Embedded
from hansang.clock import system_clock
from hansang.surfaces.cli.support import open_database


@contextmanager
def open_news(place: str | None) -> Iterator[News]:
    """The application at a place; its tables are made in a data file that has none."""
    with open_database(place) as database:
        if isinstance(database.backend, Embedded):
            database.create_tables(NewsItems, NewsWork)
        yield News(database, system_clock)
