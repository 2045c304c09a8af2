"""Tags of items."""

from __future__ import annotations

import pytest

from hansang.design import Database
from hansang.design.codec import Value
from hansang.parts.etags import digest, etag
from tests.checked.shop import Shop

KEY = {"PK": {"S": "a"}, "SK": {"S": "b"}}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"N": "1"}, {"N": "1.00"}),
        ({"N": "100"}, {"N": "1e2"}),
        ({"N": "0"}, {"N": "-0.0"}),
        ({"SS": ["가", "나"]}, {"SS": ["나", "가"]}),
        ({"NS": ["1", "2.50"]}, {"NS": ["2.5", "1.0"]}),
        ({"M": {"a": {"N": "1"}, "b": {"NULL": True}}}, {"M": {"b": {"NULL": True}, "a": {"N": "1.0"}}}),
        ({"L": [{"N": "10"}]}, {"L": [{"N": "1E1"}]}),
    ],
)
def test_equal_values_have_one_tag(database: Database, one: Value, other: Value) -> None:
    assert etag({"a": one}) == etag({"a": other})
    database.create_tables(Shop)
    for value in (one, other):
        database.backend.call("PutItem", {"TableName": "Shop", "Item": {**KEY, "a": value}})
        stored = database.find_item(Shop, KEY)
        assert stored is not None
        assert digest(stored) == digest({**KEY, "a": one})


def test_different_values_have_different_tags() -> None:
    values: list[Value] = [
        {"S": "1"},
        {"N": "1"},
        {"SS": ["1"]},
        {"NS": ["1"]},
        {"L": [{"N": "1"}, {"N": "2"}]},
        {"L": [{"N": "2"}, {"N": "1"}]},
        {"M": {}},
        {"BOOL": True},
        {"NULL": True},
        {"N": "12345678901234567890123456789012345678"},
        {"N": "12345678901234567890123456789012345679"},
    ]
    assert len({etag({"a": value}) for value in values}) == len(values)


def test_a_tag_is_twenty_characters_of_the_digest() -> None:
    assert etag({}) == digest({})[:20]
