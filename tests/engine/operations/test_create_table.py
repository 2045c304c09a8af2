"""CreateTable: what a new table is, and the shape of the request for it."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from hansang.engine import Engine
from tests.clauses import clause
from tests.engine.control import (
    INVALID,
    NOW,
    ManualClock,
    Request,
    attributes,
    create,
    definition,
    describe,
    fault,
    faults,
    index,
    invalid,
    key,
    names,
    put,
    refusal,
    scanned,
    units,
    with_index,
    with_stream,
)

NOT_NULL = "Member must not be null"
PATTERN = "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"
ARN = "arn:aws:dynamodb:us-east-1:123456789012:table/rice"

# ── what is made ──────────────────────────────────────────────────────────────────────────────────


def test_a_new_table_is_described_as_being_created(clocked: Engine) -> None:
    made = create(clocked)
    assert made["TableStatus"] == "CREATING"
    assert (made["TableName"], made["TableArn"]) == ("rice", ARN)
    assert made["KeySchema"] == key("pk")
    assert made["AttributeDefinitions"] == attributes(pk="S")
    assert (made["ItemCount"], made["TableSizeBytes"]) == (0, 0)
    assert made["CreationDateTime"] == NOW
    assert made["DeletionProtectionEnabled"] is False
    assert uuid.UUID(made["TableId"]).version == 4


def test_a_new_table_can_be_used_at_once(engine: Engine) -> None:
    create(engine)
    put(engine, "a")
    assert describe(engine)["TableStatus"] == "ACTIVE"
    assert names(scanned(engine)) == ["a"]


def test_a_table_made_again_has_another_id_and_none_of_the_old_items(engine: Engine) -> None:
    first = create(engine)
    put(engine, "a")
    engine.call("DeleteTable", {"TableName": "rice"})
    assert create(engine)["TableId"] != first["TableId"]
    assert scanned(engine) == []
    assert describe(engine)["ItemCount"] == 0


def test_an_on_demand_table_has_no_provisioned_units(engine: Engine) -> None:
    made = create(engine, with_index())
    none = {"NumberOfDecreasesToday": 0, "ReadCapacityUnits": 0, "WriteCapacityUnits": 0}
    assert made["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert made["ProvisionedThroughput"] == none
    assert made["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"] == none


def test_a_table_is_provisioned_unless_it_says_otherwise(engine: Engine) -> None:
    made = create(engine, definition(BillingMode=None, ProvisionedThroughput=units(5, 6)))
    assert "BillingModeSummary" not in made
    assert made["ProvisionedThroughput"] == {"NumberOfDecreasesToday": 0, **units(5, 6)}


@pytest.mark.parametrize(("billing", "warm"), [("PAY_PER_REQUEST", (12000, 4000)), ("PROVISIONED", (5, 6))])
def test_warm_throughput_is_what_the_billing_mode_starts_with(
    engine: Engine, billing: str, warm: tuple[int, int]
) -> None:
    provisioned = units(5, 6) if billing == "PROVISIONED" else None
    create(engine, definition(BillingMode=billing, ProvisionedThroughput=provisioned))
    expected = {"ReadUnitsPerSecond": warm[0], "WriteUnitsPerSecond": warm[1], "Status": "ACTIVE"}
    assert describe(engine)["WarmThroughput"] == expected


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_of_requests_is_more_than_none(engine: Engine, limit: int) -> None:
    limits: Request = {"OnDemandThroughput": {"MaxReadRequestUnits": limit}}
    message = "Requested MaxReadRequestUnits for OnDemandThroughput for {} is outside of valid range"
    assert invalid(engine, "CreateTable", definition(**limits)) == INVALID + message.format("table")
    indexes = [index("by-colour", "colour", **limits)]
    request = with_index(GlobalSecondaryIndexes=indexes)
    assert invalid(engine, "CreateTable", request) == INVALID + message.format("index : by-colour")


def test_attribute_definitions_are_described_in_the_order_of_their_names(engine: Engine) -> None:
    given = attributes(z="S", pk="S", a="N")
    made = create(
        engine,
        definition(AttributeDefinitions=given, GlobalSecondaryIndexes=[index("one", "z"), index("two", "a")]),
    )
    assert made["AttributeDefinitions"] == attributes(a="N", pk="S", z="S")
    assert [each["IndexName"] for each in describe(engine)["GlobalSecondaryIndexes"]] == ["one", "two"]


@pytest.mark.parametrize(
    ("kind", "value"), [("S", "벼"), ("N", "-1.5"), ("B", "AP8=")], ids=["string", "number", "binary"]
)
def test_a_key_may_be_a_string_a_number_or_a_binary(engine: Engine, kind: str, value: str) -> None:
    create(engine, definition(AttributeDefinitions=attributes(pk=kind, sk=kind), KeySchema=key("pk", "sk")))
    item = {"pk": {kind: value}, "sk": {kind: value}, "note": {"S": "kept"}}
    engine.call("PutItem", {"TableName": "rice", "Item": item})
    found = engine.call("GetItem", {"TableName": "rice", "Key": {"pk": {kind: value}, "sk": {kind: value}}})
    assert found == {"Item": item}


def test_a_stream_starts_with_its_table(clocked: Engine) -> None:
    made = create(clocked, with_stream(view="KEYS_ONLY"))
    assert made["StreamSpecification"] == {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
    assert made["LatestStreamLabel"] == "2023-11-14T22:13:20.000"
    assert made["LatestStreamArn"] == f"{ARN}/stream/2023-11-14T22:13:20.000"


def test_a_table_may_say_that_it_has_no_stream(engine: Engine) -> None:
    made = create(engine, definition(StreamSpecification={"StreamEnabled": False}))
    assert "StreamSpecification" not in made
    assert "LatestStreamArn" not in made


def test_tags_class_and_protection_are_kept(engine: Engine) -> None:
    more: Request = {"TableClass": "STANDARD_INFREQUENT_ACCESS", "DeletionProtectionEnabled": True}
    create(engine, definition(Tags=[{"Key": "crop", "Value": ""}], **more))
    assert describe(engine)["TableClassSummary"] == {"TableClass": "STANDARD_INFREQUENT_ACCESS"}
    assert describe(engine)["DeletionProtectionEnabled"] is True
    assert engine.call("ListTagsOfResource", {"ResourceArn": ARN})["Tags"] == [{"Key": "crop", "Value": ""}]


def test_an_empty_list_of_tags_is_no_tags(engine: Engine) -> None:
    create(engine, definition(Tags=[]))
    assert engine.call("ListTagsOfResource", {"ResourceArn": ARN})["Tags"] == []


@clause("B15")
def test_arns_have_the_region_and_the_account_of_the_engine() -> None:
    with Engine.open(region="ap-northeast-2", account="111122223333", sweep_seconds=None) as engine:
        made = create(engine, with_index() | {"StreamSpecification": with_stream()["StreamSpecification"]})
    assert made["LatestStreamArn"].startswith(f"{made['TableArn']}/stream/")
    assert made["TableArn"] == "arn:aws:dynamodb:ap-northeast-2:111122223333:table/rice"
    assert made["GlobalSecondaryIndexes"][0]["IndexArn"] == f"{made['TableArn']}/index/by-colour"


# ── indexes ───────────────────────────────────────────────────────────────────────────────────────

FULL = {"pk": {"S": "a"}, "sk": {"S": "b"}, "g": {"S": "c"}, "one": {"S": "1"}, "two": {"S": "2"}}
PROJECTIONS: dict[str, tuple[Request, set[str]]] = {
    "all": ({"ProjectionType": "ALL"}, {"pk", "sk", "g", "one", "two"}),
    "include": ({"ProjectionType": "INCLUDE", "NonKeyAttributes": ["two"]}, {"pk", "sk", "g", "two"}),
    "keys only": ({"ProjectionType": "KEYS_ONLY"}, {"pk", "sk", "g"}),
}


@pytest.mark.parametrize("side", ["LocalSecondaryIndexes", "GlobalSecondaryIndexes"])
@pytest.mark.parametrize("projected", PROJECTIONS)
def test_an_index_holds_what_it_projects(engine: Engine, side: str, projected: str) -> None:
    projection, held = PROJECTIONS[projected]
    keys = ("pk", "g") if side.startswith("Local") else ("g",)
    described = index("by-g", *keys, Projection=projection)
    create(engine, composite(attributes(pk="S", sk="S", g="S"), **{side: [described]}))
    engine.call("PutItem", {"TableName": "rice", "Item": FULL})
    assert scanned(engine, IndexName="by-g") == [{name: FULL[name] for name in FULL if name in held}]
    assert describe(engine)[side][0]["Projection"] == projection


def composite(definitions: list[Request], **more: Any) -> Request:
    return definition(AttributeDefinitions=definitions, KeySchema=key("pk", "sk"), **more)


def test_included_attributes_are_described_in_the_order_of_their_names(engine: Engine) -> None:
    projection = {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["zz", "aa", "pk"]}
    create(engine, with_index(GlobalSecondaryIndexes=[index("by-colour", "colour", Projection=projection)]))
    [described] = describe(engine)["GlobalSecondaryIndexes"]
    assert described["Projection"]["NonKeyAttributes"] == ["aa", "pk", "zz"]


def test_a_new_global_index_is_active_with_its_table(engine: Engine) -> None:
    [made] = create(engine, with_index())["GlobalSecondaryIndexes"]
    [later] = describe(engine)["GlobalSecondaryIndexes"]
    assert (made["IndexStatus"], later["IndexStatus"]) == ("CREATING", "ACTIVE")
    assert "Backfilling" not in made
    assert "Backfilling" not in later


def test_a_local_index_has_neither_status_nor_throughput(engine: Engine) -> None:
    local = index("by-g", "pk", "g")
    create(engine, composite(attributes(pk="S", sk="S", g="S"), LocalSecondaryIndexes=[local]))
    [described] = describe(engine)["LocalSecondaryIndexes"]
    assert described == {
        **local,
        "IndexArn": f"{ARN}/index/by-g",
        "IndexSizeBytes": 0,
        "ItemCount": 0,
    }


def test_an_index_may_have_the_keys_of_its_table_or_its_tables_name(engine: Engine) -> None:
    definitions = attributes(pk="S", sk="S")
    same, world = index("same", "pk", "sk"), index("rice", "pk", "sk")
    create(engine, composite(definitions, LocalSecondaryIndexes=[same], GlobalSecondaryIndexes=[world]))
    engine.call("PutItem", {"TableName": "rice", "Item": FULL})
    assert scanned(engine, IndexName="same") == scanned(engine, IndexName="rice") == [FULL]


@clause("R15")
def test_a_global_index_may_have_four_attributes_on_either_side_of_its_key(engine: Engine) -> None:
    kinds = dict(zip("abcdefgh", "SNBSNBSN", strict=True))
    described = index("wide", projection="KEYS_ONLY", KeySchema=key(*kinds, hashes=4))
    create(
        engine,
        definition(AttributeDefinitions=attributes(pk="S", **kinds), GlobalSecondaryIndexes=[described]),
    )
    values = {"S": "x", "N": "7", "B": "AA=="}
    put(engine, "in", **{name: {kind: values[kind]} for name, kind in kinds.items()})
    put(engine, "out", **{name: {kind: values[kind]} for name, kind in list(kinds.items())[:7]})
    assert describe(engine)["GlobalSecondaryIndexes"][0]["KeySchema"] == key(*kinds, hashes=4)
    assert names(scanned(engine, IndexName="wide")) == ["in"]


def test_twenty_global_and_five_local_indexes_are_allowed(engine: Engine) -> None:
    world = [index(f"global-{number}", "sk") for number in range(20)]
    local = [index(f"local-{number}", "pk", "sk") for number in range(5)]
    create(
        engine,
        composite(attributes(pk="S", sk="S"), GlobalSecondaryIndexes=world, LocalSecondaryIndexes=local),
    )
    engine.call("PutItem", {"TableName": "rice", "Item": FULL})
    assert {each["ItemCount"] for each in describe(engine)["GlobalSecondaryIndexes"]} == {1}


# ── the request ───────────────────────────────────────────────────────────────────────────────────


def test_a_table_needs_a_name_before_anything_else(engine: Engine) -> None:
    message = "The parameter 'TableName' is required but was not present in the request"
    assert invalid(engine, "CreateTable", {}) == message
    assert invalid(engine, "CreateTable", definition(TableName=None)) == message


LENGTHS = {"ab": "Member must have length greater than or equal to 3"}
LENGTHS["a" * 256] = "Member must have length less than or equal to 255"


@pytest.mark.parametrize("name", LENGTHS, ids=["short", "long"])
def test_a_name_of_the_wrong_length_is_refused_before_the_rest_is_looked_at(
    engine: Engine, name: str
) -> None:
    message = invalid(engine, "CreateTable", {"TableName": name})
    assert faults(message) == [fault(name, "tableName", LENGTHS[name])]


def test_a_name_has_letters_digits_and_three_marks(engine: Engine) -> None:
    assert faults(invalid(engine, "CreateTable", {"TableName": "ri;ce"})) == [
        fault("ri;ce", "tableName", PATTERN)
    ]
    assert create(engine, definition("A_z.0-9"))["TableName"] == "A_z.0-9"


def test_every_fault_of_the_shape_is_named_in_one_message(engine: Engine) -> None:
    request = definition(KeySchema=[], BillingMode="FREE", ProvisionedThroughput=units(-1, 0))
    assert faults(invalid(engine, "CreateTable", request)) == sorted(
        [
            fault("[]", "keySchema", "Member must have length greater than or equal to 1"),
            fault(
                "FREE", "billingMode", "Member must satisfy enum value set: [PROVISIONED, PAY_PER_REQUEST]"
            ),
            fault("-1", "provisionedThroughput.readCapacityUnits", AT_LEAST_ONE),
            fault("0", "provisionedThroughput.writeCapacityUnits", AT_LEAST_ONE),
        ]
    )


AT_LEAST_ONE = "Member must have value greater than or equal to 1"


def test_no_more_than_ten_faults_are_named(engine: Engine) -> None:
    request = definition(GlobalSecondaryIndexes=[{}] * 9)
    assert len(faults(invalid(engine, "CreateTable", request))) == 10


SHAPES: dict[str, tuple[Request, str]] = {
    "no definitions": (
        {"AttributeDefinitions": None},
        fault("null", "attributeDefinitions", NOT_NULL),
    ),
    "no key": ({"KeySchema": None}, fault("null", "keySchema", NOT_NULL)),
    "an attribute without a type": (
        {"AttributeDefinitions": [{"AttributeName": "pk"}]},
        fault("null", "attributeDefinitions.1.member.attributeType", NOT_NULL),
    ),
    "an attribute of another type": (
        {"AttributeDefinitions": attributes(pk="SS")},
        fault(
            "SS",
            "attributeDefinitions.1.member.attributeType",
            "Member must satisfy enum value set: [B, N, S]",
        ),
    ),
    "a key element that is neither": (
        {"KeySchema": [{"AttributeName": "pk", "KeyType": "SORT"}]},
        fault("SORT", "keySchema.1.member.keyType", "Member must satisfy enum value set: [HASH, RANGE]"),
    ),
    "a long attribute name": (
        {"AttributeDefinitions": attributes(**{"n" * 256: "S"})},
        fault(
            "n" * 256,
            "attributeDefinitions.1.member.attributeName",
            "Member must have length less than or equal to 255",
        ),
    ),
    "three key elements": (
        {"KeySchema": key("pk", "sk", "third")},
        fault(
            "[KeySchemaElement(attributeName=pk, keyType=HASH), "
            "KeySchemaElement(attributeName=sk, keyType=RANGE), "
            "KeySchemaElement(attributeName=third, keyType=RANGE)]",
            "keySchema",
            "Member must have length less than or equal to 2",
        ),
    ),
    "half a throughput": (
        {"ProvisionedThroughput": {"ReadCapacityUnits": 1}},
        fault("null", "provisionedThroughput.writeCapacityUnits", NOT_NULL),
    ),
    "a stream that is neither on nor off": (
        {"StreamSpecification": {"StreamViewType": "NEW_IMAGE"}},
        fault("null", "streamSpecification.streamEnabled", NOT_NULL),
    ),
    "a view that there is not": (
        {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": "new_image"}},
        fault(
            "new_image",
            "streamSpecification.streamViewType",
            "Member must satisfy enum value set: [OLD_IMAGE, KEYS_ONLY, NEW_AND_OLD_IMAGES, NEW_IMAGE]",
        ),
    ),
    "a short index name": (
        {"GlobalSecondaryIndexes": [index("ab", "pk")]},
        fault(
            "ab",
            "globalSecondaryIndexes.1.member.indexName",
            "Member must have length greater than or equal to 3",
        ),
    ),
    "an index name with another mark": (
        {"LocalSecondaryIndexes": [index("a;bc", "pk")]},
        fault("a;bc", "localSecondaryIndexes.1.member.indexName", PATTERN),
    ),
    "an index without a projection": (
        {"GlobalSecondaryIndexes": [{"IndexName": "abc", "KeySchema": key("pk")}]},
        fault("null", "globalSecondaryIndexes.1.member.projection", NOT_NULL),
    ),
    "a projection that there is not": (
        {"GlobalSecondaryIndexes": [index("abc", "pk", projection="all")]},
        fault(
            "all",
            "globalSecondaryIndexes.1.member.projection.projectionType",
            "Member must satisfy enum value set: [ALL, INCLUDE, KEYS_ONLY]",
        ),
    ),
    "an empty list of attributes": (
        {"GlobalSecondaryIndexes": [index("abc", "pk", Projection={"NonKeyAttributes": []})]},
        fault(
            "[]",
            "globalSecondaryIndexes.1.member.projection.nonKeyAttributes",
            "Member must have length greater than or equal to 1",
        ),
    ),
    "no units for an index": (
        {"GlobalSecondaryIndexes": [index("abc", "pk", ProvisionedThroughput=units(1, 0))]},
        fault("0", "globalSecondaryIndexes.1.member.provisionedThroughput.writeCapacityUnits", AT_LEAST_ONE),
    ),
}


@pytest.mark.parametrize("case", SHAPES)
def test_a_parameter_out_of_shape_is_refused(engine: Engine, case: str) -> None:
    changes, expected = SHAPES[case]
    assert faults(invalid(engine, "CreateTable", definition(**changes))) == [expected]


def test_an_index_may_not_include_more_than_twenty_attributes(engine: Engine) -> None:
    included = {"ProjectionType": "INCLUDE", "NonKeyAttributes": [f"a{number}" for number in range(21)]}
    request = with_index(GlobalSecondaryIndexes=[index("by-colour", "colour", Projection=included)])
    message = invalid(engine, "CreateTable", request)
    assert message.startswith("1 validation error detected: Value '[a0, a1,")
    assert message.endswith(
        "at 'globalSecondaryIndexes.1.member.projection.nonKeyAttributes' "
        "failed to satisfy constraint: Member must have length less than or equal to 20"
    )


def test_a_local_index_key_may_not_have_three_elements(engine: Engine) -> None:
    request = composite(
        attributes(pk="S", sk="S", g="S"), LocalSecondaryIndexes=[index("abc", "pk", "sk", "g")]
    )
    assert invalid(engine, "CreateTable", request).endswith(
        "at 'localSecondaryIndexes.1.member.keySchema' failed to satisfy constraint: "
        "Member must have length less than or equal to 2"
    )


UNREADABLE: dict[str, tuple[Request, str]] = {
    "a number for a name": ({"TableName": 23}, "NUMBER_VALUE cannot be converted to String"),
    "a map for a list": ({"KeySchema": {}}, "Start of structure or map found where not expected"),
    "a string for a list": ({"AttributeDefinitions": "pk"}, "Unexpected field type"),
    "a string for an element": ({"KeySchema": ["pk"]}, "Unexpected value type in payload"),
    "a list for an element": (
        {"KeySchema": [[]]},
        "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.KeySchemaElement",
    ),
    "a string for a number": (
        {"ProvisionedThroughput": {"ReadCapacityUnits": "1", "WriteCapacityUnits": 1}},
        "STRING_VALUE cannot be converted to Long",
    ),
    "a string for a structure": ({"ProvisionedThroughput": "1"}, "Unexpected field type"),
    "a number for a flag": (
        {"StreamSpecification": {"StreamEnabled": 1}},
        "NUMBER_VALUE cannot be converted to Boolean",
    ),
}


@pytest.mark.parametrize("case", UNREADABLE)
def test_json_of_another_form_is_not_read(engine: Engine, case: str) -> None:
    changes, message = UNREADABLE[case]
    request = definition(**changes)
    assert refusal(engine, "CreateTable", request) == ("SerializationException", message)


# ── the rest of it ────────────────────────────────────────────────────────────────────────────────


def test_a_name_can_be_taken_once(engine: Engine) -> None:
    create(engine)
    refused = refusal(engine, "CreateTable", definition(AttributeDefinitions=attributes(pk="N")))
    assert refused == ("ResourceInUseException", "Table already exists: rice")
    assert describe(engine)["AttributeDefinitions"] == attributes(pk="S")


def test_a_definition_is_checked_before_its_name_is_found_taken(engine: Engine) -> None:
    create(engine)
    message = invalid(engine, "CreateTable", definition(AttributeDefinitions=attributes(pk="S", sk="S")))
    assert message.startswith(INVALID + "Number of attributes in KeySchema")


REFUSED_STREAMS = {
    "a stream needs a view": (
        {"StreamEnabled": True},
        "Table is being created with a stream enabled, UpdateViewType is required",
    ),
    "no stream has no view": (
        {"StreamEnabled": False, "StreamViewType": "NEW_IMAGE"},
        "Table is being created with a stream disabled, UpdateViewType should not be specified",
    ),
}


@pytest.mark.parametrize("case", REFUSED_STREAMS)
def test_a_stream_and_its_view_go_together(engine: Engine, case: str) -> None:
    stream, message = REFUSED_STREAMS[case]
    assert invalid(engine, "CreateTable", definition(StreamSpecification=stream)) == INVALID + message


def test_a_class_that_there_is_not_is_refused_in_its_own_words(engine: Engine) -> None:
    assert invalid(engine, "CreateTable", definition(TableClass="BEST")) == (
        "Invalid table-class parameter provided. Please try again with a valid table-class value: "
        "[STANDARD, STANDARD_INFREQUENT_ACCESS]."
    )


REFUSED_TAGS = {
    "aws's own prefix": ([{"Key": "aws:x", "Value": ""}], "Tag Key cannot be prefixed with aws:, Key: aws:x"),
    "too long a key": (
        [{"Key": "k" * 129, "Value": ""}],
        f"The Tag Key provided is invalid, Key: {'k' * 129}",
    ),
    "the same key twice": (
        [{"Key": "dup", "Value": "1"}, {"Key": "dup", "Value": "2"}],
        "Duplicate Tag Keys provided as input: Duplicate Tag Key found dup",
    ),
    "more than fifty": (
        [{"Key": f"k{number}", "Value": ""} for number in range(51)],
        "Number of Tags exceed the current limit for the provided ResourceArn",
    ),
}


@pytest.mark.parametrize("case", REFUSED_TAGS)
def test_a_table_with_wrong_tags_is_not_made(engine: Engine, case: str) -> None:
    tags, message = REFUSED_TAGS[case]
    assert invalid(engine, "CreateTable", definition(Tags=tags)) == message
    assert engine.call("ListTables", {})["TableNames"] == []


def test_a_refused_table_leaves_nothing_behind(engine: Engine) -> None:
    invalid(engine, "CreateTable", with_stream(AttributeDefinitions=attributes(pk="S", sk="S")))
    assert engine.call("ListTables", {})["TableNames"] == []
    assert engine.call("ListStreams", {})["Streams"] == []
    assert create(engine, with_stream())["TableStatus"] == "CREATING"


def test_types_are_read_before_a_missing_name_is_missed(engine: Engine) -> None:
    code, _ = refusal(engine, "CreateTable", {"KeySchema": "pk"})
    assert code == "SerializationException"


def test_the_names_of_global_indexes_are_compared_first(engine: Engine) -> None:
    request = definition(
        AttributeDefinitions=attributes(pk="S", sk="S"),
        KeySchema=key("pk", "sk"),
        LocalSecondaryIndexes=[index("near", "pk", "sk"), index("near", "pk", "sk")],
        GlobalSecondaryIndexes=[index("far", "sk"), index("far", "sk")],
    )
    assert invalid(engine, "CreateTable", request) == f"{INVALID}Duplicate index name: far"


# ── a table that takes its time ───────────────────────────────────────────────────────────────────


def test_a_new_table_can_be_told_to_take_its_time() -> None:
    clock = ManualClock()
    with Engine.open(":memory:", clock=clock, sweep_seconds=None, creating_seconds=5) as engine:
        create(engine, with_index())
        item = {"TableName": "rice", "Item": {"pk": {"S": "a"}}}
        described = describe(engine)
        [by_colour] = described["GlobalSecondaryIndexes"]
        assert (described["TableStatus"], by_colour["IndexStatus"]) == ("CREATING", "CREATING")
        assert refusal(engine, "PutItem", item)[0] == "ResourceNotFoundException"
        assert refusal(engine, "ExecuteStatement", {"Statement": "SELECT * FROM rice"})[0] == (
            "ResourceNotFoundException"
        )
        assert refusal(engine, "DeleteTable", {"TableName": "rice"}) == (
            "ResourceInUseException",
            "Attempt to change a resource which is still in use: Table is being created: rice",
        )
        clock.advance(5)
        engine.call("PutItem", item)
        assert describe(engine)["TableStatus"] == "ACTIVE"
        engine.call("DeleteTable", {"TableName": "rice"})
