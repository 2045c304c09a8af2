"""What goes on behind the boards: scores are counted, friends are told, whoever watches hears of it."""

from __future__ import annotations

from threading import Event

import pytest

from hansang.apps.leaderboards.background import MANY, keep_counting, pause_after
from hansang.apps.leaderboards.jobs import jobs
from hansang.apps.leaderboards.service import Leaderboards
from hansang.apps.leaderboards.settings import LeaderboardsSettings
from hansang.apps.leaderboards.topics import board_topic
from hansang.parts.journal import JobRun
from hansang.parts.platform import Platform
from hansang.parts.topics import Topics
from tests.apps.leaderboards.games import DAY, WEEK, Game, a_game
from tests.clauses import clause


def counting(game: Game, heard: list[str]) -> Leaderboards:
    def publish(topic: str, message: object, *, at_once: bool = False) -> None:
        heard.append(topic)

    return Leaderboards(game.database, lambda: game.now, LeaderboardsSettings(), publish=publish)


@clause("X2-12")
def test_scores_are_counted_until_nothing_changes_and_friends_are_told() -> None:
    heard: list[str] = []
    with a_game() as game:
        for player in (1, 2):
            game.play(player, player)
        game.boards.friends.befriend(1, 2)
        game.play(2, 50)
        assert game.boards.has_uncounted()
        counted, told = keep_counting(counting(game, heard), Event(), every=0, idle=3)
        # The three were counted together, for two players; befriending has left a note for each of both.
        assert (counted, told) == (3, 4)
        assert not game.boards.has_uncounted()
        assert game.friends_of(1) == [(2, 50), (1, 1)]
    assert heard == ["leaderboards.board.2014-05-09"] * 2, (
        "when scores were counted, and when friends were told"
    )


def test_a_server_that_ends_leaves_the_rest_to_another() -> None:
    with a_game() as game:
        game.play(1, 1)
        stop = Event()
        stop.set()
        assert keep_counting(game.boards, stop, every=0) == (0, 0)
        assert game.boards.settle() > 0


def test_the_jobs_count_restore_and_tell_the_topic_of_the_board() -> None:
    with a_game() as game:
        game.database.create_tables(Platform)
        made = {each.name: each for each in jobs(game.database, lambda: game.now, LeaderboardsSettings())}
        game.play(1, 5)
        until = game.boards.weeks.now.replace(microsecond=0)
        game.boards.operating.hide(1, "abuse", until=until.replace(year=2014, month=5, day=10))
        game.now += 2 * DAY
        run = JobRun.model_construct(name="leaderboards-repair", slot="now")
        assert made["leaderboards-live"].is_wanted()
        made["leaderboards-repair"].run(run)
        assert game.board() == [(1, 1, 5)]
        assert not made["leaderboards-live"].is_wanted()
        topics = Topics(game.database, lambda: game.now)
        message = topics.find(board_topic(WEEK))
    assert message is not None
    assert message["week"] == "2014-05-09, 2014-05-15"


def test_counts_keep_their_time_and_are_twice_as_frequent_where_many_scores_change() -> None:
    assert pause_after(1, 0.03, 0.1) == pytest.approx(0.07)
    assert pause_after(MANY, 0.01, 0.1) == pytest.approx(0.04)
    assert pause_after(MANY, 2.0, 0.1) == pytest.approx(0.02), "some time is left to others"
    assert pause_after(2 * MANY, 2.0, 0.1) == pytest.approx(0.005), "every rank reads what waits"
