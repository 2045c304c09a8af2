"""The search: everything by name, of what whoever asks may see."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from hansang.apps.news.design import NewsItem
from hansang.surfaces.shell import Shell
from tests.surfaces.console.conftest import Visitor
from tests.surfaces.shells import SetClock


def found(visitor: Visitor, name: str, typed: str) -> dict[str, list[str]]:
    """The texts of what somebody finds, by the group."""
    answer = visitor(name, "en").client.get("/search/results", params={"q": typed})
    assert answer.headers["content-type"] == "application/json"
    body: dict[str, Any] = answer.json()
    return {group["label"]: [item["text"] for item in group["items"]] for group in body["groups"]}


def test_pages_applications_tables_patterns_and_people_are_found(visitor: Visitor) -> None:
    assert "Cost" in found(visitor, "owner", "cos")["Pages"]
    assert found(visitor, "owner", "ledger")["Applications"] == ["Household ledger"]
    assert found(visitor, "owner", "assetman")["Tables"] == ["AssetManager"]
    assert found(visitor, "owner", "income.of")["Access patterns"][0] == "Income.of_month"
    assert found(visitor, "owner", "report")["People"] == ["Reporter"]
    assert found(visitor, "owner", "count")["Jobs"] == ["Count"]


def test_before_anything_is_typed_the_ways_to_go_are_offered(visitor: Visitor) -> None:
    assert set(found(visitor, "owner", "")) == {"Pages", "Applications"}


def test_what_one_may_not_see_is_not_found(visitor: Visitor) -> None:
    assert found(visitor, "reporter", "ledger") == {}
    assert found(visitor, "reporter", "assetman") == {}
    assert "People" not in found(visitor, "editor", "report")
    assert found(visitor, "guest", "news") == {}
    assert "Admin" not in found(visitor, "reporter", "")["Pages"]


def test_an_application_adds_what_it_finds_by_itself(visitor: Visitor, shell: Shell, clock: SetClock) -> None:
    now = datetime.fromtimestamp(clock(), UTC)
    shell.database.put(
        NewsItem.uploaded(now, url="https://example.com/1", title="Chips rally", tickers=["NVDA"])
    )
    assert found(visitor, "reporter", "rally")["Articles"] == ["Chips rally"]
    assert found(visitor, "reporter", "nvd")["Tickers"] == ["NVDA"]
    assert found(visitor, "admin", "rally") == {}


def test_without_a_script_the_search_is_a_page(visitor: Visitor) -> None:
    page = visitor("owner", "en").get("/search?q=assetman")
    assert "/data/assets/tables/AssetManager" in page.links
    assert page.faults == []
    assert "Nothing found" in visitor("owner", "en").get("/search?q=zzzz").shown


def test_whoever_has_not_signed_in_finds_nothing(visitor: Visitor) -> None:
    assert visitor().get("/search/results?q=a").location.startswith("/sign-in")
