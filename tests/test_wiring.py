"""The floors, joined: an endpoint from settings alone."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from hansang import wiring
from hansang.endpoint import dynamodb
from hansang.errors import AddressError, StoreError
from hansang.settings import ServerSettings, WireSettings
from tests.surfaces.support import Address

TABLE = """{
    "TableName": "kept", "BillingMode": "PAY_PER_REQUEST",
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}]
}"""


@contextmanager
def running(settings: WireSettings) -> Iterator[Address]:
    with dynamodb(settings) as endpoint:
        thread = threading.Thread(target=endpoint.run)
        thread.start()
        parts = urlsplit(endpoint.url)
        yield Address(str(parts.hostname), int(parts.port or 0))
        endpoint.stop()
        thread.join()


def test_a_data_file_keeps_its_tables(tmp_path: Path) -> None:
    settings = WireSettings(data=str(tmp_path / "a.db"), port=0)
    with running(settings) as address:
        assert address.post("DynamoDB_20120810.CreateTable", TABLE).status == 200
    with running(settings) as address:
        assert address.post("DynamoDB_20120810.ListTables").document == {"TableNames": ["kept"]}


def test_ipv6_is_served_under_a_bracketed_address() -> None:
    try:
        with running(WireSettings(data=":memory:", host="::1", port=0)) as address:
            assert address.request("GET").status == 200
    except AddressError:
        pytest.skip("this machine has no IPv6")


def test_with_keys_a_request_has_to_be_signed() -> None:
    settings = WireSettings(data=":memory:", port=0, access_key="a", secret_key="b")
    with running(settings) as address:
        assert address.post("DynamoDB_20120810.ListTables").code == "MissingAuthenticationTokenException"


def test_the_region_is_the_one_of_the_settings() -> None:
    with running(WireSettings(data=":memory:", port=0, region="ap-northeast-2")) as address:
        assert address.request("GET").body == b"healthy: dynamodb.ap-northeast-2.amazonaws.com "
        assert (
            b"arn:aws:dynamodb:ap-northeast-2:" in address.post("DynamoDB_20120810.CreateTable", TABLE).body
        )


def test_a_file_that_is_not_ours_is_an_error_and_frees_the_port(tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.db"
    foreign.write_bytes(b"not a database " * 1000)
    with pytest.raises(StoreError), dynamodb(WireSettings(data=str(foreign), port=0)):
        pass
    assert foreign.read_bytes() == b"not a database " * 1000


def test_a_port_in_use_is_told_before_anything_is_written(tmp_path: Path) -> None:
    told: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as taken:
        settings = ServerSettings(data=str(tmp_path / "a.db"), port=taken.getsockname()[1])
        with pytest.raises(AddressError, match="Address already in use"):
            wiring.serve(settings, demo=True, announce=told.append)
    assert told == []
