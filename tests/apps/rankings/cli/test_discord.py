"""Registering the commands of the bot, at an address that answers as Discord does."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from typer.testing import CliRunner

from hansang.apps.catalog import application
from hansang.apps.rankings.bot.commands import COMMANDS
from hansang.apps.rankings.cli.commands import group
from hansang.errors import HansangError, InvalidInput, NotAllowed, SettingsError, Unavailable
from hansang.surfaces.cli.deployment import given_settings
from tests.apps.rankings.bot.discords import PUBLIC_KEY, Discord, discord


@pytest.fixture
def there(monkeypatch: pytest.MonkeyPatch) -> Iterator[Discord]:
    with discord() as found:
        monkeypatch.setenv("HANSANG_RANKINGS_DISCORD_API", found.base)
        monkeypatch.setenv("HANSANG_RANKINGS_DISCORD_APPLICATION", "1180000000000000001")
        monkeypatch.setenv("HANSANG_RANKINGS_DISCORD_TOKEN", "swordfish")
        yield found


def register(*words: str) -> str:
    done = CliRunner().invoke(group, ["discord", "register", *words])
    if isinstance(done.exception, HansangError):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.output


def test_the_commands_are_put_in_place_of_those_before(there: Discord) -> None:
    assert register() == "Registered: /랭킹, /프로필, /비교, /검색\n"
    [(method, path, kind, body, who)] = there.asked
    assert (method, path) == ("PUT", "/api/v10/applications/1180000000000000001/commands")
    assert (kind, who, json.loads(body)) == ("application/json", "Bot swordfish", COMMANDS)


def test_the_commands_of_one_server_are_registered_apart(there: Discord) -> None:
    assert json.loads(register("--guild", "42", "--json"))["commands"] == ["랭킹", "프로필", "비교", "검색"]
    assert there.paths == ["PUT /api/v10/applications/1180000000000000001/guilds/42/commands"]


def test_what_discord_says_is_told_without_the_token(there: Discord, monkeypatch: pytest.MonkeyPatch) -> None:
    for status, error in ((401, NotAllowed), (400, InvalidInput)):
        there.status = status
        with pytest.raises(error) as refused:
            register()
        assert "swordfish" not in str(refused.value)
    monkeypatch.setenv("HANSANG_RANKINGS_DISCORD_API", "http://127.0.0.1:9")
    with pytest.raises(Unavailable, match="cannot be reached"):
        register()


def test_what_is_needed_is_named() -> None:
    with pytest.raises(SettingsError, match="HANSANG_RANKINGS_DISCORD_TOKEN"):
        register()


def test_the_commands_are_as_discord_takes_them() -> None:
    for each in COMMANDS:
        assert 1 <= len(each["name"]) <= 32
        assert 1 <= len(each["description"]) <= 100
        needed = [option["required"] for option in each["options"]]
        assert needed == sorted(needed, reverse=True)
        assert len(needed) <= 25


def test_the_token_does_not_get_into_a_template(there: Discord, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANSANG_RANKINGS_DISCORD_KEY", PUBLIC_KEY)
    found = given_settings([application("rankings")])
    assert found["HANSANG_RANKINGS_DISCORD_KEY"] == PUBLIC_KEY
    assert "swordfish" not in str(found)
