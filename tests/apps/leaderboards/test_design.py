"""What the patterns of the leaderboards cost, and what their keys and scores refuse."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime

import pytest

from hansang.apps.leaderboards.design import (
    FriendScore,
    FriendScoreKey,
    FriendsLeaderboard,
    Play,
    UsersLeaderboard,
    WeeklyBest,
    WeeklyBestKey,
)
from hansang.apps.leaderboards.rules import Week, week_of
from hansang.design import Database, any_of, attr
from hansang.errors import Conflict
from tests.clauses import clause
from tests.storing import opened, shape

WEEK = week_of(date(2014, 5, 9))
NOW = datetime(2014, 5, 10, tzinfo=UTC)


@pytest.fixture
def db() -> Iterator[Database]:
    with opened(UsersLeaderboard, FriendsLeaderboard) as db:
        yield db


def weekly(player: int, score: int, week: Week = WEEK) -> WeeklyBest:
    return WeeklyBest(id=player, start=week.start, end=week.end, name="John", top_score=score)


def row(player: int, friend: int, score: int) -> FriendScore:
    return FriendScore(id=player, friend_id=friend, start=WEEK.start, end=WEEK.end, name="John", score=score)


def keep_best(db: Database, player: int, score: int) -> WeeklyBest:
    key = WeeklyBestKey(id=player, start=WEEK.start, end=WEEK.end)
    better = any_of(attr(WeeklyBest.top_score).missing(), WeeklyBest.top_score < score)
    changes = (attr(WeeklyBest.top_score).set(score), attr(WeeklyBest.name).set("John"))
    return db.update(key, *changes, when=better, upsert=True)


def keep_best_for(db: Database, player: int, friend: int, score: int) -> FriendScore:
    key = FriendScoreKey(id=player, friend_id=friend, start=WEEK.start, end=WEEK.end)
    better = any_of(attr(FriendScore.score).missing(), FriendScore.score < score)
    changes = (attr(FriendScore.score).set(score), attr(FriendScore.name).set("John"))
    return db.update(key, *changes, when=better, upsert=True)


# ── reads ─────────────────────────────────────────────────────────────────────────────────────────


@clause("2-07", "2-08", "2-21")
def test_what_a_player_did_costs_half_a_unit(db: Database) -> None:
    db.batch_write(weekly(1, n, week_of(date(2014, 1, 1 + n))) for n in range(1, 29, 7))
    with db.meter() as recent:
        db.page(WeeklyBest.recent(1), limit=10)
    with db.meter() as best:
        db.first(WeeklyBest.best(1))
    with db.meter() as strong:
        db.first(WeeklyBest.best(1).consistent())
    assert (recent.read, best.read, strong.read) == (0.5, 0.5, 1.0)


@clause("2-09")
def test_the_first_hundred_of_a_week_cost_one_unit(db: Database) -> None:
    db.batch_write(weekly(player, 1000 + player) for player in range(1, 121))
    with db.meter() as cost:
        page = db.page(WeeklyBest.overall(*WEEK.days), limit=100)
    assert (page.items[0].top_score, cost.read, cost.requests) == (1120, 1.0, 1)


@clause("2-13")
def test_a_board_of_thirty_friends_costs_half_a_unit(db: Database) -> None:
    db.batch_write(row(player, 7, 1000 + player) for player in range(1, 32))
    with db.meter() as cost:
        assert len(db.all(FriendScore.board(7, *WEEK.days))) == 31
    assert (cost.read, cost.requests) == (0.5, 1)


# ── writes ────────────────────────────────────────────────────────────────────────────────────────


@clause("X2-11", "X2-04")
def test_an_improvement_costs_three_units_for_the_table_and_two_for_the_index(db: Database) -> None:
    with db.meter() as first:
        keep_best(db, 1, 100)
    with db.meter() as improved:
        keep_best(db, 1, 200)
    assert first.write == 3.0
    table, local = improved.tables["UsersLeaderboard"], improved.indexes["UsersLeaderboard", "TopScore-Index"]
    world = improved.indexes["UsersLeaderboard", "Week-TopScore-Index"]
    assert (table.write + local.write, world.write, improved.write) == (3.0, 2.0, 5.0)


@clause("X2-04", "X2-11")
@pytest.mark.parametrize("score", [100, 99])
def test_a_score_that_is_no_better_costs_one_unit_and_changes_nothing(db: Database, score: int) -> None:
    keep_best(db, 1, 100)
    with db.meter() as cost, pytest.raises(Conflict):
        keep_best(db, 1, score)
    assert cost.write == 1.0
    assert [each.top_score for each in db.all(WeeklyBest.overall(*WEEK.days))] == [100]


@clause("X2-12", "2-12")
def test_a_new_best_costs_three_units_for_each_friend_and_for_oneself(db: Database) -> None:
    friends = range(1, 11)
    for friend in friends:
        keep_best_for(db, 1, friend, 100)
    with db.meter() as cost:
        for friend in friends:
            keep_best_for(db, 1, friend, 200)
    assert cost.write == 3.0 * len(friends)


# ── what is refused, and what may be there ────────────────────────────────────────────────────────


@clause("X2-19", "X2-25")
@pytest.mark.parametrize(
    ("name", "value"), [("top_score", -1), ("top_score", 1.0), ("id", 2**63), ("id", "1")]
)
def test_ids_and_scores_are_whole_numbers(name: str, value: object) -> None:
    with pytest.raises(ValueError, match=name):
        WeeklyBest.model_validate({**weekly(1, 1).model_dump(), name: value})


@clause("X2-10", "X2-05")
def test_a_week_may_keep_the_moment_of_the_best_and_the_last_plays(db: Database) -> None:
    plays = [Play(at=NOW, score=90), Play(at=NOW, score=100)]
    made = db.put(weekly(1, 100).model_copy(update={"top_score_at": NOW, "recent_plays": plays}))
    assert db.get(WeeklyBestKey(id=1, start=WEEK.start, end=WEEK.end)) == made
    with pytest.raises(ValueError, match="recent_plays"):
        WeeklyBest.model_validate({**made.model_dump(), "recent_plays": plays * 11})
    assert not {"TopScoreAt", "RecentPlays"} & shape(WeeklyBest).encode(weekly(1, 1)).keys()


@clause("X2-20")
def test_a_friend_s_row_may_expire_and_the_weeks_themselves_do_not() -> None:
    expiring = row(1, 2, 3).model_copy(update={"expires_at": NOW})
    assert shape(FriendScore).encode(expiring)["ExpiresAt"] == {"N": "1399680000"}
    assert "ExpiresAt" not in shape(FriendScore).encode(row(1, 2, 3))
    assert (FriendsLeaderboard.expiry_attribute(), UsersLeaderboard.expiry_attribute()) == ("ExpiresAt", None)


@clause("X2-08")
def test_the_reserved_name_is_no_obstacle(db: Database) -> None:
    db.put(weekly(1, 100))
    renamed = db.update(weekly(1, 100), attr(WeeklyBest.name).set("Johnny"), when=WeeklyBest.name == "John")
    assert renamed.name == "Johnny"
