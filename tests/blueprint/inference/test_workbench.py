"""Designs from models of NoSQL Workbench."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from hansang.apps.catalog import APPLICATIONS
from hansang.blueprint.examples import entities, read_examples
from hansang.blueprint.inference.checking import loaded, tables_in
from hansang.blueprint.inference.inferring import infer
from hansang.blueprint.inference.workbench import is_workbench, workbench_tables
from hansang.blueprint.subject import Design
from hansang.blueprint.workbench import workbench
from hansang.errors import SettingsError

MOMENT = datetime(2026, 6, 15, tzinfo=UTC)


@pytest.mark.parametrize("application", APPLICATIONS, ids=lambda each: each.name)
def test_our_own_model_gives_our_tables_and_all_their_examples_back(application: Any) -> None:
    module = __import__(f"hansang.apps.{application.name}.design", fromlist=["design"])
    design = Design(application.tables, entities(read_examples(module), application.tables))
    document = json.loads(workbench(design, application.name, MOMENT))
    assert is_workbench(document)
    facts = workbench_tables(document)
    found = infer(facts)
    assert [(each.placed, each.unplaced, each.differing) for each in found.checks] == [
        (len(table.shapes), 0, []) for table in application.tables
    ]
    with loaded(found.text) as written:
        for ours, other in zip(application.tables, tables_in(written), strict=True):
            assert (other.name, other.pk, other.sk) == (ours.name, ours.pk, ours.sk)
            assert [each.definition() for each in other.indexes] == [
                each.definition() for each in ours.indexes
            ]


MODEL: dict[str, Any] = {
    "ModelName": "Shop",
    "DataModel": [
        {
            "TableName": "Shop",
            "KeyAttributes": {
                "PartitionKey": {"AttributeName": "PK", "AttributeType": "S"},
                "SortKey": {"AttributeName": "SK", "AttributeType": "S"},
            },
            "NonKeyAttributes": [{"AttributeName": "Total", "AttributeType": "N"}],
            "GlobalSecondaryIndexes": [
                {
                    "IndexName": "GSI1",
                    "KeyAttributes": {
                        "PartitionKey": {"AttributeName": "GSI1PK", "AttributeType": "S"},
                        "SortKey": {"AttributeName": "Total", "AttributeType": "N"},
                    },
                    "Projection": {"ProjectionType": "ALL"},
                }
            ],
            "TableData": [
                {"PK": {"S": "CUST#c1"}, "SK": {"S": "PROFILE"}, "Name": {"S": "민지"}},
                {
                    "PK": {"S": "CUST#c1"},
                    "SK": {"S": "ORDER#2026-01-01"},
                    "Total": {"N": "5"},
                    "GSI1PK": {"S": "c1"},
                },
                {
                    "PK": {"S": "CUST#c2"},
                    "SK": {"S": "ORDER#2026-01-02"},
                    "Total": {"N": "7"},
                    "GSI1PK": {"S": "c2"},
                },
            ],
        },
        {
            "TableName": "Empty",
            "KeyAttributes": {"PartitionKey": {"AttributeName": "id", "AttributeType": "N"}},
            "NonKeyAttributes": [
                {"AttributeName": "Title", "AttributeType": "S"},
                {"AttributeName": "Tags", "AttributeType": "SS"},
            ],
        },
    ],
}


def test_a_hand_written_model_is_read_with_its_items() -> None:
    found = infer(workbench_tables(MODEL))
    assert [(each.placed, each.unplaced, each.differing) for each in found.checks] == [(3, 0, []), (0, 0, [])]
    assert 'pk="CUST#{cust_id}", sk="ORDER#{order_day}"' in found.text
    assert 'index_keys={Shop.gsi1: ("{cust_id}", None)}' in found.text
    with loaded(found.text) as module:
        [_, empty] = tables_in(module)
        [shape] = empty.shapes
        assert {slot.attribute: slot.codec.kind for slot in shape.slots.values()} == {
            "id": "N",
            "Title": "S",
            "Tags": "SS",
        }


@pytest.mark.parametrize(
    "model",
    [
        {"TableName": "T"},
        "T",
        {**MODEL["DataModel"][0], "TableData": [{"PK": {"S": "a", "N": "1"}, "SK": {"S": "b"}}]},
        {**MODEL["DataModel"][0], "TableData": [{"PK": "a", "SK": "b"}]},
    ],
)
def test_a_model_that_cannot_be_read_says_so(model: object) -> None:
    with pytest.raises(SettingsError, match="cannot be read from the model"):
        workbench_tables({"DataModel": [model]})
