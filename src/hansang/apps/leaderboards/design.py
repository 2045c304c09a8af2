"""The two tables of the weekly leaderboards: everyone's best of a week, and the same for their friends."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer

from hansang.design import (
    GSI,
    LSI,
    Attr,
    Entity,
    Expiry,
    Key,
    Query,
    Table,
    Timestamp,
    pattern,
)

LARGEST_ID = 2**63 - 1
EXACT = 2**53
"""As far as whole numbers are exact in JavaScript; ids above are strings on the wire (X2-25)."""


def wire_id(player: int) -> int | str:
    """An id as it is answered."""
    return player if player <= EXACT else str(player)


AnyId = Annotated[int, PlainSerializer(wire_id, return_type=int | str, when_used="json")]
"""An id that need not be one of a player, such as that of a refused play."""
PlayerId = Annotated[AnyId, Field(strict=True, ge=0, le=LARGEST_ID)]
Score = Annotated[int, Field(strict=True, ge=0)]
REMEMBERED_PLAYS = 20


class UsersLeaderboard(Table, name="UsersLeaderboard", pk="Id", sk="Week"):
    """The best of each player in each week."""

    week_top_score = GSI("Week-TopScore-Index", pk="Week", sk="TopScore")
    top_score = LSI("TopScore-Index", sk="TopScore")


class FriendsLeaderboard(Table, name="FriendsLeaderboard", pk="Id", sk="FriendAndWeek", expires=False):
    """The best of each player in each week, once for each friend who sees it."""

    friend_and_week_score = GSI("FriendAndWeek-Score-Index", pk="FriendAndWeek", sk="Score")


# ── everyone ──────────────────────────────────────────────────────────────────────────────────────


class Play(BaseModel):
    """One play, and what it brought."""

    model_config = ConfigDict(frozen=True)

    at: Timestamp
    score: Score


class WeeklyBestKey(Key["WeeklyBest"], pk="{id}", sk="{start}, {end}"):
    """The key of a player's week."""

    id: Annotated[PlayerId, Attr("Id")]
    start: date
    end: date


class WeeklyBest(WeeklyBestKey, Entity, table=UsersLeaderboard):
    """The best score of a player in a week; when it was reached and the last plays may be there too."""

    name: Annotated[str, Attr("Name")]
    top_score: Annotated[Score, Attr("TopScore")]
    top_score_at: Annotated[Timestamp | None, Attr("TopScoreAt")] = None
    recent_plays: Annotated[list[Play] | None, Field(max_length=REMEMBERED_PLAYS), Attr("RecentPlays")] = None
    week_shard: Annotated[str | None, Attr("WeekShard")] = None
    """The part of the week that the row is in, where the index of the week is sharded (X2-11)."""

    @pattern
    def recent(cls, player_id: int) -> Query[WeeklyBest]:
        """The weeks of a player, the last one first."""
        return cls.query(WeeklyBest.id == player_id).descending()

    @pattern
    def best(cls, player_id: int) -> Query[WeeklyBest]:
        """The weeks of a player, the best one first."""
        return cls.query(WeeklyBest.id == player_id, index=UsersLeaderboard.top_score).descending()

    @pattern
    def overall(cls, start: date, end: date) -> Query[WeeklyBest]:
        """Everyone in a week, the best first."""
        index = UsersLeaderboard.week_top_score
        return cls.query(WeeklyBest.start == start, WeeklyBest.end == end, index=index).descending()


# ── friends ───────────────────────────────────────────────────────────────────────────────────────


class FriendScoreKey(Key["FriendScore"], pk="{id}", sk="{friend_id}, {start}, {end}"):
    """The key of a player's week on the board of a friend, or on their own."""

    id: Annotated[PlayerId, Attr("Id")]
    friend_id: PlayerId
    start: date
    end: date


class FriendScore(FriendScoreKey, Entity, table=FriendsLeaderboard):
    """The best score of a player in a week, on the board of a friend."""

    name: Annotated[str, Attr("Name")]
    score: Annotated[Score, Attr("Score")]
    expires_at: Annotated[Expiry | None, Attr("ExpiresAt")] = None

    @pattern
    def board(cls, player_id: int, start: date, end: date) -> Query[FriendScore]:
        """A player and their friends in a week, the best first."""
        return cls.query(
            FriendScore.friend_id == player_id,
            FriendScore.start == start,
            FriendScore.end == end,
            index=FriendsLeaderboard.friend_and_week_score,
        ).descending()


ACCEPTED = {
    "WeeklyBest H202": "Only improvements are written, 2 units each: 500 a second before the partition splits (X2-11).",
    "UsersLeaderboard H203": "A player has one small item a week, far below 10 GB (X2-21).",
}
"""What the review finds and the design accepts, with the reason."""
