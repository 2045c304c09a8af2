"""The palette finds players by part of a name and by initials, and nobody who is hidden."""

from __future__ import annotations

from typing import Any

import pytest

from tests.apps.rankings.console.club import SECRET_NAME, Club
from tests.apps.rankings.players import uuid
from tests.clauses import clause
from tests.surfaces.console.conftest import Visitor


def found(club: Club, typed: str) -> list[dict[str, Any]]:
    groups = club.get(f"/search/results?q={typed}").response.json()["groups"]
    return [item for group in groups if group["label"] == "Players" for item in group["items"]]


@clause("X5-20")
@pytest.mark.parametrize("typed", ["한월120", "월120", "ㅎㅇ120"])
def test_a_player_is_found_by_any_part_of_the_name_and_by_initials(club: Club, typed: str) -> None:
    [first, *_] = found(club, typed)
    assert (first["text"], first["href"]) == ("한월120", f"/rankings/players/{uuid(120)}")
    assert first["about"] == "Level 23 · #120 · 80.0M"


@clause("X5-20")
def test_what_one_asks_of_a_player_first_stands_beside_the_list(club: Club) -> None:
    """Number 101 has climbed past number 100 since the finished day before."""
    climbed, passed = (dict(found(club, f"한월{number}")[0]["facts"]) for number in (101, 100))
    assert [*climbed] == ["Rank by power", "Power", "Rank by level", "Level"]
    assert (climbed["Rank by power"], climbed["Power"], climbed["Level"]) == (
        "#100 ▲ 1 · Top 76.92%",
        "100M",
        "30",
    )
    assert passed["Rank by power"] == "#101 ▼ 1 · Top 77.69%"


@clause("X5-20")
def test_beside_the_list_stand_the_ranks_of_thirty_days_and_the_way_to_compare(club: Club) -> None:
    [climbed, *_] = found(club, "한월101")
    assert (climbed["line"][0], climbed["line"][-1]) == (-101, -100)
    days = len(climbed["line"])
    assert climbed["lineAbout"] == f"Rank by power in the last 30 days, {days} recorded, best #100"
    assert climbed["ways"] == [["Add to compare", f"/rankings/compare?uuids={uuid(101)}"]]


@clause("X5-22")
def test_former_names_are_told(club: Club) -> None:
    assert found(club, "한월2")[0]["about"].endswith("formerly Before")


def test_a_few_are_enough(club: Club) -> None:
    assert len(found(club, "한월")) == 6


@clause("X5-30")
def test_a_hidden_player_is_not_found(club: Club) -> None:
    assert found(club, SECRET_NAME) == []


def test_without_a_day_there_is_nobody_to_find(visitor: Visitor) -> None:
    answer = visitor("viewer", "en").get("/search/results?q=한월")
    assert [each["label"] for each in answer.response.json()["groups"] if each["label"] == "Players"] == []
