"""The commands on API keys, run in the process as the command line runs them."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from hansang.apps.platform.api_keys import ApiKey, ApiKeys
from hansang.apps.platform.cli.keys import group
from hansang.backends.embedded import Embedded
from hansang.clock import system_clock
from hansang.design import Database
from hansang.errors import HansangError, InvalidInput, NotFound, SettingsError


class Commands:
    """The command with one data file."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def run(self, *words: str) -> Result:
        done = CliRunner().invoke(group, [*words, "--data", str(self.place)])
        if isinstance(done.exception, HansangError):
            raise done.exception
        return done

    def json(self, *words: str) -> Any:
        done = self.run(*words, "--json")
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)

    def find(self, text: str) -> ApiKey | None:
        with Embedded.open(self.place) as backend:
            return ApiKeys(Database(backend), system_clock).find(text)


@pytest.fixture
def keys(tmp_path: Path) -> Commands:
    return Commands(tmp_path / "keys.db")


def test_a_key_is_printed_alone_so_that_a_shell_can_take_it(keys: Commands) -> None:
    done = keys.run("create", "loader", "--scope", "news:write", "--scope", "codex:read")
    [text] = done.stdout.splitlines()
    assert "not shown again" in done.stderr
    found = keys.find(text)
    assert found is not None
    assert (found.label, found.created_by, found.expires_at) == ("loader", "command line", None)
    assert found.scopes == {"news:write", "codex:read"}


def test_a_key_may_have_a_rate_of_its_own(keys: Commands) -> None:
    assert keys.json("create", "game", "--scope", "leaderboards:write", "--rate", "60000")["rate"] == 60_000
    assert "60,000/min" in keys.run("list").stdout


def test_a_key_ends_when_it_is_told_to(keys: Commands) -> None:
    made = keys.json("create", "loader", "--scope", "*:read", "--expires", "90d")
    left = datetime.fromisoformat(made["expires_at"]) - datetime.fromtimestamp(system_clock(), UTC)
    assert timedelta(days=89, hours=23) < left <= timedelta(days=90)
    assert keys.json("create", "a", "--scope", "*:read", "--expires", "2999-12-31")["expires_at"] == (
        "3000-01-01T00:00:00Z"
    )


@pytest.mark.parametrize("when", ["", "90", "d", "-1d", "0d", "1.5d", "soon", "2027-13-01", "9999-12-31"])
def test_an_end_that_is_none_is_refused(keys: Commands, when: str) -> None:
    with pytest.raises(SettingsError, match="Give 12h, 90d, 26w or a day"):
        keys.run("create", "loader", "--scope", "news:read", "--expires", when)
    assert keys.json("list") == []


def test_an_end_that_has_passed_is_refused(keys: Commands) -> None:
    with pytest.raises(InvalidInput, match="expired already"):
        keys.run("create", "loader", "--scope", "news:read", "--expires", "2020-01-01")


def test_an_unknown_scope_is_refused_with_those_that_there_are(keys: Commands) -> None:
    with pytest.raises(InvalidInput, match=r"Scope new:read not found\. There are .*news:read"):
        keys.run("create", "loader", "--scope", "new:read")
    assert keys.run("create", "loader").exit_code == 2


def test_the_list_is_empty_full_or_json(keys: Commands) -> None:
    assert keys.json("list") == []
    assert "hansang keys create" in keys.run("list").stdout
    text = keys.run("create", "loader", "--scope", "news:write").stdout.strip()
    lines = keys.run("list").stdout.splitlines()
    assert lines[2].split()[1:4] == ["loader", "news:write", "valid"]
    [listed] = keys.json("list")
    assert (listed["label"], listed["scopes"], listed["last_used_at"]) == ("loader", ["news:write"], None)
    assert text.split("_", 2)[2] not in keys.run("list", "--json").stdout
    assert "digest" not in listed


def test_a_revoked_key_opens_nothing(keys: Commands) -> None:
    made = keys.json("create", "loader", "--scope", "news:write")
    assert keys.find(made["key"]) is not None
    assert keys.run("revoke", made["id"]).stdout == f"{made['id']} (loader) opens nothing any more.\n"
    assert keys.find(made["key"]) is None
    assert keys.json("revoke", made["id"])["state"] == "revoked"
    assert "revoked" in keys.run("list").stdout


def test_a_key_that_is_not_there_cannot_be_revoked(keys: Commands) -> None:
    with pytest.raises(NotFound, match="Key gone not found"):
        keys.run("revoke", "gone")


def test_every_command_has_examples() -> None:
    for command in group.registered_commands:
        assert "hansang keys" in (command.epilog or "")
