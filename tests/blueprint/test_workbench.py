"""The data model of NoSQL Workbench."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from hansang.blueprint.subject import Design
from hansang.blueprint.workbench import workbench
from tests.blueprint.designs import EXAMPLES, Faulty, Shop

MODEL = json.loads(
    workbench(Design([Shop, Faulty], EXAMPLES), "Shop", datetime(2026, 2, 21, 15, 4, tzinfo=UTC))
)
SHOP, FAULTY = MODEL["DataModel"]


def test_the_model_says_what_it_is() -> None:
    assert MODEL["ModelName"] == "Shop"
    assert MODEL["ModelMetadata"]["AWSService"] == "Amazon DynamoDB"
    assert MODEL["ModelMetadata"]["DateCreated"] == "Feb 21, 2026, 03:04 PM"


def test_a_table_has_its_keys_and_every_attribute_once() -> None:
    assert SHOP["KeyAttributes"]["SortKey"] == {"AttributeName": "SK", "AttributeType": "S"}
    names = [each["AttributeName"] for each in SHOP["NonKeyAttributes"]]
    assert len(names) == len(set(names))
    assert {"Type", "mail", "total", "expiresAt"} <= set(names)


def test_every_kind_of_item_is_a_facet_with_an_example() -> None:
    assert [each["FacetName"] for each in SHOP["TableFacets"]] == ["Customer", "Order"]
    assert SHOP["TableFacets"][1]["KeyAttributeAlias"]["SortKeyAlias"] == "ORDER#{day}#{number:06d}"
    assert SHOP["TableData"][0]["name"] == {"S": "김대연"}


def test_indexes_have_their_projections() -> None:
    assert [each["IndexName"] for each in SHOP["GlobalSecondaryIndexes"]] == ["ByMail", "Customer_OrderedAt"]
    assert SHOP["GlobalSecondaryIndexes"][1]["Projection"] == {
        "ProjectionType": "INCLUDE",
        "NonKeyAttributes": ["total"],
    }
    assert [each["IndexName"] for each in FAULTY["LocalSecondaryIndexes"]] == ["BySize"]
