"""Operating: hiding and restoring close ranks up and open them again; corrections; renames; friends follow."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from hansang.apps.leaderboards.design import FriendScore, WeeklyBest
from hansang.apps.leaderboards.service import Leaderboards
from hansang.apps.leaderboards.submitting import GivenPlay
from hansang.apps.leaderboards.work import FanOutList, HeldBest, HidingKey
from hansang.errors import Conflict, InvalidInput, NotFound
from tests.apps.leaderboards.games import DAY, WEEK, Game, a_game
from tests.clauses import clause


@pytest.fixture
def game() -> Iterator[Game]:
    """Three players, two friendships, all told."""
    with a_game() as game:
        for player, score in ((1, 32847), (2, 42710), (3, 19202)):
            game.play(player, score)
        game.boards.friends.befriend(1, 2)
        game.boards.friends.befriend(2, 3)
        game.boards.settle()
        yield game


def rows_of(game: Game, player: int) -> list[int]:
    """On whose boards a player is this week."""
    week = game.boards.weeks.current
    found = (game.database.all(FriendScore.board(friend, *week.days)) for friend in (1, 2, 3))
    return [friend for friend, rows in enumerate(found, 1) if player in [row.id for row in rows]]


@clause("X2-19")
def test_a_hidden_player_is_on_no_board_and_ranks_close_up(game: Game) -> None:
    game.boards.operating.hide(2, "cheating", "speed hack")
    assert game.board() == [(1, 1, 32847), (2, 3, 19202)]
    game.boards.settle()
    assert (rows_of(game, 2), rows_of(game, 1)) == ([], [1, 2])
    assert [each.score for each in game.database.all(HeldBest.of_player(2))] == [42710]
    assert [each.name for each in game.boards.operating.hidden()] == ["P2"]


def test_a_score_of_a_hidden_player_is_corrected_after_restoring(game: Game) -> None:
    game.boards.operating.hide(2, "cheating")
    with pytest.raises(Conflict, match="Restore the player first"):
        game.boards.operating.correct(2, WEEK, 5, "counted twice")
    game.boards.operating.restore(2)
    assert game.boards.operating.correct(2, WEEK, 5, "counted twice").after == 5


@clause("X2-19")
def test_what_a_hidden_player_plays_is_kept_and_comes_back(game: Game) -> None:
    game.boards.operating.hide(2, "other")
    assert (game.play(2, 10).best, game.play(2, 50_000).rank) == (42710, None)
    assert len(game.board()) == 2
    game.boards.operating.restore(2)
    game.boards.settle()
    assert game.board() == [(1, 2, 50_000), (2, 1, 32847), (3, 3, 19202)]
    assert rows_of(game, 2) == [1, 2, 3]
    assert game.play(2, 60_000).rank == 1


@clause("X2-19")
def test_a_hidden_player_s_first_score_of_a_week_is_on_no_board(game: Game) -> None:
    game.boards.operating.hide(3, "test")
    game.now += 7 * DAY
    assert game.play(3, 99_000).rank is None
    assert game.board() == []
    game.boards.operating.restore(3)
    assert game.board() == [(1, 3, 99_000)]
    assert game.boards.trees.live(WEEK).total == 3


def test_a_hiding_ends_by_itself(game: Game) -> None:
    soon = datetime.fromtimestamp(game.now + 60, UTC)
    game.boards.operating.hide(1, "abuse", until=soon)
    assert list(game.boards.operating.ended()) == []
    game.now += 120
    assert list(game.boards.operating.ended()) == [1]
    with pytest.raises(InvalidInput, match="in the future"):
        game.boards.operating.hide(2, "abuse", until=soon)


@clause("X2-19")
def test_a_restoring_that_was_broken_off_goes_on_with_the_other_weeks(game: Game) -> None:
    before, game.now = game.boards.weeks.current, game.now + 7 * DAY
    game.boards.operating.hide(1, "abuse")
    assert [row.id for row in game.boards.reading.page(before, 0, 10).items] == [2, 3]
    fields = dict.fromkeys(("hide_reason", "hide_note", "hidden_at", "hidden_until"))
    game.database.put(game.boards.players.get(1).model_copy(update=fields))
    game.database.delete(HidingKey(id=1))
    assert game.boards.operating.go_on_with(1).is_hidden is False
    assert [row.id for row in game.boards.reading.page(before, 0, 10).items] == [2, 1, 3]


def test_a_hiding_of_somebody_unknown_is_refused(game: Game) -> None:
    with pytest.raises(NotFound, match="Player 9 not found"):
        game.boards.operating.hide(9, "other")


@clause("X2-18")
def test_a_correction_may_lower_a_score_and_friends_follow(game: Game) -> None:
    done = game.boards.operating.correct(2, WEEK, 20_000, "counted twice")
    assert (done.before, done.after) == (42710, 20_000)
    game.boards.settle()
    assert game.board() == [(1, 1, 32847), (2, 2, 20_000), (3, 3, 19202)]
    assert game.friends_of(3) == [(2, 20_000), (3, 19202)]
    assert game.play(2, 21_000).improved
    with pytest.raises(NotFound, match="no score in the week"):
        game.boards.operating.correct(8, WEEK, 1, "n")


@clause("X2-16")
def test_a_rename_is_seen_in_this_week_and_not_in_past_ones(game: Game) -> None:
    game.now += 7 * DAY
    game.play(2, 7)
    game.boards.players.rename(2, "마리아")
    game.boards.settle()
    assert [each.name for each in game.database.all(WeeklyBest.recent(2))] == ["마리아", "P2"]
    assert {row.name for row in game.database.all(FriendScore.board(1, *game.boards.weeks.current.days))} == {
        "마리아"
    }
    assert [card.id for card in game.boards.players.search("ㅁㄹ")] == [2]
    assert game.boards.players.search("p2") == []


@clause("X2-16")
def test_a_name_that_comes_with_a_score_renames(game: Game) -> None:
    game.play(2, 43_000, "Maria")
    game.boards.settle()
    assert game.boards.players.get(2).name == "Maria"
    assert game.boards.reading.page(WEEK).items[0].name == "Maria"
    assert [card.name for card in game.boards.players.search("MAR")] == ["Maria"]


# ── friends ───────────────────────────────────────────────────────────────────────────────────────


@clause("X2-13", "X2-14", "X2-15")
def test_friends_are_on_each_other_s_board_at_once_and_off_it_when_they_part(game: Game) -> None:
    game.boards.friends.befriend(1, 3)
    assert game.friends_of(3) == [(2, 42710), (1, 32847), (3, 19202)]
    assert game.boards.friends.friends(1) == [2, 3]
    game.boards.friends.unfriend(3, 1)
    assert game.friends_of(3) == [(2, 42710), (3, 19202)]
    game.now += 7 * DAY
    game.boards.friends.unfriend(1, 2)
    assert [row.id for row in game.database.all(FriendScore.board(1, *WEEK.days))] == [2, 1]


@clause("X2-12", "2-12")
def test_a_new_best_is_brought_to_friends_when_it_is_counted(game: Game) -> None:
    game.play(2, 50_000)
    assert game.friends_of(1) == [(2, 42710), (1, 32847)]
    assert game.boards.fold() == 1
    assert game.boards.fan_outs.backlog() == 1
    with game.database.meter() as cost:
        game.boards.fan_outs.bring(2, WEEK)
    assert cost.patterns["FriendScore.put"].write == 3 * 3.0
    with game.database.meter() as again:
        game.boards.fan_outs.bring(2, WEEK)
    assert again.patterns["FriendScore.put"].write == 3 * 1.0
    assert game.friends_of(1) == [(2, 50_000), (1, 32847)]
    assert game.boards.fan_outs.work() == 1
    assert game.boards.fan_outs.backlog() == 0


@clause("X2-12", "X2-18")
def test_who_is_overtaken_while_bringing_a_score_brings_the_newer_one() -> None:
    with a_game(friend_weeks=1) as game:
        other = game.another(friend_weeks=1, plays_a_minute=0)
        game.play(2, 10)
        game.boards.fold()
        newer = iter([20])

        def clock() -> float:
            """Asked between reading the week and writing its row."""
            for score in newer:
                other.submitter.keep(GivenPlay(2, "P2", score))
                other.settle()
            return game.now

        slow = Leaderboards(game.database, clock, game.boards.settings, sleep=lambda seconds: None)
        assert slow.fan_outs.work() == 1
        assert list(newer) == []
        assert game.friends_of(2) == [(2, 20)]
        assert game.boards.fan_outs.backlog() == 0


@clause("X2-12")
def test_whose_friends_are_to_be_told_is_one_item_for_a_hundred_of_them() -> None:
    with a_game() as game:
        for player in range(1, 151):
            game.boards.submitter.keep(GivenPlay(player, f"P{player}", player))
        game.boards.fold()
        waiting = game.database.all(FanOutList.waiting())
        assert sorted(len(each.players) for each in waiting) == [50, 100]
        assert game.boards.fan_outs.backlog() == 150
        assert game.boards.fan_outs.work() == 150
        assert game.friends_of(150) == [(150, 150)]
        assert game.database.all(FanOutList.waiting()) == []


@clause("X2-18")
def test_what_was_lost_is_repaired(game: Game) -> None:
    game.database.delete(game.database.all(FriendScore.board(3, *WEEK.days))[0])
    assert game.friends_of(3) == [(3, 19202)]
    assert game.boards.fan_outs.repair(WEEK, [1, 2, 3]) == 3
    assert game.friends_of(3) == [(2, 42710), (3, 19202)]


@clause("X2-20")
def test_rows_of_friends_expire_where_that_is_wanted() -> None:
    with a_game(friend_weeks=8) as game:
        game.play(1, 5)
        game.boards.settle()
        [row] = game.database.all(FriendScore.board(1, *WEEK.days))
        assert row.expires_at is not None
        assert int(row.expires_at.timestamp() - game.now) == 8 * 7 * DAY
