"""The command that fills applications with sample items."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from hansang.apps.catalog import application
from hansang.apps.samples import is_empty
from hansang.backends.embedded import Embedded
from hansang.design import Database
from hansang.errors import HansangError, NotFound, SettingsError
from hansang.surfaces.cli.main import app
from tests.surfaces.support import serving


def run(*words: str | Path) -> Result:
    done = CliRunner().invoke(app, ["demo", *map(str, words)])
    if isinstance(done.exception, HansangError):
        raise done.exception
    return done


def test_an_application_is_filled_once(tmp_path: Path) -> None:
    words = ("--data", tmp_path / "a.db", "--app", "news", "--json")
    [first], [second] = json.loads(run(*words).stdout), json.loads(run(*words).stdout)
    assert first["application"] == "news"
    assert first["written"] > 100
    assert first["skipped"] is False
    assert second == {"application": "news", "written": 0, "skipped": True}


def test_only_the_applications_that_are_named_are_filled(tmp_path: Path) -> None:
    run("--data", tmp_path / "a.db", "--app", "news", "--app", "news")
    with Embedded.open(tmp_path / "a.db") as backend:
        database = Database(backend)
        assert not is_empty(database, application("news"))
        database.create_tables(*application("codex").tables)
        assert is_empty(database, application("codex"))


def test_people_are_told_what_was_done_and_what_was_not(tmp_path: Path) -> None:
    words = ("--data", tmp_path / "a.db", "--app", "codex")
    assert run(*words).stdout.startswith("codex: ")
    assert "items written" not in run(*words).stdout
    assert "has items already and was left as it is" in run(*words).stdout


def test_a_fill_that_was_interrupted_is_done_anew_by_force(tmp_path: Path) -> None:
    words = ("--data", tmp_path / "a.db", "--app", "codex", "--json")
    [first], [again] = json.loads(run(*words).stdout), json.loads(run(*words, "--force").stdout)
    assert again == first
    assert first["written"] > 50


def test_force_empties_only_what_is_named_and_only_a_data_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("--data", tmp_path / "a.db", "--app", "news", "--app", "codex")
    run("--data", tmp_path / "a.db", "--app", "codex", "--force")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "any")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "any")
    with Embedded.open(tmp_path / "a.db") as backend, serving(backend) as address:
        with pytest.raises(SettingsError, match="a data file only"):
            run("--data", address.url, "--app", "codex", "--force")
        for name in ("news", "codex"):
            assert not is_empty(Database(backend), application(name))


def test_an_application_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"Application shop not found. There are assets, "):
        run("--data", tmp_path / "a.db", "--app", "shop")


def test_tables_elsewhere_have_to_be_there(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "any")
    with (
        Embedded.open() as backend,
        serving(backend) as address,
        pytest.raises(HansangError, match="hansang tables create"),
    ):
        run("--data", address.url, "--app", "news")
