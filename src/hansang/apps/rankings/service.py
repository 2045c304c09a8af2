"""The verbs of the rankings: import, finish, read, compare, search, erase."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from datetime import date
from typing import Any

from hansang.apps.rankings.background import BackgroundImports
from hansang.apps.rankings.cards import Cards
from hansang.apps.rankings.days import Days
from hansang.apps.rankings.design import SnapshotDay
from hansang.apps.rankings.finishing import Finisher, Tell
from hansang.apps.rankings.histories import Histories
from hansang.apps.rankings.importing import THREADS, Importer, Progress
from hansang.apps.rankings.movement import DayMovement
from hansang.apps.rankings.privacy import Privacy
from hansang.apps.rankings.profiles import Profiles
from hansang.apps.rankings.reading import BoardReading
from hansang.apps.rankings.reports import RankingReports
from hansang.apps.rankings.searching import NameSearch
from hansang.apps.rankings.sent_days import SentDays
from hansang.apps.rankings.snapshotting import Snapshotter
from hansang.apps.rankings.trees import DayTrees
from hansang.clock import Clock
from hansang.design import Database
from hansang.parts.retry import Sleep
from hansang.parts.topics import Publish, unheard


class Rankings:
    """The application: its parts on one database and one clock."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        *,
        threads: int = THREADS,
        pace: int | None = None,
        sleep: Sleep = time.sleep,
        publish: Publish = unheard,
    ) -> None:
        """`publish` is told how imports in the background go on."""
        self.database = database
        # Nobody waits for a whole day; for a part of one somebody does.
        patient = database.patient(sleep)
        self.days = Days(database, clock)
        self.trees = DayTrees(database)
        self.profiles = Profiles(database, self.days, sleep)
        self.parts = Importer(database, self.days, threads=threads, sleep=sleep)
        self.importer = Importer(patient, Days(patient, clock), threads=threads, pace=pace, sleep=sleep)
        self.finisher = Finisher(patient, Days(patient, clock), clock, sleep=sleep)
        self.sent = SentDays(database, self.days, clock, sleep)
        self.background = BackgroundImports(
            self.sent, self.days, self.importer, self.finisher, clock, publish
        )
        self.snapshots = Snapshotter(patient, self.days, self.importer, self.finisher)
        self.reading = BoardReading(database, self.days, self.trees)
        self.movement = DayMovement(patient, self.days)
        self.histories = Histories(database, self.days, self.reading, self.trees, self.movement)
        self.reports = RankingReports(database, self.days, self.reading, self.trees)
        self.search = NameSearch(database, self.days)
        self.privacy = Privacy(database, clock, self.trees, sleep=sleep)
        self.cards = Cards(self.days, self.histories, self.privacy)

    def import_day(
        self,
        day: date,
        given: Iterable[Any],
        *,
        progress: Progress | None = None,
        tell: Tell | None = None,
        stop: threading.Event | None = None,
    ) -> SnapshotDay:
        """Take a whole list and finish its day; the same list again goes on where it was left."""
        found = self.days.find(day)
        is_written = found is not None and found.status == "finishing"
        if is_written or self.importer.load(day, given, progress=progress, stop=stop):
            return self.finisher.finish(day, tell=tell)
        return self.days.get(day)
