"""The verbs of the leaderboards: submit, read, befriend, hide, close."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial

from hansang.apps.leaderboards.alarms import Alarms
from hansang.apps.leaderboards.board_rows import BoardRows
from hansang.apps.leaderboards.closing import Closing
from hansang.apps.leaderboards.erasing import Erasing
from hansang.apps.leaderboards.fan_out import FanOuts
from hansang.apps.leaderboards.friends import Friends
from hansang.apps.leaderboards.operating import Operating
from hansang.apps.leaderboards.players import Players
from hansang.apps.leaderboards.ranks_table import LeaderboardRanks
from hansang.apps.leaderboards.reading import WeekReading
from hansang.apps.leaderboards.rules import Week
from hansang.apps.leaderboards.settings import LeaderboardsSettings
from hansang.apps.leaderboards.submitting import Submitter
from hansang.apps.leaderboards.tokens import PlayTokens
from hansang.apps.leaderboards.topics import FIRST, BoardTopics
from hansang.apps.leaderboards.trees import WeekTrees
from hansang.apps.leaderboards.weeks import Weeks
from hansang.clock import Clock
from hansang.design import Database
from hansang.parts.ranks.table import Ranks
from hansang.parts.retry import Sleep
from hansang.parts.topics import Publish, unheard


class Leaderboards:
    """The application: its parts on one database and one clock."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        settings: LeaderboardsSettings | None = None,
        *,
        board: str = FIRST,
        begin: Callable[[], object] = lambda: None,
        sleep: Sleep = time.sleep,
        publish: Publish = unheard,
    ) -> None:
        """`board` is the name of another board than the first; the database has its tables.

        `begin` is called before the first score that this process writes.
        """
        self.board, self.topics = board, BoardTopics(publish, board)
        self.settings = settings or LeaderboardsSettings()
        self.database = database.renamed({Ranks: database.name(LeaderboardRanks)})
        self.weeks = Weeks(self.database, clock, self.settings, begin)
        self.trees = WeekTrees(self.database, shards=self.settings.shards)
        self.rows = BoardRows(self.database, self.settings.read_shards)
        self.alarms = Alarms(self.settings, clock, board=board)
        self.tokens = PlayTokens(self.settings.token_secret, clock, board=board, boards=self.settings.boards)
        self.fan_outs = FanOuts(self.database, clock, self.settings, sleep=sleep)
        self.players = Players(self.database, self.weeks, self.topics)
        self.operating = Operating(
            self.database,
            clock,
            self.settings,
            self.weeks,
            self.trees,
            self.players,
            topics=self.topics,
            sleep=sleep,
        )
        self.closing = Closing(
            self.database,
            clock,
            self.settings,
            self.weeks,
            self.trees,
            self.rows,
            self.fan_outs,
            topics=self.topics,
            sleep=sleep,
        )
        self.erasing = Erasing(
            self.database, clock, self.trees, self.players, topics=self.topics, sleep=sleep
        )
        self.friends = Friends(
            self.database, clock, self.weeks, self.players, self.fan_outs, topics=self.topics
        )
        self.reading = WeekReading(self.database, self.settings, self.trees, self.rows, self.friends)
        self.submitter = Submitter(
            self.database,
            clock,
            self.settings,
            self.weeks,
            self.trees,
            self.rows,
            self.players,
            tokens=self.tokens,
            topics=self.topics,
            sleep=sleep,
        )

    # ── in the background ─────────────────────────────────────────────────────────────────────────

    @property
    def open_weeks(self) -> tuple[Week, Week]:
        """The weeks that scores may still change in by plays: this one, and the one before it."""
        week = self.weeks.current
        return week, Week(week.start - timedelta(days=7), week.end - timedelta(days=7))

    def fold(self, week: Week | None = None) -> int:
        """Count what has changed since the last time; how many changes that were."""
        return sum(self._folded(each) for each in ((week,) if week else self.open_weeks))

    def _folded(self, week: Week) -> int:
        """Count the changes of a week, and tell whoever watches its board."""
        done = self.trees.folder(week, partial(self.fan_outs.hear, week)).fold()
        if done:
            self.topics.board(week, done)
        return done

    def tell_friends(
        self, stop: Callable[[], bool] = lambda: False, hands: ThreadPoolExecutor | None = None
    ) -> int:
        """Bring what waits to friends' boards, and tell whoever watches one; how many weeks of players that were."""
        done = self.fan_outs.work(stop, hands)
        if done:
            self.topics.board(self.weeks.current, done)
        return done

    def has_uncounted(self) -> bool:
        """Whether a score of this week is still to be counted."""
        return self.trees.has_pending(self.weeks.current)

    def settle(self, stop: Callable[[], bool] = lambda: False) -> int:
        """Count every change and tell every friend, until nothing is left to do; how much was done."""
        done = 0
        while not stop() and (step := self.fold() + self.tell_friends(stop)):
            done += step
        return done
