"""Backups on a schedule, from the settings to the home page, the metrics and the command line."""

from __future__ import annotations

import json
import logging
import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from typer.testing import CliRunner

from hansang.apps.platform.accounts import accounts_of
from hansang.errors import HansangError, NotFound, SettingsError
from hansang.settings import ServerSettings
from hansang.surfaces.cli.main import app
from hansang.surfaces.console.app import create_console
from hansang.surfaces.http.frame import framed
from hansang.surfaces.http.metrics import Metrics
from hansang.surfaces.shell import Shell
from hansang.wiring import open_shell, serve
from tests.surfaces.console.browsers import Browser
from tests.surfaces.http.test_metrics import scraped, value
from tests.surfaces.shells import PASSWORD, SetClock, clock

__all__ = ["clock"]


@pytest.fixture
def settings(tmp_path: Path) -> ServerSettings:
    (tmp_path / "backups").mkdir()
    return ServerSettings(
        data=str(tmp_path / "shop.db"), jobs=False, apps=("codex",), backup_to=str(tmp_path / "backups")
    )


@pytest.fixture
def shell(settings: ServerSettings, clock: SetClock) -> Iterator[Shell]:
    with open_shell(settings, clock) as opened:
        yield opened


def home(shell: Shell, language: str = "en", *, role: str = "*") -> str:
    """What somebody reads on the first page."""
    people = accounts_of(shell.identity).people
    name = "all" if role == "*" else role
    if people.find(name) is None:
        people.create(name, name.capitalize(), {role: "owner"}, PASSWORD)
    pages, error_page = create_console(shell)
    with framed(Starlette(routes=pages), shell, error_page=error_page) as framing:
        page = Browser(framing, language).sign_in(name).get("/")
    assert page.faults == []
    return page.shown


def taken(shell: Shell) -> str:
    shell.jobs.run_now("backup")
    return sorted(os.listdir(shell.settings.backup_to))[-1]


# ── home page ─────────────────────────────────────────────────────────────────────────────────────


def test_the_last_good_backup_is_on_the_first_page(shell: Shell, clock: SetClock) -> None:
    assert "Last good backup none yet" in home(shell)
    taken(shell)
    clock.advance(3600)
    shown = home(shell)
    assert "Backups Good" in shown
    assert "Last good backup 1 hour ago · " in shown
    assert "마지막 정상 백업 1시간 전 · " in home(shell, "ko")


def test_a_backup_that_failed_is_on_the_first_page_with_the_last_good_one(
    shell: Shell, clock: SetClock, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    taken(shell)
    (tmp_path / "backups").rename(tmp_path / "unmounted")
    clock.advance(86_400)
    with caplog.at_level(logging.CRITICAL, logger="hansang.jobs"):
        shell.jobs.run_now("backup")
    shown = home(shell)
    assert "Backups Failed" in shown
    assert "The latest backup failed StoreError: Folder for backups not found" in shown
    assert "Last good backup 1 day ago" in shown


def test_backups_are_for_those_who_see_the_platform(shell: Shell) -> None:
    taken(shell)
    assert "Last good backup" in home(shell, role="platform")
    assert "Last good backup" not in home(shell, role="codex")


def test_without_a_place_the_first_page_says_how_to_have_backups(
    settings: ServerSettings, clock: SetClock
) -> None:
    with open_shell(replace(settings, backup_to=None), clock) as shell:
        assert "backup" not in shell.jobs.jobs
        assert "No backups scheduled" in home(shell)


# ── metrics ───────────────────────────────────────────────────────────────────────────────────────


def test_the_last_good_backup_is_in_the_metrics(shell: Shell, clock: SetClock, tmp_path: Path) -> None:
    assert value(scraped(Metrics(shell)), "hansang_backup_last_good_timestamp_seconds") == 0
    begun, name = int(clock.now), taken(shell)
    clock.advance(500)
    samples = scraped(Metrics(shell))
    assert value(samples, "hansang_backup_last_good_timestamp_seconds") == begun
    assert value(samples, "hansang_backup_last_good_bytes") == (tmp_path / "backups" / name).stat().st_size
    assert value(samples, "hansang_backup_last_good_seconds") == 0  # The clock stood still meanwhile.


def test_a_server_without_backups_has_no_metrics_of_them(settings: ServerSettings, clock: SetClock) -> None:
    with open_shell(replace(settings, backup_to=None), clock) as shell:
        assert [name for name, _ in scraped(Metrics(shell)) if "backup" in name] == []


# ── settings ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"backup_at": "at night"}, "HANSANG_BACKUP_AT: 'at night' is not a valid schedule"),
        ({"backup_keep": "all"}, "'all' does not say how many backups to keep"),
        ({"backup_to": "ftp://host"}, "'ftp://host' is not a valid place for backups"),
        ({"data": "aws:ap-northeast-2"}, "HANSANG_BACKUP_TO is for a data file, .* point-in-time recovery"),
    ],
)
def test_what_cannot_be_is_said_at_the_start(
    settings: ServerSettings, changed: dict[str, Any], message: str
) -> None:
    with pytest.raises(SettingsError, match=message):
        serve(replace(settings, **changed), demo=False, announce=lambda text: None)


def test_the_environment_says_where_when_and_how_many() -> None:
    environ = {
        "HANSANG_BACKUP_TO": "s3://a/b",
        "HANSANG_BACKUP_AT": "weekly SUN 03:00 UTC",
        "HANSANG_BACKUP_KEEP": "5 weekly",
    }
    found = ServerSettings.chosen({}, environ)
    assert (found.backup_to, found.backup_at, found.backup_keep) == tuple(environ.values())


# ── command line ──────────────────────────────────────────────────────────────────────────────────


def run(*words: str) -> str:
    done = CliRunner().invoke(app, words)
    if isinstance(done.exception, HansangError):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture
def environment(settings: ServerSettings, monkeypatch: pytest.MonkeyPatch) -> ServerSettings:
    monkeypatch.setenv("HANSANG_BACKUP_TO", settings.backup_to or "")
    monkeypatch.setenv("HANSANG_DATA", settings.data)
    monkeypatch.setenv("HANSANG_APPS", "codex")
    return settings


@pytest.fixture
def made(environment: ServerSettings) -> list[str]:
    """A backup of 16 November 2026, and one of now, the newest first."""
    run("jobs", "run", "backup")
    folder = Path(environment.backup_to or "")
    [name] = os.listdir(folder)
    old = "shop-20261116T030000Z-00aa11.db"
    shutil.copy(folder / name, folder / old)
    return sorted([name, old], key=lambda each: each[5:21], reverse=True)


def test_backups_are_listed(made: list[str]) -> None:
    told = json.loads(run("restore", "--list", "--json"))
    assert [each["name"] for each in told] == made
    assert {each["data"] for each in told} == {"shop"}
    assert all(each["bytes"] > 8192 for each in told)
    listed = run("restore", "--list")
    assert all(name in listed for name in made)


def test_an_empty_place_says_so(environment: ServerSettings) -> None:
    assert run("restore", "--list") == f"There are no backups in {environment.backup_to}.\n"
    with pytest.raises(NotFound, match=r"No backup of shop\.db found"):
        run("restore", "latest")


@pytest.mark.parametrize("asked", ["latest", "2026-11-16T12:00Z", "shop-20261116T030000Z-00aa11.db"])
def test_a_backup_is_restored_by_name_as_the_latest_and_by_moment(
    made: list[str], environment: ServerSettings, asked: str, tmp_path: Path
) -> None:
    assert "is whole" in run("restore", "--check", asked)
    assert f"{environment.data} is restored from {asked}" in run("restore", asked)
    assert any("before-restore" in each for each in os.listdir(tmp_path))


def test_a_place_can_be_named_for_once(made: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    place = os.environ["HANSANG_BACKUP_TO"]
    monkeypatch.delenv("HANSANG_BACKUP_TO")
    with pytest.raises(SettingsError, match="Say it with --from or HANSANG_BACKUP_TO"):
        run("restore", "--list")
    assert made[0] in run("restore", "--list", "--from", place)


def test_a_restore_of_nothing_asks_what(environment: ServerSettings) -> None:
    with pytest.raises(SettingsError, match="Which backup"):
        run("restore")
