"""Who is asking, and what was used."""

from __future__ import annotations

from typing import Any

from tests.surfaces.api.callers import Caller
from tests.surfaces.api.conftest import With


def test_a_key_is_told_what_it_may_do(standing_with: With) -> None:
    told = standing_with("news:read", "codex:write").get("/api/platform/me").json()
    assert (told["kind"], told["shown"]) == ("key", "for a test")
    assert told["scopes"] == ["codex:write", "news:read"]
    assert told["csrf"] is None


def test_usage_tells_what_patterns_cost(reader: Caller, standing_with: With) -> None:
    def used() -> dict[str, Any]:
        reader.get("/api/codex/patterns/Banner.latest")
        told = reader.get("/api/platform/usage").json()
        [found] = [each for each in told["items"] if each["pattern"] == "Banner.latest"]
        return dict(found)

    before, after = used(), used()
    assert (after["app"], after["index"]) == ("codex", "Type_CreatedAt")
    assert after["requests"] == before["requests"] + 1
    assert standing_with("news:admin").get("/api/platform/usage").status_code == 403
