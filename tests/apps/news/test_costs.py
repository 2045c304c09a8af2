"""What each thing costs in units, as the page of the application says it."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from hansang.apps.news.reading import ArticleFilter
from hansang.apps.news.rules import pk_of
from hansang.apps.news.service import News
from hansang.backends.recording import Recording
from hansang.design import Database
from hansang.parts.sandbox import Sandbox
from tests.apps.news.conftest import SetClock, tokens
from tests.clauses import clause
from tests.storing import examples

PAGE = Path(__file__).parents[3] / "docs" / "news.md"
ROW = re.compile(r"^\| (.+?) \| ([0-9.,]+) \| ([0-9.,]+) \|$", re.MULTILINE)
EXAMPLE = examples("news")["A"]


def links(count: int, *tickers: str) -> list[dict[str, Any]]:
    """Links of the size of the document's first example."""
    stem = EXAMPLE["url"].removesuffix("-060559667.html")
    return [
        {"title": EXAMPLE["title"], "url": f"{stem}-{number:09d}.html", "tickers": list(tickers)}
        for number in range(count)
    ]


PK = pk_of(links(1)[0]["url"])


def wanted(news: News, **more: str) -> ArticleFilter:
    return ArticleFilter(news.today, news.today, **more)  # type: ignore[arg-type]


def loaded(news: News) -> None:
    news.loader.load(links(50, "NVDA"))


def claimed(news: News) -> str:
    loaded(news)
    return news.queue.claim(PK, "w").claim


def read_before(news: News) -> None:
    news.queue.done(PK, claimed(news), b"a" * 1000)


def nothing(news: News) -> None:
    """Come before the first load."""


Before = Callable[[News], Any]
Work = Callable[[News, Any], object]

WORKS: dict[str, tuple[Before, Work]] = {
    "load one new link": (nothing, lambda news, _: news.loader.load(links(1))),
    "load 50 new links": (nothing, lambda news, _: news.loader.load(links(50))),
    "load 50 new links with a ticker each": (nothing, lambda news, _: news.loader.load(links(50, "NVDA"))),
    "load 50 links that are there already": (loaded, lambda news, _: news.loader.load(links(50))),
    "load 500 new links": (nothing, lambda news, _: news.loader.load(links(500))),
    "read a day of 50 links": (loaded, lambda news, _: list(news.reading.each(wanted(news)))),
    "read 50 links of a ticker": (
        loaded,
        lambda news, _: list(news.reading.each(wanted(news, ticker="NVDA"))),
    ),
    "read one link": (loaded, lambda news, _: news.reading.get(PK)),
    "take the oldest article of 50": (loaded, lambda news, _: news.queue.take("w", 1)),
    "claim an article by its key": (loaded, lambda news, _: news.queue.claim(PK, "w")),
    "end it, with a text of 1,000 letters": (
        claimed,
        lambda news, claim: news.queue.done(PK, claim, b"a" * 1000),
    ),
    "read its text": (read_before, lambda news, _: news.texts.get(PK)),
    "note that it failed": (claimed, lambda news, claim: news.queue.fail(PK, claim, "404")),
    "mend a day of 50 links": (loaded, lambda news, _: dict(news.recount(news.today, news.today))),
}


def cost(name: str, database: Database, clock: SetClock) -> tuple[float, float]:
    """Units that are read and written."""
    recording = Recording(database.backend, length=100_000)
    with Sandbox() as sandbox:
        news = News(Database(recording), clock, sleep=clock.sleep, token=tokens(), sandbox=sandbox)
        before, work = WORKS[name]
        given = before(news)
        clock.now += timedelta(seconds=5).total_seconds()
        recording.clear()
        with news.database.meter() as metered:
            work(news, given)
    read = sum(call.read_units for call in recording.calls)
    written = sum(call.write_units for call in recording.calls)
    # Whoever asks is told of all of it, whichever thread has done it.
    assert (metered.read, metered.write) == (read, written)
    return read, written


def said() -> dict[str, tuple[float, float]]:
    rows = ROW.findall(PAGE.read_text(encoding="utf-8"))
    return {name: (float(read.replace(",", "")), float(write.replace(",", ""))) for name, read, write in rows}


@clause("X3-14")
@pytest.mark.parametrize("name", WORKS)
def test_the_page_says_what_it_costs(database: Database, clock: SetClock, name: str) -> None:
    assert said()[name] == cost(name, database, clock)


def test_the_page_has_no_cost_that_nobody_has_measured() -> None:
    assert said().keys() == WORKS.keys()
