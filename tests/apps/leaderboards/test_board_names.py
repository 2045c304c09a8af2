"""The boards of a game under other names or in another order: no board ever gets the scores of another."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hansang.apps.leaderboards.application import APPLICATION
from hansang.apps.leaderboards.board_names import BoardNames
from hansang.apps.leaderboards.boards import TABLES, GameBoards
from hansang.apps.leaderboards.design import FriendsLeaderboard
from hansang.apps.leaderboards.settings import MOST_BOARDS, LeaderboardsSettings
from hansang.apps.leaderboards.submitting import GivenPlay
from hansang.apps.table_names import copied
from hansang.design import Database, Table
from hansang.errors import SettingsError
from hansang.settings import ServerSettings
from hansang.surfaces.application_settings import copies_of
from hansang.wiring import open_shell
from tests.apps.leaderboards.games import FRIDAY
from tests.storing import opened


@pytest.fixture
def database() -> Iterator[Database]:
    with opened(*TABLES) as found:
        for board in ("classic", "speed", "blitz"):
            found.renamed(copied(board, TABLES, found.name)).create_tables(*TABLES)
        yield found


def play(database: Database, boards: tuple[str, ...], *on: str) -> None:
    """A score on some boards, sent by a process that knows these names."""
    every = GameBoards(database, lambda: FRIDAY, LeaderboardsSettings(boards=boards))
    for board in on:
        every.open(board).submitter.submit(GivenPlay(1, "Ann", 10))


def told(database: Database, *boards: str) -> list[str] | str:
    """What is said at start, or why it is refused."""
    try:
        return BoardNames(database, LeaderboardsSettings(boards=boards)).expect()
    except SettingsError as refusal:
        return str(refusal)


def test_another_first_board_is_refused_with_what_to_set(database: Database) -> None:
    play(database, ("classic", "speed"), "speed")
    for boards in (("speed", "classic"), ("speed",), ("blitz", "speed"), ("main",)):
        found = told(database, *boards)
        assert f"Set HANSANG_LEADERBOARDS_BOARDS=classic,{boards[0]}" in found, boards
    assert told(database, "classic", "blitz", "speed") == []


def test_a_board_that_is_no_longer_named_is_told_and_kept(database: Database) -> None:
    play(database, ("classic", "speed", "blitz"), "classic", "speed")
    found = told(database, "classic", "blitz")
    assert len(found) == 1
    assert found[0].startswith("The board speed has scores and is not in HANSANG_LEADERBOARDS_BOARDS")
    assert told(database, "classic", "speed") == [], "a board without a score is nothing to speak of"


def test_scores_of_a_board_that_nobody_had_named_stay_with_the_first(database: Database) -> None:
    play(database, ("main",), "main")
    assert "begins with speed" in told(database, "speed", "main")
    assert told(database, "classic", "speed") == []
    assert "The first board of these data is classic" in told(database, "speed", "classic"), (
        "the name is kept from the first start on"
    )


def test_a_board_that_was_filled_before_names_were_kept_is_noted_at_start(database: Database) -> None:
    names = copied("speed", TABLES, database.name)
    play(database.renamed(names), ("main",), "main")
    assert told(database, "classic", "speed") == []
    assert "The first board of these data is classic" in told(database, "speed", "classic")
    assert len(told(database, "classic")) == 1, "speed has scores"


def test_a_process_with_other_names_writes_no_score(database: Database) -> None:
    play(database, ("classic", "speed"), "classic")
    with pytest.raises(SettingsError, match="The first board of these data is classic"):
        play(database, ("speed", "classic"), "speed")


def test_the_first_board_is_called_otherwise_by_a_command_alone(database: Database) -> None:
    play(database, ("classic", "speed"), "classic", "speed")
    names = BoardNames(database, LeaderboardsSettings(boards=("arcade", "speed")))
    with pytest.raises(SettingsError, match="not names of boards"):
        names.call_first("speed")
    names.call_first("arcade")
    assert (told(database, "arcade", "speed"), names.known()) == ([], ["arcade", "speed"])
    assert "Set HANSANG_LEADERBOARDS_BOARDS=arcade,classic" in told(database, "classic", "speed")


def test_there_are_so_many_boards_at_most() -> None:
    names = tuple(f"mode-{number}" for number in range(MOST_BOARDS + 1))
    assert LeaderboardsSettings(boards=names[1:]).boards == names[1:]
    with pytest.raises(SettingsError, match="at most 20 boards, and HANSANG_LEADERBOARDS_BOARDS names 21"):
        LeaderboardsSettings(boards=names)


def test_a_server_does_not_start_with_another_first_board(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = ServerSettings(data=str(tmp_path / "boards.db"), jobs=False)
    monkeypatch.setenv("HANSANG_LEADERBOARDS_BOARDS", "classic,speed")
    with open_shell(settings, applications=(APPLICATION,)) as shell:
        play(shell.database, ("classic", "speed"), "classic")
    monkeypatch.setenv("HANSANG_LEADERBOARDS_BOARDS", "speed,classic")
    with (
        pytest.raises(SettingsError, match="Set HANSANG_LEADERBOARDS_BOARDS=classic,speed"),
        open_shell(settings, applications=(APPLICATION,)),
    ):
        raise AssertionError("it has started")


def test_no_board_has_a_table_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANSANG_LEADERBOARDS_BOARDS", "classic,speed")
    names: dict[type[Table], str] = {table: table.name for table in TABLES}
    names |= {FriendsLeaderboard: "speed-UsersLeaderboard"}
    with pytest.raises(SettingsError, match="would be called speed-UsersLeaderboard"):
        list(copies_of(APPLICATION, names))
