"""The page of the household: rules, members, other households, private pockets."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hansang.apps.assets.console.links import CHOSEN
from hansang.apps.assets.entering import Given, Place
from hansang.apps.assets.households import FIRST, Households, topic_of
from hansang.apps.assets.opening import OpeningGiven
from hansang.apps.assets.plans import Household
from hansang.apps.platform.accounts import accounts_of
from hansang.surfaces.api.app import create_api
from hansang.surfaces.console.rendering import Rendering
from tests.apps.assets.console.homes import WHO, Home, opened_home
from tests.clauses import clause
from tests.surfaces.api.callers import Caller
from tests.surfaces.shells import PASSWORD, new_key


@pytest.fixture
def couple(rendering: Rendering) -> Iterator[Home]:
    """A household with somebody who may write, and administers nothing."""
    with opened_home(rendering) as found:
        accounts_of(found.shell.identity).people.create("editor", "민지", {"assets": "editor"}, PASSWORD)
        yield found


def test_rules_are_decided_on_the_page(home: Home) -> None:
    assert "첫 가계부" in home.sees("/assets/household")
    home.send("/assets/household/count", month_starts_on="25", card_month="payment", card_payment_day="14")
    found = home.shell.made["assets"].open().counting.settings()
    assert (found.month_starts_on, found.card_month) == (25, "payment")
    wrong = home.send("/assets/household/count", month_starts_on="31", card_payment_day="14")
    assert (wrong.status, "28일까지" in wrong.shown) == (422, True)


@clause("X1-21")
def test_another_household_is_made_chosen_and_kept_apart(couple: Home) -> None:
    wrong = couple.send("/assets/household/create", title="부모님", id="Eltern 1")
    assert (wrong.status, "영문 소문자" in wrong.shown) == (422, True)
    couple.send("/assets/household/create", title="부모님 댁", id="parents")
    assert couple.send("/assets/household/create", title="부모님 댁", id="parents").status == 409
    assert "부모님 댁" in couple.sees("/assets")
    entered = couple.enter("living-expense", "식비", "1234", household="parents")
    assert "1,234" in entered.shown
    households: Households = couple.shell.made["assets"]
    assert households.open("parents").reading.month(couple.month).totals.total_expense == 1_234
    before = couple.assets.reading.month(couple.month).totals.total_expense
    couple.enter("living-expense", "교통비", "500", household="")
    assert couple.assets.reading.month(couple.month).totals.total_expense == before + 500
    [newest] = [
        each for each in households.open("parents").history.page("assets", 20) if each.kind == "LivingExpense"
    ]
    couple.send(f"/assets/changes/{newest.id}/undo", household="parents")
    assert households.open("parents").reading.month(couple.month).totals.total_expense == 0
    stranger = couple.get("/assets?household=parents", name="editor")
    assert stranger.status == 403
    members = {"member": ["owner", "editor", ""], "role": ["owner", "viewer", "editor"]}
    couple.send("/assets/household/members", title="부모님", household="parents", **members)
    assert "부모님" in couple.sees("/assets?household=parents", name="editor")
    couple.browser("editor").get("/assets")
    refused = couple.browser("editor").send(
        f"/assets/months/{couple.month}/cells",
        kind="living-expense",
        part="식비",
        text="1",
        household="parents",
    )
    assert refused.status == 403
    totals = couple.assets.reading.month(couple.month).totals
    couple.browser("editor").get("/assets/household")
    couple.browser("editor").send("/assets/household/choose", choose="parents", household="")
    assert "부모님" in couple.sees("/assets", name="editor")
    silent = couple.browser("editor").send(
        f"/assets/months/{couple.month}/cells", kind="living-expense", part="식비", text="1"
    )
    assert "소유자에게 부탁하십시오" in silent.shown
    assert (silent.status, couple.assets.reading.month(couple.month).totals) == (403, totals)
    couple.send("/assets/household/choose", choose="", household="parents")
    assert "우리 집 가계부" in couple.sees("/assets")
    assert CHOSEN.name


@clause("X1-21")
def test_an_address_that_names_a_household_chooses_it(couple: Home) -> None:
    households = Households(couple.shell.database, couple.shell.clock)
    households.create(Household(id="nest", title="둥지", members={"owner": "owner"}), WHO)
    assert "둥지" in couple.sees("/assets/files?household=nest")
    assert "둥지" in couple.sees("/assets/dashboard")
    couple.shell.made["assets"].open("nest").opening.set(OpeningGiven("2026.08", 1_000, 0, {}), WHO)
    history = couple.sees("/assets/history")
    assert ("2026.08" in history, "assets-nest" in history) == (True, False)
    couple.browser("editor").get("/assets")
    assert couple.get("/assets?household=nest", name="editor").status == 403
    assert couple.get("/assets?household=other").status == 404
    assert "둥지" in couple.sees("/assets")
    assert "우리 집 가계부" in couple.sees("/assets?household=")
    assert "우리 집 가계부" in couple.sees("/assets/budget")
    assert "둥지" in couple.sees("/assets?household=nest")
    assert "우리 집 가계부" in couple.sees("/assets?household=first")
    assert "우리 집 가계부" in couple.sees("/assets")
    assert "우리 집 가계부" in couple.sees("/assets", name="editor")


def test_a_private_pocket_shows_the_other_a_sum(couple: Home) -> None:
    couple.browser("editor").get("/assets/household")
    couple.browser("editor").send("/assets/household/pocket", household="")
    households: Households = couple.shell.made["assets"]
    [pocket] = households.all()
    given = Given(add=30_000, memo="깜짝 선물")
    households.open(pocket.id).entering.enter(couple.month, Place.parse("living-expense/기타"), given, WHO)
    said = couple.sees("/assets")
    assert "민지의 주머니 3만" in said
    assert "깜짝 선물" not in said
    assert couple.get(f"/assets?household={pocket.id}").status == 403
    data = couple.get("/data/assets/tables/AssetManager?pk=HOUSEHOLD", name="viewer")
    assert (data.status, pocket.id in data.text) == (200, False)
    administered = couple.get("/data/assets/tables/AssetManager?pk=HOUSEHOLD")
    assert (pocket.id in administered.text, "민지" in administered.text) == (True, False)
    assert pocket.id not in couple.get("/changes").text
    assert "깜짝 선물" in couple.sees(f"/assets?household={pocket.id}", name="editor")
    for path in ("/changes", "/"):
        assert "기타" not in couple.sees(path)
    [change, *_] = households.open(pocket.id).history.page("assets", 5)
    assert couple.get(f"/changes/{change.id}").status == 404
    topic = f"/live/state?topic={topic_of(pocket.id)}"
    assert couple.browser().client.get(topic).status_code == 403
    assert couple.browser("editor").client.get(topic).status_code == 200
    assert couple.browser().client.get(f"/live/state?topic={topic_of(FIRST)}").status_code == 200


def test_changes_of_a_pocket_are_in_no_list_of_the_platform(couple: Home) -> None:
    couple.sees("/assets")
    households: Households = couple.shell.made["assets"]
    pocket = households.create_pocket(FIRST, "editor", "주머니", WHO)
    given = Given(amount=7)
    households.open(pocket.id).entering.enter(couple.month, Place.parse("living-expense/기타"), given, WHO)
    caller = Caller(create_api(couple.shell), new_key(couple.shell, "*:admin"))
    for asked in ("", "?format=jsonl", "?format=csv"):
        answer = caller.get(f"/api/platform/changes{asked}")
        assert answer.status_code == 200
        assert f"assets-{pocket.id}" not in answer.text
    [change, *_] = households.open(pocket.id).history.page("assets", 5)
    assert caller.get(f"/api/platform/changes/{change.id}").status_code == 404
