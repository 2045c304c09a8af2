"""The embedded backend: the engine behind the one method that all backends have."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from hansang.backends.base import Backend
from hansang.backends.embedded import Embedded
from hansang.errors import StoreError, WireError

TABLE: dict[str, Any] = {
    "TableName": "rice",
    "BillingMode": "PAY_PER_REQUEST",
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
}
ITEM = {"pk": {"S": "한상"}, "bytes": {"B": "AP8="}}


def test_it_is_a_backend() -> None:
    with Embedded.open() as embedded:
        backend: Backend = embedded
        assert backend.call("ListTables", {}) == {"TableNames": []}


def test_an_item_comes_back_as_it_was_put() -> None:
    with Embedded.open() as backend:
        backend.call("CreateTable", TABLE)
        backend.call("PutItem", {"TableName": "rice", "Item": ITEM})
        assert backend.call("GetItem", {"TableName": "rice", "Key": {"pk": {"S": "한상"}}}) == {"Item": ITEM}


def test_a_request_may_be_any_mapping_and_is_left_as_it_is() -> None:
    request = MappingProxyType(dict(TABLE))
    with Embedded.open() as backend:
        backend.call("CreateTable", request)
    assert dict(request) == TABLE


def test_an_error_is_dynamodbs_own() -> None:
    with Embedded.open() as backend, pytest.raises(WireError) as caught:
        backend.call("DescribeTable", {"TableName": "none"})
    assert caught.value.code == "ResourceNotFoundException"


def test_an_unknown_operation_is_dynamodbs_error_too() -> None:
    with Embedded.open() as backend, pytest.raises(WireError) as caught:
        backend.call("NoSuchThing", {})
    assert caught.value.body() == {"__type": "com.amazon.coral.service#UnknownOperationException"}


def test_a_file_is_there_when_it_is_opened_again(tmp_path: Path) -> None:
    for expected in ([], ["rice"]):
        with Embedded.open(tmp_path / "a.db", durability="normal", region="ap-northeast-2") as backend:
            assert backend.call("ListTables", {})["TableNames"] == expected
            if not expected:
                backend.call("CreateTable", TABLE)


def test_a_foreign_file_is_an_error_of_the_store(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("rice " * 1000)
    with pytest.raises(StoreError):
        Embedded.open(tmp_path / "a.txt")
