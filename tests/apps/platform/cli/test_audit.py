"""The commands on the audit log."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hansang.apps.platform.cli.audit import group
from hansang.apps.platform.design import Platform
from hansang.backends.embedded import Embedded
from hansang.clock import system_clock
from hansang.design import Database
from hansang.errors import RequestStopped
from hansang.parts import exports
from hansang.parts.audit import AuditLog
from hansang.parts.exports import Exports


def run(place: Path, *words: str) -> str:
    done = CliRunner().invoke(group, [*words, "--data", str(place)], catch_exceptions=False)
    assert done.exit_code == 0
    return done.stdout


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "audit.db"


@pytest.fixture
def signed_in(place: Path) -> None:
    with Embedded.open(place) as backend:
        database = Database(backend)
        database.create_tables(Platform)
        AuditLog(database, system_clock).note("sign-in", "person:seoyeon", "192.0.2.1", "password", "Firefox")


@pytest.mark.usefixtures("signed_in")
def test_the_log_is_listed_and_exported(place: Path) -> None:
    assert "person:seoyeon" in run(place, "list")
    [listed] = json.loads(run(place, "list", "--json"))
    [exported] = [json.loads(line) for line in run(place, "export").splitlines()]
    assert listed == exported
    assert (exported["kind"], exported["origin"], exported["count"]) == ("sign-in", "192.0.2.1", 1)


@pytest.mark.usefixtures("signed_in")
def test_an_export_that_is_stopped_ends_with_an_error(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever stops it does so from another process, when its first line is there."""
    monkeypatch.setattr(exports, "PAUSE", 0.0)
    printed: list[bytes] = []

    def stop(line: bytes) -> None:
        printed.append(line)
        with Embedded.open(place) as backend:
            found = Exports(Database(backend), system_clock)
            [seen] = found.running()
            assert (seen.what, seen.who.partition(":")[0]) == ("audit.jsonl", "operator")
            found.stop(seen.id)

    with Embedded.open(place) as backend:
        AuditLog(Database(backend), system_clock).note("sign-in", "person:minji", "192.0.2.1", "link")
    monkeypatch.setattr("typer.echo", stop)
    with pytest.raises(RequestStopped, match="stopped by an operator"):
        run(place, "export")
    assert len(printed) == 1


def test_an_empty_log_says_so(place: Path) -> None:
    assert run(place, "list") == "The audit log is empty.\n"
    assert run(place, "export") == ""
