"""A database with a little of every design in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from decimal import Decimal
from uuid import UUID

from hansang.design import Database, Table
from tests.checked import fair
from tests.checked.shop import Customer, Order, Shop
from tests.designs import chat, organisation
from tests.designs import shop as mall
from tests.storing import opened

NOW = datetime(2026, 1, 1, tzinfo=UTC)
DAY = date(2026, 1, 1)
STALL = UUID(int=1)
TABLES: tuple[type[Table], ...] = (
    Shop,
    fair.Fair,
    chat.Chat,
    mall.Mall,
    mall.Shelves,
    mall.Tenants,
    organisation.Organisation,
    organisation.Places,
)


@contextmanager
def stocked() -> Iterator[Database]:
    with opened(*TABLES) as db:
        db.create(Customer(id="c1", name="민지", created_at=NOW))
        db.create(Order(customer_id="c1", number=1, day=DAY, total=9900, created_at=NOW))
        db.create(chat.Room(id="cafe", title="찻집", created_at=NOW))
        db.create(chat.Member(room="cafe", user="minji", nickname="민지", last_at=NOW, joined_at=NOW))
        db.create(chat.Message(room="cafe", at=NOW, id="m1", sender="minji", text="밥"))
        db.create(mall.Product(tenant="한상", sku="a", name="된장", price=Decimal(9), category="food"))
        db.create(
            mall.Order(
                tenant="한상", number=1, customer=1, year=2026, due=DAY, total=Decimal(9), ordered_at=NOW
            )
        )
        db.create(organisation.Employee(org="hs", id="1", name="김민지"))
        db.create(
            fair.Stall(
                id=STALL,
                name="떡",
                hue=fair.Colour("ff"),
                place=fair.Place(city="서울"),
                prices=[1, 2],
                paid=fair.Card(number="1"),
            )
        )
        yield db
