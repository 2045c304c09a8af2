"""The synthetic week: what it cost, what was reached, which key is hot; in tables of its own."""

from __future__ import annotations

import json
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from typer.testing import CliRunner

from hansang.apps.leaderboards.cli.commands import group
from hansang.apps.leaderboards.cli.simulate import simulated_place
from hansang.apps.leaderboards.simulation import WeekPlan
from hansang.backends.embedded import Embedded

ASKED = ("simulate", "--players", "40", "--plays-per-second", "30", "--seconds", "1", "--threads", "2")


def run(place: Path, *more: str) -> str:
    done = CliRunner().invoke(group, [*ASKED, *more, "--data", str(place)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_a_week_says_what_it_cost_and_where_its_ceiling_is(tmp_path: Path) -> None:
    place = tmp_path / "boards.db"
    found: dict[str, Any] = json.loads(run(place, "--json", "--keep"))
    assert found["players"] == 40
    assert 0 < found["plays"] <= 30
    assert found["throttled"] == found["failed"] == 0
    assert 0 < found["p50_ms"] <= found["p99_ms"]
    units = {each["place"]: each for each in found["places"]}
    index = units["UsersLeaderboard-simulated/Week-TopScore-Index"]
    # An improvement writes its index twice: where it was, and where it is.
    assert index["write"] == 2 * found["improved"]
    assert units["UsersLeaderboard-simulated"]["write"] == 2 * found["improved"]
    assert sum(float(each["cost"]) for each in found["places"]) == pytest.approx(float(found["cost"]))
    hot = {(each["place"], each["units"]): each for each in found["hot"]}
    week = hot["UsersLeaderboard-simulated/Week-TopScore-Index", "read"]
    assert ", " in week["key"]
    assert week["ceiling"] == pytest.approx(found["plays_per_second"] * 3000 / week["a_second"], rel=0.05)
    ceilings = [each["ceiling"] for each in found["hot"]]
    assert ceilings == pytest.approx(sorted(ceilings))


def test_it_says_so_in_words_and_leaves_nothing_behind(tmp_path: Path) -> None:
    place = tmp_path / "boards.db"
    text = run(place)
    assert "The ceiling: one partition of" in text
    assert "Throttled requests: 0" in text
    with Embedded.open(place) as backend:
        assert backend.call("ListTables", {})["TableNames"] == []


def test_the_sharded_index_has_no_hot_key_of_a_week(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANSANG_LEADERBOARDS_WEEK_INDEX", "sharded")
    found = json.loads(run(tmp_path / "boards.db", "--json"))
    names = {each["place"] for each in found["places"]}
    assert "UsersLeaderboard-simulated/Week-TopScore-Index" not in names
    sharded = [each for each in found["hot"] if each["place"].endswith("WeekShard-TopScore-Index")]
    assert all("#" in each["key"] for each in sharded)
    assert sharded


def test_who_stops_it_gets_what_there_is_so_far(tmp_path: Path) -> None:
    stop = Event()

    def watch(step: str, done: int, total: int) -> None:
        if step == "plays" and done >= 5:
            stop.set()

    with simulated_place(str(tmp_path / "boards.db"), "us-east-1") as opened:
        found = opened.simulation.run(WeekPlan(20, 1000, 3600, 2), stop, watch)
    assert 5 <= found.plays < 1000
    assert found.cost > 0
