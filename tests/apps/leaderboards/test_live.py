"""Live boards: a score that arrives is told through the real event stream, whichever process took it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from hansang.apps.catalog import PLATFORM
from hansang.apps.leaderboards.application import APPLICATION
from hansang.apps.leaderboards.service import Leaderboards
from hansang.apps.leaderboards.settings import LeaderboardsSettings
from hansang.apps.leaderboards.submitting import GivenPlay
from hansang.apps.leaderboards.topics import board_topic, player_topic
from hansang.design import Database
from hansang.parts.topics import Topics
from hansang.surfaces.console.rendering import Rendering
from hansang.surfaces.shell import Shell
from tests.surfaces.http.listening import Live, eventually, next_message, served
from tests.surfaces.shells import SetClock, opened


@pytest.fixture(scope="module")
def rendering() -> Rendering:
    return Rendering([PLATFORM, APPLICATION])


@pytest.fixture
def shell(clock: SetClock) -> Iterator[Shell]:
    with opened(clock, applications=(APPLICATION,)) as found:
        yield found


@pytest.fixture
def live(shell: Shell, rendering: Rendering) -> Iterator[Live]:
    """A server of boards that everyone may read."""
    public = replace(shell, chosen={"leaderboards": LeaderboardsSettings(public=True)})
    with served(public, rendering, shell.topics) as found:
        yield found


def elsewhere(shell: Shell) -> Leaderboards:
    """The boards as another worker has them: the same tables, and nothing else in common."""
    database = Database(shell.database.backend)
    publish = Topics(database, shell.clock, pause=0).publish
    return Leaderboards(database, shell.clock, LeaderboardsSettings(plays_a_minute=0), publish=publish)


def test_a_score_is_told_to_its_board_and_its_player_across_workers(live: Live) -> None:
    boards = elsewhere(live.shell)
    board, player = board_topic(boards.weeks.current), player_topic(7)
    everyone = live.headers("leaderboards:read")
    with live.listening(everyone, board) as of_board, live.listening({}, player) as of_player:
        eventually(lambda: live.count == 2)
        boards.submitter.submit(GivenPlay(8, "Other", 50))
        assert next_message(of_board)["message"] == {"week": str(boards.weeks.current), "changes": 1}
        boards.submitter.submit(GivenPlay(7, "Kim", 40))
        assert next_message(of_player)["topic"] == player
        assert next_message(of_board)["topic"] == board
        boards.operating.hide(7, "cheating")
        assert next_message(of_player)["topic"] == player
        assert next_message(of_board)["topic"] == board


def test_a_play_that_changes_nothing_is_not_told(shell: Shell) -> None:
    boards = elsewhere(shell)
    boards.submitter.submit(GivenPlay(7, "Kim", 40))
    told = shell.topics.newest([player_topic(7)])[player_topic(7)].version
    boards.submitter.submit(GivenPlay(7, "Kim", 39))
    assert shell.topics.newest([player_topic(7)])[player_topic(7)].version == told


def test_pages_listen_to_the_topics_that_scores_are_told_to(live: Live) -> None:
    boards = elsewhere(live.shell)
    boards.submitter.submit(GivenPlay(7, "Kim", 40))
    board, player = board_topic(boards.weeks.current), player_topic(7)
    for path, topics in (
        ("/leaderboards", board),
        ("/leaderboards/players/7", f"{board} {player}"),
        ("/leaderboards/players/7/friends", f"{board} {player}"),
    ):
        assert f'data-live="{topics}"' in live.get(path, {}).text, path


def test_only_public_topics_of_public_boards_are_for_everyone(live: Live, shell: Shell) -> None:
    board = board_topic(elsewhere(shell).weeks.current)
    assert live.get(f"/live/state?topic={board}", {}).status_code == 200
    assert live.get(f"/live/state?topic={board}&topic=platform.job.tidy", {}).status_code == 401
    assert live.get("/live/state?topic=leaderboards.other.1", {}).status_code == 401
    assert not shell.is_public_topic(board), "without the setting nothing is for everyone"
