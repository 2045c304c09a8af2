"""Right uses of the design language: type checkers have nothing to say."""

# pyright: strict

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import assert_type
from uuid import UUID

from hansang.design import (
    AT_WRITE,
    Database,
    Feed,
    ItemChange,
    Page,
    Query,
    Unreadable,
    all_of,
    any_of,
    attr,
    collection,
    inside,
    none_of,
)
from tests.checked.fair import Card, Cash, Colour, Fair, Stall, StallKey, StallName, Visit
from tests.checked.shop import Customer, CustomerKey, DayRow, Order, OrderKey
from tests.designs import chat, organisation
from tests.designs import shop as mall
from tests.designs.chat import Member, Message, Notice, Room, RoomOfUser
from tests.designs.organisation import Employee, Salary

NOW = datetime(2026, 1, 1, tzinfo=UTC)
DAY = date(2026, 1, 1)
ROOM = chat.RoomKey(id="cafe")
MEMBER = chat.MemberKey(room="cafe", user="minji")
MESSAGE = chat.MessageKey(room="cafe", at=NOW, id="m1")
PRODUCT = mall.ProductKey(tenant="한상", sku="a")


def write(db: Database) -> None:
    customer = Customer(id="c2", name="민지", created_at=NOW)
    assert_type(db.create(customer), Customer)
    order = Order(customer_id="c2", number=1, day=DAY, total=9900, created_at=NOW)
    assert_type(db.put(order), Order)
    assert_type(db.put(order, when=Order.total < 10_000), Order)
    assert_type(db.update(OrderKey(customer_id="c2", number=1), attr(Order.total).add(100)), Order)
    assert_type(db.update(customer, attr(Customer.name).set("지민"), when=Customer.visits == 0), Customer)
    assert_type(db.delete(CustomerKey(id="c2")), Customer | None)
    db.batch_write(puts=[customer, order], deletes=[OrderKey(customer_id="c2", number=2)])
    with db.transaction() as tx:
        assert_type(tx.create(order.model_copy(update={"number": 3})), Order)
        tx.update(CustomerKey(id="c2"), attr(Customer.visits).add(1), when=Customer.visits < 100)
        tx.check(CustomerKey(id="c1"), attr(Customer.name).exists())


def scan(db: Database) -> None:
    assert_type(db.all(Order.scan()), list[Order])
    assert_type(db.page(Order.scan().where(Order.total > 5), limit=10), Page[Order])
    assert_type([db.count(part) for part in Message.scan().segments(2)], list[int])
    assert_type(db.first(DayRow.scan()), DayRow | None)


def read(db: Database) -> None:
    assert_type(db.get(CustomerKey(id="c1")), Customer)
    assert_type(db.find(OrderKey(customer_id="c1", number=1), consistent=True), Order | None)
    assert_type(db.page(Order.of("c1"), limit=10), Page[Order])
    assert_type(db.all(DayRow.on(DAY)), list[DayRow])
    assert_type(db.all(Customer.with_orders("c1")), list[Customer | Order])
    assert_type(db.first(Customer.newest().where(attr(Customer.name).begins_with("민"))), Customer | None)
    assert_type(db.count(Order.of("c1").where(any_of(Order.total > 5, all_of(Order.total < 3)))), int)
    assert_type(db.batch_get([CustomerKey(id="c1"), CustomerKey(id="c2")]), list[Customer])
    for order in db.each(Order.of("c1").descending()):
        assert_type(order.total, int)


def keep_up(db: Database) -> None:
    """Versions and times that the database writes, and changes of every sort."""
    room = Room(id="bar", title="술집", created_at=NOW)
    assert_type(room.version, int)
    assert_type(room.updated_at, datetime)
    assert room.updated_at == AT_WRITE
    seen = db.create(room)
    assert_type(seen.title_lower, str)
    assert_type(db.replace(seen.model_copy(update={"title": "찻집"}), seen=seen), Room)
    message = db.get(MESSAGE)
    db.update(message, attr(Message.liked_by).add({"jisu"}), attr(Message.likes).add(1))
    db.update(MESSAGE, attr(Message.liked_by).discard({"jisu"}), attr(Message.mentioned).set(None))
    db.update(MESSAGE, attr(Message.expires_at).set_if_missing(NOW), attr(Message.text).set("말"))
    marker = chat.ReadMarkerKey(user="minji", room="cafe")
    assert_type(db.update(marker, attr(chat.ReadMarker.unread).add(1), upsert=True), chat.ReadMarker)
    db.update(PRODUCT, attr(mall.Product.price).set(Decimal("9.90")), attr(mall.Product.category).set("book"))
    employee = organisation.EmployeeKey(org="hs", id="1")
    db.update(employee, attr(Employee.leave_days).set(None), attr(Employee.manager).remove())


def together(db: Database) -> None:
    """Several items at once."""
    assert_type(db.transact_get(ROOM), tuple[Room | None])
    assert_type(db.transact_get(ROOM, MEMBER), tuple[Room | None, Member | None])
    room, member, message = db.transact_get(ROOM, MEMBER, MESSAGE)
    assert_type(room, Room | None)
    assert_type(member, Member | None)
    assert_type(message, Message | None)
    rooms = [chat.RoomKey(id=id_) for id_ in ("cafe", "bar", "inn", "pub")]
    assert_type(db.transact_get(*rooms), tuple[Room | None, ...])
    assert_type(db.batch_get([MEMBER]), list[Member])
    seen = db.get(ROOM)
    with db.transaction(token="once", name="move") as tx:
        assert_type(tx.put(Notice(room="cafe", at=NOW, text="이사")), Notice)
        assert_type(tx.replace(seen.model_copy(update={"title": "새 집"}), seen=seen), Room)
        tx.delete(MEMBER, when=Member.role != "owner")


def answers(db: Database) -> None:
    """Questions by patterns and by hand, and what comes back."""
    assert_type(Room.with_members("cafe"), Query[Room | Member])
    assert_type(db.all(Room.with_members("cafe")), list[Room | Member])
    assert_type(db.page(Room.whole("cafe")), Page[Room | Member | Message | Notice])
    assert_type(
        collection(Employee, Salary, where=[Employee.org == "hs"]).descending(), Query[Employee | Salary]
    )
    for each in db.each(Room.with_members("cafe"), limit=5):
        assert_type(each.nickname if isinstance(each, Member) else each.title, str)
    assert_type(db.each(Message.newest("cafe"), limit=1), Iterator[Message])
    told: list[Unreadable] = []
    assert_type(db.all(Message.newest("cafe"), 3, unreadable=told.append), list[Message])
    assert_type(db.hydrate(RoomOfUser.latest("minji"), limit=2), Page[Member])
    assert_type(db.batch_get(db.all(RoomOfUser.latest("minji"))), list[Member])
    assert_type(Message.query(Message.room == "cafe", Message.at > NOW), Query[Message])
    assert_type(db.first(RoomOfUser.query(RoomOfUser.user == "minji")), RoomOfUser | None)


def conditions(db: Database) -> None:
    """What can be asked of attributes."""
    products = mall.Product.of("한상")
    products.where(attr(mall.Product.category).one_of("food", "book"), mall.Product.price < Decimal(10))
    products.where(none_of(attr(mall.Product.tags).contains("장"), mall.Product.stock == 0))
    products.where(attr(mall.Product.sale_ends).between(DAY, DAY), attr(mall.Product.name).begins_with("된"))
    products.where(any_of(attr(mall.Product.sale_ends).missing(), mall.Product.sale_ends == DAY))
    Employee.of("hs").where(attr(Employee.nickname).begins_with("새"), Employee.leave_days != 3)
    db.all(products.where(mall.Product.name_lower == "된장"))
    db.all(products.where(mall.Product.stock < mall.Product.price))
    db.all(Message.in_room("cafe").where(Message.text != Message.sender))
    db.all(products.where(attr(mall.Product.tags).size() >= 1, attr(mall.Product.name).size() < 30))
    db.all(products.where(attr(mall.Product.name).is_type("S")))


def follow(db: Database) -> None:
    """The changes of a table."""
    feed = db.feed(chat.Chat, start="oldest")
    assert_type(feed, Feed)
    assert_type(feed.poll(), list[ItemChange])


def parts(db: Database) -> None:
    """Members, elements and entries, codecs of one's own, unions, projections and buckets."""
    key = StallKey(id=UUID(int=1))
    stall = db.update(
        key,
        attr(Stall.place.city).set("부산"),
        attr(Stall.prices[0]).add(5),
        attr(Stall.sold["떡"]).add(1),
        when=Stall.place.floor >= 1,
    )
    assert_type(stall.place.city, str)
    assert_type(stall.paid, Card | Cash)
    assert_type(stall.hue, Colour)
    db.update(key, attr(Stall.paid).set(Cash(coins=3)), attr(Stall.hue).set(Colour("00")))
    asked = Stall.one(key.id).where(Stall.hue == Colour("00"), inside(Stall.store).city != "서울")
    assert_type(asked.select(StallName), Query[StallName])
    assert_type(db.first(asked.select(StallName)), StallName | None)
    assert_type(db.get(key, select=StallName), StallName)
    assert_type(db.find(key, consistent=True, select=StallName), StallName | None)
    assert_type(db.batch_get([key], select=StallName), list[StallName])
    assert_type(db.batch_get([db.get(key, select=StallName)]), list[Stall])
    assert_type(db.all(Visit.between(key.id, NOW, NOW)), list[Visit])
    moods = Visit.query(Visit.who == "a", Visit.mood == "good", Visit.score > 1, index=Fair.by_mood)
    assert_type(db.all(moods), list[Visit])
