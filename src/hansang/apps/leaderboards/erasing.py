"""Erasing a player: every week, final or not, rows on friends' boards, friendships, refused plays and the card."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import date, timedelta
from functools import partial

from hansang.apps.leaderboards.design import FriendScore, FriendScoreKey, WeeklyBest, WeeklyBestKey
from hansang.apps.leaderboards.players import Players, entries_of
from hansang.apps.leaderboards.rules import Week
from hansang.apps.leaderboards.submitting import REFUSALS_KEPT
from hansang.apps.leaderboards.topics import UNHEARD, BoardTopics
from hansang.apps.leaderboards.trees import WeekTrees
from hansang.apps.leaderboards.weeks import unknown_player
from hansang.apps.leaderboards.work import (
    BoardPlayerKey,
    BoardWeek,
    BoardWeekKey,
    Friendship,
    FriendshipKey,
    HeldBest,
    HeldBestKey,
    HidingKey,
    PlayerErasure,
    PlayerErasureKey,
    PlayerNameEntryKey,
    RefusedPlay,
    RefusedPlayKey,
    Reward,
    RewardKey,
    Suspect,
    SuspectKey,
)
from hansang.clock import Clock
from hansang.design import Database, attr
from hansang.errors import Conflict, NotFound
from hansang.parts.receipts import Beside, alone
from hansang.parts.retry import PATIENT, Sleep, retry
from hansang.parts.timestamps import to_whole_second

_TRIES = 20
_DAYS = REFUSALS_KEPT.days + 3
"""How many days may still have refused plays: what has expired is deleted two days later at most."""


class Erasing:
    """Erases players."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        trees: WeekTrees,
        players: Players,
        *,
        topics: BoardTopics = UNHEARD,
        sleep: Sleep = time.sleep,
    ) -> None:
        self._database, self._clock, self._trees = database, clock, trees
        self._players, self._topics, self._sleep = players, topics, sleep

    def erase(self, player: int, *, beside: Beside[int] = alone) -> int:
        """Delete a player with every week, and take each out of its tree; how many weeks that were.

        What is begun is noted first: broken off, it goes on when it is done again.
        """
        if not self.begin(player):
            raise unknown_player(player)
        self._part(player)
        weeks = self._database.all(WeeklyBest.recent(player).consistent())
        for row in weeks:
            self._erase_week(row)
        held = self._database.all(HeldBest.of_player(player).consistent())
        self._forget(player, [row.start for row in weeks], held)
        card = self._players.find(player)
        with self._database.transaction(name="BoardPlayer.erase") as transaction:
            beside(transaction, len(weeks) + len(held))
            if card is not None:
                for entry in entries_of(player, card.name):
                    transaction.delete(PlayerNameEntryKey(initial=entry.initial, text=entry.text, id=player))
            transaction.delete(BoardPlayerKey(id=player))
            transaction.delete(HidingKey(id=player))
            transaction.delete(PlayerErasureKey(id=player))
        return len(weeks) + len(held)

    def begin(self, player: int) -> bool:
        """Note that a player is to be erased; False if there is none."""
        if self._is_begun(player):
            return True
        if not self._is_known(player):
            return False
        self._database.put(PlayerErasure(id=player, since=to_whole_second(self._clock())))
        return True

    def has(self, player: int) -> bool:
        """Whether there is anything of a player to be erased."""
        return self._is_begun(player) or self._is_known(player)

    def _is_begun(self, player: int) -> bool:
        return self._database.find(PlayerErasureKey(id=player), consistent=True) is not None

    def _is_known(self, player: int) -> bool:
        return self._players.find(player) is not None or any(self._refusals(player))

    def go_on(self) -> int:
        """Go on with whoever was being erased when a process ended; how many there were."""
        return sum(1 for each in self._database.all(PlayerErasure.open()) if self.erase(each.id) >= 0)

    def _part(self, player: int) -> None:
        """End every friendship, and take the friends off the player's board."""
        for each in self._database.each(Friendship.of(player).consistent()):
            theirs = FriendScore.query(FriendScore.id == each.other, FriendScore.friend_id == player)
            rows = [_row_key(row) for row in self._database.each(theirs.consistent())]
            both = (FriendshipKey(id=player, other=each.other), FriendshipKey(id=each.other, other=player))
            self._database.batch_write(deletes=[*rows, *both])

    def _erase_week(self, row: WeeklyBest) -> None:
        week = Week(row.start, row.end)
        for _ in range(_TRIES):
            with suppress(Conflict):
                retry(partial(self._take_off, row.id, week), self._sleep, PATIENT)
                break
        self._topics.board(week)

    def _take_off(self, player: int, week: Week) -> None:
        key = WeeklyBestKey(id=player, start=week.start, end=week.end)
        row = self._database.find(key, consistent=True)
        if row is None:
            return
        final = self._database.find(BoardWeekKey(start=week.start), consistent=True)
        with suppress(NotFound), self._database.transaction(name="WeeklyBest.erase") as transaction:
            transaction.delete(key, when=WeeklyBest.top_score == row.top_score)
            transaction.create(self._trees.change(week, player, row.top_score, None))
            if final is not None:
                podium = [each for each in final.podium if each.id != player]
                transaction.update(
                    BoardWeekKey(start=week.start),
                    attr(BoardWeek.players).add(-1),
                    attr(BoardWeek.erased).add(1),
                    attr(BoardWeek.podium).set(podium),
                )
        if final is not None:
            rewards = self._database.each(Reward.of_week(week.start))
            own = [RewardKey(start=week.start, place=each.place) for each in rewards if each.id == player]
            self._database.batch_write(deletes=own)

    def _forget(self, player: int, starts: list[date], held: list[HeldBest]) -> None:
        """Delete the player's rows on every board, those of former friends too, and what is kept beside weeks."""
        rows = self._database.all(FriendScore.query(FriendScore.id == player).consistent())
        suspects = (
            each
            for start in (*starts, *(each.start for each in held))
            for each in self._database.each(Suspect.query(Suspect.start == start, Suspect.id == player))
        )
        self._database.batch_write(
            deletes=[
                *map(_row_key, rows),
                *(SuspectKey(start=each.start, id=each.id, why=each.why) for each in suspects),
                *(HeldBestKey(id=player, start=each.start) for each in held),
                *self._refusals(player),
            ]
        )

    def _refusals(self, player: int) -> Iterator[RefusedPlayKey]:
        """The refused plays of a player, who need not have any other; they lie by day, and each day is read whole."""
        today = to_whole_second(self._clock()).date()
        for back in range(_DAYS):
            of_day = RefusedPlay.of_day(today - timedelta(days=back)).consistent()
            for each in self._database.each(of_day):
                if each.player == player:
                    yield RefusedPlayKey(day=each.day, at=each.at, mark=each.mark)


def _row_key(row: FriendScore) -> FriendScoreKey:
    return FriendScoreKey(id=row.id, friend_id=row.friend_id, start=row.start, end=row.end)
