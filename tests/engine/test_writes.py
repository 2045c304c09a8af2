"""What a write does to the indexes: which entries come, go and change, and what each of them costs."""

from __future__ import annotations

from typing import Any

import pytest

from hansang.engine import Engine
from hansang.errors import WireError
from tests.clauses import clause
from tests.engine.items import KB, Item, item, value
from tests.engine.streams import stream_records
from tests.engine.tables import Index, Table, cost, create

INDEXES = ("local_all", "local_some", "local_keys", "world_all", "world_some", "world_keys")
KEY = item(pk="a", sk="b")
WHOLE = item(pk="a", sk="b", l="l", g="g", h=1, x="x", y="y")
HELD: dict[str, set[str]] = {
    "local_all": {*WHOLE}, "local_some": {"pk", "sk", "l", "x"}, "local_keys": {"pk", "sk", "l"},
    "world_all": {*WHOLE}, "world_some": {"pk", "sk", "g", "h", "x"}, "world_keys": {"pk", "sk", "g"},
}  # fmt: skip


@pytest.fixture
def table(engine: Engine) -> Table:
    local, world = "pk l", "g h:N"
    return create(
        engine,
        "pk sk",
        local=[Index("local_all", local), Index("local_some", local, ("x",)), Index("local_keys", local, ())],
        world=[Index("world_all", world), Index("world_some", world, ("x",)), Index("world_keys", "g", ())],
    )


def entries(table: Table) -> dict[str, list[Item]]:
    """What every index holds."""
    return {index: table.scan(IndexName=index)["Items"] for index in INDEXES}


def expected(item: Item, *indexes: str) -> dict[str, list[Item]]:
    """What the indexes hold when the table holds this one item, and only these take it."""
    return {
        index: [{name: item[name] for name in item if name in HELD[index]}] if index in indexes else []
        for index in INDEXES
    }


def write(table: Table, whole: Item, way: str) -> None:
    """Put an item alone, in a batch or in a transaction."""
    if way == "batch":
        table.engine.call("BatchWriteItem", {"RequestItems": {"Table": [{"PutRequest": {"Item": whole}}]}})
    elif way == "transaction":
        table.engine.call(
            "TransactWriteItems", {"TransactItems": [{"Put": {"TableName": "Table", "Item": whole}}]}
        )
    else:
        table.put(whole)


# ── what the indexes hold ─────────────────────────────────────────────────────────────────────────


def test_every_index_takes_what_it_projects(table: Table) -> None:
    table.put(WHOLE)
    assert entries(table) == expected(WHOLE, *INDEXES)


@clause("R6")
@pytest.mark.parametrize(
    ("missing", "takers"),
    [("l", ("world_all", "world_some", "world_keys")), ("g", ("local_all", "local_some", "local_keys")),
     ("h", ("local_all", "local_some", "local_keys", "world_keys")), ("x", INDEXES)],
)  # fmt: skip
def test_an_item_without_a_key_of_an_index_is_not_in_it(
    table: Table, missing: str, takers: tuple[str, ...]
) -> None:
    sparse = {name: each for name, each in WHOLE.items() if name != missing}
    table.put(sparse)
    assert entries(table) == expected(sparse, *takers)


@clause("B5")
@pytest.mark.parametrize("missing", ["l", "g", "h", "x"])
@pytest.mark.parametrize("way", ["put", "update"])
def test_an_item_that_loses_an_attribute_leaves_its_indexes(table: Table, missing: str, way: str) -> None:
    rest = {name: each for name, each in WHOLE.items() if name != missing}
    table.put(rest)
    wanted = entries(table)
    table.put(WHOLE)
    table.put(rest) if way == "put" else table.update(KEY, f"REMOVE {missing}")
    assert entries(table) == wanted


@pytest.mark.parametrize("missing", ["l", "g", "h", "x"])
def test_an_item_that_gains_an_attribute_enters_its_indexes(table: Table, missing: str) -> None:
    table.put({name: each for name, each in WHOLE.items() if name != missing})
    table.update(KEY, f"SET {missing} = :v", v=1 if missing == "h" else missing)
    assert entries(table) == expected(WHOLE, *INDEXES)


@pytest.mark.parametrize(
    ("name", "new"), [("l", "moved"), ("g", "moved"), ("h", 2), ("x", "new"), ("y", "new")]
)
@pytest.mark.parametrize("way", ["put", "update", "batch", "transaction"])
def test_a_changed_attribute_changes_in_every_index(table: Table, name: str, new: Any, way: str) -> None:
    table.put(WHOLE)
    changed = {**WHOLE, name: value(new)}
    table.update(KEY, f"SET {name} = :v", v=new) if way == "update" else write(table, changed, way)
    assert entries(table) == expected(changed, *INDEXES)


@pytest.mark.parametrize("way", ["delete", "batch", "transaction"])
def test_a_deleted_item_leaves_every_index(table: Table, way: str) -> None:
    table.put(WHOLE)
    if way == "delete":
        table.delete(KEY)
    elif way == "batch":
        table.engine.call("BatchWriteItem", {"RequestItems": {"Table": [{"DeleteRequest": {"Key": KEY}}]}})
    else:
        table.engine.call(
            "TransactWriteItems", {"TransactItems": [{"Delete": {"TableName": "Table", "Key": KEY}}]}
        )
    assert entries(table) == expected(WHOLE)


@clause("R4")
def test_items_with_the_same_index_key_are_all_there(table: Table) -> None:
    for number in range(4):
        table.put({**WHOLE, "sk": value(str(number))})
    assert [len(found) for found in entries(table).values()] == [4] * 6
    table.delete(item(pk="a", sk="2"))
    assert [len(found) for found in entries(table).values()] == [3] * 6


def test_a_failed_condition_leaves_the_indexes_alone(table: Table) -> None:
    table.put(WHOLE)
    with pytest.raises(Exception, match="The conditional request failed"):
        table.update(KEY, "SET g = :g", ConditionExpression="attribute_not_exists(pk)", g="moved")
    assert entries(table) == expected(WHOLE, *INDEXES)


@clause("B6")
@pytest.mark.parametrize("way", ["put", "update", "batch", "transaction"])
@pytest.mark.parametrize("given", [1, None, "", True])
def test_a_wrong_key_of_an_index_is_refused(table: Table, given: Any, way: str) -> None:
    whole = {**WHOLE, "g": value(given)}
    with pytest.raises(WireError, match="ValidationE" if way == "transaction" else "^ValidationException"):
        table.update(KEY, "SET g = :v", v=given) if way == "update" else write(table, whole, way)
    assert table.all() == []


# ── what they cost ────────────────────────────────────────────────────────────────────────────────

ALL = {
    "local_all": 1.0,
    "local_some": 1.0,
    "local_keys": 1.0,
    "world_all": 1.0,
    "world_some": 1.0,
    "world_keys": 1.0,
}
LADDER: list[tuple[str, dict[str, Any], dict[str, float]]] = [
    ("SET y = :v", {"v": "y"}, {}),
    ("SET y = :v", {"v": "new"}, {"local_all": 1, "world_all": 1}),
    ("SET x = :v", {"v": "new"}, {"local_all": 1, "local_some": 1, "world_all": 1, "world_some": 1}),
    ("SET l = :v", {"v": "moved"}, {"local_all": 2, "local_some": 2, "local_keys": 2, "world_all": 1}),
    ("SET g = :v", {"v": "moved"}, {"local_all": 1, "world_all": 2, "world_some": 2, "world_keys": 2}),
    ("SET h = :v", {"v": 2}, {"local_all": 1, "world_all": 2, "world_some": 2}),
    ("REMOVE l", {}, {"local_all": 1, "local_some": 1, "local_keys": 1, "world_all": 1}),
    ("REMOVE g", {}, {"local_all": 1, "world_all": 1, "world_some": 1, "world_keys": 1}),
    ("REMOVE h", {}, {"local_all": 1, "world_all": 1, "world_some": 1}),
    ("SET h = :v", {"v": 1}, {}),
    ("SET z = :v", {"v": 1}, {"local_all": 1, "world_all": 1}),
]  # fmt: skip


def charged(units: dict[str, float], table: float = 1) -> dict[str, Any]:
    local = {index: number for index, number in units.items() if index.startswith("local")}
    world = {index: number for index, number in units.items() if index.startswith("world")}
    return cost(table, local, world)


@clause("R7")
@pytest.mark.parametrize(("expression", "values", "units"), LADDER)
def test_an_update_is_charged_for_the_entries_it_changes(
    table: Table, expression: str, values: dict[str, Any], units: dict[str, float]
) -> None:
    table.put(WHOLE)
    answer = table.update(KEY, expression, ReturnConsumedCapacity="INDEXES", **values)
    assert answer["ConsumedCapacity"] == charged(units)


def test_a_new_item_and_a_deleted_one_cost_an_entry_in_each_index(table: Table) -> None:
    put = table.put(WHOLE, ReturnConsumedCapacity="INDEXES")
    deleted = table.delete(KEY, ReturnConsumedCapacity="INDEXES")
    assert put["ConsumedCapacity"] == deleted["ConsumedCapacity"] == charged(ALL)


@pytest.mark.parametrize(
    "again",
    [WHOLE, dict(reversed(WHOLE.items())), {**WHOLE, "h": {"N": "1.0"}}],
    ids=["the same", "in another order", "in another spelling"],
)
def test_entries_that_stay_the_same_cost_nothing(table: Table, again: Item) -> None:
    table.put(WHOLE)
    answer = table.put(again, ReturnConsumedCapacity="INDEXES")
    assert answer["ConsumedCapacity"] == charged({})


def test_a_set_in_another_order_is_the_same_set(table: Table) -> None:
    table.put({**WHOLE, "x": {"SS": ["p", "q"]}})
    answer = table.put({**WHOLE, "x": {"SS": ["q", "p"]}}, ReturnConsumedCapacity="INDEXES")
    assert answer["ConsumedCapacity"] == charged({})


def test_a_list_in_another_order_is_another_list(table: Table) -> None:
    table.put({**WHOLE, "x": value(["p", "q"])})
    answer = table.put({**WHOLE, "x": value(["q", "p"])}, ReturnConsumedCapacity="INDEXES")
    assert answer["ConsumedCapacity"] == charged(
        {"local_all": 1, "local_some": 1, "world_all": 1, "world_some": 1}
    )


def test_an_index_is_charged_for_what_it_projects(table: Table) -> None:
    answer = table.put({**WHOLE, "y": value("y" * 3 * KB)}, ReturnConsumedCapacity="INDEXES")
    assert answer["ConsumedCapacity"] == charged({**ALL, "local_all": 4, "world_all": 4}, table=4)


@pytest.mark.parametrize(("before", "after"), [(3000, 10), (10, 3000)])
def test_an_entry_that_stays_in_its_place_costs_the_larger_of_the_two(
    table: Table, before: int, after: int
) -> None:
    table.put({**WHOLE, "x": value("x" * before)})
    answer = table.update(KEY, "SET x = :x", ReturnConsumedCapacity="INDEXES", x="x" * after)
    units = {"local_all": 3.0, "local_some": 3.0, "world_all": 3.0, "world_some": 3.0}
    assert answer["ConsumedCapacity"] == charged(units, table=3)


def test_an_entry_that_moves_costs_both_each_rounded_up(table: Table) -> None:
    table.put({**WHOLE, "x": value("x" * 1500)})
    answer = table.update(
        KEY, "SET g = :g, x = :x", ReturnConsumedCapacity="INDEXES", g="moved", x="x" * 2500
    )
    units = {"local_all": 3.0, "local_some": 3.0, "world_all": 5.0, "world_some": 5.0, "world_keys": 2.0}
    assert answer["ConsumedCapacity"] == charged(units, table=3)


# ── what is not a change ──────────────────────────────────────────────────────────────────────────


def test_a_write_that_changes_nothing_leaves_no_record_in_the_stream(engine: Engine) -> None:
    request = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    plain = create(engine, "pk", "Plain")
    plain.call("UpdateTable", StreamSpecification=request)
    for _ in range(2):
        plain.put(item(pk="a", s={"p", "q"}, n=1))
    plain.put({"n": {"N": "1.0"}, "s": {"SS": ["q", "p"]}, "pk": {"S": "a"}})
    plain.update(item(pk="a"), "SET n = :n REMOVE nothing", n=1)
    plain.delete(item(pk="none"))
    assert [record["eventName"] for record in stream_records(engine, "Plain")] == ["INSERT"]


def test_the_size_of_a_table_and_of_its_indexes_is_counted(table: Table) -> None:
    for number in range(3):
        table.put({**WHOLE, "sk": value(str(number))})
    table.delete(item(pk="a", sk="1"))
    described = table.engine.call("DescribeTable", {"TableName": "Table"})["Table"]
    # Seventeen bytes an item: the names, the texts, and two for the number.
    assert (described["ItemCount"], described["TableSizeBytes"]) == (2, 34)
    sizes = {each["IndexName"]: each["IndexSizeBytes"] for each in described["GlobalSecondaryIndexes"]}
    assert sizes == {"world_all": 34, "world_some": 26, "world_keys": 16}
