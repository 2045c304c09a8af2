"""A design against the table that is there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from hansang.backends.embedded import Embedded
from hansang.blueprint.live import differences
from hansang.design import Database
from tests.blueprint.designs import Faulty, Shop


@pytest.fixture
def backend() -> Iterator[Embedded]:
    with Embedded.open(":memory:") as opened:
        yield opened


def changed(backend: Embedded, **parts: Any) -> dict[str, tuple[str, str]]:
    """What differs when the live table was created otherwise."""
    definition = Shop.definition() | parts
    backend.call("CreateTable", {name: part for name, part in definition.items() if part is not None})
    backend.call(
        "UpdateTimeToLive",
        {"TableName": "Shop", "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "expiresAt"}},
    )
    return {each.what: (each.design, each.live) for each in differences(backend, Shop, "Shop")}


def test_a_created_table_is_as_the_design_has_it(backend: Embedded) -> None:
    Database(backend).create_tables(Shop, Faulty)
    assert differences(backend, Shop, "Shop") == differences(backend, Faulty, "Faulty") == []


def test_a_table_that_is_not_there_is_a_difference(backend: Embedded) -> None:
    [each] = differences(backend, Shop, "Shop-dev")
    assert (each.what, each.live) == ("table", "none")


def test_a_missing_index_and_a_foreign_one_are_differences(backend: Embedded) -> None:
    [first, second] = Shop.definition()["GlobalSecondaryIndexes"]
    found = changed(backend, GlobalSecondaryIndexes=[first, {**second, "IndexName": "Other"}])
    assert found["global index Customer_OrderedAt"][1] == "none"
    assert found["global index Other"] == ("none", "customerId HASH, orderedAt RANGE, INCLUDE of total")


def test_another_projection_is_a_difference(backend: Embedded) -> None:
    [first, second] = Shop.definition()["GlobalSecondaryIndexes"]
    found = changed(
        backend, GlobalSecondaryIndexes=[first, {**second, "Projection": {"ProjectionType": "ALL"}}]
    )
    assert list(found) == ["global index Customer_OrderedAt"]


def test_streams_and_billing_are_compared(backend: Embedded) -> None:
    throughput = {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}
    indexes = [
        each | {"ProvisionedThroughput": throughput} for each in Shop.definition()["GlobalSecondaryIndexes"]
    ]
    found = changed(
        backend,
        StreamSpecification=None,
        BillingMode="PROVISIONED",
        ProvisionedThroughput=throughput,
        GlobalSecondaryIndexes=indexes,
    )
    assert found["stream"] == ("NEW_AND_OLD_IMAGES", "off")
    assert found["billing"] == ("PAY_PER_REQUEST", "PROVISIONED")


def test_another_type_of_a_key_is_a_difference(backend: Embedded) -> None:
    kinds = [
        each | ({"AttributeType": "N"} if each["AttributeName"] == "mail" else {})
        for each in Shop.definition()["AttributeDefinitions"]
    ]
    assert changed(backend, AttributeDefinitions=kinds) == {"type of mail": ("S", "N")}


def test_time_to_live_is_compared(backend: Embedded) -> None:
    backend.call("CreateTable", Shop.definition())
    [each] = differences(backend, Shop, "Shop")
    assert (each.what, each.design, each.live) == ("time to live", "expiresAt", "off")
