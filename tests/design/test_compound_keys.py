"""Index keys of several attributes: each a field by itself, asked in their order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from typing import Any, Literal

import pytest

from hansang.blueprint.lint import lint
from hansang.blueprint.live import differences
from hansang.blueprint.subject import Design
from hansang.design import ALL, GSI, KEYS_ONLY, Database, Entity, Key, Query, Table, View, attr, pattern
from hansang.errors import DesignError
from tests.storing import opened


class Trade(Table, name="Trade"):
    by_region = GSI("ByRegion", pk=("tenant", "region"), sk=("day", "amount"))
    lean = GSI("Lean", pk=("region", "tenant"), sk="amount", project=KEYS_ONLY)


class DealKey(Key["Deal"], pk="DEAL#{id}", sk="DEAL"):
    id: int


class Deal(DealKey, Entity, table=Trade):
    tenant: str
    region: str | None = None
    day: date
    amount: int
    note: str = ""

    @pattern
    def on(cls, tenant: str, region: str, day: date) -> Query[Deal]:
        """The deals of a day in a region, by their amounts."""
        return cls.query(Deal.tenant == tenant, Deal.region == region, Deal.day == day, index=Trade.by_region)


class LeanDeal(DealKey, View, index=Trade.lean):
    region: str
    tenant: str
    amount: int


DEALS = [
    Deal(
        id=n,
        tenant="t" if n % 2 else "u",
        region=None if n == 7 else f"r{n % 3}",
        day=date(2026, 1, 1 + n % 4),
        amount=n * 7 % 40 - 5,
    )
    for n in range(60)
]


@pytest.fixture(scope="module")
def db() -> Iterator[Database]:
    with opened(Trade) as db:
        db.batch_write(DEALS)
        yield db


def wanted(keep: Callable[[Deal], bool]) -> list[Deal]:
    found = [each for each in DEALS if each.tenant == "t" and each.region == "r1" and keep(each)]
    return sorted(found, key=lambda each: (each.day, each.amount))


def test_the_table_has_them_as_the_design_says(db: Database) -> None:
    assert differences(db.backend, Trade, "Trade") == []
    [index, _] = Trade.definition()["GlobalSecondaryIndexes"]
    assert [(each["AttributeName"], each["KeyType"]) for each in index["KeySchema"]] == [
        ("tenant", "HASH"),
        ("region", "HASH"),
        ("day", "RANGE"),
        ("amount", "RANGE"),
    ]


def test_questions_are_exact_and_in_order(db: Database) -> None:
    day = date(2026, 1, 2)
    partition = (Deal.tenant == "t", Deal.region == "r1")
    asked: list[tuple[tuple[object, ...], Callable[[Deal], bool]]] = [
        ((), lambda deal: True),
        ((Deal.day == day,), lambda deal: deal.day == day),
        ((Deal.day > day,), lambda deal: deal.day > day),
        ((Deal.day == day, Deal.amount > 3), lambda deal: deal.day == day and deal.amount > 3),
        (
            (Deal.day == day, attr(Deal.amount).between(-3, 20)),
            lambda deal: deal.day == day and -3 <= deal.amount <= 20,
        ),
        ((Deal.day == day, Deal.amount == 2), lambda deal: deal.day == day and deal.amount == 2),
    ]
    for conditions, keep in asked:
        query = Deal.query(*partition, *conditions, index=Trade.by_region)  # type: ignore[arg-type]
        assert db.all(query) == wanted(keep)
        assert db.all(query.descending()) == wanted(keep)[::-1]
        assert db.count(query) == len(wanted(keep))


def test_pages_and_views(db: Database) -> None:
    found: list[int] = []
    cursor = None
    while True:
        page = db.page(Deal.on("t", "r1", date(2026, 1, 2)).where(Deal.note == ""), limit=2, cursor=cursor)
        found += [each.id for each in page]
        cursor = page.cursor
        if cursor is None:
            break
    assert found == [each.id for each in wanted(lambda deal: deal.day == date(2026, 1, 2))]
    rows = db.all(LeanDeal.query(LeanDeal.region == "r1", LeanDeal.tenant == "t", LeanDeal.amount > 0))
    assert {each.id for each in rows} == {each.id for each in wanted(lambda deal: deal.amount > 0)}
    assert 7 not in {each.id for each in db.all(LeanDeal.scan())}


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        (lambda: Deal.query(Deal.tenant == "t", index=Trade.by_region), "needs Deal.region by equality"),
        (lambda: Deal.query(Deal.region == "r", index=Trade.by_region), "needs Deal.tenant by equality"),
        (
            lambda: Deal.query(Deal.tenant == "t", attr(Deal.region).above("a"), index=Trade.by_region),
            "needs Deal.region by equality",
        ),
        (
            lambda: Deal.query(
                Deal.tenant == "t", Deal.region == "r", Deal.amount > 1, index=Trade.by_region
            ),
            "comes after day",
        ),
        (
            lambda: Deal.query(
                Deal.tenant == "t",
                Deal.region == "r",
                Deal.day > date(2026, 1, 1),
                Deal.amount > 1,
                index=Trade.by_region,
            ),
            "comes after day",
        ),
        (lambda: Deal.on("t", "r", date(2026, 1, 1)).where(Deal.amount > 1), "filters by no key"),
        (lambda: GSI("Odd", pk=("a", "b", "c", "d", "e")), "takes 1 to 4"),
        (lambda: GSI("Odd", pk=()), "takes 1 to 4"),
        (lambda: GSI("Odd", pk=("a", "b"), sk="a", project=ALL), "twice"),
    ],
)
def test_what_cannot_be_right_is_refused(question: Callable[[], object], reason: str) -> None:
    with pytest.raises(DesignError, match=reason):
        question()


def test_each_attribute_is_a_field_by_itself() -> None:
    with pytest.raises(DesignError, match="a field by itself"):

        class OddKey(Key["Odd"], pk="ODD#{id}", sk="ODD"):
            id: str

        class Odd(OddKey, Entity, table=Trade, index_keys={Trade.by_region: ("{id}", None)}):
            tenant: str


class Desk(Table, name="Desk"):
    by_state = GSI("ByState", pk=("state", "tenant"), sk=("priority", "SK"))


class TicketKey(Key["Ticket"], pk="OWNER#{owner}", sk="T#{kind}#{number:03d}"):
    owner: str
    kind: str
    number: int


class Ticket(TicketKey, Entity, table=Desk):
    state: Literal["open", "done"]
    tenant: str
    priority: int

    @pattern
    def waiting(cls, tenant: str) -> Query[Ticket]:
        """What waits, by priority."""
        return cls.query(Ticket.state == "open", Ticket.tenant == tenant, index=Desk.by_state)


def test_a_composed_key_may_stand_among_several_attributes() -> None:
    tickets = [
        Ticket(
            owner=f"o{n}",
            kind="ab"[n % 2],
            number=n,
            state="done" if n % 5 == 0 else "open",
            tenant="t",
            priority=n % 3,
        )
        for n in range(30)
    ]
    partition = (Ticket.state == "open", Ticket.tenant == "t")
    asked: list[tuple[tuple[Any, ...], Callable[[Ticket], bool]]] = [
        ((), lambda each: True),
        ((Ticket.priority == 1,), lambda each: each.priority == 1),
        ((Ticket.priority >= 1,), lambda each: each.priority >= 1),
        ((Ticket.priority == 1, Ticket.kind == "a"), lambda each: each.priority == 1 and each.kind == "a"),
        (
            (Ticket.priority == 1, Ticket.kind == "a", Ticket.number > 9),
            lambda each: each.priority == 1 and each.kind == "a" and each.number > 9,
        ),
    ]
    with opened(Desk) as db:
        db.batch_write(tickets)
        for conditions, keep in asked:
            found = db.all(Ticket.query(*partition, *conditions, index=Desk.by_state))
            assert {each.number for each in found} == {
                each.number for each in tickets if each.state == "open" and keep(each)
            }
    for hole, before in ((Ticket.kind == "a", "priority"), (Ticket.number == 1, "priority, kind")):
        with pytest.raises(DesignError, match=f"comes after {before}"):
            Ticket.query(*partition, hole, index=Desk.by_state)


def test_few_states_of_many_tenants_are_many_partitions() -> None:
    assert {each.code for each in lint(Design([Desk]))} & {"H001", "H201"} == set()
