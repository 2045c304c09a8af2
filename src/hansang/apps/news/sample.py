"""A sample of the news list: three weeks of uploads from four sources, with links that come again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from random import Random
from typing import Any

from hansang.apps.application import Progress
from hansang.apps.news.rules import MOST_ATTEMPTS, Link, retry_after_seconds
from hansang.apps.news.service import News
from hansang.design import Database
from hansang.parts.sampling import in_seoul, repeatable, texts

DAYS = 21
_BETWEEN_RUNS = timedelta(hours=6)
_ERROR = "503 Service Unavailable"
_NEW_IN_A_RUN = (14, 20)
_SEEN_BEFORE = 5
"""How many links of the source's last list are still on it."""
_CRAWLED, _UNFINISHED = 37, 3
"""How many articles were taken to be crawled, and how many of them are still with the crawler."""
_FAILING = ((MOST_ATTEMPTS, 2), (MOST_ATTEMPTS - 1, 3))
"""Attempts that have failed, and at how many articles: some were given up, others are tried once more in an hour."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A list as a source had it at one reading of the clock."""

    at: datetime
    source: str
    links: tuple[Link, ...]


def fill(database: Database, now: datetime, progress: Progress) -> None:
    """Load three weeks of lists, up to this moment, and begin to crawl."""
    clock = _Clock(now)
    news = News(database, clock, token=_tokens())
    for upload in uploads(now):
        clock.now = upload.at
        progress(news.loader.load(map(asdict, upload.links), source=upload.source).inserted)
    clock.now = now
    failed = sum(_fail(news, clock, attempts, count) for attempts, count in _FAILING)
    progress(failed + _crawl(news))


def _crawl(news: News) -> int:
    """Crawl the oldest articles: most are done, and the last ones are being worked on."""
    taken = news.queue.take("crawler-1", _CRAWLED)
    for work in taken[:-_UNFINISHED]:
        news.queue.done(work.item_pk, work.claim, f"<h1>{work.title}</h1>".encode())
    return len(taken)


def _fail(news: News, clock: _Clock, attempts: int, articles: int) -> int:
    """Fail with some articles as often as that, the last time at this moment."""
    pauses = [retry_after_seconds(number) or 0 for number in range(1, attempts)]
    clock.now -= timedelta(seconds=sum(pauses))
    taken = news.queue.take("crawler-1", articles)
    for work in taken:
        news.queue.fail(work.item_pk, work.claim, _ERROR)
    for pause in pauses:
        clock.now += timedelta(seconds=pause)
        for work in taken:
            again = news.queue.claim(work.item_pk, "crawler-1")
            news.queue.fail(again.item_pk, again.claim, _ERROR)
    return len(taken)


class _Clock:
    """Shows the time of what is being loaded."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now.timestamp()


def _tokens() -> Callable[[], str]:
    numbers = count(1)
    return lambda: f"{next(numbers):06x}"


# ── lists ─────────────────────────────────────────────────────────────────────────────────────────


def uploads(now: datetime) -> Iterator[Upload]:
    """The lists of three weeks, the sources taking turns; each begins with the end of the one before."""
    chance = repeatable("news")
    desk = _Desk(chance, texts("news"))
    last: dict[str, tuple[Link, ...]] = {}
    for number, at in enumerate(_times(chance, now)):
        source = desk.source(number)
        fresh = tuple(desk.links(source, at))
        again = desk.seen_again(source, last.get(source["name"], ()))
        last[source["name"]] = fresh
        yield Upload(at, source["name"], (*again, *fresh))


def _times(chance: Random, now: datetime) -> Iterator[datetime]:
    """When there were uploads: every six hours, or a little before."""
    count = timedelta(days=DAYS) // _BETWEEN_RUNS
    last = in_seoul(now).astimezone(UTC)
    for back in range(count - 1, -1, -1):
        yield last - _BETWEEN_RUNS * back - timedelta(seconds=chance.randrange(2400))


class _Desk:
    """Where headlines are made up."""

    def __init__(self, chance: Random, words: Mapping[str, Any]) -> None:
        self._chance, self._words, self._numbers = chance, words, count(7)

    def source(self, number: int) -> Mapping[str, Any]:
        sources: Sequence[Mapping[str, Any]] = self._words["sources"]
        return sources[number % len(sources)]

    def links(self, source: Mapping[str, Any], at: datetime) -> Iterator[Link]:
        """New links; now and then the same one follows with a tracking parameter (X3-21)."""
        for _ in range(self._chance.randint(*_NEW_IN_A_RUN)):
            link = self._link(source, at)
            yield link
            if self._chance.random() < 0.04:
                yield replace(link, url=link.url + self._chance.choice(self._words["tracking"]))

    def seen_again(self, source: Mapping[str, Any], links: Sequence[Link]) -> Iterable[Link]:
        """Links that are still listed, one of them with another title by now (X3-22)."""
        for number, link in enumerate(links[-_SEEN_BEFORE:]):
            yield link if number else replace(link, title=source["edited"].format(title=link.title))

    def _link(self, source: Mapping[str, Any], at: datetime) -> Link:
        company, other = self._chance.sample(self._words["companies"], 2)
        language, is_general = source["language"], self._chance.random() < 0.16
        headlines = self._words["general" if is_general else "headlines"][language]
        pattern = self._chance.choice(headlines)
        title = self._title(pattern, language, company, other)
        tickers = (company["ticker"], *([other["ticker"]] if "{other}" in pattern else []))
        url = self._url(self._chance.choice(source["links"]), title, at)
        return Link(title, url, () if is_general else tickers)

    def _title(
        self, pattern: str, language: str, company: Mapping[str, str], other: Mapping[str, str]
    ) -> str:
        product = self._chance.choice(self._words["products"][company["field"]])
        strong, weak = self._chance.sample(self._words["sectors"][language], 2)
        filled = {
            "{company}": company[language],
            "{other}": other[language],
            "{product}": product[language == "en"],
            "{city}": self._chance.choice(self._words["cities"][language]),
            "{sector}": strong,
            "{weak}": weak,
            "{percent}": str(self._chance.randint(2, 19)),
        }
        for place, text in filled.items():
            pattern = pattern.replace(place, text)
        return re.sub(r"\{number\}", lambda _: str(self._chance.randint(3, 40)), pattern)

    def _url(self, pattern: str, title: str, at: datetime) -> str:
        slug = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
        article = f"{at:%H%M%S}{next(self._numbers) % 1000:03d}"
        hash_ = f"{self._chance.getrandbits(48):012x}"
        return pattern.format(slug=slug, id=article, hash=hash_, day=f"{at:%Y%m%d}")
