"""What typing costs: the design language beside the raw engine calls that it makes, in one run.

python bench/design.py
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Annotated, Any

from hansang.backends.embedded import Embedded
from hansang.design import GSI, Attr, Database, Entity, Key, Query, Table, Timestamp, pattern

ROUNDS = 60
GOALS = {"get": 0.75, "page of 100": 0.5, "batch get of 1,000": 1 / 1.5}
"""How fast the typed form has to be, as a share of the raw one."""


class Shop(Table, name="Shop", type_attribute="Type"):
    by_day = GSI("Day_Total", pk="Day", sk="Total", project=["Note"])


class OrderKey(Key["Order"], pk="CUSTOMER#{customer}", sk="ORDER#{number:08d}"):
    customer: str
    number: int


class Order(OrderKey, Entity, table=Shop, type="Order"):
    day: Annotated[date, Attr("Day")]
    total: Annotated[int, Attr("Total")]
    note: Annotated[str | None, Attr("Note")] = None
    created_at: Annotated[Timestamp, Attr("CreatedAt")]

    @pattern
    def of(cls, customer: str) -> Query[Order]:
        """The orders of a customer."""
        return cls.query(Order.customer == customer)


def order(number: int) -> Order:
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    return Order(
        customer="c1", number=number, day=date(2026, 1, 1), total=number, note="x", created_at=moment
    )


def other(number: int) -> Order:
    note = "rare" if number == 299 else "x"
    return order(number).model_copy(update={"customer": "c2", "note": note})


def best(jobs: dict[str, tuple[Callable[[], Any], int]]) -> dict[str, float]:
    """The least time of one call of each, taken in turns because machines are noisy."""
    least = dict.fromkeys(jobs, float("inf"))
    for _ in range(ROUNDS):
        for name, (job, count) in jobs.items():
            start = time.perf_counter()
            for _ in range(count):
                job()
            least[name] = min(least[name], (time.perf_counter() - start) / count)
    return least


def jobs(backend: Embedded, db: Database) -> dict[str, tuple[Callable[[], Any], int]]:
    key, question = OrderKey(customer="c1", number=5), Order.of("c1")
    wire_key = {"PK": {"S": "CUSTOMER#c1"}, "SK": {"S": "ORDER#00000005"}}
    get = {"TableName": "Shop", "Key": wire_key}
    page = question.request("Shop") | {"Limit": 100}
    keys = [OrderKey(customer="c1", number=number) for number in range(1000)]
    wire_keys = [{"PK": {"S": "CUSTOMER#c1"}, "SK": {"S": f"ORDER#{number:08d}"}} for number in range(1000)]
    batches = [
        {"RequestItems": {"Shop": {"Keys": wire_keys[start : start + 100]}}} for start in range(0, 1000, 100)
    ]
    return {
        "raw get": (lambda: backend.call("GetItem", get), 200),
        "typed get": (lambda: db.get(key), 200),
        "raw page of 100": (lambda: backend.call("Query", page), 10),
        "typed page of 100": (lambda: db.page(question, limit=100), 10),
        "raw batch get of 1,000": (lambda: [backend.call("BatchGetItem", each) for each in batches], 1),
        "typed batch get of 1,000": (lambda: db.batch_get(keys), 1),
    }


def filtered(db: Database) -> None:
    """What a filtered question costs that has one answer among 300 items, the last."""
    rare = Order.of("c2").where(Order.note == "rare")
    for name, ask in (("first", lambda: db.first(rare)), ("page of 20", lambda: db.page(rare, limit=20))):
        with db.meter() as cost:
            ask()
        print(f"filtered {name} over 300 items: {cost.requests} request, {cost.read:g} read units")


def main() -> None:
    with Embedded.open(":memory:") as backend:
        db = Database(backend, secret=b"bench")
        db.create_tables(Shop)
        db.batch_write(puts=map(order, range(1000)))
        db.batch_write(puts=(other(number) for number in range(300)))
        least = best(jobs(backend, db))
        for name, seconds in least.items():
            print(f"{name:25} {1 / seconds:>10,.0f} a second")
        for verb, goal in GOALS.items():
            share = least[f"raw {verb}"] / least[f"typed {verb}"]
            met = "met" if share >= goal else "not met"
            print(f"typed {verb}: {share:.0%} of raw ({met}: at least {goal:.0%})")
        filtered(db)


if __name__ == "__main__":
    main()
