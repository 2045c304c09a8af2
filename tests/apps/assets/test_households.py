"""Households side by side: a table each, people with a role in each, private pockets, and rules of their own."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import pytest

from hansang.apps.assets.design import AssetManager, BalancesKey, Codes
from hansang.apps.assets.entering import Given, Place
from hansang.apps.assets.households import FIRST, Households, PocketSum, allows, expect_allowed, own_database
from hansang.apps.assets.jobs import jobs
from hansang.apps.assets.opening import OpeningGiven
from hansang.apps.assets.plans import Household, HouseholdKey, HouseRules
from hansang.apps.assets.settings import AssetsSettings
from hansang.backends.embedded import Embedded
from hansang.design import Database
from hansang.errors import AlreadyExists, NotAllowed, NotFound
from hansang.parts.editing import Editing
from hansang.parts.jobs import JobResult
from hansang.parts.permissions import Principal
from hansang.parts.platform import Platform
from tests.apps.assets.crashes import Crash, Crashing
from tests.apps.assets.household import NOW, WHO, right
from tests.clauses import clause
from tests.storing import stored
from tests.surfaces.shells import SetClock

FOOD = Place.parse("living-expense/식비")


def person(name: str, *scopes: str) -> Principal:
    return Principal("person", name, name, frozenset(scopes or ("assets:write",)))


@pytest.fixture
def households() -> Iterator[Households]:
    with Embedded.open(":memory:") as backend:
        database = Database(backend, secret=b"of a test")
        database.create_tables(AssetManager, Platform)
        found = Households(database, SetClock(NOW.timestamp()), sleep=lambda seconds: None)
        found.create(Household(id="parents", title="부모님", members={"seoyeon": "owner"}), WHO)
        yield found


@clause("X1-21")
def test_each_household_has_a_table_and_a_history_of_its_own(households: Households) -> None:
    first, parents = households.open(), households.open("parents")
    assert parents.database.name(AssetManager) == "AssetManager-parents"
    one = first.entering.enter("2025.01", FOOD, Given(amount=10), WHO)
    two = parents.entering.enter("2025.01", FOOD, Given(amount=70), WHO)
    parents.codes.put(Codes(kind="NAME", codes=["어머니"]), WHO.actor)
    assert first.reading.month("2025.01").totals.total_expense == 10
    assert parents.reading.month("2025.01").totals.total_expense == 70
    assert first.codes.people() == ["배우자1", "배우자2"]
    assert one.change is not None
    assert two.change is not None
    assert one.change.id in {each.id for each in first.history.page("assets")}
    assert {each.area for each in parents.history.page("assets")} == {"assets-parents"}
    with pytest.raises(NotAllowed, match="not one of this household"):
        first.undoing.undo(two.change.id, WHO)
    parents.undoing.undo(two.change.id, WHO)
    assert parents.reading.month("2025.01").totals.total_expense == 0
    assert right(first)
    assert right(parents)
    parents.opening.value("2025.01", {"주식": 7}, WHO)
    [valued] = [each for each in parents.history.page("assets") if each.kind == "Valuation"]
    parents.undoing.undo(valued.id, WHO)
    assert not parents.database.get(BalancesKey(year_month="2025.01")).investment_valuation


def test_a_household_is_made_once_and_keeps_an_owner(households: Households) -> None:
    with pytest.raises(AlreadyExists):
        households.create(Household(id="parents", title="또"), WHO)
    with pytest.raises(NotFound, match="hansang assets households"):
        households.open("nobody")
    changed = households.change(
        "parents", WHO, title="부모님 댁", members={"seoyeon": "owner", "junho": "viewer"}
    )
    assert (changed.title, changed.members) == ("부모님 댁", {"seoyeon": "owner", "junho": "viewer"})
    with pytest.raises(NotAllowed, match="needs an owner"):
        households.change("parents", WHO, members={"junho": "viewer"})


def test_people_may_what_their_role_says_as_far_as_the_application_lets_them(households: Households) -> None:
    members: dict[str, object] = {"members": {"seoyeon": "owner", "junho": "viewer", "guest": "editor"}}
    found = households.get("parents").model_copy(update=members)
    may = {
        name: [action for action in ("read", "write", "admin") if allows(found, who, action)]
        for name, who in {
            "seoyeon": person("seoyeon", "assets:write"),
            "junho": person("junho"),
            "guest": person("guest", "assets:read"),
            "stranger": person("stranger"),
            "admin": person("admin", "assets:admin"),
        }.items()
    }
    assert may == {
        "seoyeon": ["read", "write"],
        "junho": ["read"],
        "guest": ["read"],
        "stranger": [],
        "admin": ["read", "write", "admin"],
    }
    with pytest.raises(NotAllowed, match="Ask one of its owners"):
        expect_allowed(found, person("stranger"), "read")


def test_of_a_private_pocket_the_others_see_a_sum_alone(households: Households) -> None:
    pocket = households.create_pocket(FIRST, "junho", "준호의 주머니", WHO)
    given = Given(add=30_000, memo="선물", date=date(2025, 1, 3))
    households.open(pocket.id).entering.enter("2025.01", FOOD, given, WHO)
    assert households.pockets(FIRST, "2025.01") == [PocketSum("준호의 주머니", 30_000)]
    assert households.pockets("parents", "2025.01") == []
    seen = {
        name: [each.id for each in households.seen_by(who)]
        for name, who in (("junho", person("junho")), ("owner", person("owner", "*:admin")))
    }
    assert seen == {"junho": [pocket.id], "owner": ["parents"]}
    with pytest.raises(NotAllowed, match="owner alone"):
        households.change(pocket.id, WHO, members={"junho": "owner", "seoyeon": "viewer"})
    listed = str(stored(households.open().database, AssetManager))
    assert [each for each in ("선물", "junho", "준호") if each in listed] == []
    told = [change for change in households.open().history.page("assets", 50) if pocket.id in change.subject]
    assert told == []
    assert households.change(pocket.id, WHO, title="주머니").members == {"junho": "owner"}
    assert [each.title for each in households.all()] == ["부모님", "주머니"]
    with pytest.raises(AlreadyExists, match="has a private pocket here already"):
        households.create_pocket(FIRST, "junho", "또", WHO)
    with pytest.raises(NotAllowed, match="has no pockets"):
        households.create_pocket(pocket.id, "junho", "더 작은", WHO)


def older_pocket(households: Households) -> Household:
    """A pocket as it was stored before its owner and title had a place of their own, with its line of history."""
    pocket = households.create_pocket(FIRST, "junho", "준호의 주머니", WHO)
    database = households.open().database
    own_database(database, pocket.id).delete(HouseholdKey(id=pocket.id))
    database.delete(HouseholdKey(id=pocket.id))
    editing = Editing(database, households.open().history, areas={AssetManager: "assets"})
    return editing.create(pocket.model_copy(update={"pocket_of": ""}), WHO.actor).subject


@pytest.mark.parametrize("by", ["command", "write"])
def test_an_older_pocket_is_read_and_moved_out_of_everybodys_sight(households: Households, by: str) -> None:
    pocket, database = older_pocket(households), households.open().database
    assert households.get(pocket.id).members == {"junho": "owner"}
    assert households.pockets(FIRST, "2025.01") == [PocketSum("준호의 주머니", 0)]
    if by == "command":
        assert households.move_pockets() == [pocket.id]
    else:
        assert households.change(pocket.id, WHO, title="내 주머니").title == "내 주머니"
    assert households.move_pockets() == []
    found = households.get(pocket.id)
    assert (found.members, found.pocket_of) == ({"junho": "owner"}, FIRST)
    assert found.title == ("준호의 주머니" if by == "command" else "내 주머니")
    told = str(stored(database, AssetManager)) + str(list(households.open().history.page("assets", 50)))
    assert [each for each in ("junho", "주머니") if each in told] == []


def test_making_a_pocket_that_was_broken_off_goes_on() -> None:
    with Embedded.open(":memory:") as backend:
        Database(backend).create_tables(AssetManager, Platform)
        broken = Households(Database(Crashing(backend, 1)), SetClock(NOW.timestamp()))
        with pytest.raises(Crash):
            broken.create_pocket(FIRST, "junho", "주머니", WHO)
        found = Households(Database(backend), SetClock(NOW.timestamp()))
        assert found.all() == []
        made = found.create_pocket(FIRST, "junho", "주머니", WHO)
        assert found.get(made.id).members == {"junho": "owner"}


@clause("X1-21")
def test_the_first_household_has_an_id_that_no_other_gets(households: Households) -> None:
    assert households.open(FIRST) is households.open()
    assert allows(households.get(FIRST), person("stranger"), "write")
    with pytest.raises(AlreadyExists, match="first already"):
        households.create(Household(id=FIRST, title="또", members={"junho": "owner"}), WHO)
    with pytest.raises(NotAllowed, match="belongs to the first household"):
        households.change(FIRST, WHO, title="우리")


def test_codes_and_plans_of_another_household_are_undone_like_entries(households: Households) -> None:
    parents = households.open("parents")
    parents.codes.put(Codes(kind="NAME", codes=["어머니"]), WHO.actor)
    parents.planning.set_budget("living-expense", "식비", 70, WHO)
    parents.counting.set(HouseRules(month_starts_on=25), WHO)
    changes = {each.kind: each.id for each in parents.history.page("assets")}
    undone = [parents.undoing.undo(changes[kind], WHO).id for kind in ("Codes", "Budget", "HouseRules")]
    assert parents.codes.people() == ["배우자1", "배우자2"]
    assert parents.reports.budgets("2025.01") == []
    assert parents.counting.settings() == AssetsSettings()
    parents.undoing.undo(undone[0], WHO)
    assert parents.codes.people() == ["어머니"]
    with pytest.raises(NotAllowed, match="not one of this household"):
        households.open().undoing.undo(changes["Codes"], WHO)


def test_a_household_counts_by_its_own_rules(households: Households) -> None:
    parents = households.open("parents")
    parents.counting.set(HouseRules(month_starts_on=25, card_month="payment", card_payment_day=14), WHO)
    assert parents.reading.this_month == "2025.01"
    assert households.open().counting.settings() == AssetsSettings()
    rows = [["이용일자", "가맹점명", "이용금액"], ["2025-01-26", "마트", "7"]]
    assert parents.importing.preview(rows).lines[0].month == "2025.02"
    parents.counting.set(HouseRules(month_starts_on=25), WHO)
    assert parents.importing.preview(rows).lines[0].month == "2025.02"
    assert households.open().importing.preview(rows).lines[0].month == "2025.01"


def test_a_whole_household_is_the_same_in_another(households: Households) -> None:
    first, parents = households.open(), households.open("parents")
    first.opening.set(OpeningGiven("2024.12", 5, 6, {"여행": 7}), WHO)
    first.entering.enter("2025.01", FOOD, Given(add=30, memo="장보기", date=date(2025, 1, 3)), WHO)
    first.counting.set(HouseRules(month_starts_on=25), WHO)
    done = parents.transferring.restore(list(first.transferring.export()))
    assert done.refused == []
    assert list(parents.transferring.export()) == list(first.transferring.export())
    assert parents.counting.settings().month_starts_on == 25
    assert parents.reading.month("2025.01").entries == first.reading.month("2025.01").entries
    assert right(parents)


def test_jobs_close_the_months_of_every_household(households: Households) -> None:
    for each in households.each():
        each.entering.enter("2024.11", FOOD, Given(amount=1), WHO)
    database = households.open().database
    close = jobs(database, SetClock(NOW.timestamp()), AssetsSettings())[0]
    found = close.run(None)  # type: ignore[arg-type]
    assert isinstance(found, JobResult)
    assert found.counts == {"months": 4, "drifts": 0}
    assert [each.reading.month("2024.12").is_closed for each in households.each()] == [True, True]
