"""Boards: pages, around a player, ties, percentiles, histograms, friends; against a board in memory."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from hansang.apps.leaderboards.design import UsersLeaderboard, WeeklyBest
from hansang.apps.leaderboards.reading import TIE_RULES, TieRule
from hansang.errors import InvalidInput
from tests.apps.leaderboards.games import FRIDAY, WEEK, Game, a_game
from tests.clauses import clause
from tests.storing import load

PLAYERS = 120


@pytest.fixture(scope="module")
def game() -> Iterator[Game]:
    """Players with many equals, some of whose scores are counted and some are still pending."""
    chance = Random(7)
    with a_game() as game:
        for player in range(1, PLAYERS + 1):
            game.play(player, chance.randrange(0, 300, 10))
            if player % 40 == 0:
                game.boards.fold()
        for player in range(1, PLAYERS, 7):
            game.play(player, 150)
        yield game


def expected(game: Game, ties: TieRule) -> list[tuple[int, int, int]]:
    """The board by sorting everyone."""
    bests = [each for each in game.database.all(WeeklyBest.overall(*WEEK.days)) if each.top_score_at]
    bests.sort(key=lambda each: (-each.top_score, each.top_score_at, each.id))
    scores = [each.top_score for each in bests]
    dense = sorted(set(scores), reverse=True)
    ranks = {
        "competition": [scores.index(score) + 1 for score in scores],
        "dense": [dense.index(score) + 1 for score in scores],
        "ordinal": list(range(1, len(scores) + 1)),
    }[ties]
    return [(rank, each.id, each.top_score) for rank, each in zip(ranks, bests, strict=True)]


@clause("X2-10", "X2-23", "2-15", "2-16")
@pytest.mark.parametrize("ties", TIE_RULES)
def test_every_page_of_every_size_is_that_of_the_sorted_board(game: Game, ties: TieRule) -> None:
    wanted = expected(game, ties)
    for size in (7, 50, 1000):
        found = [
            (row.rank, row.id, row.score)
            for page in range(-(-PLAYERS // size) + 1)
            for row in game.boards.reading.page(WEEK, page, size, ties).items
        ]
        assert found == wanted


@clause("X2-10", "X2-17")
@pytest.mark.parametrize("ties", TIE_RULES)
def test_around_a_player_is_a_window_of_the_board(game: Game, ties: TieRule) -> None:
    wanted = expected(game, ties)
    places = {row[1]: place for place, row in enumerate(wanted)}
    for player in (wanted[0][1], wanted[1][1], wanted[60][1], wanted[-2][1], wanted[-1][1], 1, 8):
        found = game.boards.reading.around(WEEK, player, 4, ties)
        start = max(0, min(places[player] - 4, PLAYERS - 9))
        assert [(row.rank, row.id, row.score) for row in found.items] == wanted[start : start + 9]
        assert found.total == PLAYERS


@clause("X2-09", "X2-10")
@pytest.mark.parametrize("ties", TIE_RULES)
def test_a_rank_is_the_one_of_the_board_and_counted_by_the_index(game: Game, ties: TieRule) -> None:
    reading = game.boards.reading
    for rank, player, score in expected(game, ties)[::9]:
        found = reading.rank(WEEK, player, ties)
        assert (found.rank, found.score, found.of) == (rank, score, PLAYERS)
        if ties == "competition":
            above = WeeklyBest.query(
                WeeklyBest.start == WEEK.start,
                WeeklyBest.end == WEEK.end,
                WeeklyBest.top_score > score,
                index=UsersLeaderboard.week_top_score,
            )
            assert found.rank == game.database.count(above) + 1


@clause("X2-09")
def test_a_rank_is_a_few_units_however_deep_it_is(game: Game) -> None:
    last = expected(game, "competition")[-1][1]
    game.boards.reading.rank(WEEK, last)
    with game.database.meter() as cost:
        game.boards.reading.rank(WEEK, last)
    assert (cost.requests, cost.read) == (3, 2.5)


def test_a_histogram_has_everyone_once(game: Game) -> None:
    bars = game.boards.reading.histogram(WEEK, 20)
    assert sum(bar.players for bar in bars) == PLAYERS
    assert (bars[0].high, bars[-1].low) == (99_999, 0)
    assert bars[-1].players == PLAYERS


@pytest.mark.parametrize(("page", "size"), [(-1, 10), (0, 0), (0, 1001)])
def test_pages_have_bounds(game: Game, page: int, size: int) -> None:
    with pytest.raises(InvalidInput, match="1 to 1000"):
        game.boards.reading.page(WEEK, page, size)


# ── one player ────────────────────────────────────────────────────────────────────────────────────


@clause("X2-24")
def test_whoever_has_not_played_has_no_rank(game: Game) -> None:
    found = game.boards.reading.rank(WEEK, 9999)
    assert (found.rank, found.score, found.of, found.percentile) == (None, None, PLAYERS, None)
    assert game.boards.reading.around(WEEK, 9999).items == []
    assert game.boards.reading.best(9999) is None


@clause("X2-03", "2-20")
def test_a_week_in_the_book_s_spelling_is_read() -> None:
    with a_game() as game:
        load(
            game.database,
            UsersLeaderboard,
            {"Id": 1, "Week": "2014-05-02,2014-05-08", "Name": "John", "TopScore": 24209},
        )
        game.play(1, 32847)
        assert [week.score for week in game.boards.reading.scores(1)] == [32847, 24209]
        assert game.boards.reading.scores(1)[1].week.start.day == 2


@pytest.mark.parametrize("text", ["2014-05-10", "yesterday", "2014-5-9", ""])
def test_a_week_is_named_by_its_first_day(game: Game, text: str) -> None:
    assert game.boards.weeks.named("2014-05-09") == game.boards.weeks.named("current") == WEEK
    with pytest.raises(InvalidInput, match="first day of a week"):
        game.boards.weeks.named(text)


# ── friends ───────────────────────────────────────────────────────────────────────────────────────


@clause("2-12", "2-13", "2-14", "X2-12", "X2-24")
def test_a_friends_board_has_friends_and_oneself_and_names_who_waits() -> None:
    with a_game() as game:
        for player, score in ((1, 32847), (2, 42710), (3, 19202)):
            game.play(player, score)
        game.boards.friends.befriend(1, 2)
        game.boards.friends.befriend(2, 3)
        game.boards.settle()
        assert game.friends_of(2) == [(2, 42710), (1, 32847), (3, 19202)]
        assert game.friends_of(3) == [(2, 42710), (3, 19202)]
        game.now = FRIDAY + 8 * 86_400
        game.play(2, 5)
        found = game.boards.reading.friends_board(game.boards.weeks.current, 2)
        assert ([row.id for row in found.items], found.waiting) == ([2], [1, 3])


@clause("X2-10", "X2-12")
@pytest.mark.parametrize("many_friends", [1, 300])
def test_among_equal_friends_the_earlier_stands_above_whichever_way_they_are_read(many_friends: int) -> None:
    with a_game(many_friends=many_friends) as game:
        for player in (9, 1, 5, 3):
            game.play(player, 700)
        for other in (9, 5, 3):
            game.boards.friends.befriend(1, other)
        game.boards.settle()
        assert game.friends_of(1) == [(9, 700), (1, 700), (5, 700), (3, 700)]


@clause("X2-12")
def test_very_many_friends_are_read_from_their_weeks() -> None:
    with a_game(many_friends=3) as game:
        for player in range(1, 8):
            game.play(player, player)
        for player in range(2, 8):
            game.boards.friends.befriend(1, player)
        found = game.boards.reading.friends_board(WEEK, 1)
        assert found.is_direct
        assert [row.id for row in found.items] == [7, 6, 5, 4, 3, 2, 1]
        assert not game.boards.reading.friends_board(WEEK, 2).is_direct
