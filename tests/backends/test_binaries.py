"""Binaries and times: base64 text and numbers here, bytes and datetimes for boto3."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansang.backends.binaries import from_json, to_json
from hansang.errors import WireError


def test_a_request_without_a_binary_stays_the_same_object() -> None:
    request = {"TableName": "t", "Item": {"a": {"S": "x"}, "row": {"L": [{"N": "1"}, {"M": {}}]}}, "Limit": 3}
    assert from_json(request) is request


def test_binaries_are_found_at_any_depth_and_the_request_is_left_as_it_is() -> None:
    request = {
        "Item": {"a": {"B": "AP8="}, "row": {"L": [{"M": {"in": {"BS": ["AA==", "AQ=="]}}}, {"S": "x"}]}},
        "TransactItems": [{"Put": {"Item": {"a": {"B": ""}}}}],
    }
    before = json.dumps(request)
    assert from_json(request) == {
        "Item": {"a": {"B": b"\x00\xff"}, "row": {"L": [{"M": {"in": {"BS": [b"\0", b"\1"]}}}, {"S": "x"}]}},
        "TransactItems": [{"Put": {"Item": {"a": {"B": b""}}}}],
    }
    assert json.dumps(request) == before


def test_an_attribute_that_is_called_as_a_type_is_none() -> None:
    item = {"B": {"S": "AP8="}, "BS": {"L": [{"S": "AP8="}]}, "M": {"M": {"B": {"S": "x"}}}}
    assert from_json({"Item": item}) == {"Item": item}
    assert from_json({"ExpressionAttributeNames": {"#B": "B"}}) == {"ExpressionAttributeNames": {"#B": "B"}}


@pytest.mark.parametrize("text", ["A", "A===", "AP8", "not base64!", "한상"])
def test_what_is_not_base64_is_refused_as_dynamodb_refuses_it(text: str) -> None:
    with pytest.raises(WireError) as caught:
        from_json({"Item": {"a": {"B": text}}})
    assert caught.value.code == "SerializationException"


def test_times_are_seconds_since_1970() -> None:
    whole, part = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 1, 0, 0, 0, 500_000, tzinfo=UTC)
    assert to_json({"at": whole, "row": [part]}) == {"at": 1767225600, "row": [1767225600.5]}


values = st.recursive(
    st.one_of(
        st.builds(lambda raw: {"B": raw}, st.binary(max_size=8)),
        st.builds(lambda found: {"BS": found}, st.lists(st.binary(max_size=4), min_size=1, max_size=3)),
        st.sampled_from([{"S": "B"}, {"N": "1"}, {"NULL": True}, {"SS": ["B", "BS"]}]),
    ),
    lambda inner: st.one_of(
        st.builds(lambda found: {"L": found}, st.lists(inner, max_size=3)),
        st.builds(lambda found: {"M": found}, st.dictionaries(st.sampled_from(["a", "B", "BS"]), inner)),
    ),
)


@given(st.dictionaries(st.sampled_from(["a", "B", "BS", "S"]), values))
def test_a_response_is_pure_json_and_goes_back_as_it_came(item: dict[str, Any]) -> None:
    written = to_json({"Item": item})
    json.dumps(written)
    assert from_json(written) == {"Item": item}
