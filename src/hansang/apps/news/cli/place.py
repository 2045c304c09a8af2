"""Where the commands of the news list find it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hansang.apps.news.application import APPLICATION
from hansang.apps.news.service import News
from hansang.clock import system_clock
from hansang.parts.sandbox import Sandbox
from hansang.parts.topics import Topics
from hansang.surfaces.cli.support import new_group, open_application

group = new_group("The news list: load it, read it, crawl it.")


@contextmanager
def open_news(place: str | None) -> Iterator[News]:
    """The application at a place; its tables are made in a data file that has none."""
    with open_application(place, APPLICATION) as database, Sandbox() as sandbox:
        yield News(database, system_clock, publish=Topics(database, system_clock).publish, sandbox=sandbox)
