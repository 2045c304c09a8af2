"""Reading the boards: pages, around a player, one player's rank, friends, and what a player reached."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, NamedTuple

from hansang.apps.leaderboards.board_rows import IN_ORDER, BoardRows, ScoreRow, row_of
from hansang.apps.leaderboards.design import FriendScore, UsersLeaderboard, WeeklyBest, WeeklyBestKey
from hansang.apps.leaderboards.friends import FriendProvider
from hansang.apps.leaderboards.rules import Week
from hansang.apps.leaderboards.settings import LeaderboardsSettings
from hansang.apps.leaderboards.trees import WeekTrees
from hansang.design import Database
from hansang.errors import InvalidInput

TieRule = Literal["competition", "dense", "ordinal"]
TIE_RULES: tuple[TieRule, ...] = ("competition", "dense", "ordinal")
LARGEST_PAGE = 1000
MOST_AROUND = 100


class PlacedRow(NamedTuple):
    """A row of a board with its rank."""

    rank: int
    id: int
    name: str
    score: int
    at: str


@dataclass(frozen=True, slots=True)
class WeekBoard:
    """Some rows of a week's board, and how many there are in all."""

    week: Week
    total: int
    items: list[PlacedRow]


@dataclass(frozen=True, slots=True)
class WeekRank:
    """Where a player stands in a week; without a score there is no rank (X2-24)."""

    week: Week
    id: int
    name: str | None
    score: int | None
    rank: int | None
    equal: int
    of: int
    percentile: Fraction | None
    next: ScoreRow | None


@dataclass(frozen=True, slots=True)
class FriendsBoard:
    """A player and the friends in a week; `waiting` are friends without a score."""

    week: Week
    items: list[PlacedRow]
    waiting: list[int]
    is_direct: bool
    """Whether it was read from the weeks themselves, because there are very many friends (X2-12)."""


@dataclass(frozen=True, slots=True)
class WeekScore:
    """The best of a player in a week, and the plays that are remembered of it."""

    week: Week
    name: str
    score: int
    at: str
    plays: list[tuple[str, int]]


@dataclass(frozen=True, slots=True)
class WeekBar:
    """How many players have a score from low to high, both included."""

    low: int
    high: int
    players: int


class WeekReading:
    """Questions about the boards."""

    def __init__(
        self,
        database: Database,
        settings: LeaderboardsSettings,
        trees: WeekTrees,
        rows: BoardRows,
        friends: FriendProvider,
    ) -> None:
        self._database, self._settings = database, settings
        self._trees, self._rows, self._friends = trees, rows, friends

    # ── everyone ──────────────────────────────────────────────────────────────────────────────────

    def page(self, week: Week, page: int = 0, size: int = 50, ties: TieRule = "competition") -> WeekBoard:
        """Any page of everyone, from 0; a group of equals at its edge is read whole (X2-10, X2-23)."""
        if page < 0 or not 1 <= size <= LARGEST_PAGE:
            raise InvalidInput(
                "A page is numbered from 0 and has 1 to {most} players.",
                "page",
                code="leaderboards.page",
                values={"most": LARGEST_PAGE},
            )
        return self.span(week, page * size, size, ties)

    def span(self, week: Week, first: int, count: int, ties: TieRule = "competition") -> WeekBoard:
        """So many rows from a position on, from 0."""
        tree = self._trees.live(week)
        total, at = tree.total, tree.score_at(first) if first else None
        if first and at is None:
            return WeekBoard(week, total, [])
        offset, highest = (0, None) if at is None else (at.offset, at.score)
        rows = self._rows.down(week, offset + count, highest)[offset : offset + count]
        return WeekBoard(week, total, self._placed(week, rows, first, first - offset, ties))

    def around(self, week: Week, player: int, k: int = 5, ties: TieRule = "competition") -> WeekBoard:
        """A player and k to either side; at an end of the board the window keeps its length."""
        if not 0 <= k <= MOST_AROUND:
            raise InvalidInput(
                "Ask for 0 to {most} players to either side.",
                "k",
                code="leaderboards.around",
                values={"most": MOST_AROUND},
            )
        own, tree = self.own(week, player), self._trees.live(week)
        if own is None:
            return WeekBoard(week, tree.total, [])
        standing = tree.standing(own.score)
        above = [row for row in self._rows.up(week, 2 * k, own.score) if row.id != player]
        below = self._rows.down(week, standing.equal + 2 * k, own.score)
        # The index may lag behind the player's own week, which is known (X2-17).
        others = [row for row in below if row.id != player]
        equals = sorted([own, *(row for row in others if row.score == own.score)], key=IN_ORDER)
        rows = [*above, *equals, *(row for row in others if row.score < own.score)]
        place = len(above) + equals.index(own)
        start = max(0, min(place - k, len(rows) - 2 * k - 1))
        first = standing.above - len(above)
        placed = self._placed(week, rows, first, first, ties)
        return WeekBoard(week, standing.total, placed[start : start + 2 * k + 1])

    def _placed(
        self, week: Week, rows: Sequence[ScoreRow], first: int, above: int, ties: TieRule
    ) -> list[PlacedRow]:
        distinct = self._trees.live(week).distinct_above(rows[0].score) if rows and ties == "dense" else 0
        return list(placed(rows, first, above, distinct, ties))

    def histogram(self, week: Week, bars: int = 20) -> list[WeekBar]:
        """How many players have which scores, in bars of one width, the highest first."""
        highest = self._settings.highest_score
        step = -(-(highest + 1) // bars)
        lows = list(range(0, highest + 1, step))[::-1]
        standings = self._trees.live(week).standings(low - 1 for low in lows)
        counts = [standing.above for standing in standings]
        return [
            WeekBar(low, min(highest, low + step - 1), count - before)
            for low, count, before in zip(lows, counts, [0, *counts], strict=False)
        ]

    # ── one player ────────────────────────────────────────────────────────────────────────────────

    def own(self, week: Week, player: int) -> ScoreRow | None:
        """A player's row, read consistently (X2-17)."""
        key = {"Id": {"N": str(player)}, "Week": {"S": str(week)}}
        found = self._database.find_item(UsersLeaderboard, key)
        return None if found is None else row_of(found)

    def rank(self, week: Week, player: int, ties: TieRule = "competition") -> WeekRank:
        """Where a player stands now, and whom to beat next."""
        own, tree = self.own(week, player), self._trees.live(week)
        if own is None:
            return WeekRank(week, player, None, None, None, 0, tree.total, None, None)
        found = tree.standing(own.score)
        rank = found.rank
        if ties == "dense":
            rank = tree.distinct_above(own.score) + 1
        elif ties == "ordinal" and found.equal > 1:
            equals = [row for row in self._rows.down(week, found.equal, own.score) if row.id != player]
            rank = found.above + sorted([own, *equals], key=IN_ORDER).index(own) + 1
        above = self._rows.next_above(week, own.score) if found.above else None
        return WeekRank(
            week, player, own.name, own.score, rank, found.equal, found.total, found.percentile, above
        )

    def best(self, player: int) -> WeekScore | None:
        """The best week of a player: the first of the local index, in the book's spelling too (2-08, 2-21, X2-03)."""
        index = {"IndexName": UsersLeaderboard.top_score.name}
        return next(iter(self._weeks_of(player, 1, "WeeklyBest.best", **index)), None)

    def scores(self, player: int, limit: int = 20) -> list[WeekScore]:
        """The weeks of a player, the last one first, in the book's spelling too (2-07, X2-03, X2-26)."""
        return self._weeks_of(player, limit, "WeeklyBest.recent")

    def _weeks_of(self, player: int, limit: int, question: str, **more: str) -> list[WeekScore]:
        request: dict[str, Any] = {
            "TableName": self._database.name(UsersLeaderboard),
            "KeyConditionExpression": "#i = :id",
            "ExpressionAttributeNames": {"#i": "Id"},
            "ExpressionAttributeValues": {":id": {"N": str(player)}},
            "ScanIndexForward": False,
            "ConsistentRead": True,
            "Limit": limit,
            **more,
        }
        return [_stored_score(each) for each in self._database.call("Query", request, question)["Items"]]

    # ── friends ───────────────────────────────────────────────────────────────────────────────────

    def friends_board(self, week: Week, player: int, ties: TieRule = "competition") -> FriendsBoard:
        """A player and the friends in a week, the player's own row as it is (2-13, X2-12, X2-24)."""
        friends = self._friends.friends(player)
        is_direct = len(friends) > self._settings.many_friends
        rows = self.rows_of(week, friends) if is_direct else self._fanned(week, player)
        own = self.own(week, player)
        rows = [row for row in rows if row.id != player] + ([] if own is None else [own])
        rows = self._timed(week, rows)
        rows.sort(key=IN_ORDER)
        rows.sort(key=lambda row: -row.score)
        played = {row.id for row in rows}
        items = list(placed(rows, 0, 0, 0, ties))
        return FriendsBoard(week, items, [each for each in friends if each not in played], is_direct)

    def _timed(self, week: Week, rows: list[ScoreRow]) -> list[ScoreRow]:
        """Equals with when each reached the score, by which they stand (X2-10): friends' boards do not keep it."""
        counts = Counter(row.score for row in rows)
        equals = [row.id for row in rows if counts[row.score] > 1 and not row.at]
        reached = {row.id: row.at for row in self.rows_of(week, equals)} if equals else {}
        return [row._replace(at=reached.get(row.id, row.at)) for row in rows]

    def _fanned(self, week: Week, player: int) -> list[ScoreRow]:
        found = self._database.each(FriendScore.board(player, *week.days))
        return [ScoreRow(each.score, "", each.id, each.name) for each in found]

    def rows_of(self, week: Week, players: Iterable[int]) -> list[ScoreRow]:
        """The rows of these players, as far as they have played."""
        keys = (WeeklyBestKey(id=each, start=week.start, end=week.end) for each in players)
        return [_row(each) for each in self._database.batch_get(keys)]


def placed(
    rows: Iterable[ScoreRow], first: int, above: int, distinct: int, ties: TieRule
) -> Iterator[PlacedRow]:
    """Rows from a position on with their ranks: so many rows, and so many scores, are above the first one's score."""
    score: int | None = None
    for place, row in enumerate(rows, first):
        if score is not None and row.score != score:
            above, distinct = place, distinct + 1
        score = row.score
        rank = {"competition": above, "dense": distinct, "ordinal": place}[ties] + 1
        yield PlacedRow(rank, row.id, row.name, row.score, row.at)


def _row(best: WeeklyBest) -> ScoreRow:
    at = "" if best.top_score_at is None else f"{best.top_score_at:%Y-%m-%dT%H:%M:%SZ}"
    return ScoreRow(best.top_score, at, best.id, best.name)


def _stored_score(item: dict[str, Any]) -> WeekScore:
    row = row_of(item)
    plays = [
        (each["M"]["at"]["S"], int(each["M"]["score"]["N"]))
        for each in item.get("RecentPlays", {}).get("L", [])
    ]
    return WeekScore(Week.parse(item["Week"]["S"]), row.name, row.score, row.at, plays)
