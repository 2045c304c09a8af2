"""Wrong uses of the design language, each on a line of its own.

Type checkers flag the lines that are marked wrong. The lines that are marked refused look right to them, or to one
of them. Each of all these lines raises an error when it is run, and changes nothing.
"""

# pyright: strict, reportUnusedExpression=false

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from uuid import UUID

from hansang.design import Database, Entity, Key, attr, collection, inside
from tests.checked.fair import Card, Colour, Fair, Stall, StallKey, StallName, Visit, VisitKey
from tests.checked.shop import Customer, CustomerKey, DayRow, Order, OrderKey, Shop
from tests.designs import chat, organisation
from tests.designs import shop as mall
from tests.designs.chat import Chat, Member, Message, Room, RoomOfUser
from tests.designs.shop import Product, Status

NOW = datetime(2026, 1, 1, tzinfo=UTC)
DAY = date(2026, 1, 1)
ONE = Decimal(1)


class LooseKey(Key["Loose"], pk="LOOSE#{id}", sk="METADATA"):
    """A key of nothing that is in a table."""

    id: str


class Loose(LooseKey, Entity):
    """Something that is in no table."""


ROOM = chat.RoomKey(id="cafe")
MESSAGE = chat.MessageKey(room="cafe", at=NOW, id="m1")
PRODUCT = mall.ProductKey(tenant="한상", sku="a")
ORDER = mall.OrderKey(tenant="한상", number=1)


def keys(db: Database) -> None:
    CustomerKey(ident="c1")  # wrong: no such key field
    CustomerKey(id=1)  # wrong: the type of a key field
    OrderKey(customer_id="c1")  # wrong: half a key
    OrderKey(customer_id="c1", number="one")  # wrong: text for a number
    chat.MessageKey(room="cafe", at=DAY, id="m1")  # wrong: a day for a moment
    chat.NoticeKey(room="cafe", at=5)  # wrong: a number for a moment
    chat.MessageKey(room="cafe", at=datetime(2026, 1, 1), id="m1")  # refused: a moment of no zone
    chat.NoticeKey(room="cafe", at=NOW + timedelta(microseconds=1))  # refused: finer than a second
    organisation.SalaryKey(org="hs", id="1", from_day="soon")  # wrong: text for a day
    organisation.SalaryKey(org="hs", id="1", from_day=NOW)  # refused: a moment for a day, in a key
    db.find(organisation.EmployeeKey(org="h#s", id="1"))  # refused: a separator in a key
    db.find(organisation.EmployeeKey(org="", id="1"))  # refused: nothing in a key
    db.find(mall.OrderKey(tenant="한상", number=123456789))  # refused: wider than its place in the key


def reading(db: Database) -> None:
    db.get("c1")  # wrong: a key is more than a text
    db.get(DayRow)  # wrong: a class is no key
    db.get(chat.RoomKey)  # wrong: the class of a key, not a key
    db.find(Room.id)  # wrong: a field is no key
    db.find(LooseKey(id="1"))  # refused: the key of no table
    db.batch_get([ROOM, "cafe"])  # wrong: a text among keys of a batch
    db.batch_get(ROOM)  # wrong: one key, not several
    db.batch_get([LooseKey(id="1")])  # refused: keys of no table
    db.transact_get(ROOM, "cafe")  # wrong: a text among keys
    db.transact_get([ROOM])  # wrong: a list of keys, not keys
    db.feed(organisation.Places)  # refused: a table without a stream
    db.feed(Chat, start="first")  # wrong: neither oldest nor newest
    db.feed(Room)  # wrong: an entity, not its table


def values(db: Database) -> None:
    Customer(id="c1", created_at=NOW)  # wrong: a field is missing
    Customer(id="c1", name="민지", created_at="2026-01-01")  # wrong: text for a moment, in an entity
    Customer(id="c1", name="민지", created_at=NOW, colour="red")  # wrong: no such field
    Order(customer_id="c1", number=1, day=DAY, total=1.5, created_at=NOW)  # wrong: a float
    Member(room="r", user="u", nickname="u", role="king", last_at=NOW, joined_at=NOW)  # wrong: no role
    Product(tenant="t", sku="a", name="된장", price=9.9, category="food")  # wrong: a float for a price
    Product(tenant="t", sku="a", name="된장", price=ONE, category="toy")  # wrong: no category
    Product(tenant="t", sku="a", name="된장", price=-ONE, category="food")  # refused: no price
    organisation.Employee(org="hs", id="1", name="김", grade=21)  # refused: above the highest grade
    db.put(CustomerKey(id="c1"))  # wrong: a key is no entity
    db.put(RoomOfUser(room="cafe", user="u", last_at=NOW))  # wrong: a view is no entity
    db.put(Loose(id="1"))  # refused: an entity of no table
    db.create(Room)  # wrong: a class is no entity
    db.batch_write(puts=[ROOM])  # wrong: a key is no entity, in a batch
    db.batch_write(puts=[Room(id="bar", title="bar", created_at=NOW)])  # refused: no version in a batch


def copies(db: Database) -> None:
    room, message = db.get(ROOM), db.get(MESSAGE)
    room.title = "bar"  # wrong: an entity does not change
    room.model_copy(update={"titel": "bar"})  # refused: a misspelt field
    room.model_copy(update={"title": 5})  # refused: the type of a field
    room.model_copy(update={"title_lower": "bar"})  # refused: it is worked out, in a copy
    db.replace(message, seen=room)  # refused: another kind
    db.replace(message, seen=message)  # refused: no version, and no field in its place
    db.replace(message, seen=message, by=message.edited_at)  # refused: a value, not a field
    db.put(room, when=room.messages == 0)  # refused: an instance for the class, in a condition
    db.put(room, when=Room.messages == "none")  # wrong: text for a number, in a condition
    db.put(room, when=Room.id == "cafe")  # refused: the key that is written to
    attr(room.title)  # refused: an instance for the class


def changes(db: Database) -> None:
    db.update(CustomerKey(id="c1"), attr(Customer.name).set(5))  # wrong: the type of the new value
    db.update(OrderKey(customer_id="c1", number=1), attr(Order.total).add("many"))  # wrong: text added
    db.update(CustomerKey(id="c1"), attr(Customer.nickname).set("x"))  # wrong: no such attribute
    db.update(CustomerKey(id="c1"), Customer.name)  # wrong: a field is no change
    db.update(CustomerKey(id="c1"), Customer.name.set("x"))  # wrong: a change without attr
    db.update(ROOM)  # refused: no change
    db.update(ROOM, Room.messages == 3)  # wrong: a condition is no change
    db.update(ROOM, attr(Room.title).set("x"), when=attr(Room.messages).set(3))  # wrong: no condition
    db.update(ROOM, attr(Room.title).set("x"), when=Room.topics)  # wrong: a field is no condition
    db.update(ROOM, attr(Message.text).set("x"))  # refused: a change of another entity
    db.update(MESSAGE, attr(Message.id).set("m2"))  # refused: a key that changes
    db.update(ROOM, attr(Room.version).set(5))  # refused: the database counts
    db.update(ROOM, attr(Room.updated_at).set(NOW))  # refused: the database looks at the clock
    db.update(ROOM, attr(Room.title_lower).set("x"))  # refused: it is worked out
    db.update(ROOM, attr(Room.title).remove())  # refused: every room has it
    db.update(ROOM, attr(Room.title).add("x"))  # refused: a text is not added to
    db.update(ROOM, attr(Room.messages).append(3))  # refused: a number is no list
    db.update(ROOM, attr(Room.messages).set(Room.messages))  # refused: a field for a value
    db.update(ROOM, attr(Room.messages).set(Room.messages + 1))  # refused: a sum of a field
    db.update(PRODUCT, attr(Product.stock).set(-1))  # refused: less than nothing
    db.update(PRODUCT, attr(Product.tags).add("장"))  # wrong: a text for a set
    db.update(PRODUCT, attr(Product.category).set("toy"))  # refused: no category, in a change
    db.update(ORDER, attr(mall.Order.status).set(Status.PAID))  # refused: half of an index key
    db.update(ORDER, attr(mall.Order.status).set("lost"))  # wrong: no status


def questions(db: Database) -> None:
    Order.of(1)  # wrong: the type of an argument
    Order.of()  # wrong: an argument is missing
    Order.about("c1")  # wrong: no such pattern
    Order.query(index="by_day")  # wrong: the name of an index, not the index
    Customer.query(index=Shop.by_color)  # wrong: no such index
    Message.query(Message.mentioned == "u", index=mall.Mall.by_due)  # refused: an index of another table
    Member.query(Member.user == "u", index=Chat.rooms_of_user)  # refused: it holds no whole members
    Message.query(Message.room == 5)  # wrong: a number for a text
    Message.query(Message.at == NOW)  # refused: no partition
    Message.query(Message.room > "a")  # refused: many partitions
    Message.query(Message.room == "cafe", Message.id == "m1")  # refused: a hole in the key
    Message.query(Message.room == "cafe", Message.text == "x")  # refused: not in the key
    Message.query(Room.id == "cafe")  # refused: a question by another entity
    mall.Customer.query(mall.Customer.tenant == "t", mall.Customer.number > 1)  # refused: it does not sort
    attr(Message.likes).begins_with("1")  # wrong: a number has no beginning
    attr(Message.at).begins_with("2026")  # wrong: a moment has no beginning
    Message.after("cafe", "2026-01-01")  # wrong: text for a moment, in a question
    Message.between("cafe", DAY, NOW)  # wrong: a day for a moment, in a question
    Message.between("cafe", NOW, NOW - timedelta(1))  # refused: from late to early
    organisation.Salary.on("hs", "1", NOW)  # refused: a moment for a day, in a question
    RoomOfUser.latest("minji").consistent()  # refused: a global index


def filters(db: Database) -> None:
    messages = Message.in_room("cafe")
    messages.where("text = x")  # wrong: a text is no condition
    messages.where()  # refused: no condition at all
    messages.where(True)  # refused: true of everything
    messages.where(Message.likes < Message.text)  # wrong: a number against a text
    messages.where(Message.expires_at == Message.edited_at)  # refused: moments that are stored differently
    messages.where(Message.text == Room.title)  # refused: a field against one of another entity
    messages.where(Message.liked_by <= Message.liked_by)  # refused: sets have no order
    messages.where(attr(Message.likes).size() > 3)  # refused: a number has no size
    messages.where(attr(Message.text).size() > "x")  # wrong: a size is a number
    messages.where(attr(Message.text).size() > -1)  # refused: a size is not below nothing
    messages.where(attr(Message.text).is_type("text"))  # wrong: no type of DynamoDB
    messages.where(attr(Message.text).is_type("N"))  # refused: never stored so
    messages.where(Message.mentioned == None)  # refused: nothing is equal to None
    messages.where(Message.mentioned is None)  # refused: a field is not None
    messages.where(not Message.likes == 3)  # refused: not, of a condition
    messages.where(Message.likes == 3 and Message.text == "x")  # refused: and, of conditions
    messages.where(0 < Message.likes < 3)  # refused: two comparisons in one
    messages.where("x" in Message.text)  # refused: in, of a field
    messages.where(Message.text.startswith("x"))  # refused: a method of text
    messages.where(Message.at > NOW)  # refused: the key
    messages.where(Room.title == "x")  # refused: a filter by another entity
    messages.where(Message.likes == "many")  # wrong: text for a number, in a filter
    messages.where(attr(Message.likes).contains(5))  # refused: a number has no members
    messages.where(attr(Message.liked_by).contains(5))  # refused: a number among texts
    RoomOfUser.latest("minji").where(Member.nickname == "x")  # refused: not in the index


def scans(db: Database) -> None:
    Message.scan(Message.room == "cafe")  # wrong: a scan takes no key
    Loose.scan()  # refused: a scan of no table
    Message.scan().descending()  # refused: a scan has no order
    Message.scan().segments("4")  # wrong: a number of segments
    Message.scan().segments(0)  # refused: no segments
    Message.scan().segments(2)[0].segments(2)  # refused: a segment of a segment
    Message.scan().where(Room.title == "x")  # refused: a scan by another entity
    RoomOfUser.scan().consistent()  # refused: a global index, scanned


def collections(db: Database) -> None:
    collection(Room, Member)  # wrong: of which room?
    collection(Room, Member, where=Room.id == "cafe")  # wrong: a condition, not several
    collection(Room, mall.Order, where=[Room.id == "cafe"])  # refused: two tables
    collection(Room, chat.ReadMarker, where=[Room.id == "cafe"])  # refused: two partitions
    collection(Room, ROOM, where=[Room.id == "cafe"])  # wrong: a key is no kind
    collection(where=[Room.id == "cafe"])  # refused: no kinds
    collection(Loose, where=[Room.id == "cafe"])  # refused: a kind of no table


def asking(db: Database) -> None:
    db.all(Order.of)  # wrong: the pattern itself, not a question
    db.count(Message.in_room)  # wrong: the pattern itself, to count
    db.hydrate(RoomOfUser.latest)  # wrong: the pattern itself, to hydrate
    db.all(Room)  # wrong: an entity is no question
    Database(db)  # wrong: a database is no backend
    db.page(Order.of("c1"), limit="10")  # wrong: text for a limit
    db.all(Message.in_room("cafe"), limit="10")  # wrong: text for a limit of all
    db.page(Order.of("c1"), limit=0)  # refused: a page of nothing
    db.page(Order.of("c1"), cursor="again")  # refused: a cursor that nobody gave
    db.page(Order.of("c1"), cursor=1)  # wrong: a number for a cursor


def results(db: Database) -> None:
    db.get(CustomerKey(id="c1")).total  # wrong: an attribute of another entity
    db.get(CustomerKey(id="c1")).name + 1  # wrong: the type of an attribute
    db.find(CustomerKey(id="gone")).name  # wrong: what is found may be missing
    db.first(Message.in_room("gone")).text  # wrong: the first may be missing
    db.delete(chat.RoomKey(id="gone")).title  # wrong: what is deleted may be missing
    db.transact_get(chat.RoomKey(id="gone"))[0].title  # wrong: one of several may be missing
    db.all(DayRow.on(DAY))[0].note  # wrong: the view does not have it
    db.all(Customer.with_orders("c1"))[0].total  # wrong: only one of the two has it
    db.all(Room.with_members("cafe"))[0].title  # wrong: a member of a room has no title
    db.hydrate(RoomOfUser.latest("minji")).items[0].title  # wrong: a whole member has no title
    db.all(RoomOfUser.latest("minji"))[0].nickname  # wrong: the view of keys does not have it


def together(db: Database) -> None:
    with db.transaction() as tx:
        tx.create(CustomerKey(id="c1"))  # wrong: a key is no entity, in a transaction
        tx.update(Shop, attr(Customer.visits).add(1))  # wrong: a table is no key
        tx.update(CustomerKey(id="c1"), attr(Customer.visits).set(None))  # wrong: it may not be None
        tx.check(ROOM)  # wrong: what is to be checked?
        tx.check(ROOM, attr(Room.messages).add(1))  # wrong: a change is no condition
        tx.put(chat.RoomTitle(id="cafe", title="x", title_lower="x"))  # wrong: a view in a transaction
        tx.delete(Room)  # wrong: a class is no key, in a transaction


def parts(db: Database) -> None:
    stall = StallKey(id=UUID(int=1))
    db.update(stall, attr(Stall.place.town).set("x"))  # wrong: no such member
    db.update(stall, attr(Stall.place.city).set(5))  # wrong: the type of a member
    db.update(stall, attr(Stall.prices[0]).set("much"))  # wrong: the type of an element
    db.update(stall, attr(Stall.prices["a"]).set(1))  # wrong: a name for a place
    db.update(stall, attr(Stall.sold[0]).add(1))  # wrong: a place for a name
    db.update(stall, attr(Stall.store.city).set("x"))  # wrong: it may be None
    db.update(stall, attr(inside(Stall.store).city).set("x"))  # refused: it is None
    db.update(stall, attr(Stall.prices[-1]).set(1))  # refused: places are counted from the front
    db.update(stall, attr(Stall.prices[2]).set(1))  # refused: no such place
    db.update(stall, attr(Stall.place.city).remove())  # refused: every place has it
    db.update(stall, attr(Stall.sold["떡"]).add(1), upsert=True)  # refused: a new one has no parts
    db.update(stall, attr(Stall.place.floor).set(2), attr(Stall.place.floor).add(1))  # refused: twice
    Stall.one(stall.id).where(Stall.place.floor == "high")  # wrong: text for a number, in a part
    Stall.one(stall.id).where(Stall.place.floor == Stall.prices[0])  # refused: two parts


def codecs(db: Database) -> None:
    stall = StallKey(id=UUID(int=1))
    StallKey(id="stall")  # wrong: no UUID
    db.update(stall, attr(Stall.hue).set("ff"))  # wrong: what is stored, not the value
    db.update(stall, attr(Stall.hue).set(Colour(5)))  # wrong: it cannot be stored
    Stall.one(stall.id).where(Stall.hue < Colour("ff"))  # wrong: colours have no order
    Stall.one(stall.id).where(attr(Stall.hue).contains("f"))  # refused: a piece of what is stored
    Stall.one(stall.id).where(attr(Stall.hue).begins_with("f"))  # wrong: a colour has no beginning
    db.update(stall, attr(Stall.paid).set("cash"))  # wrong: no member of the union
    db.update(stall, attr(Stall.paid).set(Card(kind="cash", number="1")))  # wrong: another's mark
    db.get(stall).paid.coins  # wrong: a card has no coins


def projections(db: Database) -> None:
    stall = StallKey(id=UUID(int=1))
    StallName.query(StallName.id == stall.id)  # refused: it is asked by its entity
    db.all(Stall.one(stall.id).select(StallName))[0].hue  # wrong: not selected
    Stall.one(stall.id).select(Stall)  # refused: not some of the fields
    Stall.one(stall.id).select(DayRow)  # refused: a view of another kind
    Stall.one(stall.id).select("name")  # wrong: a text is no view
    db.get(stall, select=StallName).hue  # wrong: not selected, of one
    db.find(StallKey(id=UUID(int=9)), select=StallName).name  # wrong: what is selected may be missing
    db.batch_get([stall], select=StallName)[0].place  # wrong: not selected, of several
    db.get(stall, select=Stall)  # wrong: the whole is not some of the fields
    db.get(stall, select="name")  # wrong: a text is no view, of one
    db.find(ROOM, select=StallName)  # refused: some fields of another kind
    db.find(stall, select=DayRow)  # refused: the view of an index
    db.batch_get([stall, ROOM], select=StallName)  # refused: some fields of one of two kinds
    db.put(StallName(id=stall.id, name="x"))  # wrong: a part is not stored
    Visit.query(Visit.stall == stall.id)  # refused: of which month?
    Visit.query(Visit.stall == stall.id, Visit.at > NOW)  # refused: months without end
    Visit.between(stall.id, NOW, NOW + timedelta(days=9999))  # refused: too many months
    VisitKey(stall=stall.id, at="2026-01")  # wrong: a month for a moment
    Visit.query(Visit.who == "a", index=Fair.by_mood)  # refused: half of a partition
    Visit.query(Visit.who == "a", Visit.mood > "b", index=Fair.by_mood)  # refused: many partitions
    Visit.query(Visit.who == "a", Visit.mood == "b", Visit.score == "c", index=Fair.by_mood)  # wrong: text
    Visit.query(Visit.who == "a", Visit.mood == "b", Visit.at == NOW, index=Fair.by_mood)  # refused: a hole
