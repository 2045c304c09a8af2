"""What each operation costs, to the half unit, at the edges of 1 KB and 4 KB and for each index."""

from __future__ import annotations

from typing import Any

import pytest

from hansang.engine import Engine
from hansang.errors import WireError
from tests.clauses import clause
from tests.engine.items import KB, Item, filled, item
from tests.engine.tables import Answer, Index, Table, cost, create

READ_EDGES = [
    (100, 1),
    (4 * KB - 1, 1),
    (4 * KB, 1),
    (4 * KB + 1, 2),
    (8 * KB, 2),
    (8 * KB + 1, 3),
    (400 * KB, 100),
]
WRITE_EDGES = [(100, 1), (KB - 1, 1), (KB, 1), (KB + 1, 2), (2 * KB, 2), (2 * KB + 1, 3), (400 * KB, 400)]
KEY = item(pk="a", sk="b")


@pytest.fixture
def table(engine: Engine) -> Table:
    return create(engine, "pk sk")


@pytest.fixture
def indexed(engine: Engine) -> Table:
    return create(
        engine,
        "pk sk",
        "Indexed",
        local=[Index("local", "pk l", include=()), Index("local_all", "pk m")],
        world=[Index("world", "g"), Index("keys", "g", include=())],
    )


def sized(size: int, **texts: str) -> Item:
    return filled(size, pk="a", sk="b", **texts)


# ── reads of one item ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("size", "units"), READ_EDGES)
def test_a_read_costs_a_unit_for_each_four_kilobytes_begun(table: Table, size: int, units: int) -> None:
    table.put(sized(size))
    strong = table.get(KEY, ConsistentRead=True, ReturnConsumedCapacity="TOTAL")
    weak = table.get(KEY, ReturnConsumedCapacity="TOTAL")
    assert strong["ConsumedCapacity"] == {"TableName": "Table", "CapacityUnits": units}
    assert weak["ConsumedCapacity"] == {"TableName": "Table", "CapacityUnits": units / 2}


def test_a_projection_makes_a_read_no_cheaper(table: Table) -> None:
    table.put(sized(4 * KB + 1))
    answer = table.get(KEY, ProjectionExpression="pk", ReturnConsumedCapacity="TOTAL")
    assert answer["ConsumedCapacity"]["CapacityUnits"] == 1


@pytest.mark.parametrize(("consistent", "units"), [(True, 1), (False, 0.5)])
def test_reading_nothing_costs_the_least_there_is(table: Table, consistent: bool, units: float) -> None:
    answer = table.get(KEY, ConsistentRead=consistent, ReturnConsumedCapacity="INDEXES")
    assert answer == {"ConsumedCapacity": cost(units)}


@pytest.mark.parametrize("mode", [{}, {"ReturnConsumedCapacity": "NONE"}])
def test_the_cost_is_told_only_when_asked_for(table: Table, mode: dict[str, str]) -> None:
    assert table.put(KEY, **mode) == {}
    assert table.get(KEY, **mode) == {"Item": KEY}
    assert "ConsumedCapacity" not in table.query("pk = :p", p="a", **mode)


# ── writes of one item ────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("size", "units"), WRITE_EDGES)
def test_a_write_costs_a_unit_for_each_kilobyte_begun(table: Table, size: int, units: int) -> None:
    put = table.put(sized(size), ReturnConsumedCapacity="TOTAL")
    deleted = table.delete(KEY, ReturnConsumedCapacity="TOTAL")
    for answer in (put, deleted):
        assert answer["ConsumedCapacity"] == {"TableName": "Table", "CapacityUnits": units}


@pytest.mark.parametrize(
    ("before", "after", "units"), [(3000, 100, 3), (100, 3000, 3), (KB + 1, KB, 2), (KB, KB, 1)]
)
def test_a_write_is_charged_for_the_larger_of_the_two_items(
    table: Table, before: int, after: int, units: int
) -> None:
    table.put(sized(before))
    assert table.put(sized(after), ReturnConsumedCapacity="INDEXES")["ConsumedCapacity"] == cost(units)
    table.put(sized(before))
    fill = sized(after)["fill"]["S"]
    answer = table.update(KEY, "SET fill = :fill", ReturnConsumedCapacity="INDEXES", fill=fill)
    assert answer["ConsumedCapacity"] == cost(units)


@pytest.mark.parametrize(("size", "units"), WRITE_EDGES[:-1])
def test_an_update_is_charged_for_the_whole_item(table: Table, size: int, units: int) -> None:
    table.put(sized(size - len("n") - 2))
    answer = table.update(KEY, "SET n = :n", ReturnConsumedCapacity="TOTAL", n=1)
    assert answer["ConsumedCapacity"]["CapacityUnits"] == units


def test_a_write_that_changes_nothing_is_charged(table: Table) -> None:
    table.put(sized(2 * KB))
    assert table.put(sized(2 * KB), ReturnConsumedCapacity="TOTAL")["ConsumedCapacity"]["CapacityUnits"] == 2
    assert (
        table.update(KEY, "REMOVE z", ReturnConsumedCapacity="TOTAL")["ConsumedCapacity"]["CapacityUnits"]
        == 2
    )


@pytest.mark.parametrize("operation", ["DeleteItem", "UpdateItem"])
def test_a_write_of_nothing_costs_one_unit(table: Table, operation: str) -> None:
    options = {"UpdateExpression": "REMOVE x"} if operation == "UpdateItem" else {}
    answer = table.call(operation, Key=KEY, ReturnConsumedCapacity="INDEXES", **options)
    assert answer == {"ConsumedCapacity": cost(1)}


def test_attribute_names_weigh_as_much_as_values(table: Table) -> None:
    answer = table.put({**KEY, "n" * KB: {"S": ""}}, ReturnConsumedCapacity="TOTAL")
    assert answer["ConsumedCapacity"]["CapacityUnits"] == 2


# ── failed conditions ─────────────────────────────────────────────────────────────────────────────


@clause("R8")
@pytest.mark.parametrize(("size", "units"), [(None, 1), (KB, 1), (KB + 1, 2), (5 * KB, 5)])
@pytest.mark.parametrize("operation", ["PutItem", "UpdateItem", "DeleteItem"])
def test_a_failed_condition_is_charged_for_the_item_that_is_there(
    indexed: Table, operation: str, size: int | None, units: int
) -> None:
    if size is not None:
        indexed.put(sized(size, l="l", g="g"))
    parameters: dict[str, Any] = {"Item": sized(300 * KB)} if operation == "PutItem" else {"Key": KEY}
    with pytest.raises(WireError) as caught:
        indexed.call(operation, ConditionExpression="pk = :no", no="no", **parameters)
    assert caught.value.consumed == [cost(units, name="Indexed")]


def test_what_was_refused_before_it_was_tried_costs_nothing(table: Table) -> None:
    with pytest.raises(WireError) as caught:
        table.put(item(pk="a"), ConditionExpression="attribute_exists(pk)")
    assert caught.value.consumed == []


# ── index writes ──────────────────────────────────────────────────────────────────────────────────


@clause("R12", "E13")
def test_a_put_is_charged_for_each_index_that_takes_the_item(indexed: Table) -> None:
    answer = indexed.put(sized(KB + 1, l="l", m="m", g="g"), ReturnConsumedCapacity="INDEXES")
    expected = cost(2, {"local": 1, "local_all": 2}, {"world": 2, "keys": 1}, name="Indexed")
    assert answer["ConsumedCapacity"] == expected


def test_total_is_the_sum_without_its_parts(indexed: Table) -> None:
    answer = indexed.put(sized(KB + 1, l="l", m="m", g="g"), ReturnConsumedCapacity="TOTAL")
    assert answer["ConsumedCapacity"] == {"TableName": "Indexed", "CapacityUnits": 8}


@clause("R12")
def test_an_index_that_is_left_alone_is_not_named(indexed: Table) -> None:
    answer = indexed.put(sized(100), ReturnConsumedCapacity="INDEXES")
    assert answer["ConsumedCapacity"] == cost(1, name="Indexed")


def test_a_delete_is_charged_for_each_index_that_held_the_item(indexed: Table) -> None:
    indexed.put(sized(3 * KB, m="m", g="g"))
    answer = indexed.delete(KEY, ReturnConsumedCapacity="INDEXES")
    assert answer["ConsumedCapacity"] == cost(3, {"local_all": 3}, {"world": 3, "keys": 1}, name="Indexed")


# ── queries and scans ─────────────────────────────────────────────────────────────────────────────


def many(table: Table, count: int, size: int, **texts: str) -> None:
    for number in range(count):
        table.put(filled(size, pk="a", sk=str(number), **texts))


@pytest.mark.parametrize(
    ("count", "size", "units"), [(0, 0, 1), (4, KB, 1), (5, KB, 2), (3, 4 * KB + 1, 4), (41, 100, 2)]
)
def test_a_query_is_charged_for_the_sum_of_its_items(table: Table, count: int, size: int, units: int) -> None:
    many(table, count, size)
    for consistent, expected in ((True, units), (False, units / 2)):
        options = {"ConsistentRead": consistent, "ReturnConsumedCapacity": "INDEXES"}
        assert table.query("pk = :p", p="a", **options)["ConsumedCapacity"] == cost(expected)
        assert table.scan(**options)["ConsumedCapacity"] == cost(expected)


@pytest.mark.parametrize(
    "options",
    [{"FilterExpression": "attribute_not_exists(fill)"}, {"ProjectionExpression": "pk"}, {"Select": "COUNT"}],
)
def test_what_is_filtered_or_left_out_is_charged_too(table: Table, options: dict[str, str]) -> None:
    many(table, 9, KB)
    for answer in (
        table.query("pk = :p", ReturnConsumedCapacity="TOTAL", p="a", **options),
        table.scan(ReturnConsumedCapacity="TOTAL", **options),
    ):
        assert answer["ConsumedCapacity"] == {"TableName": "Table", "CapacityUnits": 1.5}


def test_only_the_items_of_the_page_are_charged(table: Table) -> None:
    many(table, 9, 4 * KB)
    answer = table.query("pk = :p", Limit=2, ReturnConsumedCapacity="TOTAL", p="a")
    assert answer["ConsumedCapacity"]["CapacityUnits"] == 1


def reading(table: Table, operation: str, index: str, **options: Any) -> Answer:
    if operation == "Query":
        condition, key = ("g = :k", "g") if index in ("world", "keys") else ("pk = :k", "a")
        options |= {"KeyConditionExpression": condition, "k": key}
    return table.call(operation, IndexName=index, ReturnConsumedCapacity="INDEXES", **options)


@pytest.mark.parametrize("operation", ["Query", "Scan"])
@pytest.mark.parametrize(
    ("index", "expected"),
    [("world", cost(0, world={"world": 3}, name="Indexed")), ("keys", cost(0, world={"keys": 0.5}, name="Indexed")),
     ("local", cost(0, local={"local": 0.5}, name="Indexed")),
     ("local_all", cost(0, local={"local_all": 3}, name="Indexed"))],
)  # fmt: skip
def test_a_read_of_an_index_is_charged_to_the_index(
    indexed: Table, operation: str, index: str, expected: dict[str, Any]
) -> None:
    many(indexed, 6, 4 * KB, l="l", m="m", g="g")
    assert reading(indexed, operation, index)["ConsumedCapacity"] == expected


@pytest.mark.parametrize("operation", ["Query", "Scan"])
@pytest.mark.parametrize("index", ["world", "local"])
def test_reading_nothing_from_an_index_costs_half_a_unit(indexed: Table, operation: str, index: str) -> None:
    local, world = ({}, {index: 0.5}) if index == "world" else ({index: 0.5}, {})
    assert reading(indexed, operation, index)["ConsumedCapacity"] == cost(0, local, world, name="Indexed")


@clause("E9")
@pytest.mark.parametrize("operation", ["Query", "Scan"])
@pytest.mark.parametrize("options", [{"Select": "ALL_ATTRIBUTES"}, {"ProjectionExpression": "sk, fill"}])
@pytest.mark.parametrize(("size", "fetched"), [(KB, 1.5), (4 * KB, 1.5), (9 * KB, 4.5)])
def test_what_a_local_index_fetches_is_charged_item_by_item_to_the_table(
    indexed: Table, operation: str, options: dict[str, str], size: int, fetched: float
) -> None:
    many(indexed, 3, size, l="l")
    answer = reading(indexed, operation, "local", **options)
    assert answer["ConsumedCapacity"] == cost(fetched, {"local": 0.5}, name="Indexed")
    strong = reading(indexed, operation, "local", ConsistentRead=True, **options)
    assert strong["ConsumedCapacity"] == cost(2 * fetched, {"local": 1}, name="Indexed")


@pytest.mark.parametrize("options", [{}, {"ProjectionExpression": "sk, l"}, {"Select": "COUNT"}])
def test_a_local_index_fetches_nothing_that_it_holds(indexed: Table, options: dict[str, str]) -> None:
    many(indexed, 3, 4 * KB, l="l")
    assert reading(indexed, "Query", "local", **options)["ConsumedCapacity"] == cost(
        0, {"local": 0.5}, name="Indexed"
    )


# ── batches ───────────────────────────────────────────────────────────────────────────────────────


def test_a_batch_of_gets_is_charged_item_by_item(table: Table, indexed: Table) -> None:
    many(table, 3, 4 * KB + 1)
    many(indexed, 2, KB, g="g")
    keys = [item(pk="a", sk=str(number)) for number in range(4)]
    request = {"Table": {"Keys": keys, "ConsistentRead": True}, "Indexed": {"Keys": keys[:2]}}
    answer = table.engine.call("BatchGetItem", {"RequestItems": request, "ReturnConsumedCapacity": "INDEXES"})
    assert sorted(answer["ConsumedCapacity"], key=str) == sorted([cost(7), cost(1, name="Indexed")], key=str)


def test_a_batch_of_gets_says_the_total_of_each_table(table: Table) -> None:
    request = {"Table": {"Keys": [item(pk="a", sk="b"), item(pk="a", sk="c")]}}
    answer = table.engine.call("BatchGetItem", {"RequestItems": request, "ReturnConsumedCapacity": "TOTAL"})
    assert answer["ConsumedCapacity"] == [{"TableName": "Table", "CapacityUnits": 1.0}]


def test_a_batch_of_writes_is_charged_item_by_item(table: Table, indexed: Table) -> None:
    indexed.put(filled(3 * KB, pk="a", sk="old", g="g"))
    request = {
        "Table": [
            {"PutRequest": {"Item": sized(KB + 1)}},
            {"DeleteRequest": {"Key": item(pk="a", sk="none")}},
        ],
        "Indexed": [
            {"DeleteRequest": {"Key": item(pk="a", sk="old")}},
            {"PutRequest": {"Item": item(pk="a", sk="new", g="g", l="l")}},
            {"PutRequest": {"Item": item(pk="a", sk="sparse")}},
        ],
    }
    answer = table.engine.call(
        "BatchWriteItem", {"RequestItems": request, "ReturnConsumedCapacity": "INDEXES"}
    )
    expected = cost(5, {"local": 1}, {"world": 4, "keys": 2}, name="Indexed")
    assert sorted(answer["ConsumedCapacity"], key=str) == sorted([cost(3), expected], key=str)


# ── transactions ──────────────────────────────────────────────────────────────────────────────────


def transact(table: Table, *actions: dict[str, Any], **options: Any) -> Answer:
    named = [{kind: {"TableName": table.name, **action}} for each in actions for kind, action in each.items()]
    operation = "TransactGetItems" if "Get" in named[0] else "TransactWriteItems"
    return table.engine.call(
        operation, {"TransactItems": named, "ReturnConsumedCapacity": "INDEXES", **options}
    )


@pytest.mark.parametrize(("size", "units"), READ_EDGES)
def test_a_read_in_a_transaction_costs_double(table: Table, size: int, units: int) -> None:
    table.put(sized(size))
    answer = transact(table, {"Get": {"Key": KEY}})
    assert answer["ConsumedCapacity"] == [cost(2 * units, kind="Read")]


def test_reading_nothing_in_a_transaction_costs_two_units(table: Table) -> None:
    gets = [{"Get": {"Key": item(pk="a", sk=str(number))}} for number in range(3)]
    answer = transact(table, *gets, ReturnConsumedCapacity="TOTAL")
    assert answer["ConsumedCapacity"] == [
        {"TableName": "Table", "CapacityUnits": 6.0, "ReadCapacityUnits": 6.0}
    ]


@clause("R9")
@pytest.mark.parametrize(("size", "units"), WRITE_EDGES)
def test_a_write_in_a_transaction_costs_double(table: Table, size: int, units: int) -> None:
    put = transact(table, {"Put": {"Item": sized(size)}})
    assert put["ConsumedCapacity"] == [cost(2 * units, kind="Write")]
    check = transact(table, {"ConditionCheck": {"Key": KEY, "ConditionExpression": "attribute_exists(pk)"}})
    assert check["ConsumedCapacity"] == [cost(2 * units, kind="Write")]
    deleted = transact(table, {"Delete": {"Key": KEY}})
    assert deleted["ConsumedCapacity"] == [cost(2 * units, kind="Write")]


def test_a_write_in_a_transaction_is_charged_for_the_larger_item(table: Table) -> None:
    table.put(sized(3 * KB))
    answer = transact(
        table, {"Update": {"Key": KEY, "UpdateExpression": "REMOVE fill"}}, ReturnConsumedCapacity="TOTAL"
    )
    assert answer["ConsumedCapacity"] == [
        {"TableName": "Table", "CapacityUnits": 6.0, "WriteCapacityUnits": 6.0}
    ]


def test_index_writes_cost_no_more_in_a_transaction(indexed: Table) -> None:
    answer = transact(indexed, {"Put": {"Item": sized(KB + 1, l="l", g="g")}})
    assert answer["ConsumedCapacity"] == [
        cost(4, {"local": 1}, {"world": 2, "keys": 1}, name="Indexed", kind="Write")
    ]


def test_a_transaction_names_its_tables_in_the_order_of_its_actions(table: Table, indexed: Table) -> None:
    put = {"Item": item(pk="a", sk="b")}
    actions = [{"Put": {"TableName": name, **put}} for name in ("Table", "Indexed")]
    answer = table.engine.call(
        "TransactWriteItems", {"TransactItems": actions, "ReturnConsumedCapacity": "TOTAL"}
    )
    assert [each["TableName"] for each in answer["ConsumedCapacity"]] == ["Table", "Indexed"]


@pytest.mark.parametrize(
    ("size", "units"), [(100, 2), (KB + 500, 2), (4 * KB, 2), (4 * KB + 1, 4), (9 * KB, 6)]
)
def test_a_repeated_transaction_is_charged_as_reads(table: Table, size: int, units: int) -> None:
    actions = ({"Put": {"Item": sized(size)}}, {"Delete": {"Key": item(pk="a", sk="none")}})
    transact(table, *actions, ClientRequestToken="token")
    again = transact(table, *actions, ClientRequestToken="token")
    assert again["ConsumedCapacity"] == [cost(units + 2, kind="Read")]


def test_a_repeated_transaction_is_charged_for_what_the_first_one_met(table: Table) -> None:
    table.put(sized(9 * KB))
    transact(table, {"Delete": {"Key": KEY}}, ClientRequestToken="token")
    again = transact(table, {"Delete": {"Key": KEY}}, ClientRequestToken="token")
    assert again["ConsumedCapacity"] == [cost(6, kind="Read")]


@pytest.mark.parametrize("mode", [{}, {"ReturnConsumedCapacity": "NONE"}])
def test_a_transaction_tells_its_cost_only_when_asked(table: Table, mode: dict[str, str]) -> None:
    request = {
        "TransactItems": [{"Put": {"TableName": "Table", "Item": KEY}}],
        "ClientRequestToken": "token",
        **mode,
    }
    assert table.engine.call("TransactWriteItems", request) == {}
    assert table.engine.call("TransactWriteItems", request) == {}


def test_a_cancelled_transaction_is_charged_for_every_item_it_looked_at(table: Table) -> None:
    table.put(sized(3 * KB))
    check = {"Key": KEY, "ConditionExpression": "attribute_not_exists(pk)"}
    with pytest.raises(WireError) as caught:
        transact(table, {"ConditionCheck": check}, {"Put": {"Item": item(pk="a", sk="new")}})
    assert caught.value.consumed == [cost(8, kind="Write")]


def test_a_table_named_by_its_arn_is_named_so_in_every_report(table: Table) -> None:
    arn = table.engine.table_arn("Table")
    by_arn = Table(table.engine, arn)
    put = by_arn.put(KEY, ReturnConsumedCapacity="INDEXES")
    found = by_arn.query("pk = :p", ReturnConsumedCapacity="INDEXES", p="a")
    transacted = transact(by_arn, {"Get": {"Key": KEY}})
    assert put["ConsumedCapacity"] == cost(1, name=arn)
    assert found["ConsumedCapacity"] == cost(0.5, name=arn)
    assert transacted["ConsumedCapacity"] == [cost(2, name=arn, kind="Read")]
