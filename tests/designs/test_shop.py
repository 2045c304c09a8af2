"""A mall of many shops, played through."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from unicodedata import normalize

import pytest

from hansang.backends.base import Backend
from hansang.design import Database, Unreadable, any_of, attr, none_of
from hansang.errors import (
    AlreadyExists,
    Conflict,
    DesignError,
    InvalidInput,
    InvalidKey,
    NotFound,
    UnexpectedItem,
)
from tests.designs.shop import (
    Category,
    Customer,
    CustomerKey,
    CustomerPoints,
    Grade,
    Line,
    LineKey,
    Mall,
    Order,
    OrderKey,
    Product,
    ProductKey,
    ProductName,
    Sale,
    Shelf,
    ShelfKey,
    Shelves,
    Status,
    Tenant,
    TenantKey,
    Tenants,
)
from tests.designs.stages import Watch, fresh, in_pages
from tests.storing import item, load, stored

NOW = datetime(2026, 3, 1, tzinfo=UTC)
DAY = date(2026, 3, 1)
HERE = "한상"


def day(number: int) -> date:
    return DAY.replace(day=number)


def product(
    sku: str,
    name: str = "된장",
    price: str = "12900",
    *,
    tenant: str = HERE,
    category: Category = "food",
    stock: int = 5,
    sale_ends: date | None = None,
) -> Product:
    return Product(
        tenant=tenant,
        sku=sku,
        name=name,
        price=Decimal(price),
        category=category,
        stock=stock,
        sale_ends=sale_ends,
    )


def customer(number: int, points: int | None = None, grade: Grade = Grade.PLAIN) -> Customer:
    return Customer(tenant=HERE, number=number, name=f"손님 {number}", points=points, grade=grade)


def order(
    number: int,
    status: Status = Status.NEW,
    due: date | None = None,
    *,
    tenant: str = HERE,
    year: int = 2026,
) -> Order:
    return Order(
        tenant=tenant,
        number=number,
        customer=1,
        year=year,
        status=status,
        due=due,
        total=Decimal("25800"),
        ordered_at=NOW,
    )


def line(number: int, position: int, count: int = 1) -> Line:
    return Line(tenant=HERE, number=number, line=position, sku="a", count=count, price=Decimal("9.90"))


@pytest.fixture
def db(backend: Backend, watch: Watch) -> Iterator[Database]:
    with fresh(backend, watch, Mall, Shelves, Tenants) as database:
        yield database


# ── tenants ───────────────────────────────────────────────────────────────────────────────────────


def test_a_tenant_is_known_by_its_name_however_it_is_typed(db: Database) -> None:
    made = db.create(Tenant(id=HERE, name="한상 식품"))
    assert db.get(TenantKey(id=normalize("NFD", HERE)), consistent=True) == made
    with pytest.raises(AlreadyExists):
        db.create(Tenant(id=normalize("NFD", HERE), name="another"))
    assert made.rate == Decimal("0.1")


def test_what_is_returned_is_what_was_written(db: Database) -> None:
    typed = normalize("NFD", HERE)
    made = db.create(Tenant(id=typed, name=typed))
    assert made == db.get(TenantKey(id=HERE), consistent=True)
    assert db.put(product("a", tenant=typed)) == db.get(ProductKey(tenant=HERE, sku="a"), consistent=True)


def test_a_tenant_without_a_name_has_no_key(db: Database) -> None:
    with pytest.raises(InvalidKey, match="id is empty"):
        db.create(Tenant(id="", name="x"))


# ── products ──────────────────────────────────────────────────────────────────────────────────────


def test_an_item_is_what_the_design_says(db: Database) -> None:
    db.put(
        product("a1", "Gochujang 고추장", "9.95", sale_ends=DAY).model_copy(update={"tags": {"매운", "장"}})
    )
    assert stored(db, Mall) == [
        item(
            {
                "PK": "TENANT#한상",
                "SK": "PRODUCT#a1",
                "Type": "Product",
                "name": "Gochujang 고추장",
                "NameLower": "gochujang 고추장",
                "price": Decimal("9.95"),
                "category": "food",
                "stock": 5,
                "tags": {"매운", "장"},
                "SaleEnds": "2026-03-01",
                "NamePK": "NAMES#한상",
                "SalePK": "SALE#한상#food",
            }
        )
    ]


def test_prices_are_exact(db: Database) -> None:
    db.put(product("a", price="0.10"))
    db.put(product("b", price="9999999999.99"))
    assert [each.price for each in db.each(Product.of(HERE))] == [Decimal("0.10"), Decimal("9999999999.99")]
    changed = db.update(ProductKey(tenant=HERE, sku="a"), attr(Product.price).add(Decimal("0.20")))
    assert changed.price == Decimal("0.30")


def test_products_of_one_shop_are_not_those_of_another(db: Database) -> None:
    db.batch_write(puts=[product("a"), product("b"), product("a", tenant="한"), customer(1)])
    assert [each.sku for each in db.all(Product.of(HERE).consistent())] == ["a", "b"]
    assert [each.tenant for each in db.all(Product.of("한"))] == ["한"]
    assert db.count(Product.of(HERE)) == 2


def test_products_are_filtered_by_tags_prices_and_what_is_there(db: Database) -> None:
    tagged = product("a", price="5").model_copy(update={"tags": {"장"}})
    db.batch_write(puts=[tagged, product("b", price="50"), product("c", price="3", stock=0)])
    assert db.all(Product.tagged(HERE, "장")) == [tagged]
    assert db.all(Product.cheaper(HERE, Decimal("50"))) == [tagged]
    assert db.count(Product.cheaper(HERE, Decimal("50.01"))) == 2
    dear = Product.of(HERE).where(any_of(Product.price > 40, attr(Product.tags).contains("장")))
    assert [each.sku for each in db.all(dear)] == ["a", "b"]
    with pytest.raises(DesignError, match="is in the key alone"):
        Product.of(HERE).where(none_of(attr(Product.sku).begins_with("x"), Product.category == "food"))


def test_names_are_found_in_whatever_case(db: Database) -> None:
    db.batch_write(
        puts=[product("a", "Kimchi"), product("b", "KIMBAP"), product("c", "김치"), product("d", "Tofu")]
    )
    assert [row.name for row in db.all(ProductName.called(HERE, "kim"))] == ["KIMBAP", "Kimchi"]
    assert [row.sku for row in db.all(ProductName.called(HERE, normalize("NFD", "김")))] == ["c"]
    assert db.hydrate(ProductName.called(HERE, "TOFU")).items == [product("d", "Tofu")]
    assert [
        [row.sku for row in page if isinstance(row, ProductName)]
        for page in in_pages(db, ProductName.by_name(HERE), 3)
    ] == [
        ["b", "a", "d"],
        ["c"],
    ]
    renamed = db.update(ProductKey(tenant=HERE, sku="d"), attr(Product.name).set("Kimmari"))
    assert (renamed.name, renamed.name_lower) == ("Kimmari", "kimmari")
    assert [row.sku for row in db.all(ProductName.called(HERE, "kim"))] == ["b", "a", "d"]


def test_only_what_is_on_sale_is_in_the_index_of_sales(db: Database) -> None:
    db.batch_write(
        puts=[
            product("a", sale_ends=day(9)),
            product("b", sale_ends=day(3)),
            product("c"),
            product("d", category="tool", sale_ends=day(1)),
        ]
    )
    rows = db.all(Sale.until(HERE, "food", day(9)))
    assert [(row.sku, row.category, row.sale_ends) for row in rows] == [
        ("b", "food", day(3)),
        ("a", "food", day(9)),
    ]
    assert db.count(Sale.until(HERE, "food", day(8))) == 1
    db.update(ProductKey(tenant=HERE, sku="b"), attr(Product.sale_ends).set(None))
    assert [row.sku for row in db.all(Sale.until(HERE, "food", day(9)))] == ["a"]
    db.update(
        ProductKey(tenant=HERE, sku="c"),
        attr(Product.sale_ends).set(day(2)),
        attr(Product.category).set("book"),
    )
    assert [row.sku for row in db.all(Sale.until(HERE, "book", day(9)))] == ["c"]
    assert db.hydrate(Sale.until(HERE, "book", day(9))).items[0].name == "된장"


def test_stock_stays_within_its_bounds(db: Database) -> None:
    key = ProductKey(tenant=HERE, sku="a")
    db.put(product("a", stock=2))
    assert db.update(key, attr(Product.stock).add(-2)).stock == 0
    with pytest.raises(Conflict, match=r"Product\.stock - 1 >= 0\.$") as refused:
        db.update(key, attr(Product.stock).add(-1))
    assert refused.value.item == product("a", stock=0)
    with pytest.raises(Conflict, match=r"Product\.stock \+ 1000000 <= 1000000"):
        db.update(db.update(key, attr(Product.stock).add(1)), attr(Product.stock).add(1_000_000))
    with pytest.raises(InvalidInput, match=r"Product\.stock"):
        db.update(key, attr(Product.stock).set(1_000_001))
    assert db.get(key, consistent=True).stock == 1


def test_sets_grow_and_shrink_and_are_gone_when_they_are_empty(db: Database) -> None:
    key = ProductKey(tenant=HERE, sku="a")
    db.put(product("a"))
    assert db.update(key, attr(Product.tags).add({"장", "매운"})).tags == {"장", "매운"}
    assert db.update(
        key, attr(Product.tags).discard({"매운"}), attr(Product.sizes).set(frozenset({1, 2}))
    ).sizes == frozenset({1, 2})
    assert db.update(key, attr(Product.tags).set(set()), attr(Product.sizes).remove()) == product("a")
    with pytest.raises(InvalidInput, match="empty set"):
        db.update(key, attr(Product.sizes).set(frozenset()))


def test_a_category_is_one_of_those_that_there_are(db: Database) -> None:
    db.put(product("a"))
    with pytest.raises(InvalidInput, match=r"Product\.category"):
        db.update(ProductKey(tenant=HERE, sku="a"), attr(Product.category).set("toy"))  # type: ignore[arg-type]
    found = db.all(Product.of(HERE).where(attr(Product.category).one_of("food", "book")))
    assert [each.sku for each in found] == ["a"]


# ── customers ─────────────────────────────────────────────────────────────────────────────────────


def test_customers_are_known_by_a_number_that_does_not_sort(db: Database) -> None:
    db.batch_write(puts=[customer(number) for number in (2, 10, 1)])
    assert [each.number for each in db.all(Customer.of(HERE))] == [1, 10, 2]
    assert db.get(CustomerKey(tenant=HERE, number=10)) == customer(10)
    with pytest.raises(DesignError, match="does not sort") as refused:
        Customer.query(Customer.tenant == HERE, Customer.number > 1)
    assert refused.value.rule == "H107"


def test_customers_with_points_are_sorted_by_number(db: Database) -> None:
    db.batch_write(puts=[customer(1, 100), customer(2, 9), customer(3), customer(4, -5)])
    assert [(row.number, row.points) for row in db.all(CustomerPoints.best(HERE))] == [
        (1, 100),
        (2, 9),
        (4, -5),
    ]
    assert [row.number for row in db.all(CustomerPoints.above(HERE, 9))] == [1]
    db.update(CustomerKey(tenant=HERE, number=3), attr(Customer.points).set(50))
    assert [row.number for row in db.all(CustomerPoints.best(HERE), limit=2)] == [1, 3]
    db.update(CustomerKey(tenant=HERE, number=1), attr(Customer.points).remove())
    assert db.count(CustomerPoints.best(HERE)) == 3
    assert db.hydrate(CustomerPoints.above(HERE, 40)).items == [customer(3, 50)]


def test_points_that_an_index_is_by_are_set_and_not_added_to(db: Database) -> None:
    seen = db.put(customer(1, 100))
    with pytest.raises(DesignError, match=r"follows Customer\.points"):
        db.update(seen, attr(Customer.points).add(5))
    db.update(seen, attr(Customer.points).set(105), when=Customer.points == 100)
    assert db.count(CustomerPoints.above(HERE, 104)) == 1


def test_a_grade_is_a_number_with_a_name(db: Database) -> None:
    db.batch_write(puts=[customer(1), customer(2, grade=Grade.GOLD)])
    [found] = db.all(Customer.of_grade(HERE, Grade.GOLD))
    assert found.grade is Grade.GOLD
    assert stored(db, Mall)[0]["grade"]["N"] in ("1", "3")
    changed = db.update(found, attr(Customer.grade).set(Grade.SILVER), when=Customer.grade >= Grade.SILVER)
    assert changed.grade is Grade.SILVER


# ── orders ────────────────────────────────────────────────────────────────────────────────────────


def buy(db: Database, made: Order, *lines: Line) -> None:
    """Take an order: what is bought leaves the stock, or nothing is bought."""
    with db.transaction() as tx:
        tx.create(made)
        for each in lines:
            tx.create(each)
            tx.update(ProductKey(tenant=each.tenant, sku=each.sku), attr(Product.stock).add(-each.count))


def test_an_order_comes_with_its_lines(db: Database) -> None:
    db.put(product("a", stock=9))
    buy(db, order(7), line(7, 2, 2))
    buy(db, order(8), line(8, 1, 3))
    db.create(line(7, 1))
    assert db.all(Order.with_lines(HERE, 7)) == [
        line(7, 1),
        line(7, 2, 2),
        order(7).model_copy(update={"version": 1}),
    ]
    assert db.all(Line.of(HERE, 7)) == [line(7, 1), line(7, 2, 2)]
    assert db.all(Line.between(HERE, 7, 2, 9)) == [line(7, 2, 2)]
    assert db.count(Order.with_lines(HERE, 7)) == 3
    assert db.get(ProductKey(tenant=HERE, sku="a"), consistent=True).stock == 4


def test_what_is_not_there_is_not_sold(db: Database) -> None:
    db.put(product("a", stock=2))
    with pytest.raises(Conflict, match=r"Product\.stock - 3 >= 0\.$") as refused:
        buy(db, order(7), line(7, 1, 3))
    assert refused.value.item == product("a", stock=2)
    assert db.transact_get(OrderKey(tenant=HERE, number=7), LineKey(tenant=HERE, number=7, line=1)) == (
        None,
        None,
    )


def test_orders_wait_by_status_and_the_day_they_are_due(db: Database) -> None:
    for made in (
        order(1, Status.PAID, day(9)),
        order(2, Status.PAID, day(3)),
        order(3, Status.NEW, day(1)),
        order(4, Status.PAID),
        order(5, Status.PAID, day(2), tenant="다른"),
    ):
        db.create(made)
    assert [each.number for each in db.all(Order.in_status(HERE, Status.PAID))] == [2, 1]
    assert [each.number for each in db.all(Order.due_by(HERE, Status.PAID, day(8)))] == [2]
    assert db.count(Order.in_status(HERE, Status.SENT)) == 0
    assert [each.number for each in db.all(Order.in_status(HERE, Status.PAID).descending(), limit=1)] == [1]


def test_an_order_moves_in_its_index_with_what_was_read(db: Database) -> None:
    made = db.create(order(1, Status.NEW, day(3)))
    key = OrderKey(tenant=HERE, number=1)
    with pytest.raises(DesignError, match="needs due too"):
        db.update(key, attr(Order.status).set(Status.PAID))
    paid = db.update(made, attr(Order.status).set(Status.PAID))
    assert [each.status for each in db.all(Order.in_status(HERE, Status.PAID))] == [Status.PAID]
    sent = db.update(key, attr(Order.status).set(Status.SENT), attr(Order.due).set(day(5)))
    assert db.all(Order.in_status(HERE, Status.SENT)) == [sent]
    with pytest.raises(Conflict):
        db.update(paid, attr(Order.status).set(Status.NEW))
    waiting = db.update(sent, attr(Order.due).set(None))
    assert (waiting.due, waiting.version) == (None, 4)
    assert db.all(Order.in_status(HERE, Status.SENT)) == []


def test_an_order_moves_though_its_status_was_never_stored(db: Database) -> None:
    load(
        db,
        Mall,
        {
            "PK": "TENANT#한상#ORDER#00000001",
            "SK": "METADATA",
            "Type": "Order",
            "customer": 1,
            "year": 2026,
            "total": 9,
            "ordered_at": NOW,
            "version": 1,
        },
    )
    seen = db.get(OrderKey(tenant=HERE, number=1))
    assert seen.status is Status.NEW
    db.update(seen, attr(Order.due).set(day(5)))
    assert [each.number for each in db.all(Order.in_status(HERE, Status.NEW))] == [1]


def test_orders_of_a_year_are_asked_by_a_number(db: Database) -> None:
    for made in (order(1), order(2), order(10), order(1, tenant="다른"), order(3, year=2025)):
        db.create(made)
    assert [(each.tenant, each.number) for each in db.all(Order.of_year(2026))] == [
        ("다른", 1),
        (HERE, 1),
        (HERE, 2),
        (HERE, 10),
    ]
    assert [each.number for each in db.all(Order.of_year_in(2026, HERE, 2, 10))] == [2, 10]
    assert db.count(Order.of_year(2025)) == 1
    assert [len(page) for page in in_pages(db, Order.of_year(2026), 3)] == [3, 1]


def test_a_number_wider_than_its_key_is_refused(db: Database) -> None:
    with pytest.raises(InvalidKey, match="8 digits"):
        db.create(order(100_000_000))
    with pytest.raises(InvalidKey, match="negative"):
        db.find(OrderKey(tenant=HERE, number=-1))
    assert db.all(Line.between(HERE, 1, -5, 5000)) == []


def test_an_order_is_replaced_by_who_saw_it_last(db: Database) -> None:
    seen = db.create(order(1))
    noted = db.replace(seen.model_copy(update={"note": "빨리"}), seen=seen)
    assert (noted.note, noted.version) == ("빨리", 2)
    with pytest.raises(Conflict) as late:
        db.replace(seen.model_copy(update={"note": "천천히"}), seen=seen)
    assert late.value.item == noted
    assert (
        db.update(
            OrderKey(tenant=HERE, number=1), attr(Order.note).set(None), when=attr(Order.note).exists()
        ).note
        is None
    )
    with pytest.raises(Conflict):
        db.update(OrderKey(tenant=HERE, number=1), attr(Order.note).set("x"), when=attr(Order.note).exists())


def test_a_feed_tells_of_every_kind(db: Database) -> None:
    feed = db.feed(Mall, start="oldest")
    db.put(product("a", stock=3))
    buy(db, order(1), line(1, 1))
    changes = feed.poll()
    assert sorted(each.kind.__name__ for each in changes if each.kind is not None) == [
        "Line",
        "Order",
        "Product",
        "Product",
    ]
    assert [(each.old.stock, each.new.stock) for each in changes if each.kind is Product and each.old] == [
        (3, 2)
    ]


def test_an_order_that_cannot_be_read_is_mended(db: Database) -> None:
    db.create(order(1, Status.NEW, day(3)))
    [found] = stored(db, Mall)
    broken = {**found, "status": {"S": "lost"}}
    db.backend.call("PutItem", {"TableName": db.name(Mall), "Item": broken})
    with pytest.raises(UnexpectedItem, match=r"Order\.status"):
        db.get(OrderKey(tenant=HERE, number=1))
    told: list[Unreadable] = []
    assert db.all(Order.of_year(2026), unreadable=told.append) == []
    assert db.repair(told[0], {"status": {"S": "sent"}}).status is Status.SENT
    assert [each.number for each in db.all(Order.in_status(HERE, Status.SENT))] == [1]
    assert db.all(Order.in_status(HERE, Status.NEW)) == []


def test_a_broken_line_does_not_hide_the_others(db: Database) -> None:
    db.batch_write(puts=[line(1, 1), line(1, 3)])
    load(db, Mall, {"PK": "TENANT#한상#ORDER#00000001", "SK": "LINE#002", "Type": "Line", "sku": "a"})
    page = db.page(Order.with_lines(HERE, 1), limit=2)
    assert (page.items, [bad.kind for bad in page.unreadable]) == ([line(1, 1), line(1, 3)], [Line])


# ── shelves ───────────────────────────────────────────────────────────────────────────────────────


def test_shelves_are_sorted_as_numbers(db: Database) -> None:
    shelves = [Shelf(tenant=HERE, shelf=number, sku="a") for number in (-1, 2, 10)]
    db.batch_write(puts=[*reversed(shelves), Shelf(tenant="다른", shelf=1, sku="b")])
    assert db.all(Shelf.of(HERE)) == shelves
    assert db.all(Shelf.below(HERE, 10)) == shelves[:2]
    assert [len(page) for page in in_pages(db, Shelf.of(HERE).descending(), 2)] == [2, 1]
    assert db.batch_get([ShelfKey(tenant=HERE, shelf=10), ShelfKey(tenant=HERE, shelf=3)]) == shelves[2:]


def test_a_shelf_is_filled_whether_or_not_it_was_there(db: Database) -> None:
    key = ShelfKey(tenant=HERE, shelf=3)
    changes = (attr(Shelf.sku).set("a"), attr(Shelf.count).add(4))
    assert db.update(key, *changes, upsert=True) == Shelf(tenant=HERE, shelf=3, sku="a", count=4)
    assert db.update(key, *changes, upsert=True).count == 8
    assert db.delete(key, when=Shelf.count == 8) is not None
    with pytest.raises(NotFound):
        db.delete(key, when=Shelf.count == 8)


def test_items_of_several_tables_are_written_and_read_together(db: Database) -> None:
    tenant = Tenant(id=HERE, name="한상")
    with db.transaction(token="once") as tx:
        created = tx.create(tenant)
        tx.put(Shelf(tenant=HERE, shelf=1, sku="a", count=1))
        tx.put(product("a"))
    assert created.version == 1
    assert db.transact_get(
        TenantKey(id=HERE), ShelfKey(tenant=HERE, shelf=1), ProductKey(tenant=HERE, sku="a")
    ) == (
        created,
        Shelf(tenant=HERE, shelf=1, sku="a", count=1),
        product("a"),
    )
    assert db.batch_write(puts=[customer(1)], deletes=[ShelfKey(tenant=HERE, shelf=1)]) == 2
    assert db.find(ShelfKey(tenant=HERE, shelf=1), consistent=True) is None
