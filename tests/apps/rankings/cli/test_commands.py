"""The commands of the rankings, run in the process as the command line runs them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from hansang.apps.rankings.cli.commands import group
from hansang.errors import HansangError, NotFound
from tests.apps.rankings.imports import player
from tests.apps.rankings.players import uuid


class Commands:
    """The command with one data file."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.place = folder, folder / "rankings.db"

    def run(self, *words: str, stdin: str | None = None) -> Result:
        done = CliRunner().invoke(group, [*words, "--data", str(self.place)], input=stdin)
        if isinstance(done.exception, HansangError):
            raise done.exception
        assert done.exit_code == 0, done.output
        return done

    def json(self, *words: str) -> Any:
        return json.loads(self.run(*words, "--json").stdout)


@pytest.fixture
def commands(tmp_path: Path) -> Commands:
    """Two days, of which the second was exported and imported again."""
    found = Commands(tmp_path)
    for day, first in (("2026-02-20", 1), ("2026-02-21", 2)):
        rows = [player(number, number * first, number) for number in range(first, 30)]
        found.run("import", "-", "--day", day, stdin="\n".join(map(json.dumps, rows)))
    return found


def test_a_day_that_is_exported_and_imported_again_is_the_same(commands: Commands, tmp_path: Path) -> None:
    for form in ("csv", "json", "jsonl"):
        exported = commands.run("export", "2026-02-21", "--form", form).stdout
        file = tmp_path / f"day.{form}"
        file.write_text(exported, encoding="utf-8")
        done = commands.json("import", str(file), "--day", "2026-02-21", "--again")
        assert (done["status"], done["players"], done["rejected"]) == ("finished", 28, 0)
        assert commands.run("export", "2026-02-21", "--form", form).stdout == exported


def test_boards_are_printed_as_tables_and_as_json(commands: Commands) -> None:
    assert [each["day"] for each in commands.json("days")] == ["2026-02-21", "2026-02-20"]
    assert "한월29" in commands.run("board", "power", "--size", "3").stdout
    assert [
        row["power"] for row in commands.json("board", "power", "--page", "1", "--size", "2")["items"]
    ] == [27, 26]
    assert "NEW" not in commands.run("official", "level").stdout
    assert commands.json("range", "level", "4", "8")["total"] == 3
    assert commands.json("movers", "level")["grown"][0]["grown"] == 29
    assert "grown" in commands.run("movers", "level", "--count", "2").stdout
    assert [each["name"] for each in commands.json("search", "ㅎㅇ29")] == ["한월29"]
    assert "2026-02-21: 28 players" in commands.run("board", "level").stdout


def test_players_are_printed_as_tables_and_as_json(commands: Commands) -> None:
    assert commands.json("rank", uuid(28), "--board", "power")["rank"] == 2
    assert "2 of 28" in commands.run("rank", uuid(28), "--board", "power").stdout
    assert [day["level"] for day in commands.json("history", uuid(5))["items"]] == [10, 5]
    assert "2026-02-20" in commands.run("history", uuid(5)).stdout
    assert list(commands.json("compare", uuid(5), uuid(6))) == [uuid(5), uuid(6)]
    assert commands.json("lookup", "nobody") == []


def test_hiding_erasing_and_rolling_back(commands: Commands) -> None:
    assert "hidden" in commands.run("hide", uuid(5)).stdout
    assert "shown" in commands.run("show", uuid(5)).stdout
    assert "from 2 days" in commands.run("erase", uuid(5), "--yes").stdout
    with pytest.raises(NotFound):
        commands.run("rank", uuid(5))
    assert "removed" in commands.run("roll-back", "2026-02-21", "--yes").stdout
    assert [each["day"] for each in commands.json("days")] == ["2026-02-20"]


def test_a_snapshot_of_no_profiles_is_refused_and_a_day_is_reopened_and_finished(commands: Commands) -> None:
    assert "is open" in commands.run("reopen", "2026-02-21").stdout
    commands.run("import", "-", "--day", "2026-02-21", stdin=json.dumps(player(1)))
    assert commands.json("finish", "2026-02-21")["players"] == 1
    with pytest.raises(HansangError, match="no rows"):
        commands.run("snapshot", "--day", "2026-02-25")
