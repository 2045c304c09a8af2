"""The behaviours of DynamoDB that applications lean on most, one test or more for each."""

from __future__ import annotations

import json
import zlib
from typing import Any

import pytest

from hansang.backends.embedded import Embedded
from hansang.engine import Engine
from hansang.errors import WireError
from tests.clauses import clause
from tests.engine.items import LARGEST, Item, filled, item, value
from tests.engine.streams import stream_records
from tests.engine.tables import Index, Table, create, refused
from tests.surfaces.support import serving

INVALID = "One or more parameter values were invalid: "
KEY = item(pk="a")


@pytest.fixture
def table(engine: Engine) -> Table:
    return create(engine, "pk")


@pytest.fixture
def ranged(engine: Engine) -> Table:
    """One partition of five items, all in the same place of their indexes."""
    found = create(
        engine, "pk sk:N", "Ranged", local=[Index("local", "pk i", ())], world=[Index("world", "i j", ())]
    )
    for number in range(5):
        found.put(item(pk="p", sk=number, i="i", j="j", x=number))
    return found


def sorts(items: list[Item]) -> list[int]:
    return [int(each["sk"]["N"]) for each in items]


# ── queries ───────────────────────────────────────────────────────────────────────────────────────


@clause("B1")
@pytest.mark.parametrize(
    "condition",
    ["pk = :p AND sk > :s", "sk > :s AND pk = :p", "(pk = :p) AND (:s < sk)", "((pk = :p) AND sk > :s)"],
)
def test_a_key_condition_may_be_written_in_either_order_and_in_brackets(
    ranged: Table, condition: str
) -> None:
    assert sorts(ranged.query(condition, p="p", s=2)["Items"]) == [3, 4]


@clause("B1")
def test_a_key_condition_takes_one_condition_on_the_sort_key_and_checks_its_type(ranged: Table) -> None:
    with refused("KeyConditionExpressions must only contain one condition per key"):
        ranged.query("pk = :p AND sk > :s AND sk < :t", p="p", s=1, t=3)
    with refused(INVALID + "Condition parameter type does not match schema type"):
        ranged.query("pk = :p AND sk > :s", p="p", s="1")


@clause("B2")
def test_begins_with_is_refused_on_numbers(ranged: Table) -> None:
    with refused(
        "Invalid KeyConditionExpression: Incorrect operand type for operator or function; "
        "operator or function: begins_with, operand type: N"
    ):
        ranged.query("pk = :p AND begins_with(sk, :s)", p="p", s=1)


@clause("B3")
@pytest.mark.parametrize(
    ("options", "message"),
    [({"FilterExpression": "name = :p"},
      "Invalid FilterExpression: Attribute name is a reserved keyword; reserved keyword: name"),
     ({"FilterExpression": "#n = :p"}, "Invalid FilterExpression: An expression attribute name used in the document "
      "path is not defined; attribute name: #n"),
     ({"FilterExpression": "x = :q"}, "Invalid FilterExpression: An expression attribute value used in expression "
      "is not defined; attribute value: :q"),
     ({"ExpressionAttributeNames": {"#n": "n"}},
      "Value provided in ExpressionAttributeNames unused in expressions: keys: {#n}"),
     ({"v": 1}, "Value provided in ExpressionAttributeValues unused in expressions: keys: {:v}")],
)  # fmt: skip
def test_an_expression_is_judged_even_when_nothing_matches(
    ranged: Table, options: dict[str, Any], message: str
) -> None:
    with refused(message):
        ranged.query("pk = :p", p="nobody", **options)


@clause("B7")
@pytest.mark.parametrize(
    ("index", "names"), [("local", {"pk", "sk", "i"}), ("world", {"pk", "sk", "i", "j"})]
)
@pytest.mark.parametrize("forward", [True, False])
def test_ties_in_an_index_are_paged_one_by_one(
    ranged: Table, index: str, names: set[str], forward: bool
) -> None:
    condition, key = ("pk = :k", "p") if index == "local" else ("i = :k", "i")
    found: list[int] = []
    start: dict[str, Any] = {}
    for _ in range(5):
        answer = ranged.query(condition, IndexName=index, ScanIndexForward=forward, Limit=1, k=key, **start)
        found += sorts(answer["Items"])
        assert set(answer["LastEvaluatedKey"]) == names
        start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}
    assert sorted(found) == [0, 1, 2, 3, 4]


@clause("B8")
def test_the_limit_comes_before_the_filter_and_the_counts_tell(ranged: Table) -> None:
    answer = ranged.query("pk = :p", FilterExpression="x > :x", Limit=4, p="p", x=1)
    assert (answer["Count"], answer["ScannedCount"], sorts([answer["LastEvaluatedKey"]])) == (2, 4, [3])


@clause("B9")
@pytest.mark.parametrize(
    ("index", "select", "names"),
    [(None, "ALL_ATTRIBUTES", {"pk", "sk", "i", "j", "x"}), ("local", "ALL_ATTRIBUTES", {"pk", "sk", "i", "j", "x"}),
     ("local", "ALL_PROJECTED_ATTRIBUTES", {"pk", "sk", "i"}), ("local", None, {"pk", "sk", "i"}),
     ("world", "ALL_PROJECTED_ATTRIBUTES", {"pk", "sk", "i", "j"}), ("world", None, {"pk", "sk", "i", "j"})],
)  # fmt: skip
def test_select_means_another_thing_for_each_kind_of_index(
    ranged: Table, index: str | None, select: str | None, names: set[str]
) -> None:
    options = ({"IndexName": index} if index else {}) | ({"Select": select} if select else {})
    answer = ranged.scan(**options)
    assert {frozenset(each) for each in answer["Items"]} == {frozenset(names)}


@clause("B9")
def test_a_global_index_cannot_return_all_attributes(ranged: Table) -> None:
    with refused(
        INVALID + "Select type ALL_ATTRIBUTES is not supported for global secondary index world "
        "because its projection type is not ALL"
    ):
        ranged.query("i = :i", IndexName="world", Select="ALL_ATTRIBUTES", i="i")


def test_older_key_conditions_beside_a_filter_are_refused_by_name_and_not_left_out(ranged: Table) -> None:
    """They are no mix of old and new to DynamoDB; as long as they are not served, they are refused."""
    conditions = {"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [value("p")]}}
    with refused(
        "The legacy parameter KeyConditions is not served by this engine; use KeyConditionExpression instead"
    ):
        ranged.call(
            "Query", KeyConditions=conditions, FilterExpression="x > :x", ProjectionExpression="sk", x=2
        )


# ── numbers and values ────────────────────────────────────────────────────────────────────────────

NUMBERS = {
    "00042": "42", "1.0": "1", "1.5E2": "150", "-0": "0", "1" * 38: "1" * 38, "1E-130": "0." + "0" * 129 + "1",
    "9.9999999999999999999999999999999999999E+125": "9" * 38 + "0" * 88, "100": "100", "1E2": "100", ".5": "0.5",
}  # fmt: skip


@clause("B4")
@pytest.mark.parametrize(("written", "kept"), NUMBERS.items())
def test_a_number_is_kept_in_its_normal_form(table: Table, written: str, kept: str) -> None:
    table.put({**KEY, "n": {"N": written}})
    assert table.found(KEY) == {**KEY, "n": {"N": kept}}


@clause("B4")
@pytest.mark.parametrize(
    ("number", "message"),
    [("1" * 39, "Attempting to store more than 38 significant digits in a Number"),
     ("1E126", "Number overflow. Attempting to store a number with magnitude larger than supported range"),
     ("-1E126", "Number overflow. Attempting to store a number with magnitude larger than supported range"),
     ("1E-131", "Number underflow. Attempting to store a number with magnitude smaller than supported range"),
     ("one", "The parameter cannot be converted to a numeric value: one")],
)  # fmt: skip
def test_a_number_outside_the_range_is_refused(table: Table, number: str, message: str) -> None:
    with refused(message):
        table.put({**KEY, "n": {"N": number}})


@clause("B4")
def test_arithmetic_is_decimal(table: Table) -> None:
    table.put({**KEY, "n": {"N": "0.1"}})
    table.update(KEY, "SET n = n + :n ADD m :n", n=0.2)
    assert table.found(KEY) == {**KEY, "n": {"N": "0.3"}, "m": {"N": "0.2"}}


@clause("B10")
def test_empty_texts_are_allowed_except_in_keys(table: Table) -> None:
    whole = item(pk="a", text="", binary=b"", nested={"list": [""]})
    table.put(whole)
    assert table.found(KEY) == whole
    with refused(
        "One or more parameter values are not valid. "
        "The AttributeValue for a key attribute cannot contain an empty string value. Key: pk"
    ):
        table.put(item(pk=""))


@clause("B10")
@pytest.mark.parametrize(
    ("given", "message"),
    [({"SS": []}, INVALID + "An string set  may not be empty"),
     ({"NS": []}, INVALID + "An number set  may not be empty"),
     ({"BS": []}, INVALID + "Binary sets should not be empty"),
     ({"L": [{"M": {"k": {"SS": []}}}]}, INVALID + "An string set  may not be empty"),
     ({"SS": ["a", "b", "a"]}, INVALID + "Input collection [a, b, a] contains duplicates."),
     ({"NS": ["1", "1.0"]}, "Input collection contains duplicates"),
     ({"BS": ["YQ==", "YQ=="]}, INVALID + "Input collection [YQ==, YQ==]of type BS contains duplicates.")],
)  # fmt: skip
def test_empty_sets_and_sets_with_doubles_are_refused(
    table: Table, given: dict[str, Any], message: str
) -> None:
    with refused(message):
        table.put({**KEY, "s": given})


# ── indexes ───────────────────────────────────────────────────────────────────────────────────────


@clause("B5")
def test_an_item_leaves_an_index_when_the_key_attribute_is_removed(ranged: Table) -> None:
    ranged.update(item(pk="p", sk=2), "REMOVE i")
    assert sorts(ranged.all(IndexName="local")) == sorts(ranged.all(IndexName="world")) == [0, 1, 3, 4]


@clause("B6")
@pytest.mark.parametrize("given", [1, None, "", True])
def test_a_wrong_key_of_an_index_is_refused_by_every_write(ranged: Table, given: Any) -> None:
    whole = item(pk="p", sk=9, i=given)
    with pytest.raises(WireError, match=r"^ValidationException"):
        ranged.put(whole)
    with pytest.raises(WireError, match=r"^ValidationException"):
        ranged.update(item(pk="p", sk=9), "SET i = :i", i=given)
    with pytest.raises(WireError, match=r"^ValidationException"):
        ranged.engine.call("BatchWriteItem", {"RequestItems": {"Ranged": [{"PutRequest": {"Item": whole}}]}})
    with pytest.raises(WireError, match="ValidationE"):
        ranged.engine.call(
            "TransactWriteItems", {"TransactItems": [{"Put": {"TableName": "Ranged", "Item": whole}}]}
        )
    assert ranged.found(item(pk="p", sk=9)) is None


# ── transactions ──────────────────────────────────────────────────────────────────────────────────


def put(whole: Item, **options: Any) -> dict[str, Any]:
    return {"Put": {"TableName": "Table", "Item": whole, **options}}


@clause("B11")
def test_a_transaction_is_done_whole_or_not_at_all(table: Table) -> None:
    table.put(item(pk="there", n=1))
    guarded = put(
        item(pk="there"),
        ConditionExpression="attribute_not_exists(pk)",
        ReturnValuesOnConditionCheckFailure="ALL_OLD",
    )
    with pytest.raises(WireError) as caught:
        table.engine.call("TransactWriteItems", {"TransactItems": [put(KEY), guarded]})
    none, failed = caught.value.fields["CancellationReasons"]
    assert (none, failed["Code"], failed["Item"]) == (
        {"Code": "None"},
        "ConditionalCheckFailed",
        item(pk="there", n=1),
    )
    assert table.all() == [item(pk="there", n=1)]


@clause("B11")
def test_a_token_makes_a_transaction_idempotent_for_ten_minutes() -> None:
    now = [0.0]
    with Engine.open(":memory:", clock=lambda: now[0], sweep_seconds=None) as engine:
        table = create(engine, "pk")
        add = {"TableName": "Table", "Key": KEY, "UpdateExpression": "ADD n :n"}
        request = {"TransactItems": [{"Update": {**add, "ExpressionAttributeValues": {":n": value(1)}}}]}
        for seconds in (0, 599, 601):
            now[0] = float(seconds)
            engine.call("TransactWriteItems", {**request, "ClientRequestToken": "token"})
        assert table.found(KEY) == item(pk="a", n=2)
        with pytest.raises(WireError, match=r"^IdempotentParameterMismatchException"):
            engine.call("TransactWriteItems", {"TransactItems": [put(KEY)], "ClientRequestToken": "token"})


@clause("B11")
@pytest.mark.parametrize(
    "actions",
    [[put(item(pk=str(n))) for n in range(101)], [put(KEY), put(KEY)],
     [put(filled(LARGEST, pk=str(n))) for n in range(11)]],
    ids=["a hundred and one", "an item twice", "more than four megabytes"],
)  # fmt: skip
def test_a_transaction_beyond_its_limits_is_refused(table: Table, actions: list[dict[str, Any]]) -> None:
    with pytest.raises(WireError, match=r"^ValidationException"):
        table.engine.call("TransactWriteItems", {"TransactItems": actions})
    assert table.all() == []


# ── expressions ───────────────────────────────────────────────────────────────────────────────────

BEFORE = item(pk="a", x=1, y=2, l=["p"], s={"p"}, m={"k": 1})


@clause("B12")
@pytest.mark.parametrize(
    ("expression", "values", "changes"),
    [("SET x = y, y = x", {}, {"x": 2, "y": 1}), ("SET l[7] = :v", {"v": "q"}, {"l": ["p", "q"]}),
     ("SET m.fresh = x", {}, {"m": {"k": 1, "fresh": 1}})],
)  # fmt: skip
def test_an_update_reads_what_was_there_before(
    table: Table, expression: str, values: dict[str, Any], changes: dict[str, Any]
) -> None:
    table.put(BEFORE)
    table.update(KEY, expression, **values)
    assert table.found(KEY) == {**BEFORE, **item(**changes)}


@clause("B12")
def test_paths_that_overlap_are_refused_and_an_emptied_set_goes(table: Table) -> None:
    table.put(BEFORE)
    with refused(
        "Invalid UpdateExpression: Two document paths overlap with each other; "
        "must remove or rewrite one of these paths; path one: [m], path two: [m, k]"
    ):
        table.update(KEY, "SET m = :v, m.k = :v", v=1)
    table.update(KEY, "DELETE s :s", s={"p"})
    assert "s" not in (table.found(KEY) or {})


@clause("B13")
@pytest.mark.parametrize(
    ("condition", "holds"),
    [("x < :text", False), ("x = :text", False), ("x <> :text", True), ("size(l) = :one", True), ("size(s) = :one", True),
     ("size(fruit) = :five", True), ("contains(l, :p)", True), ("contains(s, :p)", True), ("contains(fruit, :p)", True),
     ("contains(x, :one)", False), ("attribute_type(m, :m)", True), ("attribute_type(x, :m)", False)],
)  # fmt: skip
def test_conditions_compare_values_of_one_type(table: Table, condition: str, holds: bool) -> None:
    table.put({**BEFORE, "fruit": value("apple")})
    known = {"text": "1", "one": 1, "five": 5, "p": "p", "m": "M"}
    used = {name: each for name, each in known.items() if f":{name}" in condition}
    assert table.scan(FilterExpression=condition, **used)["Count"] == holds


# ── streams and the wire ──────────────────────────────────────────────────────────────────────────


@clause("B15")
@pytest.mark.parametrize(
    ("view", "images"),
    [("KEYS_ONLY", [set(), set(), set()]), ("NEW_IMAGE", [{"NewImage"}, {"NewImage"}, set()]),
     ("OLD_IMAGE", [set(), {"OldImage"}, {"OldImage"}]),
     ("NEW_AND_OLD_IMAGES", [{"NewImage"}, {"NewImage", "OldImage"}, {"OldImage"}])],
)  # fmt: skip
def test_a_stream_carries_the_images_that_it_was_made_for(
    table: Table, view: str, images: list[set[str]]
) -> None:
    table.call("UpdateTable", StreamSpecification={"StreamEnabled": True, "StreamViewType": view})
    table.put(item(pk="a", n=1))
    table.put(item(pk="a", n=2))
    table.delete(KEY)
    records = list(stream_records(table.engine, "Table"))
    assert [record["eventName"] for record in records] == ["INSERT", "MODIFY", "REMOVE"]
    assert [{"NewImage", "OldImage"} & record["dynamodb"].keys() for record in records] == images


@clause("B15")
def test_a_stream_is_read_from_any_place_under_the_region_of_its_table() -> None:
    with Engine.open(":memory:", region="ap-northeast-2", sweep_seconds=None) as engine:
        table = create(engine, "pk")
        table.call("UpdateTable", StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
        for key in "abc":
            table.put(item(pk=key))
        arn = engine.call("DescribeTable", {"TableName": "Table"})["Table"]["LatestStreamArn"]
        [shard] = engine.call("DescribeStream", {"StreamArn": arn})["StreamDescription"]["Shards"]
        second = list(stream_records(engine, "Table"))[1]["dynamodb"]["SequenceNumber"]
        assert arn.startswith("arn:aws:dynamodb:ap-northeast-2:")
        for kind, found in {
            "TRIM_HORIZON": "abc", "LATEST": "", "AT_SEQUENCE_NUMBER": "bc", "AFTER_SEQUENCE_NUMBER": "c"
        }.items():  # fmt: skip
            place = {"SequenceNumber": second} if kind.endswith("NUMBER") else {}
            request = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": kind, **place}
            iterator = engine.call("GetShardIterator", request)["ShardIterator"]
            records = engine.call("GetRecords", {"ShardIterator": iterator})["Records"]
            assert "".join(record["dynamodb"]["Keys"]["pk"]["S"] for record in records) == found


@clause("B16")
def test_an_error_has_its_type_its_message_and_the_checksum_of_its_body() -> None:
    with Embedded.open(":memory:") as backend, serving(backend) as address:
        body = json.dumps({"TableName": "missing", "Key": KEY})
        reply = address.post("DynamoDB_20120810.GetItem", body)
    assert reply.document == {
        "__type": "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException",
        "message": "Requested resource not found",
    }
    assert (reply.status, reply.headers["x-amz-crc32"]) == (400, str(zlib.crc32(reply.body)))
