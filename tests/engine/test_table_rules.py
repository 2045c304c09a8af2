"""The rules for the definition of a table, each in DynamoDB's words."""

from __future__ import annotations

import re
from typing import Any

import pytest

from hansang.engine import Engine
from tests.clauses import clause
from tests.engine.control import INVALID, Request, attributes, definition, index, invalid, key, units

SAME_NAME = "Both the Hash Key and the Range Key element in the KeySchema have the same name"
NO_DEFINITION = "Invalid KeySchema: Some index key attribute have no definition"
FIRST = "Invalid KeySchema: The first KeySchemaElement is not a HASH key type"
SECOND = "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type"


def refused(**changes: Any) -> str:
    with Engine.open(sweep_seconds=None) as engine:
        return invalid(engine, "CreateTable", definition(**changes))


def elements(*pairs: str) -> list[Request]:
    """A KeySchema from words such as `pk:HASH`."""
    return [dict(zip(("AttributeName", "KeyType"), pair.split(":"), strict=True)) for pair in pairs]


def undefined(message: str) -> tuple[set[str], set[str]]:
    """The keys and the definitions in a message about keys that are not defined; AWS gives them no order."""
    pattern = (
        INVALID + r"Some index key attributes are not defined in AttributeDefinitions\. "
        r"Keys: \[(.*)\], AttributeDefinitions: \[(.*)\]"
    )
    match = re.fullmatch(pattern, message)
    assert match, message
    return set(match[1].split(", ")), set(match[2].split(", "))


# ── billing ───────────────────────────────────────────────────────────────────────────────────────

BILLING: dict[str, tuple[Request, str]] = {
    "units on demand": (
        {"ProvisionedThroughput": units(1, 1)},
        INVALID + "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified "
        "when BillingMode is PAY_PER_REQUEST",
    ),
    "no units": (
        {"BillingMode": None},
        INVALID + "ReadCapacityUnits and WriteCapacityUnits must both be specified "
        "when BillingMode is PROVISIONED",
    ),
    "too many reads": (
        {"BillingMode": None, "ProvisionedThroughput": units(10**12 + 1, 10**12 + 1)},
        "Given value 1000000000001 for ReadCapacityUnits is out of bounds",
    ),
    "too many writes": (
        {"BillingMode": None, "ProvisionedThroughput": units(10**12, 10**12 + 1)},
        "Given value 1000000000001 for WriteCapacityUnits is out of bounds",
    ),
}


@pytest.mark.parametrize("case", BILLING)
def test_billing_is_checked_before_the_key(case: str) -> None:
    changes, message = BILLING[case]
    assert refused(**changes, KeySchema=elements("pk:RANGE")) == message


def test_a_provisioned_table_has_no_limits_of_on_demand_requests() -> None:
    for limits, name in (({"MaxReadRequestUnits": 5}, "Read"), ({"MaxWriteRequestUnits": 5}, "Write")):
        message = refused(BillingMode=None, ProvisionedThroughput=units(1, 1), OnDemandThroughput=limits)
        assert message.startswith(
            INVALID + f"Max{name}RequestUnits for OnDemandThroughput cannot be specified when "
        )


# ── the key of the table ──────────────────────────────────────────────────────────────────────────

KEYS: dict[str, tuple[list[Request], list[Request], str]] = {
    "more keys than definitions": (attributes(pk="S"), elements("pk:HASH", "sk:RANGE"), NO_DEFINITION),
    "one definition for the same name twice": (
        attributes(pk="S"),
        elements("pk:HASH", "pk:RANGE"),
        NO_DEFINITION,
    ),
    "no definitions at all": ([], elements("pk:HASH"), NO_DEFINITION),
    "the same name twice": (attributes(pk="S", sk="S"), elements("pk:HASH", "pk:RANGE"), SAME_NAME),
    "the same name before the same role": (
        attributes(pk="S", sk="S"),
        elements("pk:HASH", "pk:HASH"),
        SAME_NAME,
    ),
    "two partition keys": (attributes(pk="S", sk="S"), elements("pk:HASH", "sk:HASH"), SECOND),
    "the sort key first": (attributes(pk="S", sk="S"), elements("sk:RANGE", "pk:HASH"), FIRST),
    "no partition key": (attributes(pk="S", sk="S"), elements("pk:RANGE", "sk:RANGE"), FIRST),
    "an attribute defined twice": (
        attributes(pk="S") + attributes(pk="N"),
        elements("pk:HASH"),
        "Attribute Name is duplicated: pk",
    ),
    "an attribute that no key uses": (
        attributes(pk="S", sk="S"),
        elements("pk:HASH"),
        INVALID + "Number of attributes in KeySchema does not exactly match "
        "number of attributes defined in AttributeDefinitions",
    ),
}


@pytest.mark.parametrize("case", KEYS)
def test_a_table_has_a_partition_key_and_perhaps_a_sort_key(case: str) -> None:
    definitions, schema, message = KEYS[case]
    assert refused(AttributeDefinitions=definitions, KeySchema=schema) == message


def test_a_key_without_a_definition_is_named() -> None:
    message = refused(AttributeDefinitions=attributes(a="S", b="S"), KeySchema=key("pk", "a"))
    assert undefined(message) == ({"pk", "a"}, {"a", "b"})


# ── the definitions of a table with indexes ───────────────────────────────────────────────────────


def two_keys(**changes: Any) -> Request:
    """A table with the keys `pk` and `sk`, and a definition of `g`."""
    both: Request = {"AttributeDefinitions": attributes(pk="S", sk="S", g="S"), "KeySchema": key("pk", "sk")}
    return both | changes


def refused_local(*indexes: Request, **changes: Any) -> str:
    return refused(**two_keys(LocalSecondaryIndexes=list(indexes), **changes))


def refused_global(*indexes: Request, **changes: Any) -> str:
    return refused(**two_keys(GlobalSecondaryIndexes=list(indexes), **changes))


@pytest.mark.parametrize("side", ["LocalSecondaryIndexes", "GlobalSecondaryIndexes"])
def test_every_key_of_an_index_is_named_when_one_has_no_definition(side: str) -> None:
    keys = ("pk", "other") if side.startswith("Local") else ("g", "other")
    message = refused(**two_keys(**{side: [index("by-other", *keys, Projection={})]}))
    assert undefined(message) == ({*keys}, {"pk", "sk", "g"})


def test_a_definition_that_no_key_uses_is_refused_before_the_projection() -> None:
    definitions = attributes(pk="S", sk="S", g="S", spare="S")
    message = refused_global(index("by-g", "g", Projection={}), AttributeDefinitions=definitions)
    pattern = (
        INVALID + r"Some AttributeDefinitions are not used\. "
        r"AttributeDefinitions: \[(.*)\], keys used: \[(.*)\]"
    )
    match = re.fullmatch(pattern, message)
    assert match, message
    assert set(match[1].split(", ")) == {"pk", "sk", "g", "spare"}
    assert set(match[2].split(", ")) == {"pk", "sk", "g"}


@pytest.mark.parametrize("side", ["LocalSecondaryIndexes", "GlobalSecondaryIndexes"])
def test_a_list_of_indexes_is_not_empty(side: str) -> None:
    assert refused(**{side: []}) == INVALID + f"List of {side} is empty"


# ── local indexes ─────────────────────────────────────────────────────────────────────────────────

LOCAL_KEYS: dict[str, tuple[list[Request], str]] = {
    "the sort key first": (elements("g:RANGE", "pk:HASH"), FIRST),
    "the same name twice": (elements("pk:HASH", "pk:RANGE"), SAME_NAME),
    "the same name before the same role": (elements("pk:HASH", "pk:HASH"), SAME_NAME),
    "two partition keys": (elements("pk:HASH", "g:HASH"), SECOND),
    "no sort key": (
        elements("pk:HASH"),
        INVALID + "Index KeySchema does not have a range key for index: by-g",
    ),
    "no sort key before another partition key": (
        elements("g:HASH"),
        INVALID + "Index KeySchema does not have a range key for index: by-g",
    ),
    "another partition key": (
        elements("g:HASH", "pk:RANGE"),
        INVALID + "Index KeySchema does not have the same leading hash key as table KeySchema "
        "for index: by-g. index hash key: g, table hash key: pk",
    ),
}


@pytest.mark.parametrize("case", LOCAL_KEYS)
def test_a_local_index_shares_the_partition_key_of_its_table(case: str) -> None:
    schema, message = LOCAL_KEYS[case]
    rest = index("by-rest", "pk", "g")
    assert refused_local(index("by-g", KeySchema=schema), rest) == message


def test_a_local_index_needs_a_table_with_a_sort_key() -> None:
    definitions = attributes(pk="S", g="S")
    message = refused(AttributeDefinitions=definitions, LocalSecondaryIndexes=[index("by-g", "pk", "g")])
    assert message == (
        INVALID + "Table KeySchema does not have a range key, "
        "which is required when specifying a LocalSecondaryIndex"
    )


def test_a_table_has_no_more_than_five_local_indexes() -> None:
    six = [index(f"by-g-{number}", "pk", "g") for number in range(6)]
    assert refused_local(*six) == INVALID + "Number of LocalSecondaryIndexes exceeds per-table limit of 5"


# ── global indexes ────────────────────────────────────────────────────────────────────────────────

FIVE = ("a", "b", "c", "d", "e")
GLOBAL_KEYS: dict[str, tuple[list[Request], str]] = {
    "no partition key": (elements("a:RANGE"), FIRST),
    "the sort key first": (elements("a:RANGE", "b:HASH"), FIRST),
    "five partition keys": (
        key(*FIVE, hashes=5),
        INVALID + "The KeySchema exceeds the maximum allowed number of HASH key attributes",
    ),
    "five sort keys": (
        key("pk", *FIVE),
        INVALID + "The KeySchema exceeds the maximum allowed number of RANGE key attributes",
    ),
    "a partition key behind a sort key": (
        elements("a:HASH", "b:RANGE", "c:HASH"),
        INVALID + "All HASH key attributes must precede RANGE key attributes in the KeySchema",
    ),
    "the same name twice": (
        elements("a:HASH", "b:HASH", "a:RANGE"),
        "The KeySchema contains multiple key attributes with the same name",
    ),
}


@pytest.mark.parametrize("case", GLOBAL_KEYS)
def test_a_global_index_has_up_to_four_attributes_on_either_side(case: str) -> None:
    schema, message = GLOBAL_KEYS[case]
    rest = [index(f"by-{name}", name) for name in FIVE]
    definitions = attributes(pk="S", **dict.fromkeys(FIVE, "S"))
    wrong = index("wrong", KeySchema=schema)
    assert refused(AttributeDefinitions=definitions, GlobalSecondaryIndexes=[wrong, *rest]) == message


def test_a_table_has_no_more_than_twenty_global_indexes() -> None:
    many = [index(f"by-g-{number}", "g") for number in range(21)]
    message = INVALID + "GlobalSecondaryIndex count exceeds the per-table limit of 20"
    assert refused_global(*many) == message


def test_an_index_on_demand_has_no_units() -> None:
    fine, wrong = index("fine", "g"), index("wrong", "g", ProvisionedThroughput=units(1, 1))
    assert refused_global(fine, wrong) == (
        INVALID + "ProvisionedThroughput should not be specified for index: wrong "
        "when BillingMode is PAY_PER_REQUEST"
    )


def test_a_provisioned_index_has_units_of_its_own() -> None:
    fine, wrong = index("fine", "g", ProvisionedThroughput=units(1, 1)), index("wrong", "g")
    message = refused_global(fine, wrong, BillingMode=None, ProvisionedThroughput=units(1, 1))
    assert message == INVALID + "ProvisionedThroughput is not specified for index: wrong"


# ── what both kinds have in common ────────────────────────────────────────────────────────────────

PROJECTIONS: dict[str, tuple[Request, str]] = {
    "no type": ({}, "Unknown ProjectionType: null"),
    "attributes without a type": ({"NonKeyAttributes": ["x"]}, "Unknown ProjectionType: null"),
    "all, and some": (
        {"ProjectionType": "ALL", "NonKeyAttributes": ["x"]},
        "ProjectionType is ALL, but NonKeyAttributes is specified",
    ),
    "keys only, and some": (
        {"ProjectionType": "KEYS_ONLY", "NonKeyAttributes": ["x"]},
        "ProjectionType is KEYS_ONLY, but NonKeyAttributes is specified",
    ),
    "include nothing": (
        {"ProjectionType": "INCLUDE"},
        "ProjectionType is INCLUDE, but NonKeyAttributes is not specified",
    ),
    "the same attribute twice": (
        {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["x", "y", "x"]},
        "Duplicate element in NonKeyAttributes: x",
    ),
}


@clause("E14")
@pytest.mark.parametrize("case", PROJECTIONS)
@pytest.mark.parametrize("refuse", [refused_local, refused_global], ids=["local", "global"])
def test_a_projection_says_what_it_holds(case: str, refuse: Any) -> None:
    projection, message = PROJECTIONS[case]
    assert refuse(index("by-g", "pk", "g", Projection=projection)) == INVALID + message


def test_two_indexes_do_not_have_one_name() -> None:
    one, two = index("same", "pk", "g"), index("same", "pk", "g")
    message = INVALID + "Duplicate index name: same"
    assert refused_local(one, two) == message
    assert refused_global(one, two) == message
    assert refused(**two_keys(LocalSecondaryIndexes=[one], GlobalSecondaryIndexes=[two])) == message


def test_all_indexes_together_include_no_more_than_a_hundred_attributes() -> None:
    projections = [
        {"ProjectionType": "INCLUDE", "NonKeyAttributes": [f"a{number}" for number in range(20)]}
        for _ in range(6)
    ]
    many = [index(f"by-g-{place}", "g", Projection=each) for place, each in enumerate(projections)]
    assert "100" in refused_global(*many)
