"""The rules of DynamoDB that the designs rest on, and what emulators get wrong, one test for each."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hansang.backends.embedded import Embedded
from hansang.engine import Engine
from hansang.errors import WireError
from tests.clauses import clause
from tests.engine.items import KB, LARGEST, Item, filled, item
from tests.engine.tables import Answer, Index, cost, create, refused
from tests.surfaces.support import serving

INVALID = "One or more parameter values were invalid: "


def transact(engine: Engine, *actions: dict[str, Any], **options: Any) -> Answer:
    return engine.call("TransactWriteItems", {"TransactItems": list(actions), **options})


def put(whole: Item, **options: Any) -> dict[str, Any]:
    return {"Put": {"TableName": "Table", "Item": whole, **options}}


def reasons(engine: Engine, *actions: dict[str, Any]) -> list[str]:
    """The codes of the reasons for which the transaction was cancelled."""
    with pytest.raises(WireError) as caught:
        transact(engine, *actions)
    assert caught.value.code == "TransactionCanceledException", caught.value
    return [reason["Code"] for reason in caught.value.fields["CancellationReasons"]]


def numbers(items: list[Item], name: str = "n") -> list[int]:
    return [int(each[name]["N"]) for each in items]


# ── the rules ─────────────────────────────────────────────────────────────────────────────────────


@clause("R1")
@pytest.mark.parametrize("condition", ["pk BETWEEN :v AND :v", "begins_with(pk, :v)", "pk > :v"])
def test_a_query_needs_an_equality_on_the_partition_key(engine: Engine, condition: str) -> None:
    with refused("Query key condition not supported"):
        create(engine, "pk sk").query(condition, v="a")


@clause("R1")
@pytest.mark.parametrize("word", ["OR", "IN"])
def test_a_query_takes_one_partition_key_and_no_alternatives(engine: Engine, word: str) -> None:
    condition = "pk = :v OR pk = :v" if word == "OR" else "pk IN (:v)"
    with refused(f"Invalid operator used in KeyConditionExpression: {word}"):
        create(engine, "pk sk").query(condition, v="a")


RESERVED = [
    "name", "Name", "nAmE", "source", "url", "Type", "role", "desc", "status", "Level", "lines", "order", "count",
    "rank", "hidden", "owner", "ttl", "snapshot", "view", "state",
]  # fmt: skip


@clause("R2")
@pytest.mark.parametrize("word", RESERVED)
def test_a_reserved_word_must_be_aliased(engine: Engine, word: str) -> None:
    table = create(engine, "pk")
    words = f"Attribute name is a reserved keyword; reserved keyword: {word}"
    with refused(f"Invalid ProjectionExpression: {words}"):
        table.get(item(pk="a"), ProjectionExpression=word)
    with refused(f"Invalid ConditionExpression: {words}"):
        table.put(item(pk="a"), ConditionExpression=f"attribute_exists({word})")
    with refused(f"Invalid UpdateExpression: {words}"):
        table.update(item(pk="a"), f"SET m.{word} = :v", v=1)
    with refused(f"Invalid FilterExpression: {words}"):
        table.scan(FilterExpression=f"{word} = :v", v=1)
    assert table.get(item(pk="a"), ProjectionExpression="#w", ExpressionAttributeNames={"#w": word}) == {}


@clause("R3")
def test_a_global_index_holds_keys_and_what_it_projects(engine: Engine) -> None:
    table = create(engine, "pk", world=[Index("some", "g", include=("x",))])
    table.put(item(pk="a", g="g", x=1, y=2))
    assert table.query("g = :g", IndexName="some", g="g")["Items"] == [item(pk="a", g="g", x=1)]
    with refused(INVALID + "Global secondary index some does not project [y]"):
        table.query("g = :g", IndexName="some", ProjectionExpression="x, y", g="g")


@clause("R4")
@pytest.mark.parametrize("index", ["local", "world"])
def test_index_keys_need_not_be_unique(engine: Engine, index: str) -> None:
    table = create(engine, "pk sk", local=[Index("local", "pk i")], world=[Index("world", "pk i")])
    for number in range(3):
        table.put(item(pk="a", sk=str(number), i="same"))
    assert table.query("pk = :p AND i = :i", IndexName=index, p="a", i="same")["Count"] == 3


@clause("R5")
def test_a_global_index_is_never_read_consistently_and_a_local_one_may_be(engine: Engine) -> None:
    table = create(engine, "pk sk", local=[Index("local", "pk i")], world=[Index("world", "i")])
    table.put(item(pk="a", sk="b", i="i"))
    assert table.query("pk = :p", IndexName="local", ConsistentRead=True, p="a")["Count"] == 1
    with refused("Consistent reads are not supported on global secondary indexes"):
        table.query("i = :i", IndexName="world", ConsistentRead=True, i="i")


@clause("R6")
def test_an_item_without_the_key_of_an_index_is_not_in_it(engine: Engine) -> None:
    table = create(engine, "pk", world=[Index("world", "g h")])
    table.put(item(pk="a", g="g"))
    table.put(item(pk="b", g="g", h="h"))
    assert table.all(IndexName="world") == [item(pk="b", g="g", h="h")]


@clause("R6")
@pytest.mark.parametrize(("value", "kind"), [(1, "N"), (None, "NULL"), (True, "BOOL"), ({"g"}, "SS")])
def test_a_key_of_an_index_has_the_right_type(engine: Engine, value: Any, kind: str) -> None:
    table = create(engine, "pk", world=[Index("world", "g")])
    with refused(INVALID + f"Type mismatch for Index Key g Expected: S Actual: {kind} IndexName: world"):
        table.put(item(pk="a", g=value))


@clause("R7")
def test_a_changed_index_key_costs_two_index_writes(engine: Engine) -> None:
    table = create(engine, "pk sk", local=[Index("local", "pk i", ())], world=[Index("world", "i", ())])
    table.put(item(pk="a", sk="b", i="old"))
    answer = table.update(item(pk="a", sk="b"), "SET i = :i", ReturnConsumedCapacity="INDEXES", i="new")
    assert answer["ConsumedCapacity"] == cost(1, {"local": 2}, {"world": 2})


@clause("R8")
def test_a_failed_condition_costs_the_item_that_is_there(engine: Engine) -> None:
    table = create(engine, "pk")
    table.put(filled(3 * KB, pk="a"))
    with pytest.raises(WireError) as caught:
        table.put(item(pk="a"), ConditionExpression="attribute_not_exists(pk)")
    assert caught.value.consumed == [cost(3)]


@clause("R9")
def test_a_batch_writes_twenty_five_and_takes_no_condition(engine: Engine) -> None:
    table = create(engine, "pk")
    puts = [{"PutRequest": {"Item": item(pk=str(number))}} for number in range(26)]
    with pytest.raises(WireError, match="Member must have length less than or equal to 25"):
        engine.call("BatchWriteItem", {"RequestItems": {"Table": puts}})
    engine.call("BatchWriteItem", {"RequestItems": {"Table": puts[:25]}})
    assert table.scan(Select="COUNT")["Count"] == 25


@clause("R9")
def test_a_transaction_writes_a_hundred_at_twice_the_cost_and_no_item_twice(engine: Engine) -> None:
    create(engine, "pk")
    puts = [put(item(pk=str(number))) for number in range(101)]
    with pytest.raises(WireError, match="Member must have length less than or equal to 100"):
        transact(engine, *puts)
    answer = transact(engine, *puts[:100], ReturnConsumedCapacity="INDEXES")
    assert answer["ConsumedCapacity"] == [cost(200, kind="Write")]
    with refused("Transaction request cannot include multiple operations on one item"):
        transact(engine, puts[0], puts[0])


@clause("R10")
def test_a_page_has_a_megabyte_and_a_limit_before_the_filter(engine: Engine) -> None:
    table = create(engine, "pk sk:N")
    for number in range(12):
        table.put(filled(100 * KB, pk="a") | item(sk=number))
    whole = table.query("pk = :p", FilterExpression="attribute_not_exists(pk2)", Select="COUNT", p="a")
    few = table.query("pk = :p", FilterExpression="attribute_exists(pk2)", Limit=5, p="a")
    assert (whole["ScannedCount"], whole["LastEvaluatedKey"]) == (11, item(pk="a", sk=10))
    assert (few["Count"], few["ScannedCount"], few["LastEvaluatedKey"]) == (0, 5, item(pk="a", sk=4))


@clause("R11")
def test_an_item_has_400_kilobytes(engine: Engine) -> None:
    table = create(engine, "pk")
    table.put(filled(LARGEST, pk="a"))
    with refused("Item size has exceeded the maximum allowed size"):
        table.put(filled(LARGEST + 1, pk="a"))


@clause("R12")
def test_the_units_that_a_partition_has_are_told_for_the_table_and_for_each_index(engine: Engine) -> None:
    table = create(engine, "pk", world=[Index("hot", "g"), Index("cold", "h")])
    answers = [
        table.put(filled(2 * KB, pk=str(number), g="g"), ReturnConsumedCapacity="INDEXES")
        for number in range(5)
    ]
    spent = [answer["ConsumedCapacity"] for answer in answers]
    assert spent == [cost(2, world={"hot": 2})] * 5


@clause("R13")
def test_an_expired_item_is_readable_until_it_is_swept() -> None:
    now = [1_800_000_000.0]
    with Engine.open(":memory:", clock=lambda: now[0], sweep_seconds=None) as engine:
        table = create(engine, "pk")
        table.call("UpdateTimeToLive", TimeToLiveSpecification={"Enabled": True, "AttributeName": "until"})
        table.put(item(pk="seconds", until=int(now[0]) + 60))
        table.put(item(pk="milliseconds", until=(int(now[0]) + 60) * 1000))
        table.put(item(pk="text", until=str(int(now[0]) + 60)))
        now[0] += 61
        assert table.found(item(pk="seconds")) is not None
        assert engine.sweep() == 1
        assert [each["pk"]["S"] for each in table.all()] == ["milliseconds", "text"]


@clause("R14")
def test_strings_sort_by_their_bytes_and_numbers_by_their_values(engine: Engine) -> None:
    texts, values = create(engine, "pk sk", "Texts"), create(engine, "pk sk:N", "Values")
    for text in ("b", "é", "Z", "10", "9", "가"):
        texts.put(item(pk="a", sk=text))
    for number in ("9", "10", "-1", "0.5"):
        values.put({"pk": {"S": "a"}, "sk": {"N": number}})
    assert [each["sk"]["S"] for each in texts.query("pk = :p", p="a")["Items"]] == [
        "10",
        "9",
        "Z",
        "b",
        "é",
        "가",
    ]
    assert [each["sk"]["N"] for each in values.query("pk = :p", p="a")["Items"]] == ["-1", "0.5", "9", "10"]


@clause("R14")
def test_the_keys_of_a_map_have_no_order(engine: Engine) -> None:
    table = create(engine, "pk")
    table.put(item(pk="a", m={"x": 1, "y": 2}))
    answer = table.scan(FilterExpression="m = :m", m={"y": 2, "x": 1})
    assert answer["Count"] == 1


@clause("R15")
def test_a_global_index_may_have_four_and_four_key_attributes(engine: Engine) -> None:
    hashes, ranges = [f"h{n}" for n in range(4)], [f"r{n}" for n in range(4)]
    schema = [{"AttributeName": name, "KeyType": "HASH"} for name in hashes]
    schema += [{"AttributeName": name, "KeyType": "RANGE"} for name in ranges]
    table = create(engine, "pk")
    index = {"IndexName": "wide", "KeySchema": schema, "Projection": {"ProjectionType": "ALL"}}
    names = [{"AttributeName": name, "AttributeType": "S"} for name in (*hashes, *ranges)]
    table.call("UpdateTable", AttributeDefinitions=names, GlobalSecondaryIndexUpdates=[{"Create": index}])
    for last in "abc":
        table.put(item(pk=last, **dict.fromkeys([*hashes, *ranges[:3]], "x"), r3=last))
    condition = " AND ".join(f"{name} = :x" for name in (*hashes, *ranges[:3]))
    answer = table.query(f"{condition} AND r3 >= :b", IndexName="wide", x="x", b="b")
    assert [each["pk"]["S"] for each in answer["Items"]] == ["b", "c"]


# ── what emulators get wrong ──────────────────────────────────────────────────────────────────────


@clause("E1")
@pytest.mark.parametrize("operator", ["<", "<=", ">", ">=", "BETWEEN"])
@pytest.mark.parametrize(
    ("value", "kind"), [(True, "BOOL"), (None, "NULL"), ({"a"}, "SS"), ([], "L"), ({}, "M")]
)
def test_an_order_of_what_has_none_is_refused(engine: Engine, operator: str, value: Any, kind: str) -> None:
    condition = "x BETWEEN :v AND :v" if operator == "BETWEEN" else f"x {operator} :v"
    with refused(
        "Invalid ConditionExpression: Incorrect operand type for operator or function; "
        f"operator or function: {operator}, operand type: {kind}"
    ):
        create(engine, "pk").put(item(pk="a"), ConditionExpression=condition, v=value)


@clause("E2")
def test_a_projection_in_a_transaction_does_not_add_the_key(engine: Engine) -> None:
    create(engine, "pk").put(item(pk="a", x=1, y=2))
    get = {"TableName": "Table", "Key": item(pk="a"), "ProjectionExpression": "x"}
    assert engine.call("TransactGetItems", {"TransactItems": [{"Get": get}]}) == {
        "Responses": [{"Item": item(x=1)}]
    }


@clause("E3")
@pytest.mark.parametrize(
    ("condition", "message"),
    [("pk ==", 'Invalid ConditionExpression: Syntax error; token: "=", near: "=="'),
     ("attribute_exists(#n)", "Invalid ConditionExpression: An expression attribute name used in the document path "
      "is not defined; attribute name: #n"),
     ("pk = :v", "Invalid ConditionExpression: An expression attribute value used in expression is not defined; "
      "attribute value: :v")],
)  # fmt: skip
def test_what_cannot_be_read_refuses_a_transaction_and_does_not_cancel_it(
    engine: Engine, condition: str, message: str
) -> None:
    create(engine, "pk")
    with refused(message):
        transact(engine, put(item(pk="a")), put(item(pk="b"), ConditionExpression=condition))


@clause("E4")
def test_only_the_first_invalid_action_of_a_transaction_is_named(engine: Engine) -> None:
    create(engine, "pk")
    actions = [put(item(pk="a")), put(item(pk=7)), put(item(x=1))]
    assert reasons(engine, *actions) == ["None", "ValidationError", "None"]


@clause("E5")
@pytest.mark.parametrize(("mode", "number"), [("UPDATED_OLD", 1), ("UPDATED_NEW", 2)])
def test_only_the_changed_part_of_a_nested_attribute_is_returned(
    engine: Engine, mode: str, number: int
) -> None:
    table = create(engine, "pk")
    table.put(item(pk="a", m={"k": {"deep": 1, "other": 0}, "more": 0}))
    answer = table.update(item(pk="a"), "SET m.k.deep = :n", ReturnValues=mode, n=2)
    assert answer["Attributes"] == item(m={"k": {"deep": number}})


@clause("E6")
def test_an_update_that_only_removes_makes_no_item(engine: Engine) -> None:
    table = create(engine, "pk")
    table.update(item(pk="a"), "REMOVE x, y")
    assert table.all() == []


@clause("E7")
def test_a_new_index_takes_the_items_that_fit_it_and_leaves_out_the_others(engine: Engine) -> None:
    table = create(engine, "pk")
    for pk, value in {"fits": "g", "number": 1, "null": None, "empty": "", "long": "g" * 2049}.items():
        table.put(item(pk=pk, g=value))
    table.put(item(pk="none"))
    table.call(
        "UpdateTable",
        AttributeDefinitions=[{"AttributeName": "g", "AttributeType": "S"}],
        GlobalSecondaryIndexUpdates=[{"Create": Index("world", "g").described()}],
    )
    assert table.all(IndexName="world") == [item(pk="fits", g="g")]


@clause("E8")
@pytest.mark.parametrize(
    ("name", "longest", "words"),
    [("g", 2048, "Size of hashkey has exceeded the maximum size limit of2048 bytes"),
     ("h", 1024, "Aggregated size of all range keys has exceeded the size limit of 1024 bytes")],
)  # fmt: skip
def test_a_key_of_an_index_is_no_longer_than_one_of_a_table(
    engine: Engine, name: str, longest: int, words: str
) -> None:
    table = create(engine, "pk", world=[Index("world", "g h")])
    whole = item(pk="a", g="g", h="h")
    table.put({**whole, name: {"S": "x" * longest}})
    with refused(INVALID + words):
        table.put({**whole, name: {"S": "x" * (longest + 1)}})


@clause("E9")
def test_a_local_index_fetches_what_it_does_not_hold_and_a_global_one_refuses(engine: Engine) -> None:
    table = create(engine, "pk sk", local=[Index("local", "pk i", ())], world=[Index("world", "i", ())])
    table.put(item(pk="a", sk="b", i="i", x=1))
    options = {"ProjectionExpression": "x", "ReturnConsumedCapacity": "INDEXES"}
    answer = table.query("pk = :p", IndexName="local", p="a", **options)
    assert (answer["Items"], answer["ConsumedCapacity"]) == ([item(x=1)], cost(0.5, {"local": 0.5}))
    with refused(INVALID + "Global secondary index world does not project [x]"):
        table.query("i = :i", IndexName="world", i="i", **options)


@clause("E10")
def test_a_start_key_that_does_not_belong_is_refused(engine: Engine) -> None:
    plain, ranged = create(engine, "pk", "Plain"), create(engine, "pk sk", "Ranged")
    with refused("The query can return at most one row and cannot be restarted"):
        plain.query("pk = :p", ExclusiveStartKey=item(pk="p"), p="p")
    with refused("The provided starting key is invalid"):
        ranged.query("pk = :p", ExclusiveStartKey=item(pk="p", sk="s", x=1), p="p")


@clause("E11")
def test_enabling_expiry_twice_is_an_error(engine: Engine) -> None:
    table = create(engine, "pk")
    specification = {"Enabled": True, "AttributeName": "until"}
    table.call("UpdateTimeToLive", TimeToLiveSpecification=specification)
    with refused("TimeToLive is already enabled"):
        table.call("UpdateTimeToLive", TimeToLiveSpecification=specification)


@clause("E12")
@pytest.mark.parametrize("name", ["_x", "1x", "_"])
def test_a_bare_name_starts_with_a_letter(engine: Engine, name: str) -> None:
    with pytest.raises(
        WireError, match="ValidationException: Invalid FilterExpression: Syntax error; token: "
    ):
        create(engine, "pk").scan(FilterExpression=f"attribute_exists({name})")


@clause("E12")
def test_a_path_has_up_to_32_parts(engine: Engine) -> None:
    table = create(engine, "pk")
    table.scan(ProjectionExpression=".".join(["a"] * 32))
    with refused(
        "Invalid ProjectionExpression: The document path has too many nesting levels; nesting levels: 33"
    ):
        table.scan(ProjectionExpression=".".join(["a"] * 33))


@clause("E12")
def test_an_expression_has_up_to_4096_bytes(engine: Engine) -> None:
    table = create(engine, "pk")
    table.scan(ProjectionExpression="a" * 4096)
    with refused(
        "Invalid ProjectionExpression: Expression size has exceeded the maximum allowed size; expression size: 4097"
    ):
        table.scan(ProjectionExpression="a" * 4097)


@clause("E13")
def test_item_collections_are_measured_and_capacity_is_told_by_index(engine: Engine) -> None:
    table = create(engine, "pk sk", local=[Index("local", "pk i")], world=[Index("world", "i")])
    answer = table.put(
        item(pk="a", sk="b", i="i"), ReturnItemCollectionMetrics="SIZE", ReturnConsumedCapacity="INDEXES"
    )
    assert answer == {
        "ItemCollectionMetrics": {"ItemCollectionKey": item(pk="a"), "SizeEstimateRangeGB": [0.0, 1.0]},
        "ConsumedCapacity": cost(1, {"local": 1}, {"world": 1}),
    }


EMPTY = "1 validation error detected: Value '[]' at 'transactItems' failed to satisfy constraint: "


@clause("E14")
@pytest.mark.parametrize(
    ("operation", "request_", "message"),
    [("BatchGetItem", {"RequestItems": {}}, "The requestItems parameter is required for BatchGetItem"),
     ("BatchWriteItem", {"RequestItems": {}}, "The requestItems parameter is required for BatchWriteItem"),
     ("TransactGetItems", {"TransactItems": []}, EMPTY + "Member must have length greater than or equal to 1"),
     ("TransactWriteItems", {"TransactItems": []}, EMPTY + "Member must have length greater than or equal to 1")],
)  # fmt: skip
def test_a_batch_or_a_transaction_of_nothing_is_refused(
    engine: Engine, operation: str, request_: dict[str, Any], message: str
) -> None:
    with refused(message):
        engine.call(operation, request_)


@clause("E14")
def test_an_attribute_is_included_once(engine: Engine) -> None:
    with refused(INVALID + "Duplicate element in NonKeyAttributes: x"):
        create(engine, "pk", world=[Index("world", "g", ("x", "y", "x"))])


@clause("E15")
@pytest.mark.parametrize("text", ["(" * 4096, "NOT " * 1024, "size(" * 800, "a" + "[0" * 2000])
def test_an_expression_of_any_depth_gets_an_error(engine: Engine, text: str) -> None:
    with pytest.raises(WireError) as caught:
        create(engine, "pk").scan(FilterExpression=text)
    assert caught.value.code == "ValidationException"


@clause("E15")
@pytest.mark.parametrize("body", [b"", b"{", b"[[[", b"\xff\xfe", b'{"TableName": }', b"[" * 100_000])
def test_malformed_json_is_the_fault_of_the_client(body: bytes) -> None:
    with Embedded.open(":memory:") as backend, serving(backend) as address:
        reply = address.post("DynamoDB_20120810.ListTables", body)
    assert reply.status == 400
    assert json.loads(reply.body)["__type"] == "com.amazon.coral.service#SerializationException"
