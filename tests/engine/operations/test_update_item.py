"""UpdateItem: parts of an item change or an item is made; each way of returning what became of it."""

from __future__ import annotations

from typing import Any

import pytest

from hansang.engine import Engine
from hansang.errors import WireError
from tests.clauses import clause
from tests.engine.items import LARGEST, Item, filled, item, value
from tests.engine.tables import Answer, Index, Table, create, refused

INVALID = "One or more parameter values were invalid: "
NESTED_KEY = "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: "
TOO_LARGE = "Item size to update has exceeded the maximum allowed size"
KEY = item(pk="a")


@pytest.fixture
def table(engine: Engine) -> Table:
    return create(engine, "pk")


@pytest.fixture
def indexed(engine: Engine) -> Table:
    return create(
        engine,
        "pk sk",
        "Indexed",
        local=[Index("by_l", "pk l:N")],
        world=[Index("by_g", "g h"), Index("by_b", "b:B")],
    )


# ── the item ──────────────────────────────────────────────────────────────────────────────────────


def test_an_update_changes_what_it_names_and_nothing_else(table: Table) -> None:
    table.put(item(pk="a", x=1, y=2))
    assert table.update(KEY, "SET x = :x", x=3) == {}
    assert table.found(KEY) == item(pk="a", x=3, y=2)


def test_an_update_of_what_is_not_there_makes_it(table: Table) -> None:
    table.update(KEY, "SET x = :x ADD n :n, s :s", x="x", n=5, s={"p", "q"})
    assert table.found(KEY) == item(pk="a", x="x", n=5, s={"p", "q"})


def test_an_update_without_an_expression_makes_an_item_of_its_key(table: Table) -> None:
    assert table.call("UpdateItem", Key=KEY) == {}
    assert table.all() == [KEY]


@clause("E6")
@pytest.mark.parametrize("expression", ["REMOVE x", "REMOVE x, y", "DELETE s :s", "REMOVE x DELETE s :s"])
def test_an_update_that_only_takes_away_makes_no_item(table: Table, expression: str) -> None:
    values: dict[str, Any] = {"s": {"p"}} if ":s" in expression else {}
    assert table.update(KEY, expression, ReturnValues="ALL_NEW", **values) == {}
    assert table.all() == []


def test_every_operand_is_read_before_anything_is_written(table: Table) -> None:
    table.put(item(pk="a", x=1, y=2))
    table.update(KEY, "SET x = y, y = x, z = x + y REMOVE w")
    assert table.found(KEY) == item(pk="a", x=2, y=1, z=3)


def test_the_table_may_be_named_by_its_arn(table: Table) -> None:
    Table(table.engine, table.engine.table_arn(table.name)).update(KEY, "SET x = :x", x=1)
    assert table.all() == [item(pk="a", x=1)]


# ── conditions ────────────────────────────────────────────────────────────────────────────────────


def test_a_condition_sees_the_item_before_the_update(table: Table) -> None:
    table.put(item(pk="a", x=1))
    table.update(KEY, "SET x = :new", ConditionExpression="x = :old", new=2, old=1)
    assert table.found(KEY) == item(pk="a", x=2)


def test_a_condition_that_fails_changes_nothing(table: Table) -> None:
    table.put(item(pk="a", x=1))
    with refused("The conditional request failed", "ConditionalCheckFailedException"):
        table.update(KEY, "SET x = :new", ConditionExpression="x = :old", new=2, old=7)
    assert table.found(KEY) == item(pk="a", x=1)


@pytest.mark.parametrize("condition", ["attribute_exists(pk)", "pk = :p", "attribute_exists(pk) AND x = :p"])
def test_a_failed_condition_on_nothing_leaves_nothing(table: Table, condition: str) -> None:
    values = {"p": "a"} if ":p" in condition else {}
    with refused("The conditional request failed", "ConditionalCheckFailedException"):
        table.update(KEY, "SET x = :x", ConditionExpression=condition, x=1, **values)
    assert table.all() == []


@pytest.mark.parametrize(("mode", "fields"), [("NONE", {}), ("ALL_OLD", {"Item": item(pk="a", x=1)})])
def test_a_failed_condition_shows_the_item_when_asked(
    table: Table, mode: str, fields: dict[str, Any]
) -> None:
    table.put(item(pk="a", x=1))
    with pytest.raises(WireError) as caught:
        table.update(
            KEY, "SET x = :x", ConditionExpression="x > :x", ReturnValuesOnConditionCheckFailure=mode, x=1
        )
    assert caught.value.fields == fields


def test_a_condition_is_judged_before_the_update_is_applied(table: Table) -> None:
    table.put(item(pk="a", x="text"))
    with refused("The conditional request failed", "ConditionalCheckFailedException"):
        table.update(KEY, "SET x = x + :n", ConditionExpression="x = :n", n=1)


# ── what is returned ──────────────────────────────────────────────────────────────────────────────

BEFORE = item(pk="a", x=1, y=2, s={"p"}, m={"k": 1, "other": 2}, l=[1, 2, 3])
RETURNED: list[tuple[str, str, Item | None]] = [
    ("SET x = :n", "NONE", None),
    ("SET x = :n", "ALL_OLD", BEFORE),
    ("SET x = :n", "ALL_NEW", {**BEFORE, "x": value(9)}),
    ("SET x = :n", "UPDATED_OLD", item(x=1)),
    ("SET x = :n", "UPDATED_NEW", item(x=9)),
    ("SET z = :n", "UPDATED_OLD", None),
    ("SET z = :n", "UPDATED_NEW", item(z=9)),
    ("SET x = :n REMOVE y", "UPDATED_OLD", item(x=1, y=2)),
    ("SET x = :n REMOVE y", "UPDATED_NEW", item(x=9)),
    ("REMOVE y", "UPDATED_NEW", None),
    ("REMOVE y", "UPDATED_OLD", item(y=2)),
    ("ADD x :n", "UPDATED_NEW", item(x=10)),
    ("SET m.k = :n", "UPDATED_OLD", item(m={"k": 1})),
    ("SET m.k = :n", "UPDATED_NEW", item(m={"k": 9})),
    ("SET m.fresh = :n", "UPDATED_OLD", None),
    ("SET m.fresh = :n", "UPDATED_NEW", item(m={"fresh": 9})),
    ("SET l[1] = :n", "UPDATED_OLD", item(l=[2])),
    ("SET l[1] = :n", "UPDATED_NEW", item(l=[9])),
    ("SET l[2] = :n, l[0] = :n", "UPDATED_OLD", item(l=[1, 3])),
]  # fmt: skip


@clause("E5")
@pytest.mark.parametrize(("expression", "mode", "attributes"), RETURNED)
def test_an_update_returns_what_it_is_asked_for(
    table: Table, expression: str, mode: str, attributes: Item | None
) -> None:
    table.put(BEFORE)
    values = {"n": 9} if ":n" in expression else {}
    answer = table.update(KEY, expression, ReturnValues=mode, **values)
    assert answer == ({} if attributes is None else {"Attributes": attributes})


@pytest.mark.parametrize(
    ("mode", "attributes"),
    [("ALL_OLD", None), ("UPDATED_OLD", None), ("ALL_NEW", item(pk="a", x=9)), ("UPDATED_NEW", item(x=9))],
)
def test_an_update_that_makes_an_item_has_no_old_one(
    table: Table, mode: str, attributes: Item | None
) -> None:
    answer = table.update(KEY, "SET x = :n", ReturnValues=mode, n=9)
    assert answer == ({} if attributes is None else {"Attributes": attributes})


def test_an_emptied_set_is_not_returned_as_new(table: Table) -> None:
    table.put(BEFORE)
    assert table.update(KEY, "DELETE s :s", ReturnValues="UPDATED_NEW", s={"p"}) == {}
    assert table.found(KEY) == {name: each for name, each in BEFORE.items() if name != "s"}


def test_the_item_collection_is_measured_on_a_table_with_a_local_index(indexed: Table) -> None:
    answer = indexed.update(item(pk="a", sk="b"), "SET x = :x", ReturnItemCollectionMetrics="SIZE", x=1)
    assert answer == {
        "ItemCollectionMetrics": {"ItemCollectionKey": item(pk="a"), "SizeEstimateRangeGB": [0.0, 1.0]}
    }


# ── refusals ──────────────────────────────────────────────────────────────────────────────────────

UNREADABLE: list[tuple[dict[str, Any], str]] = [
    ({"UpdateExpression": ""}, "Invalid UpdateExpression: The expression can not be empty;"),
    ({"UpdateExpression": "INVALID SYNTAX HERE"},
     'Invalid UpdateExpression: Syntax error; token: "INVALID", near: "INVALID SYNTAX"'),
    ({"UpdateExpression": "SET x = :x"},
     "Invalid UpdateExpression: An expression attribute value used in expression is not defined; attribute value: :x"),
    ({"UpdateExpression": "SET x = :x", "ExpressionAttributeValues": {":x": value(1), ":y": value(1)}},
     "Value provided in ExpressionAttributeValues unused in expressions: keys: {:y}"),
    ({"UpdateExpression": "REMOVE x", "ExpressionAttributeNames": {"#x": "x"}},
     "Value provided in ExpressionAttributeNames unused in expressions: keys: {#x}"),
    ({"UpdateExpression": "REMOVE x", "AttributeUpdates": {}},
     "Can not use both expression and non-expression parameters in the same request: "
     "Non-expression parameters: {AttributeUpdates} Expression parameters: {UpdateExpression}"),
    ({"ExpressionAttributeValues": {":x": value(1)}},
     "ExpressionAttributeValues can only be specified when using expressions: "
     "UpdateExpression and ConditionExpression are null"),
    ({"ExpressionAttributeNames": {"#x": "x"}},
     "ExpressionAttributeNames can only be specified when using expressions"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "message"), UNREADABLE)
def test_an_expression_is_judged_before_the_table_is_looked_for(
    engine: Engine, options: dict[str, Any], message: str
) -> None:
    with refused(message):
        Table(engine, "missing").call("UpdateItem", Key=KEY, **options)


def test_the_key_is_required_and_what_is_returned_is_one_of_five(table: Table) -> None:
    with refused(
        "1 validation error detected: Value null at 'key' failed to satisfy constraint: Member must not be null"
    ):
        table.call("UpdateItem")
    with refused(
        "1 validation error detected: Value 'hi' at 'returnValues' failed to satisfy constraint: "
        "Member must satisfy enum value set: [ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]"
    ):
        table.call("UpdateItem", Key=KEY, ReturnValues="hi")


def test_a_table_that_is_not_there_is_not_found(engine: Engine) -> None:
    with refused("Requested resource not found", "ResourceNotFoundException"):
        Table(engine, "missing").call("UpdateItem", Key={})


@pytest.mark.parametrize(
    "key", [{}, item(b="a"), item(pk="a", b="a"), item(pk=1), item(pk={"x"}), item(pk=[])]
)
def test_a_key_of_another_schema_is_refused(table: Table, key: Item) -> None:
    with refused("The provided key element does not match the schema"):
        table.update(key, "SET x = :x", x=1)


@pytest.mark.parametrize(
    ("expression", "values", "name"),
    [("SET pk = :n", {"n": 1}, "pk"), ("ADD pk.x :n", {"n": 1}, "pk"), ("DELETE x :s REMOVE pk", {"s": {1}}, "pk"),
     ("SET x = :n, pk = :n", {"n": 1}, "pk"), ("SET x = :n REMOVE sk", {"n": 1}, "sk")],
)  # fmt: skip
def test_the_key_cannot_be_updated(
    indexed: Table, expression: str, values: dict[str, Any], name: str
) -> None:
    with refused(INVALID + f"Cannot update attribute {name}. This attribute is part of the key"):
        indexed.update(item(pk="a", sk="b"), expression, **values)


@pytest.mark.parametrize(("condition", "which"), [("pk.x = :v", "Key: pk"), ("g[0] = :v", "IndexKey: g")])
def test_a_condition_cannot_look_into_a_key(indexed: Table, condition: str, which: str) -> None:
    with refused(NESTED_KEY + which):
        indexed.update(item(pk="a", sk="b"), "SET x = :v", ConditionExpression=condition, v="v")


def on_index(table: Table, expression: str, **values: Any) -> Answer:
    return table.update(item(pk="a", sk="b"), expression, **values)


@pytest.mark.parametrize(
    ("expression", "values", "message"),
    [("SET g = :v", {"v": 1}, INVALID + "Type mismatch for Index Key g Expected: S Actual: N IndexName: by_g"),
     ("SET g = :v", {"v": None}, INVALID + "Type mismatch for Index Key g Expected: S Actual: NULL IndexName: by_g"),
     ("ADD g :v", {"v": 1}, INVALID + "Type mismatch for Index Key g Expected: S Actual: N IndexName: by_g"),
     ("SET l = :v", {"v": "x"}, INVALID + "Type mismatch for Index Key l Expected: N Actual: S IndexName: by_l"),
     ("SET g.x = :v", {"v": 1}, NESTED_KEY + "IndexKey: g"),
     ("ADD h.x :v", {"v": 1}, NESTED_KEY + "IndexKey: h"),
     ("SET x = l[1], y = :v", {"v": 1}, NESTED_KEY + "IndexKey: l")],
)  # fmt: skip
def test_an_index_key_is_judged_by_the_expression_alone(
    indexed: Table, expression: str, values: dict[str, Any], message: str
) -> None:
    with refused(message):
        on_index(indexed, expression, **values)
    assert indexed.all() == []


@pytest.mark.parametrize("source", [1, None, True, {"x"}, [], {}])
def test_an_index_key_cannot_take_over_a_value_of_another_type(indexed: Table, source: Any) -> None:
    on_index(indexed, "SET x = :x", x=source)
    with refused("The update expression attempted to update the secondary index key to unsupported type"):
        on_index(indexed, "SET g = x")


@pytest.mark.parametrize(("name", "empty", "noun"), [("g", "", "string"), ("b", b"", "binary")])
def test_an_index_key_cannot_become_empty(indexed: Table, name: str, empty: Any, noun: str) -> None:
    with refused(
        "One or more parameter values are not valid. The update expression attempted to update a secondary index key "
        "to a value that is not supported. The AttributeValue for a key attribute cannot "
        f"contain an empty {noun} value."
    ):
        on_index(indexed, f"SET {name} = :v", v=empty)


@pytest.mark.parametrize(("name", "size"), [("g", 2049), ("h", 1025)])
def test_an_index_key_cannot_become_too_long(indexed: Table, name: str, size: int) -> None:
    on_index(indexed, "SET g = :g, h = :h", g="g", h="h")
    with refused(
        "The update expression attempted to update the secondary index key beyond allowed size limits"
    ):
        on_index(indexed, f"SET {name} = :v", v="x" * size)


OPERANDS = "An operand in the update expression has an incorrect data type"
MISSING = "The provided expression refers to an attribute that does not exist in the item"
NO_PATH = "The document path provided in the update expression is invalid for update"


@pytest.mark.parametrize(
    ("expression", "values", "message"),
    [("SET z = nothing", {}, MISSING),
     ("SET z = x + nothing", {}, MISSING),
     ("SET z = list_append(l, nothing)", {}, MISSING),
     ("SET z = m + :n", {"n": 1}, OPERANDS),
     ("SET z = list_append(x, l)", {}, OPERANDS),
     ("ADD s :n", {"n": 1}, OPERANDS),
     ("DELETE s :s", {"s": {1}}, OPERANDS),
     ("DELETE x :s", {"s": {1}}, OPERANDS),
     ("SET nothing.z = :n", {"n": 1}, NO_PATH),
     ("SET x.z = :n", {"n": 1}, NO_PATH),
     ("SET m[0] = :n", {"n": 1}, NO_PATH),
     ("SET l.z = :n", {"n": 1}, NO_PATH),
     ("REMOVE nothing.z", {}, NO_PATH),
     ("ADD nothing[0] :n", {"n": 1}, NO_PATH),
     ("DELETE nothing.z :s", {"s": {1}}, NO_PATH)],
)  # fmt: skip
def test_an_update_that_does_not_fit_the_item_is_refused(
    table: Table, expression: str, values: dict[str, Any], message: str
) -> None:
    table.put(BEFORE)
    with refused(message):
        table.update(KEY, expression, **values)
    assert table.found(KEY) == BEFORE


# ── 400 KB ────────────────────────────────────────────────────────────────────────────────────────


def grown(table: Table, key: Item, size: int) -> Answer:
    """Bring the item under this key, a text, to exactly so many bytes."""
    fill = filled(size, pk=key["pk"]["S"])["fill"]["S"]
    return table.update(key, "SET fill = :fill", fill=fill)


def test_an_update_brings_an_item_up_to_400_kilobytes(table: Table) -> None:
    key = item(pk="k" * 40)
    grown(table, key, LARGEST)
    with refused(TOO_LARGE):
        grown(table, key, LARGEST + 1)
    assert table.found(key) == filled(LARGEST, pk="k" * 40)


def test_an_update_counts_its_actions_instead_of_the_key(table: Table) -> None:
    """Beside what it writes, an update weighs 3 bytes and 19 for each SET: at a short key less is left."""
    ceiling = LARGEST + len("pk" + "a") - 3 - 19
    grown(table, KEY, ceiling)
    with refused(TOO_LARGE):
        grown(table, KEY, ceiling + 1)


def test_an_item_may_shrink_by_an_update_however_large_it_was(table: Table) -> None:
    table.put(filled(LARGEST, pk="a"))
    table.update(KEY, "SET fill = :fill", fill="x")
    assert table.found(KEY) == item(pk="a", fill="x")


def test_an_update_cannot_nest_a_value_too_deeply(table: Table) -> None:
    deep: Any = "x"
    for _ in range(31):
        deep = [deep]
    table.update(KEY, "SET d = :d", d=deep)
    with pytest.raises(WireError, match="Nesting Levels have exceeded supported limits"):
        table.update(KEY, "SET e = :e", e=[[deep]])
