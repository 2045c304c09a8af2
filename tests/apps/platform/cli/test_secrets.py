"""The command that makes new secrets, and what a copied data file is worth."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from hansang.apps.platform.accounts import Accounts, accounts_of
from hansang.apps.platform.cli.secrets import group
from hansang.apps.platform.person import Person
from hansang.apps.platform.sessions import Session
from hansang.backends.embedded import Embedded
from hansang.design import Database
from hansang.errors import WrongKey
from hansang.parts.key_file import path_beside
from hansang.parts.permissions import EVERYWHERE
from hansang.settings import ServerSettings
from hansang.wiring import open_shell


def found_by(data: Path, cookie: str) -> tuple[Session, Person] | None:
    with open_shell(ServerSettings(data=str(data), jobs=False)) as shell:
        return accounts_of(shell.identity).sessions.find(cookie)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "served.db"


@pytest.fixture
def cookie(data: Path) -> str:
    """Of somebody who has signed in."""
    with open_shell(ServerSettings(data=str(data), jobs=False)) as shell:
        accounts = accounts_of(shell.identity)
        person = accounts.people.create("seoyeon", "윤서연", {EVERYWHERE: "owner"})
        return accounts.sessions.start(person, "127.0.0.1", "tests")


def renew(data: Path, *options: str, typed: str | None = None) -> str:
    done = CliRunner().invoke(group, ["--data", str(data), *options], input=typed)
    assert done.exception is None or isinstance(done.exception, SystemExit)
    return done.output


def test_new_secrets_end_every_session_and_need_no_old_key(data: Path, cookie: str) -> None:
    assert found_by(data, cookie) is not None
    path_beside(str(data)).unlink()
    with pytest.raises(WrongKey):
        found_by(data, cookie)
    assert "1 sessions ended" in renew(data, "--yes")
    assert found_by(data, cookie) is None


def test_without_a_yes_nothing_is_made_anew(data: Path, cookie: str) -> None:
    renew(data, typed="n\n")
    assert found_by(data, cookie) is not None


def test_the_renewal_is_in_the_history(data: Path, cookie: str) -> None:
    renew(data, "--yes")
    with open_shell(ServerSettings(data=str(data), jobs=False)) as shell:
        assert [each.verb for each in shell.history.page("platform").items if each.kind == "Secret"] == [
            "renew"
        ]


def test_nothing_in_a_copied_file_signs_anybody_in(data: Path, cookie: str) -> None:
    """Every stored text and byte string, taken as the signing secret, forges no cookie that is believed."""
    with Embedded.open(data, sweeps=False) as backend:
        items = backend.call("Scan", {"TableName": "HansangPlatform"})["Items"]
        stored = [value for item in items for value in texts(item)]
        forged = [
            Accounts(Database(backend), lambda: 0.0, value.encode())
            .sessions._signer.sign(cookie.rpartition(".")[0])
            .decode()
            for value in stored
        ]
    assert len(stored) > 20
    assert cookie not in forged
    assert all(cookie.partition(":")[2].partition(".")[0] not in value for value in stored)


def texts(value: object) -> list[str]:
    if isinstance(value, dict):
        return [text for each in value.values() for text in texts(each)]
    if isinstance(value, list):
        return [text for each in value for text in texts(each)]
    return [str(value)]
