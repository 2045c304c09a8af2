"""Fan-out: the rows on friends' boards follow the player's week, in the background (X2-12, X2-18).

What waits is a list of the players whose changes are counted together, written before they are, or an item for one
player and week, written with the change. Working on it reads the week as it is and makes the rows say the same, so it
can be done again at any time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from hashlib import blake2b
from itertools import chain
from math import ceil
from secrets import token_hex
from zlib import crc32

from hansang.apps.leaderboards.design import FriendScore, FriendScoreKey, WeeklyBest, WeeklyBestKey
from hansang.apps.leaderboards.rules import Week
from hansang.apps.leaderboards.settings import LeaderboardsSettings
from hansang.apps.leaderboards.work import (
    LISTED,
    SHARDS,
    FanOut,
    FanOutKey,
    FanOutList,
    FanOutListKey,
    Friendship,
    FriendshipKey,
)
from hansang.clock import Clock
from hansang.design import Database, any_of, attr
from hansang.errors import Conflict, NotFound
from hansang.parts.ranks.storage import Item
from hansang.parts.retry import PATIENT, Sleep, retry
from hansang.parts.timestamps import to_whole_second

THREADS = 8
"""How many rows are written at a time."""
_TRIES = 20


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
        players = sorted({int(each["I"]["S"]) for each in changes if "I" in each})
        moment = to_whole_second(self._clock())
        mark = blake2b("".join(sorted(each["SK"]["S"] for each in changes)).encode(), digest_size=8)
        self._database.batch_write(
            FanOutList(
                mark=f"{mark.hexdigest()}#{at}",
                start=week.start,
                players=players[at : at + LISTED],
                since=moment,
            )
            for at in range(0, len(players), LISTED)
        )

    def waiting(self) -> Iterator[FanOut | FanOutList]:
        """What waits, the lists first."""
        yield from self._database.each(FanOutList.waiting().consistent())
        for shard in range(SHARDS):
            yield from self._database.each(FanOut.waiting(shard).consistent())

    def backlog(self, most: int = 1000) -> int:
        """How many players wait, counted until there are so many."""
        found = 0
        for each in self.waiting():
            found += _size(each)
            if found >= most:
                break
        return found

    def hands(self) -> ThreadPoolExecutor:
        """What brings several rows at a time; whoever works again and again keeps it meanwhile."""
        return ThreadPoolExecutor(self._threads, thread_name_prefix="hansang-fan-out")

    def work(self, stop: Callable[[], bool] = lambda: False, hands: ThreadPoolExecutor | None = None) -> int:
        """Do what waits; how many weeks of players that were."""
        if hands is None:
            with self.hands() as hands:
                return self.work(stop, hands)
        done = 0
        for each in self.waiting():
            if stop():
                break
            if isinstance(each, FanOut):
                self._done(each, hands)
            else:
                self._listed(each, hands)
            done += _size(each)
        return done

    def _done(self, task: FanOut, pool: ThreadPoolExecutor) -> None:
        self.bring(task.id, Week.starting(task.start), pool)
        key = FanOutKey(shard=task.shard, id=task.id, start=task.start)
        with suppress(Conflict, NotFound):  # It has changed meanwhile, and is done once more.
            self._retry(lambda: self._database.delete(key, when=FanOut.mark == task.mark))

    # ── the weeks of many players ─────────────────────────────────────────────────────────────────

    def _listed(self, task: FanOutList, pool: ThreadPoolExecutor) -> None:
        """Bring the weeks of a list, until they are read as they were written, and forget it.

        Another process may bring a newer score of the same player meanwhile, and be overtaken by this one: nobody is
        told of it but by reading again.
        """
        week = Week.starting(task.start)
        rows = self._bests(task.players, week)
        for _ in range(_TRIES):
            self._bring(rows, week, pool)
            now = self._bests(rows, week)
            rows = {player: row for player, row in now.items() if row != rows[player]}
            if not rows:
                self._database.delete(FanOutListKey(mark=task.mark))
                return

    def _bests(self, players: Iterable[int], week: Week) -> dict[int, WeeklyBest | None]:
        """The weeks of some players; None of whoever has none."""
        found: dict[int, WeeklyBest | None] = dict.fromkeys(players)
        keys = (WeeklyBestKey(id=player, start=week.start, end=week.end) for player in found)
        for row in self._database.batch_get(list(keys), consistent=True):
            found[row.id] = row
        return found

    def _bring(self, rows: Mapping[int, WeeklyBest | None], week: Week, pool: ThreadPoolExecutor) -> None:
        """Make the rows on all boards say what these weeks say; the players' own first (X2-18)."""
        own = [self.row(row, player) for player, row in rows.items() if row is not None]
        gone = [_key(player, player, week) for player, row in rows.items() if row is None]
        self._retry(lambda: self._database.batch_write(own, gone))
        players, each = list(rows), ceil(len(rows) / self._threads)
        shares = [players[at : at + each] for at in range(0, len(players), each)]
        for player, friends in chain.from_iterable(pool.map(self._befriended, shares)):
            list(pool.map(partial(self._write_of, player, week, rows[player]), friends))

    def _befriended(self, players: Iterable[int]) -> list[tuple[int, list[int]]]:
        """Those of some players who have friends, with these."""
        return [(player, friends) for player in players if (friends := self._friends(player))]

    def _friends(self, player: int) -> list[int]:
        return [each.other for each in self._database.each(Friendship.of(player).consistent())]

    # ── one week of one player ────────────────────────────────────────────────────────────────────

    def bring(self, player: int, week: Week, pool: ThreadPoolExecutor | None = None) -> None:
        """Make the rows of a player's week on all boards say what the week says; the player's own first (X2-18)."""
        row = self._database.find(WeeklyBestKey(id=player, start=week.start, end=week.end), consistent=True)
        self._write(player, player, week, row)
        friends = self._friends(player)
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
        self._retry(lambda: self._database.delete(_key(player, friend, week)))

    # ── repair ────────────────────────────────────────────────────────────────────────────────────

    def repair(self, week: Week, players: Iterable[int], progress: Callable[[int], object] = abs) -> int:
        """Do these players' weeks again, whether anything waits or not; how many that were (X2-18)."""
        done = 0
        with self.hands() as pool:
            for player in players:
                self.bring(player, week, pool)
                done += 1
                progress(done)
        return done

    def _retry(self, work: Callable[[], object]) -> object:
        return retry(work, self._sleep, PATIENT)


def _size(task: FanOut | FanOutList) -> int:
    """How many players' weeks are to be brought."""
    return len(task.players) if isinstance(task, FanOutList) else 1


def _key(player: int, friend: int, week: Week) -> FriendScoreKey:
    return FriendScoreKey(id=player, friend_id=friend, start=week.start, end=week.end)
