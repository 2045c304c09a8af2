"""The news list under the console: loads, crawls and faults that the tests of its pages begin with.

A test module takes the fixture: `from tests.apps.news.console.newsroom import newsroom`.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import pytest

from hansang.apps.news.design import NewsItem, Run
from hansang.apps.news.rules import pk_of
from hansang.apps.news.service import News
from hansang.design import Database
from hansang.surfaces.shell import Shell
from tests.apps.news.faults import Refusing
from tests.apps.news.lists import link
from tests.surfaces.console.browsers import Page
from tests.surfaces.shells import SetClock

EVENING = datetime(2096, 10, 2, 1, 30, tzinfo=UTC)
"""Still the first of October in New York, and the second in Seoul."""
_CHART = re.compile(r'data-chart="(?P<id>[^"]*)".*?<script[^>]*>(?P<spec>.*?)</script>', re.DOTALL)


class Newsroom:
    """The application on the database of the console; every load has a minute of its own."""

    def __init__(self, shell: Shell, clock: SetClock) -> None:
        self.shell, self.clock = shell, clock
        self.news = News(shell.database, clock, sleep=clock.advance)

    def load(self, given: Iterable[Any], **options: Any) -> Run:
        self.clock.advance(60)
        return self.news.loader.load(given, **options)

    def stopped(self, given: Iterable[Any]) -> Run:
        """A run that was stopped after its first part."""
        stop = threading.Event()
        return self.load(given, stop=stop, progress=lambda _: stop.set(), name="half.jsonl")

    def failed(self, given: Iterable[Any], title: str) -> Run:
        """A run in which the link with this title could not be stored."""
        self.clock.advance(60)
        refusing = Database(Refusing(self.shell.database.backend, title))
        return News(refusing, self.clock, sleep=self.clock.advance).loader.load(given)

    def occupy(self, number: int) -> NewsItem:
        """Another link that has the key of this one."""
        other = NewsItem.uploaded(EVENING, **link(900 + number, title="Came first"))
        return self.shell.database.create(other.model_copy(update={"pk": pk_of(link(number)["url"])}))

    def stored(self, number: int) -> NewsItem:
        return self.news.reading.get(pk_of(link(number)["url"]))

    @property
    def runs(self) -> list[Run]:
        return self.news.reading.runs(f"{self.news.today:%Y-%m}").items


@pytest.fixture
def newsroom(shell: Shell, clock: SetClock) -> Newsroom:
    clock.now = EVENING.timestamp()
    return Newsroom(shell, clock)


def charts(page: Page) -> dict[str, Any]:
    """What the charts of a page are drawn from, by their ids."""
    return {found["id"]: json.loads(found["spec"]) for found in _CHART.finditer(page.text)}
