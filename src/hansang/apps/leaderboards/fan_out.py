"""Fan-out: the rows on friends' boards follow the player's week, in the background (X2-12, X2-18).

What waits is an item for each player and week, written before the change is counted, or with it. Working on it reads
the week as it is and makes the rows say the same, so it can be done again at any time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from secrets import token_hex
from zlib import crc32

from hansang.apps.leaderboards.design import FriendScore, FriendScoreKey, WeeklyBest, WeeklyBestKey
from hansang.apps.leaderboards.rules import Week
from hansang.apps.leaderboards.settings import LeaderboardsSettings
from hansang.apps.leaderboards.work import SHARDS, FanOut, FanOutKey, Friendship, FriendshipKey
from hansang.clock import Clock
from hansang.design import Database, any_of, attr
from hansang.errors import Conflict, NotFound
from hansang.parts.ranks.storage import Item
from hansang.parts.retry import PATIENT, Sleep, retry
from hansang.parts.timestamps import to_whole_second

THREADS = 8
"""How many rows are written at a time."""


def shard_of_player(player: int) -> int:
    """In which part the fan-outs of a player wait."""
    return crc32(str(player).encode()) % SHARDS


def fan_out_of(player: int, week: Week, moment: datetime) -> FanOut:
    """That the friends of a player are to be told of a week."""
    return FanOut(
        shard=shard_of_player(player),
        id=player,
        start=week.start,
        mark=token_hex(8),
        since=moment.replace(microsecond=0),
    )


class FanOuts:
    """Brings weeks to friends' boards."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        settings: LeaderboardsSettings,
        *,
        threads: int = THREADS,
        sleep: Sleep = time.sleep,
    ) -> None:
        self._database, self._clock, self._settings = database, clock, settings
        self._threads, self._sleep = threads, sleep

    # ── what waits ────────────────────────────────────────────────────────────────────────────────

    def hear(self, week: Week, changes: Collection[Item]) -> None:
        """Note whose friends are to be told, before the changes of their scores are counted and forgotten."""
        players = {int(each["I"]["S"]) for each in changes if "I" in each}
        moment = to_whole_second(self._clock())
        self._database.batch_write(fan_out_of(player, week, moment) for player in players)

    def waiting(self) -> Iterator[FanOut]:
        """What waits, of every part."""
        for shard in range(SHARDS):
            yield from self._database.each(FanOut.waiting(shard).consistent())

    def backlog(self, most: int = 1000) -> int:
        """How much waits, counted up to a number."""
        return sum(1 for _ in islice(self.waiting(), most))

    def is_wanted(self) -> bool:
        return next(self.waiting(), None) is not None

    def work(self, stop: Callable[[], bool] = lambda: False) -> int:
        """Do what waits; how many weeks of players that were."""
        done = 0
        with ThreadPoolExecutor(self._threads, thread_name_prefix="hansang-fan-out") as pool:
            for each in self.waiting():
                if stop():
                    break
                self._done(each, pool)
                done += 1
        return done

    def _done(self, task: FanOut, pool: ThreadPoolExecutor) -> None:
        self.bring(task.id, Week.starting(task.start), pool)
        key = FanOutKey(shard=task.shard, id=task.id, start=task.start)
        with suppress(Conflict, NotFound):  # It has changed meanwhile, and is done once more.
            self._retry(lambda: self._database.delete(key, when=FanOut.mark == task.mark))

    # ── one week of one player ────────────────────────────────────────────────────────────────────

    def bring(self, player: int, week: Week, pool: ThreadPoolExecutor | None = None) -> None:
        """Make the rows of a player's week on all boards say what the week says; the player's own first (X2-18)."""
        row = self._database.find(WeeklyBestKey(id=player, start=week.start, end=week.end), consistent=True)
        self._write(player, player, week, row)
        friends = [each.other for each in self._database.each(Friendship.of(player).consistent())]
        write = partial(self._write_of, player, week, row)
        list(map(write, friends) if pool is None else pool.map(write, friends))

    def _write_of(self, player: int, week: Week, row: WeeklyBest | None, friend: int) -> None:
        self._write(player, friend, week, row)
        if self._database.find(FriendshipKey(id=player, other=friend), consistent=True) is None:
            # They parted while this was written.
            self.remove(player, friend, week)

    def _write(self, player: int, friend: int, week: Week, row: WeeklyBest | None) -> None:
        if row is None:
            self.remove(player, friend, week)
        else:
            self._retry(partial(self._put, row, friend))

    def _put(self, row: WeeklyBest, friend: int) -> None:
        found = self.row(row, friend)
        with suppress(Conflict):
            # What is as it has to be is not written again: a failed condition costs one unit and no index write.
            self._database.put(
                found,
                when=any_of(
                    attr(FriendScore.score).missing(),
                    FriendScore.score != found.score,
                    FriendScore.name != found.name,
                ),
            )

    def row(self, best: WeeklyBest, friend: int) -> FriendScore:
        """The row of a week on a friend's board."""
        weeks = self._settings.friend_weeks
        expires = None if not weeks else to_whole_second(self._clock()) + timedelta(weeks=weeks)
        return FriendScore(
            id=best.id,
            friend_id=friend,
            start=best.start,
            end=best.end,
            name=best.name,
            score=best.top_score,
            expires_at=expires,
        )

    def remove(self, player: int, friend: int, week: Week) -> None:
        """Take a player's week off a friend's board."""
        key = FriendScoreKey(id=player, friend_id=friend, start=week.start, end=week.end)
        self._retry(lambda: self._database.delete(key))

    # ── repair ────────────────────────────────────────────────────────────────────────────────────

    def repair(self, week: Week, players: Iterable[int], progress: Callable[[int], object] = abs) -> int:
        """Do these players' weeks again, whether anything waits or not; how many that were (X2-18)."""
        done = 0
        with ThreadPoolExecutor(self._threads, thread_name_prefix="hansang-fan-out") as pool:
            for player in players:
                self.bring(player, week, pool)
                done += 1
                progress(done)
        return done

    def _retry(self, work: Callable[[], object]) -> object:
        return retry(work, self._sleep, PATIENT)
