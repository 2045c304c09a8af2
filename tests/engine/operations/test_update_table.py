"""UpdateTable: one change at a time, and which changes are none."""

from __future__ import annotations

from typing import Any

import pytest

from hansang.engine import Engine
from tests.clauses import clause
from tests.engine.control import (
    INVALID,
    NOW,
    ManualClock,
    Request,
    add_index,
    attributes,
    create,
    definition,
    describe,
    described_index,
    drop_index,
    fault,
    faults,
    index,
    invalid,
    key,
    names,
    put,
    put_many,
    refusal,
    scanned,
    units,
    with_index,
    with_stream,
)


def update(engine: Engine, **changes: Any) -> Request:
    answer: Request = engine.call("UpdateTable", {"TableName": "rice", **changes})["TableDescription"]
    return answer


def refused(engine: Engine, **changes: Any) -> str:
    return invalid(engine, "UpdateTable", {"TableName": "rice", **changes})


def update_index(name: str, **changes: Any) -> Request:
    return {"GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": name, **changes}}]}


def provisioned(**changes: Any) -> Request:
    return definition(**{"BillingMode": None, "ProvisionedThroughput": units(5, 5)} | changes)


def provisioned_with_index(engine: Engine) -> None:
    indexes = [index("by-colour", "colour", ProvisionedThroughput=units(2, 2))]
    definitions = attributes(pk="S", colour="S")
    create(engine, provisioned(AttributeDefinitions=definitions, GlobalSecondaryIndexes=indexes))


# ── no change ─────────────────────────────────────────────────────────────────────────────────────

NO_CHANGE = (
    "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates, "
    "SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, "
    "MultiRegionConsistency, DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput "
    "or TableClass is required"
)


@pytest.mark.parametrize(
    "request_",
    [{}, {"GlobalSecondaryIndexUpdates": []}, {"AttributeDefinitions": []}, {"KeySchema": key("sk")}],
    ids=["nothing", "no index", "definitions alone", "what cannot be changed"],
)
def test_a_request_without_a_change_is_refused_before_the_table_is_looked_for(
    engine: Engine, request_: Request
) -> None:
    assert refused(engine, **request_) == NO_CHANGE


def test_an_empty_list_of_index_changes_spoils_another_change(engine: Engine) -> None:
    create(engine)
    message = refused(engine, GlobalSecondaryIndexUpdates=[], DeletionProtectionEnabled=True)
    assert message == INVALID + "List of GlobalSecondaryIndexUpdates is empty"
    assert describe(engine)["DeletionProtectionEnabled"] is False


def test_a_table_that_is_not_there_is_named(engine: Engine) -> None:
    assert refusal(engine, "UpdateTable", {"TableName": "rice", "DeletionProtectionEnabled": True}) == (
        "ResourceNotFoundException",
        "Requested resource not found: Table: rice not found",
    )


# ── protection, class, billing ────────────────────────────────────────────────────────────────────


def test_protection_goes_on_and_off_and_may_be_said_again(engine: Engine) -> None:
    create(engine)
    for wanted in (True, True, False, False):
        assert update(engine, DeletionProtectionEnabled=wanted)["DeletionProtectionEnabled"] is wanted
        assert describe(engine)["DeletionProtectionEnabled"] is wanted


def test_a_class_may_be_changed(engine: Engine) -> None:
    create(engine)
    update(engine, TableClass="STANDARD_INFREQUENT_ACCESS")
    assert describe(engine)["TableClassSummary"]["TableClass"] == "STANDARD_INFREQUENT_ACCESS"


def test_units_are_changed_one_or_both(engine: Engine) -> None:
    create(engine, provisioned())
    for wanted in (units(5, 6), units(9, 6), units(1, 1)):
        update(engine, ProvisionedThroughput=wanted)
        found = describe(engine)["ProvisionedThroughput"]
        assert {name: found[name] for name in wanted} == wanted


def test_units_that_do_not_change_are_refused(engine: Engine) -> None:
    create(engine, provisioned())
    message = (
        "The provisioned throughput for the table will not change. The requested value equals the current "
        "value. Current ReadCapacityUnits provisioned for the table: 5. Requested ReadCapacityUnits: 5. "
        "Current WriteCapacityUnits provisioned for the table: 5. Requested WriteCapacityUnits: 5. "
        "Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits."
    )
    assert refused(engine, ProvisionedThroughput=units(5, 5)) == message
    assert refused(engine, BillingMode="PROVISIONED", ProvisionedThroughput=units(5, 5)) == message


def test_billing_goes_to_on_demand_and_back(engine: Engine) -> None:
    create(engine, provisioned())
    update(engine, BillingMode="PAY_PER_REQUEST")
    described = describe(engine)
    assert described["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert described["ProvisionedThroughput"] == {"NumberOfDecreasesToday": 0, **units(0, 0)}
    update(engine, BillingMode="PROVISIONED", ProvisionedThroughput=units(7, 8))
    described = describe(engine)
    since = described["BillingModeSummary"]["LastUpdateToPayPerRequestDateTime"]
    assert described["BillingModeSummary"] == {
        "BillingMode": "PROVISIONED",
        "LastUpdateToPayPerRequestDateTime": since,
    }
    assert described["ProvisionedThroughput"]["WriteCapacityUnits"] == 8


def test_billing_on_demand_may_be_said_again(clocked: Engine, clock: ManualClock) -> None:
    create(clocked)
    clock.advance(60)
    update(clocked, BillingMode="PAY_PER_REQUEST")
    assert describe(clocked)["BillingModeSummary"]["LastUpdateToPayPerRequestDateTime"] == NOW


def test_limits_of_requests_go_with_billing_on_demand(engine: Engine) -> None:
    create(engine, definition(OnDemandThroughput={"MaxReadRequestUnits": 50, "MaxWriteRequestUnits": 60}))
    update(engine, OnDemandThroughput={"MaxReadRequestUnits": 70, "MaxWriteRequestUnits": 60})
    assert describe(engine)["OnDemandThroughput"]["MaxReadRequestUnits"] == 70
    update(engine, BillingMode="PROVISIONED", ProvisionedThroughput=units(1, 1))
    assert "OnDemandThroughput" not in describe(engine)


def test_a_limit_of_requests_stays_until_it_is_given_anew(engine: Engine) -> None:
    create(engine, definition(OnDemandThroughput={"MaxReadRequestUnits": 50}))
    steps: list[tuple[Request, Request | None]] = [
        ({"MaxWriteRequestUnits": 60}, {"MaxReadRequestUnits": 50, "MaxWriteRequestUnits": 60}),
        ({"MaxReadRequestUnits": -1}, {"MaxWriteRequestUnits": 60}),
        ({"MaxWriteRequestUnits": -1}, None),
    ]
    for given, expected in steps:
        update(engine, OnDemandThroughput=given)
        assert describe(engine).get("OnDemandThroughput") == expected


def test_an_index_has_limits_of_its_own(engine: Engine) -> None:
    create(engine, with_index())
    update(engine, **update_index("by-colour", OnDemandThroughput={"MaxReadRequestUnits": 9}))
    assert described_index(engine, "by-colour")["OnDemandThroughput"] == {"MaxReadRequestUnits": 9}
    assert "OnDemandThroughput" not in describe(engine)
    more = update_index("by-colour", ProvisionedThroughput=units(1, 1))
    update(engine, BillingMode="PROVISIONED", ProvisionedThroughput=units(1, 1), **more)
    assert "OnDemandThroughput" not in described_index(engine, "by-colour")


LIMITS: dict[str, tuple[Request, Request, str]] = {
    "none": (
        with_index(),
        {"OnDemandThroughput": {"MaxReadRequestUnits": 0}},
        "Requested MaxReadRequestUnits for OnDemandThroughput for table is outside of valid range",
    ),
    "none of an index": (
        with_index(),
        update_index("by-colour", OnDemandThroughput={"MaxWriteRequestUnits": -2}),
        "Requested MaxWriteRequestUnits for OnDemandThroughput for index : by-colour "
        "is outside of valid range",
    ),
    "a provisioned table": (
        provisioned(),
        {"OnDemandThroughput": {"MaxReadRequestUnits": 5}},
        "MaxReadRequestUnits for OnDemandThroughput cannot be specified "
        "when the table BillingMode is PROVISIONED",
    ),
    "an index without a change": (
        with_index(),
        update_index("by-colour", OnDemandThroughput={}),
        "The only Updates for index: by-colour when TableThroughputMode is PAY_PER_REQUEST "
        "can be to OnDemandThroughput, WarmThroughput",
    ),
}


@pytest.mark.parametrize("case", LIMITS)
def test_a_limit_of_requests_keeps_the_rules(engine: Engine, case: str) -> None:
    table, changes, message = LIMITS[case]
    create(engine, table)
    assert refused(engine, **changes) == INVALID + message


BILLING: dict[str, tuple[Request, str]] = {
    "units on demand": (
        {"ProvisionedThroughput": units(1, 1)},
        INVALID + "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified "
        "when BillingMode is PAY_PER_REQUEST",
    ),
    "no units": (
        {"BillingMode": "PROVISIONED"},
        INVALID + "ProvisionedThroughput must be specified when BillingMode is PROVISIONED",
    ),
    "no units for the index": (
        {"BillingMode": "PROVISIONED", "ProvisionedThroughput": units(1, 1)},
        INVALID + "ProvisionedThroughput must be specified for index: by-colour",
    ),
    "too many units": (
        {"ProvisionedThroughput": units(10**12 + 1, 1)},
        "Given value 1000000000001 for ReadCapacityUnits is out of bounds",
    ),
    "units of an index on demand": (
        update_index("by-colour", ProvisionedThroughput=units(1, 1)),
        INVALID + "The only Updates for index: by-colour when TableThroughputMode is PAY_PER_REQUEST "
        "can be to OnDemandThroughput, WarmThroughput",
    ),
}


@pytest.mark.parametrize("case", BILLING)
def test_a_table_on_demand_has_no_units(engine: Engine, case: str) -> None:
    changes, message = BILLING[case]
    create(engine, with_index())
    assert refused(engine, **changes) == message


def test_every_index_needs_units_when_billing_becomes_provisioned(engine: Engine) -> None:
    create(engine, with_index())
    more = update_index("by-colour", ProvisionedThroughput=units(3, 4))
    update(engine, BillingMode="PROVISIONED", ProvisionedThroughput=units(1, 2), **more)
    found = described_index(engine, "by-colour")["ProvisionedThroughput"]
    assert (found["ReadCapacityUnits"], found["WriteCapacityUnits"]) == (3, 4)


def test_units_of_an_index_are_changed(engine: Engine) -> None:
    provisioned_with_index(engine)
    update(engine, **update_index("by-colour", ProvisionedThroughput=units(2, 9)))
    assert described_index(engine, "by-colour")["ProvisionedThroughput"]["WriteCapacityUnits"] == 9
    message = refused(engine, **update_index("by-colour", ProvisionedThroughput=units(2, 9)))
    assert message.startswith(
        "The provisioned throughput for the index by-colour will not change. "
        "The requested value equals the current value. "
        "Current ReadCapacityUnits provisioned for index by-colour: 2. Requested ReadCapacityUnits: 2. "
    )


# ── streams ───────────────────────────────────────────────────────────────────────────────────────

ON = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
OFF = {"StreamEnabled": False}


def test_a_stream_is_turned_on_off_and_on_again(clocked: Engine, clock: ManualClock) -> None:
    create(clocked)
    first = update(clocked, StreamSpecification=ON)["LatestStreamArn"]
    assert describe(clocked)["StreamSpecification"] == ON
    update(clocked, StreamSpecification=OFF)
    assert "StreamSpecification" not in describe(clocked)
    assert describe(clocked)["LatestStreamArn"] == first
    clock.advance(1)
    assert update(clocked, StreamSpecification=ON)["LatestStreamArn"] != first


def test_a_stream_turned_off_and_on_within_a_moment_is_another_one(clocked: Engine) -> None:
    create(clocked)
    first = update(clocked, StreamSpecification=ON)["LatestStreamArn"]
    update(clocked, StreamSpecification=OFF)
    assert update(clocked, StreamSpecification=ON)["LatestStreamArn"] != first


STREAMS: dict[str, tuple[Request, Request, str]] = {
    "on without a view": (
        definition(),
        {"StreamEnabled": True},
        INVALID + "If stream is being enabled then UpdateViewType is required",
    ),
    "off with a view": (
        with_stream(),
        {"StreamEnabled": False, "StreamViewType": "NEW_IMAGE"},
        INVALID + "If stream is being disabled, then UpdateViewType must not be specified",
    ),
    "on again": (with_stream(), ON, "Table already has an enabled stream: TableName: rice"),
    "on with another view": (
        with_stream(),
        {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
        "Table already has an enabled stream: TableName: rice",
    ),
    "off when there is none": (definition(), OFF, "Table has no stream to disable: TableName: rice"),
}


@pytest.mark.parametrize("case", STREAMS)
def test_a_stream_goes_on_once_and_off_once(engine: Engine, case: str) -> None:
    table, stream, message = STREAMS[case]
    create(engine, table)
    assert refused(engine, StreamSpecification=stream) == message


# ── a new index ───────────────────────────────────────────────────────────────────────────────────


def test_a_new_index_has_the_items_that_were_there(engine: Engine) -> None:
    create(engine)
    put_many(engine, [{"pk": {"S": f"{n:04d}"}, "colour": {"S": f"c{n % 3}"}} for n in range(1200)])
    engine.call("UpdateTable", add_index("by-colour", "colour"))
    found = described_index(engine, "by-colour")
    assert (found["IndexStatus"], found["ItemCount"]) == ("ACTIVE", 1200)
    assert "Backfilling" not in found
    assert names(scanned(engine, IndexName="by-colour")) == [f"{n:04d}" for n in range(1200)]


def test_a_new_index_is_described_as_being_created(engine: Engine) -> None:
    create(engine)
    described = engine.call("UpdateTable", add_index("by-colour", "colour"))["TableDescription"]
    assert described["TableStatus"] == "UPDATING"
    [found] = described["GlobalSecondaryIndexes"]
    assert (found["IndexStatus"], found["ItemCount"]) == ("CREATING", 0)
    assert found["KeySchema"] == key("colour")


def test_a_new_index_is_kept_from_then_on(engine: Engine) -> None:
    create(engine)
    put(engine, "before", colour={"S": "red"})
    engine.call("UpdateTable", add_index("by-colour", "colour", projection="KEYS_ONLY"))
    put(engine, "after", colour={"S": "red"}, note={"S": "left out"})
    engine.call("DeleteItem", {"TableName": "rice", "Key": {"pk": {"S": "before"}}})
    assert scanned(engine, IndexName="by-colour") == [{"pk": {"S": "after"}, "colour": {"S": "red"}}]


UNFIT: dict[str, Request] = {
    "missing": {},
    "another type": {"size": {"S": "12"}},
    "null": {"size": {"NULL": True}},
    "a list": {"size": {"L": [{"N": "1"}]}},
}


@clause("E7")
@pytest.mark.parametrize("case", UNFIT)
def test_an_item_whose_key_does_not_fit_is_left_out_of_a_new_index(engine: Engine, case: str) -> None:
    create(engine)
    put(engine, "fits", size={"N": "12"})
    put(engine, "unfit", **UNFIT[case])
    engine.call("UpdateTable", add_index("by-size", "size", kinds={"size": "N"}))
    assert names(scanned(engine, IndexName="by-size")) == ["fits"]
    assert names(scanned(engine)) == ["fits", "unfit"]


@clause("E7")
@pytest.mark.parametrize(("longest", "place"), [(2048, 0), (1024, 1)], ids=["partition key", "sort key"])
@pytest.mark.parametrize("kind", ["S", "B"])
def test_an_empty_or_too_long_key_is_left_out_of_a_new_index(
    engine: Engine, kind: str, longest: int, place: int
) -> None:
    letters = {"S": "가", "B": "AAAA"}  # three bytes each
    create(engine)
    for name, count in {"empty": 0, "fits": longest // 3, "long": longest // 3 + 1}.items():
        put(engine, name, **{"a": {"S": "x"}, "b": {"S": "x"}} | {"ab"[place]: {kind: letters[kind] * count}})
    engine.call("UpdateTable", add_index("by-both", "a", "b", kinds={"ab"[place]: kind}))
    assert names(scanned(engine, IndexName="by-both")) == ["fits"]


def test_a_new_index_may_have_several_attributes_in_its_key(engine: Engine) -> None:
    create(engine)
    put(engine, "in", a={"S": "1"}, b={"N": "2"}, c={"S": "3"})
    put(engine, "out", a={"S": "1"}, c={"S": "3"})
    schema = key("a", "b", "c", hashes=2)
    engine.call("UpdateTable", add_index("wide", "a", "b", "c", kinds={"b": "N"}, KeySchema=schema))
    assert names(scanned(engine, IndexName="wide")) == ["in"]
    assert described_index(engine, "wide")["KeySchema"] == schema


def test_the_definitions_of_a_table_are_those_that_its_keys_use(engine: Engine) -> None:
    create(engine)
    request = add_index("by-colour", "colour", kinds={"spare": "N"})
    engine.call("UpdateTable", request)
    assert describe(engine)["AttributeDefinitions"] == attributes(colour="S", pk="S")
    engine.call("UpdateTable", drop_index("by-colour"))
    assert describe(engine)["AttributeDefinitions"] == attributes(pk="S")


def test_a_new_index_minds_the_definitions_of_its_own_key_alone(engine: Engine) -> None:
    create(engine)
    engine.call("UpdateTable", add_index("by-colour", "colour", kinds={"pk": "N"}))
    assert describe(engine)["AttributeDefinitions"] == attributes(colour="S", pk="S")


def test_definitions_are_looked_at_for_a_new_index_alone(engine: Engine) -> None:
    create(engine, with_index())
    update(engine, AttributeDefinitions=attributes(pk="N", other="B"), DeletionProtectionEnabled=True)
    assert describe(engine)["AttributeDefinitions"] == attributes(colour="S", pk="S")


def local() -> Request:
    definitions = attributes(pk="S", sk="S", g="S")
    indexes = [index("local", "pk", "g")]
    return definition(
        AttributeDefinitions=definitions, KeySchema=key("pk", "sk"), LocalSecondaryIndexes=indexes
    )


NEW_INDEXES: dict[str, tuple[Request, Request, str]] = {
    "no definitions": (
        definition(),
        {"GlobalSecondaryIndexUpdates": [{"Create": index("new", "colour")}]},
        INVALID + "AttributeDefinitions is not specified for index: new",
    ),
    "a name that is taken": (
        with_index(),
        add_index("by-colour", "colour"),
        "Attempting to create an index which already exists",
    ),
    "the name of a local index": (
        local(),
        add_index("local", "g"),
        "Attempting to create an index which already exists",
    ),
    "units on demand": (
        definition(),
        add_index("new", "colour", ProvisionedThroughput=units(1, 1)),
        INVALID + "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: new "
        "when BillingMode is PAY_PER_REQUEST",
    ),
    "no units": (
        provisioned(),
        add_index("new", "colour"),
        INVALID + "Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: new",
    ),
    "too many in its key": (
        definition(),
        add_index("new", *"abcde", KeySchema=key(*"abcde", hashes=5)),
        INVALID + "The KeySchema exceeds the maximum allowed number of HASH key attributes",
    ),
    "a projection of nothing": (
        definition(),
        add_index("new", "colour", projection="INCLUDE"),
        INVALID + "ProjectionType is INCLUDE, but NonKeyAttributes is not specified",
    ),
}


@pytest.mark.parametrize("case", NEW_INDEXES)
def test_a_new_index_keeps_the_rules(engine: Engine, case: str) -> None:
    table, request, message = NEW_INDEXES[case]
    create(engine, table)
    before = describe(engine)
    assert refused(engine, **request) == message
    assert describe(engine) == before


def test_a_key_of_a_new_index_must_be_defined(engine: Engine) -> None:
    create(engine)
    message = refused(engine, **add_index("new", "colour") | {"AttributeDefinitions": attributes(other="S")})
    assert message.startswith(INVALID + "Some index key attributes are not defined in AttributeDefinitions.")


def test_a_table_key_keeps_its_type(engine: Engine) -> None:
    create(engine)
    update(engine, **add_index("new", "pk", kinds={"pk": "N"}))
    assert describe(engine)["AttributeDefinitions"] == attributes(pk="S")


def test_the_twenty_first_index_exceeds_a_limit(engine: Engine) -> None:
    many = [index(f"by-colour-{number}", "colour") for number in range(20)]
    create(engine, with_index(GlobalSecondaryIndexes=many))
    assert refusal(engine, "UpdateTable", add_index("one-more", "colour")) == (
        "LimitExceededException",
        "Subscriber limit exceeded: Number of global secondary indexes exceeds per-table limit of 20",
    )


# ── an index that goes ────────────────────────────────────────────────────────────────────────────


def test_an_index_goes_and_the_items_stay(engine: Engine) -> None:
    create(engine, with_index())
    put(engine, "a", colour={"S": "red"})
    described = engine.call("UpdateTable", drop_index("by-colour"))["TableDescription"]
    assert described["TableStatus"] == "UPDATING"
    assert "GlobalSecondaryIndexes" not in describe(engine)
    assert names(scanned(engine)) == ["a"]
    message = invalid(engine, "Scan", {"TableName": "rice", "IndexName": "by-colour"})
    assert message == "The table does not have the specified index: by-colour"


def test_a_key_that_no_index_has_any_more_may_be_of_any_type(engine: Engine) -> None:
    create(engine, with_index())
    engine.call("UpdateTable", drop_index("by-colour"))
    put(engine, "a", colour={"N": "1"})
    engine.call("UpdateTable", add_index("by-number", "colour", kinds={"colour": "N"}))
    assert names(scanned(engine, IndexName="by-number")) == ["a"]


@pytest.mark.parametrize("action", ["Update", "Delete"])
def test_an_index_that_is_not_there_is_named(engine: Engine, action: str) -> None:
    create(engine, provisioned())
    change = {"IndexName": "ghost"} | ({"ProvisionedThroughput": units(1, 1)} if action == "Update" else {})
    request = {"TableName": "rice", "GlobalSecondaryIndexUpdates": [{action: change}]}
    assert refusal(engine, "UpdateTable", request) == (
        "ResourceNotFoundException",
        "Requested resource not found: Index ghost for table rice",
    )


@pytest.mark.parametrize("action", ["Update", "Delete"])
def test_a_local_index_cannot_be_changed(engine: Engine, action: str) -> None:
    table = local() | {"BillingMode": "PROVISIONED", "ProvisionedThroughput": units(1, 1)}
    create(engine, table)
    change = {"IndexName": "local"} | ({"ProvisionedThroughput": units(1, 1)} if action == "Update" else {})
    message = refused(engine, GlobalSecondaryIndexUpdates=[{action: change}])
    assert message == f"Cannot {action.lower()} an index that is not a GlobalSecondaryIndex: local"


# ── one thing at a time ───────────────────────────────────────────────────────────────────────────

DELETE = {"Delete": {"IndexName": "by-colour"}}
TOGETHER: dict[str, tuple[list[Request], str]] = {
    "no action": (
        [{}],
        "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
        "GlobalSecondaryIndexUpdate.Delete must not be null",
    ),
    "two actions": (
        [{**DELETE, "Update": {"IndexName": "by-colour"}}],
        "Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object",
    ),
    "the same index twice": (
        [DELETE, DELETE],
        "Only one global secondary index update per index is allowed simultaneously. Index: by-colour",
    ),
}


@pytest.mark.parametrize("case", TOGETHER)
def test_an_index_is_changed_in_one_way(engine: Engine, case: str) -> None:
    changes, message = TOGETHER[case]
    create(engine, with_index())
    assert refused(engine, GlobalSecondaryIndexUpdates=changes) == INVALID + message


ONE_AT_A_TIME = (
    "LimitExceededException",
    "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table",
)


def test_one_index_comes_or_goes_at_a_time(engine: Engine) -> None:
    create(engine, with_index())
    request = add_index("new", "colour")
    for more in (DELETE, {"Create": index("newer", "colour")}):
        changes = [*request["GlobalSecondaryIndexUpdates"], more]
        both = request | {"GlobalSecondaryIndexUpdates": changes}
        assert refusal(engine, "UpdateTable", both) == ONE_AT_A_TIME
    assert described_index(engine, "by-colour")["IndexStatus"] == "ACTIVE"


def test_two_indexes_may_get_other_units_at_once(engine: Engine) -> None:
    indexes = [index(name, "colour", ProvisionedThroughput=units(1, 1)) for name in ("one", "two")]
    definitions = attributes(pk="S", colour="S")
    create(engine, provisioned(AttributeDefinitions=definitions, GlobalSecondaryIndexes=indexes))
    changes = [
        {"Update": {"IndexName": name, "ProvisionedThroughput": units(2, 3)}} for name in ("one", "two")
    ]
    update(engine, GlobalSecondaryIndexUpdates=changes)
    for name in ("one", "two"):
        assert described_index(engine, name)["ProvisionedThroughput"]["WriteCapacityUnits"] == 3


ALONE: dict[str, tuple[Request, str]] = {
    "units and a stream": (
        {"ProvisionedThroughput": units(9, 9), "StreamSpecification": ON},
        "You cannot modify stream status while updating table IOPS",
    ),
    "units and an index": (
        {"ProvisionedThroughput": units(9, 9), **drop_index("by-colour")},
        "You cannot create or delete index while updating table IOPS",
    ),
    "a stream and an index": (
        {"StreamSpecification": ON, **drop_index("by-colour")},
        "You cannot create or delete index while changing stream status",
    ),
    "limits and a stream": (
        {"OnDemandThroughput": {"MaxReadRequestUnits": 5}, "StreamSpecification": ON},
        "OnDemandThroughput can only be combined with BillingMode in an UpdateTable request",
    ),
    "a class, protection and an index": (
        {"TableClass": "STANDARD", "DeletionProtectionEnabled": True, **drop_index("by-colour")},
        "TableClass modification must be the only operation in the request",
    ),
    "protection and an index": (
        {"DeletionProtectionEnabled": True, **drop_index("by-colour")},
        "DeletionProtection modification must be the only operation in the request",
    ),
    "a class and an index": (
        {"TableClass": "STANDARD", **drop_index("by-colour")},
        "TableClass modification must be the only operation in the request",
    ),
}


@pytest.mark.parametrize("case", ALONE)
def test_changes_of_different_kinds_do_not_go_together(engine: Engine, case: str) -> None:
    changes, message = ALONE[case]
    provisioned_with_index(engine)
    before = describe(engine)
    assert refused(engine, **changes) == INVALID + message
    assert describe(engine) == before


def test_billing_on_demand_may_come_with_a_stream(engine: Engine) -> None:
    provisioned_with_index(engine)
    update(engine, BillingMode="PAY_PER_REQUEST", StreamSpecification=ON)
    described = describe(engine)
    assert described["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert described["StreamSpecification"] == ON


def test_a_new_index_may_come_with_other_units_of_an_old_one(engine: Engine) -> None:
    provisioned_with_index(engine)
    request = add_index("new", "colour", ProvisionedThroughput=units(1, 1))
    [change] = update_index("by-colour", ProvisionedThroughput=units(4, 4))["GlobalSecondaryIndexUpdates"]
    both = [*request["GlobalSecondaryIndexUpdates"], change]
    engine.call("UpdateTable", request | {"GlobalSecondaryIndexUpdates": both})
    assert described_index(engine, "new")["IndexStatus"] == "ACTIVE"
    assert described_index(engine, "by-colour")["ProvisionedThroughput"]["ReadCapacityUnits"] == 4


# ── the shape of the request ──────────────────────────────────────────────────────────────────────

SHAPES: dict[str, tuple[Request, str]] = {
    "no index name": (
        {"GlobalSecondaryIndexUpdates": [{"Delete": {}}]},
        fault("null", "globalSecondaryIndexUpdates.1.member.delete.indexName", "Member must not be null"),
    ),
    "a short index name": (
        drop_index("ab"),
        fault(
            "ab",
            "globalSecondaryIndexUpdates.1.member.delete.indexName",
            "Member must have length greater than or equal to 3",
        ),
    ),
    "no units": (
        {"ProvisionedThroughput": units(0, 1)},
        fault(
            "0",
            "provisionedThroughput.readCapacityUnits",
            "Member must have value greater than or equal to 1",
        ),
    ),
    "another billing": (
        {"BillingMode": "FREE"},
        fault("FREE", "billingMode", "Member must satisfy enum value set: [PROVISIONED, PAY_PER_REQUEST]"),
    ),
}


@pytest.mark.parametrize("case", SHAPES)
def test_a_parameter_out_of_shape_is_refused_before_the_table_is_looked_for(
    engine: Engine, case: str
) -> None:
    changes, expected = SHAPES[case]
    assert faults(refused(engine, **changes)) == [expected]
