"""The commands of the leaderboards, run in the process as the command line runs them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from hansang.apps.leaderboards.cli.commands import group
from hansang.apps.leaderboards.cli.weeks import tier_of
from hansang.backends.embedded import Embedded
from hansang.clock import system_clock
from hansang.design import Database
from hansang.errors import Conflict, HansangError, InvalidInput, NotFound
from hansang.parts.history import History
from hansang.surfaces.cli.main import app
from hansang.surfaces.cli.tables_check import group as tables
from tests.apps.leaderboards.games import Game
from tests.clauses import clause


class Commands:
    """The command with one data file."""

    def __init__(self, folder: Path) -> None:
        self.place = folder / "boards.db"

    def run(self, *words: str) -> Result:
        done = CliRunner().invoke(group, [*words, "--data", str(self.place)])
        if isinstance(done.exception, HansangError):
            raise done.exception
        assert done.exit_code == 0, done.output
        return done

    def json(self, *words: str) -> Any:
        return json.loads(self.run(*words, "--json").stdout)


@pytest.fixture
def commands(tmp_path: Path) -> Commands:
    found = Commands(tmp_path)
    for player, name, score in (("1", "John", "32847"), ("2", "Maria", "42710"), ("3", "Andrew", "19202")):
        found.run("submit", player, name, score)
    return found


def test_scores_and_boards_are_printed_as_tables_and_as_json(commands: Commands) -> None:
    assert commands.json("submit", "3", "Andrew", "20000")["rank"] == 3
    assert "rank 2 of 3 (no new best)" in commands.run("submit", "1", "John", "5").stdout
    assert [row["id"] for row in commands.json("board")["items"]] == [2, 1, 3]
    assert "Maria" in commands.run("board", "--ties", "dense").stdout
    assert [row["rank"] for row in commands.json("around", "1", "--k", "1")["items"]] == [1, 2, 3]
    assert "Andrew" in commands.run("around", "1").stdout
    assert commands.json("rank", "1")["rank"] == 2
    assert "2 of 3 with 32,847" in commands.run("rank", "1").stdout
    assert "no score" in commands.run("rank", "9").stdout
    assert sum(bar["players"] for bar in commands.json("histogram")) == 3
    assert "█" in commands.run("histogram", "--bars", "4").stdout
    assert commands.json("scores", "1")["best"] == 32847
    assert "John" in commands.run("scores", "1").stdout


def test_friends(commands: Commands) -> None:
    commands.run("befriend", "1", "2")
    assert [row["id"] for row in commands.json("friends", "1")["items"]] == [2, 1]
    assert "Maria" in commands.run("friends", "1").stdout
    commands.run("unfriend", "1", "2")
    assert [row["id"] for row in commands.json("friends", "1")["items"]] == [1]
    assert "3 players" in commands.run("repair").stdout
    assert "0 changes" in commands.run("settle").stdout


def test_what_operators_do(commands: Commands) -> None:
    assert [each["id"] for each in commands.json("search", "mar")] == [2]
    commands.run("rename", "2", "마리아")
    assert "마리아" in commands.run("search", "ㅁㄹ").stdout
    with pytest.raises(NotFound, match="Player 77 not found"):
        commands.run("hide", "2", "77")
    assert commands.json("hidden") == []
    commands.run("hide", "2", "3", "--reason", "test", "--until", "2999-01-01")
    assert [each["id"] for each in commands.json("hidden")] == [2, 3]
    assert "마리아" in commands.run("hidden").stdout
    assert [row["id"] for row in commands.json("board")["items"]] == [1]
    commands.run("restore", "3")
    commands.run("correct", "3", "50", "--note", "counted twice")
    assert [row["score"] for row in commands.json("board")["items"]] == [32847, 50]
    with pytest.raises(InvalidInput):
        commands.run("submit", "1", "John", "100000")
    assert [each["score"] for each in commands.json("refused")] == [100_000]
    assert "score-too-high" in commands.run("refused").stdout
    commands.run("submit", "3", "Andrew", "99999")
    assert [each["why"] for each in commands.json("suspects")] == ["jump"]
    assert "jump" in commands.run("suspects").stdout
    commands.run("judge", "3", "cleared")
    assert commands.json("suspects")[0]["state"] == "cleared"
    assert "erased from 1 weeks" in commands.run("erase", "3", "--yes").stdout
    with Embedded.open(str(commands.place)) as backend:
        lines = History(Database(backend), system_clock).page("leaderboards")
        hidden = next(each.id for each in lines if each.verb == "hide" and each.subject == "2")
    commands.run("undo", hidden)
    assert [row["id"] for row in commands.json("board")["items"]] == [2, 1]


@clause("X2-22")
def test_weeks_are_closed(commands: Commands) -> None:
    with pytest.raises(Conflict, match="not over"):
        commands.run("close", "current", "--yes")
    with pytest.raises(Conflict, match="nothing to close"):
        commands.run("close", "2014-05-09", "--yes")
    dry = commands.json("close", "current", "--dry-run", "--tier", "gold=1", "--tier", "rest=100%")
    assert [tier["players"] for tier in dry["tiers"]] == [1, 2]
    assert "nothing was changed" in commands.run("close", "current", "--dry-run", "--tier", "gold=1").stdout
    assert (commands.json("weeks"), "state" in commands.run("weeks").stdout) == ([], True)


def test_a_final_week_is_rewarded_and_archived(tmp_path: Path) -> None:
    commands = Commands(tmp_path)
    commands.run("weeks")
    with Embedded.open(str(commands.place)) as backend:
        game = Game(Database(backend))
        game.play(1, 10)
        game.play(2, 20)
    done = commands.json("close", "2014-05-09", "--tier", "gold=1", "--yes")
    assert (done["state"], done["rewards"]) == ("final", 1)
    assert "mail-1" not in commands.run("rewards", "2014-05-09", "--csv").stdout
    commands.run("deliver", "2014-05-09", "1", "mail-1")
    assert commands.json("rewards", "2014-05-09")[0]["receipt"] == "mail-1"
    assert "gold" in commands.run("rewards", "2014-05-09").stdout
    lines = commands.run("archive", "2014-05-02", "2014-05-30").stdout.splitlines()
    assert [json.loads(line)["id"] for line in lines] == [2, 1]
    with pytest.raises(NotFound, match="no reward 7"):
        commands.run("deliver", "2014-05-09", "7", "mail-7")


@clause("X2-03", "2-20")
def test_items_in_the_book_s_spelling_are_rewritten(tmp_path: Path) -> None:
    commands = Commands(tmp_path)
    commands.run("weeks")
    with Embedded.open(str(commands.place)) as backend:
        for table, key, text, score in (
            ("UsersLeaderboard", "Week", "2014-05-09,2014-05-15", "TopScore"),
            ("FriendsLeaderboard", "FriendAndWeek", "2,2014-05-09,2014-05-15", "Score"),
        ):
            item = {"Id": {"N": "1"}, "Name": {"S": "John"}, key: {"S": text}, score: {"N": "32847"}}
            backend.call("PutItem", {"TableName": table, "Item": item})
    found = commands.json("scores", "1")
    assert (found["best"], [each["score"] for each in found["items"]]) == (32847, [32847]), (
        "it is read as it is"
    )
    assert "1 weeks and 1 rows" in commands.run("normalize").stdout
    assert "0 weeks and 0 rows" in commands.run("normalize").stdout
    assert commands.json("rank", "1", "--week", "2014-05-09")["rank"] == 1
    assert commands.json("friends", "2", "--week", "2014-05-09")["items"][0]["score"] == 32847


@pytest.mark.parametrize("text", ["gold", "=3", "gold=0", "gold=101%", "gold=x"])
def test_a_tier_is_typed_with_its_size(text: str) -> None:
    with pytest.raises(InvalidInput, match="is not a tier"):
        tier_of(text)


def test_a_command_is_about_the_board_that_it_names(
    commands: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HANSANG_LEADERBOARDS_BOARDS", "classic,speed")
    commands.run("--board", "speed", "submit", "7", "Ann", "5")
    speed, first = (commands.json(*words, "board") for words in (("--board", "speed"), ()))
    assert ([row["id"] for row in speed["items"]], len(first["items"])) == ([7], 3)
    assert len(commands.json("--board", "classic", "board")["items"]) == 3
    with pytest.raises(NotFound, match="The boards are classic, speed"):
        commands.run("--board", "blitz", "board")


def test_tables_of_every_board_are_created_compared_and_checked_by_the_same_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HANSANG_LEADERBOARDS_BOARDS", "classic,speed")
    place = ["--data", str(tmp_path / "tables.db"), "--suffix", "-dev", "--json"]
    made, different, wrong = (
        CliRunner().invoke(tables, [verb, "leaderboards", *place]) for verb in ("create", "diff", "check")
    )
    names = [each["table"] for each in json.loads(made.stdout)]
    assert (len(names), names[0], names[4]) == (8, "UsersLeaderboard-dev", "speed-UsersLeaderboard-dev")
    assert all(each["created"] for each in json.loads(made.stdout))
    assert [each["table"] for each in json.loads(different.stdout)] == names
    assert (different.exit_code, wrong.exit_code) == (0, 0)


def test_the_sample_fills_every_board_that_is_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = [
        "--data",
        str(tmp_path / "a.db"),
        "--app",
        "tests.apps.leaderboards.small_sample:APPLICATION",
        "--json",
    ]

    def written(boards: str, *more: str) -> int:
        monkeypatch.setenv("HANSANG_SMALL_BOARDS", boards)
        [found] = json.loads(CliRunner().invoke(app, ["demo", *words, *more]).stdout)
        return int(found["written"])

    assert [written("classic,speed"), written("classic,speed"), written("classic,speed,blitz")] == [2, 0, 1]
    assert written("classic,speed", "--force") == 2
