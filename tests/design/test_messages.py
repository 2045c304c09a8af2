"""What is said when something is used wrongly: a sentence of ours that says what to do."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from datetime import UTC, date, datetime
from typing import Annotated, Any

import pytest

from hansang.backends.embedded import Embedded
from hansang.design import GSI, AsyncDatabase, Attr, Database, Entity, Key, Table, attr
from hansang.errors import Conflict, DesignError, HansangError, NoSuchTable, NotFound, TooLarge
from tests.checked.shop import Customer, CustomerKey, DayRow, Order, OrderKey, Shop

NOW = datetime(2026, 1, 1, tzinfo=UTC)
KEY = CustomerKey(id="c1")


def customer(name: str = "민지") -> Customer:
    return Customer(id="c1", name=name, created_at=NOW)


def any_(thing: Any) -> Any:
    """Hide from type checkers what they would flag."""
    return thing


Use = Callable[[Any], object]

WRONG: list[tuple[Use, str]] = [
    (lambda db: db.get("c1"), "'c1' is not a key. Give a key such as"),
    (lambda db: db.get(Customer), "Customer is a class. Give an instance"),
    (lambda db: db.get(None), "None is not a key"),
    (lambda db: db.create(KEY), "A CustomerKey is a part of a Customer"),
    (lambda db: db.put({"id": "c1"}), "is not a key"),
    (lambda db: db.all(Order.of), r"Order\.of is a pattern and was not called. Write Order\.of\(…\)"),
    (lambda db: db.page(Customer), "is not a question"),
    (lambda db: db.first("Order.of"), "is not a question"),
    (lambda db: Database(db), "This is a Database, and a backend is wanted"),
    (lambda db: AsyncDatabase(db), "This is a Database, and a backend is wanted"),
    (lambda db: db.get(KEY, select=["name"]), r"\['name'\] is not some of the fields"),
    (lambda db: db.page(Order.of("c1"), limit=0), "whole number of at least 1"),
    (
        lambda db: db.update(KEY, Customer.visits == 1),
        r"is a condition, and an update takes changes: attr\(Customer",
    ),
    (lambda db: db.update(KEY, Customer.name), "is not a change"),
    (lambda db: db.update(KEY, attr(Customer.name).set("x"), when=Customer.id == "c1"), "is part of the key"),
    (
        lambda db: db.update(KEY, attr(Customer.name).set("x"), when=Order.total == 1),
        "Order.total is not a field of Customer",
    ),
    (lambda db: db.update(KEY, attr(Order.note).set("x")), "Order.note is not a field of Customer"),
    (lambda db: db.update(KEY, attr(Customer.id).set("x")), "part of the key and cannot change"),
    (
        lambda db: db.update(KEY, attr(Customer.name).set("x"), when=attr(Customer.visits).add(1)),
        "is not a condition",
    ),
    (lambda db: db.put(customer(), when=Customer.tags == None), r"attr\(Customer\.tags\)\.missing\(\)"),  # noqa: E711
    (
        lambda db: db.put(customer(), when=Customer.name == any_(Customer).visits),
        "are stored differently",
    ),
    (lambda db: db.put(customer(), when=True), "True is not a condition"),
    (lambda db: db.put(customer(), when=Customer.visits > 1 and Customer.visits < 5), "all_of"),
    (lambda db: db.put(customer(), when=1 < Customer.visits < 5), "chained comparisons"),
    (lambda db: any_(attr(Customer.visits)).begins_with(5), "is not text, so begins_with does not apply"),
    (lambda db: attr(customer().name), "with the class and not an instance"),
    (
        lambda db: Order.query(Order.customer_id == "c1", Customer.id == "c1"),
        "Customer.id is not a field of Order",
    ),
    (lambda db: Order.query(Order.customer_id == "c1", index=any_(Shop)), "is not an index of Shop"),
    (lambda db: Order.query(Order.customer_id == "c1", index=any_("by_day")), "is not an index of Shop"),
    (
        lambda db: DayRow.query(DayRow.day == date(2026, 1, 1)).where(DayRow.total > 5),
        "DynamoDB filters by no key",
    ),
]


@pytest.mark.parametrize(("use", "words"), WRONG, ids=[words for _, words in WRONG])
def test_a_wrong_use_is_told_what_to_do(db: Database, use: Use, words: str) -> None:
    with pytest.raises(HansangError, match=words):
        use(db)
    assert db.find(KEY) is None


def test_where_and_query_do_not_send_each_other_the_reader() -> None:
    with pytest.raises(HansangError) as refused:
        Order.of("c1").where(Order.number == 5)
    assert "query()" not in str(refused.value)
    assert "Store it as well, with Attr" in str(refused.value)


def test_a_table_that_is_not_there_is_named_with_what_makes_it() -> None:
    with Embedded.open(":memory:") as backend:
        db = Database(backend)
        uses: list[Callable[[], object]] = [
            lambda: db.get(KEY),
            lambda: db.create(customer()),
            lambda: db.all(Order.of("c1")),
            lambda: db.batch_get([KEY]),
        ]
        for use in uses:
            with pytest.raises(NoSuchTable, match=r"Table Shop not found. Create it with db\.create_tables"):
                use()
        with pytest.raises(NoSuchTable, match="Table Shop not found"), db.transaction() as tx:
            tx.create(customer())


def test_a_condition_that_does_not_hold_is_said_and_not_called_a_change(db: Database) -> None:
    db.create(customer())
    with pytest.raises(Conflict) as refused:
        db.update(KEY, attr(Customer.name).set("x"), when=Customer.visits > 3)
    assert str(refused.value) == (
        "Customer id=c1 was left as it is, because it does not meet this condition: Customer.visits > 3."
    )
    with pytest.raises(Conflict, match=r"Customer\.tags exists"), db.transaction() as tx:
        tx.update(KEY, attr(Customer.name).set("x"), when=attr(Customer.tags).exists())


def test_a_condition_on_what_is_not_there_is_not_found(db: Database) -> None:
    writes: list[Callable[[], object]] = [
        lambda: db.put(customer(), when=Customer.visits == 0),
        lambda: db.update(KEY, attr(Customer.name).set("x")),
        lambda: db.delete(KEY, when=Customer.visits == 0),
    ]
    for write in writes:
        with pytest.raises(NotFound, match="Customer id=c1 not found"):
            write()


def test_a_transaction_of_more_than_a_hundred_is_too_large(db: Database) -> None:
    with pytest.raises(TooLarge, match="100 actions at most, and this one has 101"), db.transaction() as tx:
        for number in range(101):
            tx.update(OrderKey(customer_id="c1", number=number), attr(Order.note).set("x"))
    with pytest.raises(TooLarge, match="100 items at most"):
        db.transact_get(*(OrderKey(customer_id="c1", number=number) for number in range(101)))


def test_items_of_one_moment_are_read_together(db: Database) -> None:
    db.create(customer())
    order = db.create(Order(customer_id="c1", number=1, day=date(2026, 1, 1), total=1, created_at=NOW))
    with db.meter() as cost:
        found = db.transact_get(KEY, order, OrderKey(customer_id="c1", number=2))
    assert (found, cost.requests, cost.read) == ((customer(), order, None), 1, 6.0)
    assert db.transact_get() == ()


class Club(Table, name="Club", sk=None):
    by_town = GSI("ByTown", pk="town")


class GuestKey(Key["Guest"], pk="GUEST#{town}#{id}"):
    town: str
    id: int


class Guest(GuestKey, Entity, table=Club):
    pass


class Union(Table, name="Union", sk=None):
    by_town = GSI("ByTown", pk=("town", "street"))
    lean = GSI("Lean", pk="street", project=["town"])


class MemberKey(Key["UnionMember"], pk="MEMBER#{id}"):
    id: Annotated[int, Attr("id")]


class UnionMember(MemberKey, Entity, table=Union):
    town: str
    street: str


def test_an_index_key_that_stands_in_a_key_alone_is_to_be_stored() -> None:
    with pytest.raises(DesignError, match=r"Guest\.town stands in the key of Guest alone.*Attr\(\"town\"\)"):
        Club.definition("Club")


def test_a_question_that_an_index_serves_names_the_index() -> None:
    with pytest.raises(DesignError, match=r"street and town there: index=Union\.by_town"):
        UnionMember.query(UnionMember.town == "t", UnionMember.street == "s")
    with pytest.raises(DesignError, match=r"by its exact key\.$"):
        UnionMember.query(UnionMember.street == "s")


def test_a_field_that_is_taken_for_its_changes_says_where_they_are() -> None:
    with pytest.raises(
        AttributeError, match=r"Customer\.name is a field and has no set\..*attr\(Customer\.name\)"
    ):
        any_(Customer.name).set("x")
    assert not hasattr(Customer.name, "__wrapped__")
    assert copy(any_(Customer.name)).name == "name"
