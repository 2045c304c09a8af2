"""What was used and what it costs, as a command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hansang.errors import NotFound
from hansang.settings import ServerSettings
from hansang.surfaces.cli.main import app
from hansang.wiring import open_shell
from tests.apps.assets.household import income


@pytest.fixture
def data(tmp_path: Path) -> str:
    """A data file on which a server has run, and has stopped."""
    place = str(tmp_path / "data.db")
    with open_shell(ServerSettings(data=place, jobs=False)) as shell:
        shell.database.put(income())
    return place


def test_what_a_server_has_used_is_told_after_it_has_stopped(data: str) -> None:
    told = CliRunner().invoke(app, ["capacity", "--data", data, "--app", "assets"]).output
    assert "Income.put" in told
    assert "A month is estimated from 24 hours of counts" in told
    plain = json.loads(CliRunner().invoke(app, ["capacity", "--data", data, "--json"]).output)
    [used] = [each for each in plain["patterns"] if each["name"] == "Income.put"]
    assert (used["app"], used["requests"]) == ("assets", 1)
    assert plain["estimated_month"] is None


def test_an_hour_is_no_month(data: str) -> None:
    told = CliRunner().invoke(app, ["capacity", "--data", data, "--range", "hour"]).output
    assert "An hour says too little" in told


def test_an_application_that_is_not_there_is_named(data: str) -> None:
    done = CliRunner().invoke(app, ["capacity", "--data", data, "--app", "nothing"])
    assert isinstance(done.exception, NotFound)
