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
from hansang.apps.leaderboards.simulated_players import SimulatedPlayers
from hansang.apps.leaderboards.simulation import WeekPlan
from hansang.apps.leaderboards.submitting import GivenPlay
from hansang.backends.embedded import Embedded
from hansang.parts.sampling import STORED_AT_ONCE

ASKED = ("simulate", "--players", "40", "--plays-per-second", "30", "--seconds", "1", "--threads", "2")


def run(place: Path, *more: str) -> str:
    done = CliRunner().invoke(group, [*ASKED, *more, "--data", str(place)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_a_week_says_what_it_cost_and_where_its_ceiling_is(tmp_path: Path) -> None:
    place = tmp_path / "boards.db"
    found: dict[str, Any] = json.loads(run(place, "--json", "--keep"))
    assert found["players"] == 40
    assert found["seconds_to_fill"] > 0
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


def test_players_that_were_being_written_are_gone_on_with(tmp_path: Path) -> None:
    place, stop, told, more = tmp_path / "boards.db", Event(), list[int](), list[int]()

    def watch(step: str, done: int, total: int) -> None:
        told.append(done)
        if done >= 300:
            stop.set()

    with simulated_place(str(place), "us-east-1", keep=True) as opened:
        found = opened.simulation.run(WeekPlan(1500, 30, 1, 2), stop, watch)
        assert (found.filled, found.plays) == (told[-1], 0)
        assert 300 <= found.filled < 1500
    with simulated_place(str(place), "us-east-1", keep=True) as opened:
        everyone = SimulatedPlayers(opened.boards, opened.boards.weeks.current)
        everyone.fill(1500, Event(), more.append)
        # Of those who were there, the last pieces alone are written again.
        assert found.filled - STORED_AT_ONCE // 2 <= more[0] <= found.filled
        assert more[-1] == everyone.count(lambda ranked: None) == 1500
        week = opened.boards.weeks.current
        assert [row.id for row in opened.boards.rows.each(week)] == _board_of_one_run(tmp_path / "other.db")


@pytest.mark.parametrize("shards", ["1", "4"])
def test_changes_that_a_run_left_uncounted_are_counted_once_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shards: str
) -> None:
    monkeypatch.setenv("HANSANG_LEADERBOARDS_SHARDS", shards)
    with simulated_place(str(tmp_path / "boards.db"), "us-east-1", keep=True) as opened:
        boards = opened.boards
        everyone, week = SimulatedPlayers(boards, boards.weeks.current), boards.weeks.current
        everyone.fill(300, Event(), lambda there: None)
        everyone.count(lambda ranked: None)
        for player in range(1, 20):
            boards.submitter.submit(GivenPlay(player, f"Player {player}", 99_900 + player))
        everyone.fill(300, Event(), lambda there: None)
        everyone.count(lambda ranked: None)
        boards.fold()
        ranks = [boards.trees.live(week).standing(row.score).rank for row in boards.rows.each(week)]
        scores = [row.score for row in boards.rows.each(week)]
    assert ranks == [1 + sum(other > each for other in scores) for each in scores]


def _board_of_one_run(place: Path) -> list[int]:
    with simulated_place(str(place), "us-east-1") as opened:
        week = opened.boards.weeks.current
        SimulatedPlayers(opened.boards, week).fill(1500, Event(), lambda there: None)
        return [row.id for row in opened.boards.rows.each(week)]


def test_what_writing_the_players_took_is_neither_counted_nor_kept(tmp_path: Path) -> None:
    """Nor in memory: a million players have millions of keys."""
    with simulated_place(str(tmp_path / "boards.db"), "us-east-1") as opened:
        found = opened.simulation.run(WeekPlan(500, 1, 1, 1), Event(), lambda step, done, total: None)
    written = next(each for each in found.places if each.place == "UsersLeaderboard-simulated")
    assert found.filled == 500
    assert written.write == 2 * found.improved
