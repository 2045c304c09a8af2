"""A mall of many shops: tenants with products, customers and orders, and what lies on their shelves."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from enum import IntEnum, StrEnum
from typing import Annotated, Literal

from pydantic import Field

from hansang.design import (
    GSI,
    KEYS_ONLY,
    Attr,
    Entity,
    Key,
    Query,
    Table,
    Timestamp,
    Version,
    View,
    attr,
    collection,
    derived,
    pattern,
)

Price = Annotated[Decimal, Field(gt=0, max_digits=12, decimal_places=2)]
Stock = Annotated[int, Field(ge=0, le=1_000_000)]
Category = Literal["food", "book", "tool"]


class Status(StrEnum):
    """How far an order has come."""

    NEW = "new"
    PAID = "paid"
    SENT = "sent"


class Grade(IntEnum):
    """How much a customer is worth to a shop."""

    PLAIN = 1
    SILVER = 2
    GOLD = 3


class Mall(Table, name="Mall", type_attribute="Type", stream="NEW_AND_OLD_IMAGES"):
    """Everything that is sold and bought."""

    by_due = GSI("Status_Due", pk="StatusPK", sk="StatusSK")
    by_name = GSI("Product_Name", pk="NamePK", sk="NameLower", project=["name", "price"])
    by_points = GSI("Customer_Points", pk="PointsPK", sk="Points", project=["name"])
    by_year = GSI("Order_Year", pk="YearPK", sk="YearSK")
    on_sale = GSI("Sale", pk="SalePK", sk="SaleEnds", project=KEYS_ONLY)


class Shelves(Table, name="Shelves", pk="Tenant", sk="Shelf"):
    """What lies where: keys as they are, and a number to sort by."""


class Tenants(Table, name="Tenants", pk="Id", sk=None):
    """Who has a shop."""


# ── tenants ───────────────────────────────────────────────────────────────────────────────────────


class TenantKey(Key["Tenant"], pk="{id}"):
    """The key of a tenant."""

    id: str


class Tenant(TenantKey, Entity, table=Tenants):
    """Who has a shop."""

    name: str
    rate: Decimal = Decimal("0.1")
    version: Version = 0


# ── products ──────────────────────────────────────────────────────────────────────────────────────


class ProductKey(Key["Product"], pk="TENANT#{tenant}", sk="PRODUCT#{sku}"):
    """The key of a product."""

    tenant: str
    sku: str


class Product(
    ProductKey,
    Entity,
    table=Mall,
    type="Product",
    index_keys={
        Mall.by_name: ("NAMES#{tenant}", None),
        Mall.on_sale: ("SALE#{tenant}#{category}", None),
    },
):
    """Something to buy."""

    name: str
    name_lower = derived("NameLower", of="name", by=str.lower)
    price: Price
    category: Category
    stock: Stock = 0
    tags: set[str] = Field(default_factory=set)
    sizes: frozenset[int] | None = None
    sale_ends: Annotated[date | None, Attr("SaleEnds")] = None

    @pattern
    def of(cls, tenant: str) -> Query[Product]:
        """The products of a shop."""
        return cls.query(Product.tenant == tenant)

    @pattern
    def tagged(cls, tenant: str, tag: str) -> Query[Product]:
        """The products of a shop that have a tag."""
        return cls.query(Product.tenant == tenant).where(attr(Product.tags).contains(tag))

    @pattern
    def cheaper(cls, tenant: str, price: Decimal) -> Query[Product]:
        """The products of a shop below a price that are there."""
        return cls.query(Product.tenant == tenant).where(Product.price < price, Product.stock > 0)


class ProductName(ProductKey, View, index=Mall.by_name):
    """A product as a list of names has it."""

    name: str
    name_lower: Annotated[str, Attr("NameLower")]
    price: Price

    @pattern
    def called(cls, tenant: str, beginning: str) -> Query[ProductName]:
        """The products of a shop whose names begin so, in whatever case."""
        return cls.query(
            ProductName.tenant == tenant, attr(ProductName.name_lower).begins_with(beginning.lower())
        )

    @pattern
    def by_name(cls, tenant: str) -> Query[ProductName]:
        """The products of a shop by their names."""
        return cls.query(ProductName.tenant == tenant)


class Sale(ProductKey, View, index=Mall.on_sale):
    """A product that is cheaper for some days; its category is read from the index key."""

    category: Category
    sale_ends: Annotated[date, Attr("SaleEnds")]

    @pattern
    def until(cls, tenant: str, category: Category, day: date) -> Query[Sale]:
        """The sales of a shop that end by a day, the first to end first."""
        return cls.query(Sale.tenant == tenant, Sale.category == category, Sale.sale_ends <= day)


# ── customers ─────────────────────────────────────────────────────────────────────────────────────


class CustomerKey(Key["Customer"], pk="TENANT#{tenant}", sk="CUSTOMER#{number}"):
    """The key of a customer: a number as it is written, which does not sort."""

    tenant: str
    number: int


class Customer(
    CustomerKey,
    Entity,
    table=Mall,
    type="Customer",
    index_keys={Mall.by_points: ("POINTS#{tenant}", "{points}")},
):
    """Someone who buys; in the index of points once there are some."""

    name: str
    grade: Grade = Grade.PLAIN
    points: int | None = None

    @pattern
    def of(cls, tenant: str) -> Query[Customer]:
        """The customers of a shop."""
        return cls.query(Customer.tenant == tenant)

    @pattern
    def of_grade(cls, tenant: str, grade: Grade) -> Query[Customer]:
        """The customers of a shop that are worth so much."""
        return cls.query(Customer.tenant == tenant).where(Customer.grade == grade)


class CustomerPoints(CustomerKey, View, index=Mall.by_points):
    """A customer in the list by points."""

    name: str
    points: int

    @pattern
    def best(cls, tenant: str) -> Query[CustomerPoints]:
        """The customers of a shop that have points, most of them first."""
        return cls.query(CustomerPoints.tenant == tenant).descending()

    @pattern
    def above(cls, tenant: str, points: int) -> Query[CustomerPoints]:
        """The customers of a shop with more points than these."""
        return cls.query(CustomerPoints.tenant == tenant, CustomerPoints.points > points)


# ── orders ────────────────────────────────────────────────────────────────────────────────────────


class OrderKey(Key["Order"], pk="TENANT#{tenant}#ORDER#{number:08d}", sk="METADATA"):
    """The key of an order."""

    tenant: str
    number: int


class Order(
    OrderKey,
    Entity,
    table=Mall,
    type="Order",
    index_keys={
        Mall.by_due: ("TENANT#{tenant}", "{status}#{due}"),
        Mall.by_year: ("{year}", "{tenant}#{number:08d}"),
    },
):
    """What a customer has bought; without a day it is due, it waits in no list."""

    customer: int
    year: int
    status: Status = Status.NEW
    due: date | None = None
    total: Price
    note: str | None = None
    ordered_at: Timestamp
    version: Version = 0

    @pattern
    def with_lines(cls, tenant: str, number: int) -> Query[Order | Line]:
        """An order and its lines."""
        return collection(Order, Line, where=[Order.tenant == tenant, Order.number == number])

    @pattern
    def in_status(cls, tenant: str, status: Status) -> Query[Order]:
        """The orders of a shop that have come so far, the first that is due first."""
        return cls.query(Order.tenant == tenant, Order.status == status, index=Mall.by_due)

    @pattern
    def due_by(cls, tenant: str, status: Status, day: date) -> Query[Order]:
        """The orders of a shop that are due by a day."""
        return cls.query(
            Order.tenant == tenant,
            Order.status == status,
            attr(Order.due).between(date.min, day),
            index=Mall.by_due,
        )

    @pattern
    def of_year(cls, year: int) -> Query[Order]:
        """The orders of a year in all shops."""
        return cls.query(Order.year == year, index=Mall.by_year)

    @pattern
    def of_year_in(cls, year: int, tenant: str, first: int, last: int) -> Query[Order]:
        """The orders of a year in one shop, from one number to another."""
        return cls.query(
            Order.year == year,
            Order.tenant == tenant,
            attr(Order.number).between(first, last),
            index=Mall.by_year,
        )


class LineKey(Key["Line"], pk="TENANT#{tenant}#ORDER#{number:08d}", sk="LINE#{line:03d}"):
    """The key of a line of an order."""

    tenant: str
    number: int
    line: int


class Line(LineKey, Entity, table=Mall, type="Line"):
    """Some of one product."""

    sku: str
    count: Annotated[int, Field(ge=1)]
    price: Price

    @pattern
    def of(cls, tenant: str, number: int) -> Query[Line]:
        """The lines of an order."""
        return cls.query(Line.tenant == tenant, Line.number == number)

    @pattern
    def between(cls, tenant: str, number: int, first: int, last: int) -> Query[Line]:
        """Some lines of an order."""
        return cls.query(Line.tenant == tenant, Line.number == number, attr(Line.line).between(first, last))


# ── shelves ───────────────────────────────────────────────────────────────────────────────────────


class ShelfKey(Key["Shelf"], pk="{tenant}", sk="{shelf}"):
    """The key of a shelf: a text and a number, as they are."""

    tenant: str
    shelf: int


class Shelf(ShelfKey, Entity, table=Shelves):
    """What lies on a shelf."""

    sku: str
    count: Stock = 0

    @pattern
    def of(cls, tenant: str) -> Query[Shelf]:
        """The shelves of a shop by their numbers."""
        return cls.query(Shelf.tenant == tenant)

    @pattern
    def below(cls, tenant: str, shelf: int) -> Query[Shelf]:
        """The shelves of a shop before a number."""
        return cls.query(Shelf.tenant == tenant, Shelf.shelf < shelf)
