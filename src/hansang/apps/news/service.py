"""The verbs of the news list: load, read, crawl, recount."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any

from hansang.apps.news.background import BackgroundLoads
from hansang.apps.news.crawling import Queue
from hansang.apps.news.lines import RunLines
from hansang.apps.news.loading import THREADS, Loader
from hansang.apps.news.reading import Reading, check_days
from hansang.apps.news.recounting import Recounting
from hansang.apps.news.rehearsing import MOST_LINES, DryRun, rehearsed
from hansang.apps.news.runs import Runs
from hansang.apps.news.searches import SavedSearches
from hansang.apps.news.sent_lists import SentLists
from hansang.apps.news.texts import ArticleTexts
from hansang.clock import Clock
from hansang.design import Database
from hansang.parts.sandbox import Sandbox
from hansang.parts.topics import Publish, unheard


class News:
    """The application: its parts on one database and one clock."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        *,
        threads: int = THREADS,
        sleep: Callable[[float], None] = time.sleep,
        token: Callable[[], str] = lambda: secrets.token_hex(16),
        publish: Publish = unheard,
        sandbox: Sandbox | None = None,
    ) -> None:
        """`publish` is told how loads go on. Without a sandbox bodies are stored, and texts cannot be read."""
        self.clock, self.database = clock, database
        # Nobody waits for long work; for a list that comes in a request somebody does.
        patient = database.patient(sleep)
        runs, long_runs = (Runs(each, clock, sleep, lambda: token()[:6]) for each in (database, patient))
        self.loader = Loader(patient, clock, long_runs, threads=threads, sleep=sleep, publish=publish)
        self.awaited = Loader(database, clock, runs, threads=threads, sleep=sleep, publish=publish)
        self.lists = SentLists(database, clock, runs, sleep)
        self.background = BackgroundLoads(
            SentLists(patient, clock, long_runs, sleep), self.loader, long_runs, clock
        )
        self._recounting = Recounting(patient, clock, sleep)
        self.texts = ArticleTexts(database, sandbox)
        self.queue = Queue(database, clock, token, sleep, self.texts.made)
        self.reading = Reading(database)
        self.lines = RunLines(database)
        self.searches = SavedSearches(database, clock, self.reading, token)

    @property
    def today(self) -> date:
        """The day of UTC that it is now."""
        return datetime.fromtimestamp(self.clock(), UTC).date()

    def rehearse(self, lines: Iterable[Any], most: int | None = MOST_LINES) -> DryRun:
        """What a load of these lines would come to, without writing anything."""
        return rehearsed(self.database, lines, most)

    def recount(self, since: date, until: date) -> Iterator[tuple[date, int]]:
        """Recount the days of a span one after the other; each with the number of its links."""
        check_days(since, until)
        days = (since + timedelta(days=each) for each in range((until - since).days + 1))
        return ((day, self._recounting.recount(day)) for day in days)
