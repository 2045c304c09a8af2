"""Designs that are none of the applications', inferred from items that they have written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest

from hansang.backends.embedded import Embedded
from hansang.blueprint.inference.checking import loaded, tables_in
from hansang.blueprint.inference.inferring import Inferred, infer
from hansang.blueprint.inference.live import sample_table
from hansang.design import Database, Entity, Table
from tests.blueprint.inference.comparing import differences
from tests.designs.chat import Chat, Member, Message, Notice, ReadMarker, Room
from tests.designs.organisation import (
    Address,
    Contact,
    Department,
    Employee,
    MeetingRoom,
    Office,
    Organisation,
    Places,
    Salary,
)
from tests.designs.shop import (
    Customer,
    Grade,
    Line,
    Mall,
    Order,
    Product,
    Shelf,
    Shelves,
    Status,
    Tenant,
    Tenants,
)

NOW = datetime(2026, 6, 15, 9, 30, tzinfo=UTC)


def chat() -> Iterator[Entity]:
    for number in range(6):
        name, users = f"room-{number}", [f"user{number}", f"user{number + 1}"]
        yield Room(
            id=name,
            title=f"Café {number}",
            topics=frozenset({"a"} if number % 2 else ()),
            created_at=NOW + timedelta(days=number),
        )
        yield Notice(room=name, at=NOW + timedelta(minutes=number), text="hello")
        for user in users:
            at = NOW + timedelta(milliseconds=number * 7)
            yield Member(room=name, user=user, nickname=user.upper(), last_at=at, joined_at=NOW)
            yield ReadMarker(user=user, room=name, unread=number, read_to=at if number % 2 else None)
        for turn in range(4):
            yield Message(
                room=name,
                at=NOW + timedelta(milliseconds=number * 1000 + turn),
                id=f"m{number}{turn}",
                sender=users[turn % 2],
                text=f"말 {turn}",
                mentioned=users[1] if turn == 2 else None,
                expires_at=NOW + timedelta(days=30 + turn) if turn else None,
                liked_by={"minji"} if turn == 1 else set(),
            )


def mall() -> Iterator[Entity]:
    for tenant in ("한상", "dalbit", "onsaemi"):
        yield Tenant(id=tenant, name=f"The {tenant}", rate=Decimal("0.15"))
        for number in range(1, 6):
            yield Product(
                tenant=tenant,
                sku=f"sku-{number}",
                name=f"Thing {number}",
                price=Decimal("9.90") + number,
                category="book" if number % 2 else "tool",
                tags={"new"} if number == 1 else set(),
                sizes=frozenset({number}) if number == 2 else None,
                sale_ends=date(2026, 7, number) if number < 4 else None,
            )
            points = number * 10 if number > 2 else None
            yield Customer(
                tenant=tenant, number=number * 7, name=f"C{number}", grade=Grade.GOLD, points=points
            )
            yield Order(
                tenant=tenant,
                number=number,
                customer=number * 7,
                year=2020 + number,
                status=Status.PAID if number % 2 else Status.NEW,
                due=date(2026, 8, number) if number != 5 else None,
                total=Decimal("12.34"),
                ordered_at=NOW,
            )
            yield Shelf(tenant=tenant, shelf=number, sku=f"sku-{number}", count=number)
            for line in range(1, 3):
                yield Line(
                    tenant=tenant,
                    number=number,
                    line=line,
                    sku=f"sku-{line}",
                    count=line + 2,
                    price=Decimal("1.5"),
                )


def organisation() -> Iterator[Entity]:
    for org in ("hs", "db"):
        for number in range(1, 6):
            yield Employee(
                org=org,
                id=f"e{number}",
                name=f"이름 {number}",
                grade=number,
                manager="e1" if number > 1 else None,
                department=f"d{number % 2}" if number > 2 else None,
                address=Address(
                    country="KR", city="Seoul", lines=["1"], zip_code="04520" if number > 1 else None
                ),
                contacts=[Contact(name="a", phone="010", hours={"월": 3})],
                skills={"python"} if number == 3 else set(),
                badge=b"\x01\x02" if number == 4 else None,
            )
            for year in (2024, 2025):
                yield Salary(
                    org=org, id=f"e{number}", from_day=date(year, 1, number), amount=Decimal("1.5") * year
                )
            budget = {f"acct{number}{each}": Decimal("10.5") for each in range(number)}
            yield Department(
                org=org,
                code=f"d{number}",
                day=date(2025, 1, number),
                name="dev",
                budget=budget,
                head=f"e{number}",
            )
    for number, (country, city) in enumerate((("KR", "Seoul"), ("KR", "Jeju"), ("JP", "Osaka"))):
        yield Office(
            country=country,
            city=city,
            name=f"hq{number}",
            opened=date(2020, 1, 1 + number),
            address=Address(country=country, city=city),
        )
        for room in range(1, 4):
            yield MeetingRoom(
                country=country,
                city=city,
                office=f"hq{number}",
                number=room,
                floor=room if room > 1 else None,
            )


def inferred(tables: tuple[type[Table], ...], entities: Iterator[Entity]) -> Inferred:
    with Embedded.open(":memory:") as backend:
        database = Database(backend, clock=lambda: NOW.timestamp())
        database.create_tables(*tables)
        for each in entities:
            database.put(each)
        return infer([sample_table(backend, each.name, 5_000).facts for each in tables])


NEVER_SEEN = "No item has it."
ALWAYS_EMPTY = "Every list is empty."

UNAVOIDABLE: dict[str, dict[str, str]] = {
    "Mall": {"- TENANT#{str}#ORDER#{int:08d} / METADATA: note str": NEVER_SEEN},
    "Organisation": {
        "- ORG#{str} / EMP#{str}: address "
        "{city: str, country: str, lines: list[str], position: list[Decimal], zip: str}": NEVER_SEEN,
        "+ ORG#{str} / EMP#{str}: address {city: str, country: str, lines: list[str], zip: str}": NEVER_SEEN,
    },
    "Places": {
        "- {str}#{str} / OFFICE#{str}: address "
        "{city: str, country: str, lines: list[str], position: list[Decimal], zip: str}": NEVER_SEEN,
        "+ {str}#{str} / OFFICE#{str}: address {city: str, country: str, lines: list[Any]}": ALWAYS_EMPTY,
    },
}
"""What the items cannot say; beside it, only that something may be absent, or has listed values."""


@pytest.mark.parametrize(
    ("tables", "entities"),
    [((Chat,), chat), ((Mall, Shelves, Tenants), mall), ((Organisation, Places), organisation)],
    ids=["chat", "mall", "organisation"],
)
def test_a_design_is_inferred_from_its_items(
    tables: tuple[type[Table], ...], entities: Callable[[], Iterator[Entity]]
) -> None:
    found = inferred(tables, entities())
    assert [(each.unplaced, each.differing) for each in found.checks] == [(0, [])] * len(tables)
    assert found.findings["error"] == 0
    with loaded(found.text) as module:
        for ours, other in zip(tables, tables_in(module), strict=True):
            lines = {line for line in differences(ours, other) if not line.endswith(UNSEEN)}
            assert lines == UNAVOIDABLE.get(ours.name, {}).keys()


UNSEEN = (": may be absent", ": has listed values")


def test_index_keys_that_are_made_of_fields_are_written_as_templates() -> None:
    text = inferred((Chat,), chat()).text
    assert 'Chat.rooms_of_user: ("USER#{member_id}", "{last_at}#{room_id}")' in text
    assert 'Chat.mentions: ("MENTION#{mentioned}", "{msg_at}#{room_id}")' in text
    assert 'derived("TitleLower", of="title", by=str.lower)' in text


def test_an_index_that_holds_no_whole_items_has_a_view_with_its_question() -> None:
    with loaded(inferred((Chat,), chat()).text) as module:
        [table] = tables_in(module)
        views = {each.index.name: each.cls for each in table.views if each.index is not None}
        assert set(views) == {"Rooms_Of_User", "Title"}
        query = views["Rooms_Of_User"].of_member("user3")
        assert (query.index.name, query.partition) == ("Rooms_Of_User", {"S": "USER#user3"})


def test_everything_of_a_partition_is_one_question() -> None:
    with loaded(inferred((Chat,), chat()).text) as module:
        query = module.Room.with_others("room-1")
        assert {shape.cls.__name__ for shape in query.shapes} == {"Room", "Member", "Message", "Notice"}
