"""What the access patterns cost."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest

from hansang.apps.assets.design import Income
from hansang.parts.usage import Usage
from hansang.surfaces.console.money import money
from hansang.surfaces.shell import Shell
from tests.apps.assets.household import income
from tests.surfaces.console.browsers import Page
from tests.surfaces.console.conftest import Visitor
from tests.surfaces.shells import SetClock


@pytest.fixture
def used(shell: Shell, clock: SetClock) -> None:
    """A pattern that is dear and one that is hot, an hour after the start."""
    for number in range(40):
        shell.database.put(income(name=f"이름{number}"))
    for _ in range(120):
        shell.database.all(Income.of_person("2025.01", "이름1"))
    clock.advance(3600)


@pytest.mark.usefixtures("used")
def test_the_dearest_comes_first_and_the_switch_puts_the_hottest_first(visitor: Visitor) -> None:
    owner = visitor("owner")
    dear = owner.get("/capacity?area=assets").shown
    hot = owner.get("/capacity?area=assets&order=hottest").shown
    assert dear.rindex("Income.put") < dear.rindex("Income.of_person")
    assert hot.rindex("Income.of_person") < hot.rindex("Income.put")


@pytest.mark.usefixtures("used")
def test_units_are_told_by_pattern_table_and_index(visitor: Visitor) -> None:
    page = visitor("owner", "en").get("/capacity?area=assets")
    assert "yearMonth-PK-index" in page.shown
    assert "AssetManager" in page.shown
    assert "/data/assets/patterns/Income.of_person" in page.links
    assert "/data/assets/tables/AssetManager" in page.links
    [hot] = [own for own in page.all("th") if own.get("aria-sort")][:1]
    assert hot["aria-sort"] == "descending"


@pytest.mark.usefixtures("used")
def test_prices_are_those_of_the_region(visitor: Visitor) -> None:
    owner = visitor("owner", "en")
    assert "On demand, us-east-1" in owner.get("/capacity").shown
    assert "On demand, ap-northeast-2" in owner.get("/capacity?region=ap-northeast-2").shown
    assert "On demand, us-east-1" in owner.get("/capacity?region=mars").shown


def test_a_month_is_on_demand_provisioned_and_storage(visitor: Visitor) -> None:
    page = visitor("owner").get("/capacity")
    assert all(words in page.shown for words in ("온디맨드", "프로비저닝", "저장 공간", "더 저렴함"))


def test_an_area_that_was_not_used_says_so(visitor: Visitor) -> None:
    page = visitor("owner").get("/capacity?area=news")
    assert "아직 사용한 단위가 없습니다" in page.shown
    assert "/data" in page.links


def test_only_those_who_may_read_the_platform_see_it(visitor: Visitor) -> None:
    assert visitor("reporter").get("/capacity").status == 403
    assert visitor("admin").get("/capacity").status == 200


def test_links_lead_only_where_whoever_looks_may_go(visitor: Visitor, shell: Shell) -> None:
    shell.database.put(income())
    page = visitor("admin").get("/capacity")
    assert "Income.put" in page.shown
    assert "/data/assets/tables/AssetManager" not in page.links


@pytest.mark.parametrize(
    ("amount", "shown"),
    [
        ("0", "0"),
        ("1234.5", "1,234.50"),
        ("0.01", "0.01"),
        ("0.00194", "0.0019"),
        ("0.0000001", "< 0.000001"),
    ],
)
def test_an_amount_below_a_cent_does_not_look_like_nothing(amount: str, shown: str) -> None:
    assert money(Decimal(amount)) == shown


def test_the_first_patterns_are_shown_and_the_others_when_asked_for(visitor: Visitor, shell: Shell) -> None:
    for number in range(23):
        shell.database.call("Scan", {"TableName": "AssetManager"}, f"Made.up{number}")
    owner = visitor("owner", "en")
    page = owner.get("/capacity?area=assets")
    assert len(page.all("td", **{"data-label": "RCU"})) == 12
    assert "Show all 23" in page.shown
    (more,) = [own["href"] or "" for own in page.all("a") if "more" in (own.get("class") or "").split()]
    whole = owner.get(f"/capacity{more}")
    assert len(whole.all("td", **{"data-label": "RCU"})) == 23
    assert "Show all" not in whole.shown


def bill_of(page: Page, name: str) -> str:
    """The amount behind a line of the bill."""
    found = re.search(rf"{name}.+?([\d.,<]+) USD", page.shown)
    assert found is not None
    return found[1]


@pytest.mark.usefixtures("used")
def test_provisioned_capacity_and_storage_follow_the_filter(visitor: Visitor) -> None:
    """Each application showed the same 11.96 USD, whatever was chosen."""
    owner = visitor("owner", "en")
    areas = ("", "assets", "leaderboards", "platform")
    pages = [owner.get(f"/capacity?area={area}") for area in areas]
    assert len({bill_of(page, "Provisioned") for page in pages}) == len(areas)
    stored = {bill_of(page, "Storage") for page in pages}
    assert len(stored) > 1


@pytest.mark.usefixtures("used")
def test_a_month_is_not_estimated_before_a_day_was_counted(visitor: Visitor, clock: SetClock) -> None:
    owner = visitor("owner", "en")
    early = owner.get("/capacity?area=assets").shown
    assert "Needs 24 hours of counts. Counted so far: 1 hour; 23 hours to go." in early
    assert "at the rate of" not in early
    clock.advance(23 * 3600)
    assert "On demand, at the rate of the last 1 day" in owner.get("/capacity?area=assets").shown
    assert "An hour says too little" in owner.get("/capacity?area=assets&range=hour").shown


@pytest.mark.usefixtures("used")
def test_a_range_shows_what_was_used_in_it(visitor: Visitor, clock: SetClock) -> None:
    owner = visitor("owner", "en")
    assert "Income.put" in owner.get("/capacity?area=assets&range=day").shown
    clock.advance(3600)
    assert "Income.put" not in owner.get("/capacity?area=assets&range=hour").shown
    clock.advance(2 * 86_400)
    assert "Income.put" not in owner.get("/capacity?area=assets&range=day").shown
    assert "Income.put" in owner.get("/capacity?area=assets&range=month").shown


@pytest.mark.usefixtures("used")
def test_what_the_platform_uses_is_told_apart(visitor: Visitor) -> None:
    owner = visitor("owner", "en")
    every, own = owner.get("/capacity").shown, owner.get("/capacity?area=platform").shown
    assert "Platform overhead" in every
    assert "Session.get" not in every
    assert "Session.get" in own
    assert "Income.put" not in own


def test_the_page_that_used_it_is_told(visitor: Visitor) -> None:
    owner = visitor("owner", "en")
    owner.get("/data/assets/tables/AssetManager")
    assert "GET /data/{app}/tables/{table}" in owner.get("/capacity?area=assets").shown


def test_an_area_that_is_not_there_is_not_found(visitor: Visitor) -> None:
    assert visitor("owner").get("/capacity?area=nothing").status == 404


def test_what_every_worker_has_used_is_added_up(visitor: Visitor, shell: Shell, clock: SetClock) -> None:
    areas = dict.fromkeys(shell.application("assets").tables, "assets")
    workers = [Usage(shell.database, clock, "one start", areas) for _ in range(3)]
    for number, worker in enumerate(workers, 1):
        worker.observe(
            "Query", "Income.of_person", [{"TableName": "AssetManager", "CapacityUnits": 10.0**number}]
        )
        worker.stop()
    rows = [
        re.search(r"Income\.of_person.*? 3 ([\d,.]+)", visitor("owner", "en").get(path).shown)
        for path in ("/capacity?area=assets", "/capacity?area=assets&range=hour")
    ]
    assert [row and row[1] for row in rows] == ["1,110", "1,110"]
