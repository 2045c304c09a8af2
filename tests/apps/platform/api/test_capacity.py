"""What everything costs, through the API."""

from __future__ import annotations

from decimal import Decimal

from tests.surfaces.api.callers import Caller
from tests.surfaces.api.conftest import With


def test_capacity_tells_what_was_used_and_what_it_costs(reader: Caller) -> None:
    reader.get("/api/codex/patterns/Banner.latest")
    told = reader.get("/api/platform/capacity?range=hour&area=codex").json()
    [used] = told["patterns"]
    assert (used["app"], used["name"]) == ("codex", "Banner.latest")
    assert used["requests"] >= 1
    assert sum(each["requests"] for each in told["periods"]) == used["requests"]
    assert Decimal(told["used"]["cost"]) > 0
    assert (told["estimated_month"], told["overhead"]) == (None, None)
    assert told["estimate_missing_seconds"] > 0


def test_capacity_of_everything_tells_the_platform_apart(reader: Caller) -> None:
    told = reader.get("/api/platform/capacity").json()
    assert told["overhead"]["requests"] > 0
    assert "platform" not in {each["app"] for each in told["patterns"]}


def test_capacity_takes_the_right_and_an_area_that_is_there(reader: Caller, standing_with: With) -> None:
    assert reader.get("/api/platform/capacity?area=nothing").status_code == 404
    assert reader.get("/api/platform/capacity?range=year").status_code == 422
    assert standing_with("news:admin").get("/api/platform/capacity").status_code == 403
