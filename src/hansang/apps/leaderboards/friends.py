"""Friends: a minimal store of mutual friendships, and boards that are right when one begins or ends (X2-13–X2-15)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from hansang.apps.leaderboards.design import FriendScoreKey, WeeklyBest, WeeklyBestKey
from hansang.apps.leaderboards.fan_out import FanOuts, fan_out_of
from hansang.apps.leaderboards.players import Players
from hansang.apps.leaderboards.topics import UNHEARD, BoardTopics
from hansang.apps.leaderboards.weeks import Weeks
from hansang.apps.leaderboards.work import Friendship, FriendshipKey
from hansang.clock import Clock
from hansang.design import Database
from hansang.errors import InvalidInput
from hansang.parts.receipts import Beside, alone
from hansang.parts.timestamps import to_whole_second


class FriendProvider(Protocol):
    """Who is whose friend; a game that knows it already gives its own (X2-15)."""

    def friends(self, player: int) -> list[int]:
        """The friends of a player."""


class Friends:
    """The friendships of the players."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        weeks: Weeks,
        players: Players,
        fan_outs: FanOuts,
        *,
        topics: BoardTopics = UNHEARD,
    ) -> None:
        self._database, self._clock, self._weeks = database, clock, weeks
        self._players, self._fan_outs, self._topics = players, fan_outs, topics

    def friends(self, player: int) -> list[int]:
        """The friends of a player, in the order of their ids."""
        return sorted(each.other for each in self._database.each(Friendship.of(player).consistent()))

    def befriend(self, player: int, other: int, *, beside: Beside[Friendship] = alone) -> Friendship:
        """Make two players friends, and put each on the other's board of this week (X2-13)."""
        _expect_two(player, other)
        self._players.get(player)
        self._players.get(other)
        since, week = to_whole_second(self._clock()), self._weeks.current
        made = Friendship(id=player, other=other, since=since)
        with self._database.transaction(name="Friendship.befriend") as transaction:
            beside(transaction, made)
            transaction.put(made)
            transaction.put(Friendship(id=other, other=player, since=since))
            for best, friend in self._bests(player, other):
                transaction.put(self._fan_outs.row(best, friend))
                # A score that comes meanwhile is brought once more.
                transaction.put(fan_out_of(best.id, week, self._weeks.now))
        self._topics.players(week, (player, other))
        return made

    def unfriend(self, player: int, other: int, *, beside: Beside[FriendshipKey] = alone) -> None:
        """End a friendship, and take each off the other's board of this week; past weeks stay (X2-14)."""
        _expect_two(player, other)
        week, key = self._weeks.current, FriendshipKey(id=player, other=other)
        with self._database.transaction(name="Friendship.unfriend") as transaction:
            beside(transaction, key)
            transaction.delete(key)
            transaction.delete(FriendshipKey(id=other, other=player))
            for one, friend in ((player, other), (other, player)):
                transaction.delete(FriendScoreKey(id=one, friend_id=friend, start=week.start, end=week.end))
        self._topics.players(week, (player, other))

    def _bests(self, player: int, other: int) -> Iterable[tuple[WeeklyBest, int]]:
        week = self._weeks.current
        for one, friend in ((player, other), (other, player)):
            key = WeeklyBestKey(id=one, start=week.start, end=week.end)
            best = self._database.find(key, consistent=True)
            if best is not None:
                yield best, friend


def _expect_two(player: int, other: int) -> None:
    if player == other:
        raise InvalidInput(
            "Player {id} cannot be a friend of themselves.",
            "other",
            code="leaderboards.own-friend",
            values={"id": player},
        )
