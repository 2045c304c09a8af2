"""A sample of the leaderboards: a full week of two thousand players, seven quieter ones before it, and friends.

A further board of the game has the same players and friends, with other scores.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from functools import partial
from random import Random
from zoneinfo import ZoneInfo

from hansang.apps.application import Fill, Progress
from hansang.apps.leaderboards.board_rows import week_shard
from hansang.apps.leaderboards.design import REMEMBERED_PLAYS, FriendScore, Play, UsersLeaderboard, WeeklyBest
from hansang.apps.leaderboards.players import entries_of
from hansang.apps.leaderboards.rules import HIGHEST_SCORE, Week, week_of
from hansang.apps.leaderboards.service import Leaderboards
from hansang.apps.leaderboards.settings import LeaderboardsSettings
from hansang.apps.leaderboards.work import BoardPlayer, Friendship
from hansang.design import Database, Entity
from hansang.parts.sampling import in_seoul, moment_between, nicknames, repeatable, store
from hansang.parts.schedules import WEEKDAYS

PLAYERS = 2000
EARLIER_WEEKS = 7
EARLIER_PLAYERS = 300
POPULAR = 60
"""How many players, the first ones, have a list of friends of their own; the others are on those."""
FEWEST_FRIENDS, MOST_FRIENDS = 20, 60
_RENAMED = {7: "새내기너구리", 23: "초보기사", 41: "이름없음"}
_KEPT_FORMER_NAME = 3
_DEFAULT = LeaderboardsSettings()


def filling(settings: LeaderboardsSettings | None) -> Fill:
    """What writes the sample with the weeks that the settings have."""
    return partial(fill, settings=settings or LeaderboardsSettings())


def fill(database: Database, now: datetime, progress: Progress, *, settings: LeaderboardsSettings) -> None:
    """Write the weeks of a game, up to this moment, and count them."""
    boards, scores = (
        Leaderboards(database, lambda: now.timestamp(), settings),
        defaultdict[Week, list[int]](list),
    )

    def noted() -> Iterator[Entity]:
        for each in leaderboards(now, board_of(database), settings):
            if isinstance(each, WeeklyBest):
                scores[Week(each.start, each.end)].append(each.top_score)
            yield each

    store(database, noted(), progress)
    boards.weeks.fix()
    for week, reached in scores.items():
        boards.trees.rebuild(week, sorted(reached, reverse=True))


def board_of(database: Database) -> str:
    """What stands in front of the names of a further board's tables."""
    prefix, found, _ = database.name(UsersLeaderboard).partition(UsersLeaderboard.name)
    return prefix if found else ""


def leaderboards(
    now: datetime, board: str = "", settings: LeaderboardsSettings = _DEFAULT
) -> Iterator[Entity]:
    """Each week from the earliest on: the best of everyone who played, and the rows on friends' boards."""
    chance, moment = repeatable("leaderboards"), _where_weeks_are(now, settings)
    names, friends = nicknames(chance, PLAYERS), friendships(chance)
    game = _Game(
        repeatable(f"leaderboards {board}") if board else chance, names, friends, settings.write_shards
    )
    weeks = weeks_of(now, settings)
    yield from game.players(datetime.combine(weeks[0].start, time(), moment.tzinfo))
    for back, week in zip(range(EARLIER_WEEKS, -1, -1), weeks, strict=True):
        yield from game.week(_Span.of(week, moment), back)


def weeks_of(now: datetime, settings: LeaderboardsSettings = _DEFAULT) -> list[Week]:
    """The weeks of the sample, the earliest first."""
    first = WEEKDAYS.index(settings.first_day)
    this = week_of(_where_weeks_are(now, settings).date(), first)
    return [Week.starting(this.start - timedelta(weeks=back)) for back in range(EARLIER_WEEKS, -1, -1)]


def _where_weeks_are(now: datetime, settings: LeaderboardsSettings) -> datetime:
    """A moment as clocks show it by which weeks begin, to the second."""
    return in_seoul(now).astimezone(ZoneInfo(settings.zone))


def friendships(chance: Random) -> dict[int, set[int]]:
    """Who is whose friend, both ways; the popular have from twenty to sixty friends."""
    friends: dict[int, set[int]] = {player: set() for player in range(1, PLAYERS + 1)}
    for player in range(1, POPULAR + 1):
        # Most have few friends, and few have many.
        wanted = int(chance.triangular(FEWEST_FRIENDS, MOST_FRIENDS, FEWEST_FRIENDS))
        while len(friends[player]) < wanted:
            other = chance.randint(1, PLAYERS)
            if other != player and (other > POPULAR or len(friends[other]) < FEWEST_FRIENDS):
                friends[player].add(other)
                friends[other].add(player)
    return friends


@dataclass(frozen=True, slots=True)
class _Span:
    """A week, and the part of it that has passed."""

    week: Week
    first: datetime
    last: datetime

    @classmethod
    def of(cls, week: Week, now: datetime) -> _Span:
        first = datetime.combine(week.start, time(), now.tzinfo)
        return cls(week, first, min(now, first + timedelta(days=7, seconds=-1)))


class _Game:
    """The players with their skill and their friends."""

    def __init__(
        self, chance: Random, names: list[str], friends: Mapping[int, set[int]], shards: int
    ) -> None:
        self._chance, self._names, self._friends, self._shards = chance, names, friends, shards
        # Apart from the rest, so that scores do not hang on how much of the week has passed.
        self._clock = repeatable("leaderboards times")
        self._skill = [min(0.97, max(0.04, chance.gauss(0.46, 0.19))) for _ in range(PLAYERS)]

    def players(self, since: datetime) -> Iterator[Entity]:
        """Everyone, by name and by friends."""
        for player, name in enumerate(self._names, 1):
            yield BoardPlayer(id=player, name=name)
            yield from entries_of(player, name)
            for other in sorted(self._friends[player]):
                yield Friendship(id=player, other=other, since=since)

    def week(self, span: _Span, back: int) -> Iterator[Entity]:
        """What was stored in a week that lies so many weeks back."""
        for player in self._who_played(back):
            best = self._best(player, span, back)
            yield best
            yield from self._rows(best)

    def _who_played(self, back: int) -> list[int]:
        if not back:
            return list(range(1, PLAYERS + 1))
        # The first to join are the most loyal.
        loyal = self._chance.sample(range(1, PLAYERS // 4), EARLIER_PLAYERS * 2 // 3)
        others = self._chance.sample(range(PLAYERS // 4, PLAYERS + 1), EARLIER_PLAYERS - len(loyal))
        return sorted([*loyal, *others])

    def _best(self, player: int, span: _Span, back: int) -> WeeklyBest:
        plays = self._plays(player, span, back)
        best = max(plays, key=lambda play: play.score)
        return WeeklyBest(
            id=player,
            start=span.week.start,
            end=span.week.end,
            name=self._name(player, back),
            top_score=best.score,
            top_score_at=best.at,
            recent_plays=plays[-REMEMBERED_PLAYS:],
            week_shard=week_shard(span.week, player, self._shards),
        )

    def _plays(self, player: int, span: _Span, back: int) -> list[Play]:
        """The plays of a week in their order; `max` finds the earliest of equals (X2-10)."""
        count = min(30, 1 + int(self._chance.expovariate(0.22)))
        times = sorted(moment_between(self._clock, span.first, span.last) for _ in range(count))
        return [Play(at=at, score=self._score(player, back)) for at in times]

    def _score(self, player: int, back: int) -> int:
        """Points come in tens, so that equals are common; the most there can be was reached."""
        form = self._skill[player - 1] * (1 - 0.012 * back) * self._chance.triangular(0.55, 1.13, 0.92)
        points = int(form * HIGHEST_SCORE) // 10 * 10
        return min(HIGHEST_SCORE, points)

    def _name(self, player: int, back: int) -> str:
        """What a player was called then; who is renamed keeps the old name in past weeks (X2-16)."""
        former = _RENAMED.get(player) if back >= _KEPT_FORMER_NAME else None
        return former or self._names[player - 1]

    def _rows(self, best: WeeklyBest) -> Iterator[FriendScore]:
        """One row for each friend and one for oneself (2-12)."""
        for friend in sorted({best.id, *self._friends[best.id]}):
            yield FriendScore(
                id=best.id,
                friend_id=friend,
                start=best.start,
                end=best.end,
                name=best.name,
                score=best.top_score,
            )
