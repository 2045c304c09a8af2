"""The tables of the weekly leaderboards are those of their document, clause by clause."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hansang.apps.leaderboards.design import (
    FriendScore,
    FriendsLeaderboard,
    UsersLeaderboard,
    WeeklyBest,
)
from hansang.apps.leaderboards.rules import HIGHEST_SCORE, Week
from hansang.design import Database, Index, Table
from tests.clauses import clause
from tests.storing import after_round_trip, asked, example_rows, item, load, opened, projected, shape, stored

EXAMPLES = example_rows("leaderboards")
USERS, FRIENDS = EXAMPLES["UsersLeaderboard"], EXAMPLES["FriendsLeaderboard"]
WEEK = Week.parse("2014-05-09, 2014-05-15")


@pytest.fixture
def db() -> Iterator[Database]:
    """The sample of the source: three players, two friendships."""
    with opened(UsersLeaderboard, FriendsLeaderboard) as db:
        load(db, UsersLeaderboard, *USERS)
        load(db, FriendsLeaderboard, *FRIENDS)
        yield db


# ── the tables ────────────────────────────────────────────────────────────────────────────────────


@clause("2-03", "2-04", "2-11", "2-17", "X2-02", "X2-03")
@pytest.mark.parametrize(
    ("table", "name", "keys"),
    [
        (UsersLeaderboard, "UsersLeaderboard", ("Id", "Week")),
        (FriendsLeaderboard, "FriendsLeaderboard", ("Id", "FriendAndWeek")),
    ],
)
def test_a_table_is_by_the_player_and_then_by_the_week(
    table: type[Table], name: str, keys: tuple[str, str]
) -> None:
    assert (table.definition()["TableName"], table.key_attributes()) == (name, keys)
    assert [table.kind_of(key) for key in keys] == ["N", "S"]


@clause("2-05", "2-06", "2-13", "2-18", "X2-07")
@pytest.mark.parametrize(
    ("index", "name", "keys", "is_global"),
    [
        (UsersLeaderboard.top_score, "TopScore-Index", ("Id", "TopScore"), False),
        (UsersLeaderboard.week_top_score, "Week-TopScore-Index", ("Week", "TopScore"), True),
        (
            FriendsLeaderboard.friend_and_week_score,
            "FriendAndWeek-Score-Index",
            ("FriendAndWeek", "Score"),
            True,
        ),
    ],
)
def test_an_index_has_its_keys_and_holds_everything(
    index: Index, name: str, keys: tuple[str, str], is_global: bool
) -> None:
    assert (index.name, index.keys, index.is_global, projected(index)) == (name, keys, is_global, "ALL")
    assert [index.table.kind_of(key) for key in keys][1] == "N"


@clause("2-05", "X2-21")
def test_the_local_index_is_made_with_the_table() -> None:
    [local] = UsersLeaderboard.definition()["LocalSecondaryIndexes"]
    assert local["IndexName"] == "TopScore-Index"


@clause("2-03", "2-11", "2-19", "2-20", "X2-03")
def test_an_item_of_the_sample_comes_back_as_it_was() -> None:
    for document in USERS:
        assert after_round_trip(WeeklyBest, document) == item(document)
    for document in FRIENDS:
        assert after_round_trip(FriendScore, document) == item(document)


@clause("2-03", "2-11")
def test_entities_have_the_attributes_of_the_document_and_those_beside_it() -> None:
    beside = {"TopScoreAt", "RecentPlays", "WeekShard"}
    assert shape(WeeklyBest).attributes == {"Id", "Name", "TopScore", "Week"} | beside
    assert shape(FriendScore).attributes == {"Id", "Name", "Score", "FriendAndWeek"} | {"ExpiresAt"}


@clause("2-12", "2-19")
def test_there_is_a_row_for_each_friend_and_one_for_oneself(db: Database) -> None:
    rows = [shape(FriendScore).decode(each) for each in stored(db, FriendsLeaderboard)]
    seen = sorted((row.id, row.friend_id) for row in rows)
    assert seen == [(1, 1), (1, 2), (2, 1), (2, 2), (2, 3), (3, 2), (3, 3)]


# ── access patterns ───────────────────────────────────────────────────────────────────────────────


@clause("2-07", "X2-26", "2-01")
def test_the_recent_scores_of_a_player_come_last_week_first(db: Database) -> None:
    assert [each.top_score for each in db.all(WeeklyBest.recent(1))] == [32847, 24209]
    assert asked(WeeklyBest.recent(1)) == "Id = 1"


@clause("2-08", "2-21", "2-01", "X2-01")
def test_the_best_of_a_player_is_the_first_of_the_local_index(db: Database) -> None:
    best = db.first(WeeklyBest.best(1).consistent())
    assert best is not None
    assert best.top_score == 32847
    assert asked(WeeklyBest.best(1)) == "Id = 1"


@clause("2-09", "2-01", "X2-01")
def test_everyone_in_a_week_comes_best_first(db: Database) -> None:
    found = [(each.name, each.top_score) for each in db.all(WeeklyBest.overall(*WEEK.days))]
    assert found == [("Maria", 42710), ("John", 32847), ("Andrew", 19202)]
    assert asked(WeeklyBest.overall(*WEEK.days)) == "Week = 2014-05-09, 2014-05-15"


@clause("2-10", "X2-01")
def test_the_highest_score_is_on_every_list(db: Database) -> None:
    load(db, UsersLeaderboard, USERS[0] | {"TopScore": HIGHEST_SCORE})
    load(db, FriendsLeaderboard, FRIENDS[1] | {"Score": HIGHEST_SCORE})
    lists = (WeeklyBest.best(1), WeeklyBest.overall(*WEEK.days))
    assert [db.all(question)[0].top_score for question in lists] == [HIGHEST_SCORE] * 2
    assert db.all(FriendScore.board(2, *WEEK.days))[0].score == HIGHEST_SCORE


@clause("2-13", "2-14", "2-01")
@pytest.mark.parametrize(
    ("player", "names"), [(1, ["Maria", "John"]), (2, ["Maria", "John", "Andrew"]), (3, ["Maria", "Andrew"])]
)
def test_the_board_of_a_player_has_his_friends_and_himself(
    db: Database, player: int, names: list[str]
) -> None:
    assert [each.name for each in db.all(FriendScore.board(player, *WEEK.days))] == names


@clause("2-13")
def test_a_board_is_asked_for_as_the_document_asks() -> None:
    assert asked(FriendScore.board(2, *WEEK.days)) == "FriendAndWeek = 2, 2014-05-09, 2014-05-15"


@clause("2-14")
def test_the_row_of_a_player_for_a_friend_is_on_the_friend_s_board(db: Database) -> None:
    assert FRIENDS[1] == {
        "Id": 1,
        "Name": "John",
        "Score": 32847,
        "FriendAndWeek": "2, 2014-05-09, 2014-05-15",
    }
    assert 1 in [row.id for row in db.all(FriendScore.board(2, *WEEK.days))]
    assert 1 not in [row.id for row in db.all(FriendScore.board(3, *WEEK.days))]
