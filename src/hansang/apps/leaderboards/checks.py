"""What has to be true of scores that somebody writes by hand."""

from __future__ import annotations

from datetime import timedelta

from hansang.apps.leaderboards.design import FriendScore, WeeklyBest
from hansang.apps.leaderboards.rules import HIGHEST_SCORE
from hansang.design import Database
from hansang.errors import InvalidInput


def check_weekly_best(database: Database, before: WeeklyBest | None, after: WeeklyBest | None) -> None:
    """A score that the game can give, in a week of seven days."""
    if after is not None:
        _expect(after, after.top_score, "top_score")


def check_friend_score(database: Database, before: FriendScore | None, after: FriendScore | None) -> None:
    """A score that the game can give, in a week of seven days."""
    if after is not None:
        _expect(after, after.score, "score")


def _expect(row: WeeklyBest | FriendScore, score: int, field: str) -> None:
    if score > HIGHEST_SCORE:
        raise InvalidInput(
            "{score} is more than the game can give. Write a score from 0 to {most}.",
            field,
            code="leaderboards.score-too-high",
            values={"score": f"{score:,}", "most": f"{HIGHEST_SCORE:,}"},
        )
    if row.end - row.start != timedelta(days=6):
        raise InvalidInput(
            "{start} to {end} is not a week. It has to end six days after it starts.",
            "end",
            code="leaderboards.not-a-week",
            values={"start": row.start, "end": row.end},
        )
