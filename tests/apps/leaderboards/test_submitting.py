"""Submitting scores: the best of the week, its rank, what it costs, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from fractions import Fraction

import pytest

from hansang.apps.leaderboards.design import UsersLeaderboard, WeeklyBest
from hansang.apps.leaderboards.rules import HIGHEST_SCORE
from hansang.apps.leaderboards.submitting import GivenPlay
from hansang.apps.leaderboards.work import RefusedPlay, Suspect
from hansang.errors import Busy, InvalidInput, SettingsError, UnexpectedItem
from tests.apps.leaderboards.games import DAY, FRIDAY, WEEK, Game, a_game
from tests.clauses import clause


@pytest.fixture
def game() -> Iterator[Game]:
    with a_game() as game:
        yield game


def refused(game: Game) -> list[str]:
    day = datetime.fromtimestamp(game.now, UTC).date()
    return [each.reason for each in game.database.all(RefusedPlay.of_day(day))]


# ── the best of a week ────────────────────────────────────────────────────────────────────────────


@clause("2-02", "X2-04", "X2-17")
def test_a_play_is_kept_and_its_rank_is_told(game: Game) -> None:
    game.play(1, 32847)
    game.play(2, 42710, "Maria")
    found = game.play(3, 19202)
    assert (found.week, found.best, found.improved, found.rank, found.of) == (WEEK, 19202, True, 3, 3)
    assert found.percentile == Fraction(100, 3)
    assert found.next is not None
    assert (found.next.id, found.next.score) == (1, 32847)
    again = game.play(3, 42710)
    assert (again.rank, again.next) == (1, None)
    assert game.board() == [(1, 2, 42710), (1, 3, 42710), (3, 1, 32847)]


@clause("X2-04", "X2-11")
@pytest.mark.parametrize("score", [100, 7])
def test_a_play_that_is_no_better_writes_nothing(game: Game, score: int) -> None:
    game.play(1, 100)
    with game.database.meter() as cost:
        found = game.play(1, score)
    assert (found.best, found.improved, found.rank) == (100, False, 1)
    assert (cost.write, cost.read) == (0.0, 2.0)


@clause("X2-11", "X2-09")
def test_what_a_play_costs(game: Game) -> None:
    """A plain improvement is 5 units (see the design); in one transaction with its pending change it is 8."""
    with game.database.meter() as first:
        game.play(1, 100)
    with game.database.meter() as second:
        game.play(1, 200)
    other = game.another(plays_a_minute=0)
    with game.database.meter() as unknown:
        other.submitter.submit(other_play(1, 300))
    assert (first.patterns["WeeklyBest.first"].write, second.write, unknown.write) == (10.0, 8.0, 8.0)
    assert second.tables["LeaderboardRanks"].write == 2.0
    assert (second.read, unknown.read) == (1.0, 4.0)


def other_play(player: int, score: int) -> GivenPlay:
    return GivenPlay(player, f"P{player}", score)


@clause("X2-04")
def test_what_another_process_has_kept_meanwhile_stands(game: Game) -> None:
    other = game.another(plays_a_minute=0)
    game.play(1, 100)
    other.submitter.submit(other_play(1, 500))
    assert game.play(1, 300).best == 500
    assert game.play(1, 600).improved
    assert game.board() == [(1, 1, 600)]


@clause("2-10", "X2-01")
def test_the_highest_score_is_taken_and_appears(game: Game) -> None:
    assert game.play(1, HIGHEST_SCORE).rank == 1
    assert game.board() == [(1, 1, 99_999)]


@clause("X2-05")
def test_plays_are_remembered_where_that_is_wanted() -> None:
    with a_game(remember_plays=True) as game:
        for score in (5, 9, *range(7, 30)):
            game.play(1, score)
        [week] = game.boards.reading.scores(1)
    assert [score for _, score in week.plays] == list(range(10, 30))
    with a_game() as game:
        game.play(1, 5)
        assert game.boards.reading.scores(1)[0].plays == []


# ── weeks ─────────────────────────────────────────────────────────────────────────────────────────


@clause("X2-06")
def test_a_week_ends_at_midnight_in_seoul(game: Game) -> None:
    game.now = FRIDAY + 7 * DAY - 2
    assert game.play(1, 50).week == WEEK
    assert str(game.play(1, 40).week) == "2014-05-16, 2014-05-22"
    assert game.board() == [(1, 1, 40)]


@clause("X2-06")
def test_the_calendar_is_fixed_with_the_first_score(game: Game) -> None:
    game.play(1, 50)
    other = game.another(first_day="MON")
    with pytest.raises(SettingsError, match="begin on FRI in Asia/Seoul"):
        other.submitter.submit(other_play(1, 60))


@clause("X2-22")
def test_a_late_play_counts_within_the_grace() -> None:
    late = datetime.fromtimestamp(FRIDAY + 7 * DAY - 60, UTC)
    with a_game(grace=10) as game:
        game.now = FRIDAY + 7 * DAY + 300
        assert game.play(1, 70, played_at=late).week == WEEK
        game.now += 600
        with pytest.raises(InvalidInput, match="takes no more scores"):
            game.play(1, 80, played_at=late)


@clause("X2-22")
@pytest.mark.parametrize("played_at", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"])
def test_a_play_at_the_end_of_all_days_is_refused_and_recorded(game: Game, played_at: str) -> None:
    with pytest.raises(InvalidInput, match="takes no more scores"):
        game.play(1, 5, played_at=datetime.fromisoformat(played_at))
    assert refused(game) == ["leaderboards.late"]


@pytest.mark.parametrize("text", ["0001-01-01", "9999-12-31", "20140509", "2014-W19-5", "2014-05-10", ""])
def test_a_week_is_named_by_its_first_day_alone(game: Game, text: str) -> None:
    with pytest.raises(InvalidInput, match="is not the first day of a week"):
        game.boards.weeks.named(text)


# ── what is refused ───────────────────────────────────────────────────────────────────────────────


@clause("X2-19")
@pytest.mark.parametrize(
    ("player", "score"), [(1, -1), (1, 100_000), (-1, 5), (2**63, 5), (1, 10**40 + 1), (1, -(10**200) - 1)]
)
def test_what_is_outside_the_bounds_is_refused_and_recorded(game: Game, player: int, score: int) -> None:
    with pytest.raises(InvalidInput):
        game.play(player, score)
    assert len(refused(game)) == 1
    assert game.board() == []


@clause("X2-19")
def test_a_player_who_plays_too_fast_is_refused() -> None:
    with a_game(plays_a_minute=2) as game:
        game.play(1, 1)
        game.play(1, 2)
        with pytest.raises(Busy, match="plays faster"):
            game.play(1, 3)
        assert refused(game) == ["leaderboards.too-fast"]
        assert game.play(2, 3).rank == 1


@clause("X2-19")
def test_a_token_is_for_one_play_of_one_player() -> None:
    with a_game(token_secret="s" * 32) as game:
        token = game.boards.tokens.new(1)
        game.play(1, 10, token=token)
        assert game.play(1, 10, token=token).best == 10  # The answer was lost, and the play is sent again.
        for player, bad in ((1, None), (2, game.boards.tokens.new(1)), (1, token), (1, "v1.1.x.y")):
            with pytest.raises(InvalidInput):
                game.play(player, 11, token=bad)
        old = game.boards.tokens.new(1)
        game.now += 3700
        with pytest.raises(InvalidInput, match="an hour old"):
            game.play(1, 12, token=old)
        assert sorted(refused(game)) == [
            "leaderboards.token-form",
            "leaderboards.token-form",
            "leaderboards.token-old",
            "leaderboards.token-signature",
            "leaderboards.token-used",
        ]


def test_who_sent_a_token_twice_is_recorded() -> None:
    with a_game(token_secret="s" * 32) as game:
        token = game.boards.tokens.new(1)
        game.play(1, 10, token=token)
        with pytest.raises(InvalidInput, match="used already"):
            game.boards.submitter.submit(GivenPlay(1, "P1", 11, token), "key:1")
        [found] = game.boards.operating.refused(datetime.fromtimestamp(game.now, UTC).date()).items
    assert (found.sender, found.reason) == ("key:1", "leaderboards.token-used")


def test_a_play_that_is_sent_again_writes_nothing() -> None:
    with a_game(token_secret="s" * 32, remember_plays=True) as game:
        token = game.boards.tokens.new(1)
        game.play(1, 10, token=token)
        game.boards.operating.correct(1, WEEK, 4, "no such level")
        again = game.play(1, 10, token=token)
        assert (again.best, again.improved, game.board()) == (4, False, [(1, 1, 4)])
        assert [score for _, score in game.boards.reading.scores(1)[0].plays] == [10]
        game.boards.operating.hide(1, "cheating")
        assert (game.play(1, 10, token=token).rank, game.board()) == (None, [])


def test_a_play_that_is_sent_again_in_the_next_week_is_answered_for_its_own() -> None:
    with a_game(token_secret="s" * 32) as game:
        game.now = FRIDAY + 7 * DAY - 10
        token = game.boards.tokens.new(1)
        kept = game.play(1, 10, token=token)
        game.now += 60
        again = game.play(1, 10, token=token)
        assert (again.week, again.best, again.rank, game.board()) == (kept.week, 10, 1, [])


def test_a_row_that_is_no_weekly_best_is_named(game: Game) -> None:
    bare = {"Id": {"N": "1"}, "Week": {"S": str(WEEK)}, "TopScore": {"N": "10"}}
    game.database.call("PutItem", {"TableName": UsersLeaderboard.name, "Item": bare}, "test")
    with pytest.raises(UnexpectedItem, match="Name"):
        game.play(1, 11)


@clause("X2-19")
def test_sudden_jumps_and_impossible_paces_are_noted() -> None:
    with a_game(token_secret="s" * 32, points_a_second=100) as game:
        game.play(1, 100, token=game.boards.tokens.new(1))
        game.play(1, 90_000, token=game.boards.tokens.new(1))
        noted = {each.why: each for each in game.database.all(Suspect.of_week(WEEK.start))}
    assert set(noted) == {"jump", "pace"}
    assert (noted["jump"].before, noted["pace"].seconds) == (100, 1)


@clause("X2-25")
def test_an_id_above_two_to_the_53_is_exact(game: Game) -> None:
    large = 2**53 + 1
    game.play(large, 5)
    game.play(2**53, 5)
    assert {row[1] for row in game.board()} == {large, large - 1}


@clause("2-03")
def test_the_row_is_the_document_s(game: Game) -> None:
    game.play(7, 5, "Kim")
    [best] = game.database.all(WeeklyBest.recent(7))
    assert (best.id, best.name, best.top_score, str(best.start)) == (7, "Kim", 5, "2014-05-09")
