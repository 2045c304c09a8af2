"""Several boards of one game: each on tables of its own, and the first as it always was."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from hansang.apps.leaderboards.alarms import Alarms
from hansang.apps.leaderboards.application import APPLICATION
from hansang.apps.leaderboards.boards import TABLES, GameBoards
from hansang.apps.leaderboards.jobs import jobs
from hansang.apps.leaderboards.recorded import RecordedBoards
from hansang.apps.leaderboards.service import Leaderboards
from hansang.apps.leaderboards.settings import LeaderboardsSettings
from hansang.apps.leaderboards.submitting import GivenPlay
from hansang.apps.leaderboards.undoing import undo
from hansang.apps.leaderboards.work import Tier
from hansang.apps.table_names import copied
from hansang.design import Database
from hansang.errors import Conflict, InvalidInput, NotFound, SettingsError
from hansang.parts.history import Actor, History
from hansang.parts.platform import Platform
from hansang.parts.topics import Topics
from tests.apps.leaderboards.games import DAY, FRIDAY, WEEK
from tests.storing import opened
from tests.surfaces.api.writing_routes import Dying, Killed

SETTINGS = LeaderboardsSettings(boards=("classic", "speed"), plays_a_minute=0)


class TwoBoards:
    """A game with two modes, and its clock."""

    def __init__(self, database: Database, settings: LeaderboardsSettings = SETTINGS) -> None:
        self.now, self.database = FRIDAY + 3600, database
        self.topics = Topics(database, lambda: self.now, pause=0)
        self.every = GameBoards(
            database, lambda: self.now, settings, sleep=lambda _: None, publish=self.topics.publish
        )
        self.classic, self.speed = self.every.each()

    def standing(self, boards: Leaderboards) -> list[tuple[int, int]]:
        return [(row.id, row.score) for row in boards.reading.page(WEEK, 0, 10).items]


@pytest.fixture
def game() -> Iterator[TwoBoards]:
    with opened(Platform, *TABLES) as database:
        copies = APPLICATION.copies
        assert copies is not None
        for prefix in copies(SETTINGS):
            database.renamed(copied(prefix, TABLES, database.name)).create_tables(*TABLES)
        yield TwoBoards(database)


def play(boards: Leaderboards, player: int, score: int, token: str | None = None) -> None:
    boards.submitter.submit(GivenPlay(player, f"P{player}", score, token))


def test_each_board_has_its_scores_its_friends_and_its_weeks(game: TwoBoards) -> None:
    play(game.classic, 1, 10)
    play(game.classic, 2, 20)
    play(game.speed, 1, 30)
    play(game.speed, 3, 5)
    game.speed.friends.befriend(1, 3)
    assert [boards.settle() > 0 for boards in game.every.each()] == [True, True]
    assert (game.standing(game.classic), game.standing(game.speed)) == ([(2, 20), (1, 10)], [(1, 30), (3, 5)])
    assert [game.speed.reading.rank(WEEK, 1).rank, game.classic.reading.rank(WEEK, 1).rank] == [1, 2]
    friends = [len(each.reading.friends_board(WEEK, 1).items) for each in game.every.each()]
    game.now += 7 * DAY
    final = game.speed.closing.close(WEEK, [Tier(name="gold", rank=1)])
    assert (friends, final.players, game.classic.weeks.find(WEEK)) == ([1, 2], 2, None)


def test_the_first_board_has_the_tables_and_topics_of_always(game: TwoBoards) -> None:
    names = [game.classic.database.name(table) for table in TABLES]
    assert names == [table.name for table in TABLES]
    assert [game.speed.database.name(table) for table in TABLES] == [f"speed-{name}" for name in names]
    play(game.classic, 1, 10)
    play(game.speed, 2, 10)
    for boards in game.every.each():
        boards.settle()
    told = ("board.2014-05-09", "player.1", "board.speed.2014-05-09", "player.speed.2")
    assert all(game.topics.find(f"leaderboards.{each}") is not None for each in told)
    assert game.topics.find("leaderboards.player.2") is None
    assert game.every.open() is game.every.open("classic") is game.classic


def test_an_unknown_board_is_told_with_those_there_are(game: TwoBoards) -> None:
    with pytest.raises(NotFound, match=r"Board blitz not found. The boards are classic, speed\."):
        game.every.open("blitz")


@pytest.mark.parametrize("names", [(), ("a", "a"), ("Speed",), ("a b",), ("a" * 21,), ("-a",)])
def test_names_of_boards_are_checked(names: tuple[str, ...]) -> None:
    with pytest.raises(SettingsError, match="not names of boards"):
        LeaderboardsSettings(boards=names)


def test_what_is_done_on_one_board_is_undone_there_alone(game: TwoBoards) -> None:
    play(game.classic, 1, 10)
    play(game.speed, 1, 10)
    history, actor = History(game.database, lambda: game.now), Actor("operator", "op", "op")
    speed = RecordedBoards(game.speed, history, actor)
    speed.hide(1, "test")
    [change] = history.page("leaderboards")
    with pytest.raises(Conflict):
        RecordedBoards(game.classic, history, actor).undo(change.id)
    assert (change.subject, game.classic.players.get(1).is_hidden) == ("speed:1", False)
    assert speed.undo(change.id).subject == "speed:1"
    assert not game.speed.players.get(1).is_hidden


def test_every_board_is_counted_and_mended_by_jobs_of_its_own(game: TwoBoards) -> None:
    every = jobs(game.database, lambda: game.now, SETTINGS)
    assert [each.name for each in every] == [
        "leaderboards-live",
        "leaderboards-repair",
        "leaderboards-speed-live",
        "leaderboards-speed-repair",
    ]
    play(game.speed, 1, 10)
    wanted = [each.is_wanted() for each in every if each.name.endswith("live")]
    assert wanted == [False, True]


def test_a_play_token_is_good_for_the_board_that_it_was_made_for(game: TwoBoards) -> None:
    signed = TwoBoards(game.database, replace(SETTINGS, token_secret="s3cret"))
    token = signed.speed.tokens.new(1)
    with pytest.raises(InvalidInput, match="of the board speed"):
        play(signed.classic, 1, 10, token)
    with pytest.raises(InvalidInput, match="of the board classic") as told:
        play(signed.speed, 1, 10, signed.classic.tokens.new(1))
    assert (told.value.code, told.value.field) == ("leaderboards.token-board", "token")
    with pytest.raises(InvalidInput, match="not signed for this player and this board"):
        play(signed.classic, 2, 10, token)
    play(signed.speed, 1, 10, token)
    assert (signed.standing(signed.classic), signed.standing(signed.speed)) == ([], [(1, 10)])


def test_an_erased_player_is_on_no_board_not_even_on_one_that_is_no_longer_named(game: TwoBoards) -> None:
    for boards in game.every.each():
        play(boards, 1, 10)
        play(boards, 2, 20)
    play(game.classic, 3, 5)
    now = GameBoards(game.database, lambda: game.now, LeaderboardsSettings(boards=("classic", "blitz")))
    game.database.renamed(copied("blitz", TABLES, game.database.name)).create_tables(*TABLES)
    history, actor = History(game.database, lambda: game.now), Actor("operator", "op", "op")
    assert RecordedBoards(now.open(), history, actor).erase(now, 1) == 2
    assert [(each.subject, each.verb) for each in history.page("leaderboards")] == [("1", "erase")]
    assert [game.standing(each) for each in game.every.each()] == [[(2, 20), (3, 5)], [(2, 20)]]
    with pytest.raises(NotFound, match="Player 1 not found"):
        now.erase(1)
    assert game.every.erase(3) == 1, "who is on one board is erased there"


def test_the_history_forgets_what_it_says_of_an_erased_player(game: TwoBoards) -> None:
    history, actor = History(game.database, lambda: game.now), Actor("operator", "op", "op")
    history.record(actor, "news", "Article", "1", "edit", after={"name": "of others"})
    for boards in game.every.each():
        play(boards, 1, 10)
        recorded = RecordedBoards(boards, history, actor)
        recorded.rename(1, "Secret")
        recorded.hide(1, "other", "lives in Secret")
    assert recorded.erase(game.every, 1) == 2
    lines = history.page().items
    assert "Secret" not in repr(lines)
    assert "of others" in repr([each.after for each in lines])
    renamed = next(each for each in lines if each.verb == "rename")
    assert (renamed.before, renamed.after) == (None, None)
    with pytest.raises(Conflict):
        undo(game.speed, history, renamed.id, actor)


@pytest.mark.parametrize("writes", [1, 2, 3, 4])
def test_nobody_is_erased_by_halves_with_names_in_the_history(game: TwoBoards, writes: int) -> None:
    actor, dying = Actor("operator", "op", "op"), Dying(game.database.backend)
    history = History(game.database, lambda: game.now)
    play(game.classic, 1, 10)
    RecordedBoards(game.classic, history, actor).rename(1, "Secret")
    killed = TwoBoards(Database(dying, secret=b"of a test"))
    dying.kill_after(writes)
    with pytest.raises(Killed):
        RecordedBoards(killed.classic, History(killed.database, lambda: game.now), actor).erase(
            killed.every, 1
        )
    for boards in game.every.each():
        boards.erasing.go_on()
    is_there = game.classic.players.find(1) is not None
    assert is_there or "Secret" not in repr(history.page().items)


def test_erasing_that_is_broken_off_goes_on_where_it_was(game: TwoBoards) -> None:
    for boards in game.every.each():
        play(boards, 1, 10)

    def break_off(transaction: object, weeks: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        game.every.erase(1, beside=break_off)
    assert [each.players.find(1) is None for each in game.every.each()] == [True, False]
    assert (game.speed.erasing.go_on(), game.standing(game.speed)) == (1, [])


def test_an_alarm_names_a_board_beside_the_first() -> None:
    sent: list[bytes] = []
    settings = LeaderboardsSettings(webhook="https://alarms.example", webhook_secret="s3cret")

    def send(address: str, body: bytes, headers: object) -> int:
        sent.append(body)
        return 200

    for board in ("", "speed"):
        assert Alarms(settings, lambda: FRIDAY, send, board).tell("week-closed", {})
    assert [b'"board":"speed"' in each for each in sent] == [False, True]
