"""The endpoint: targets, bodies, limits, and the answers that AWS gives to them."""

from __future__ import annotations

import http.client
import json
import logging
import re
import select
import sqlite3
import threading
import zlib
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansang.backends.embedded import Embedded
from hansang.errors import StoreBusy, WireError
from hansang.surfaces.http import bodies
from hansang.surfaces.wire import app
from tests.clauses import clause
from tests.engine.control import with_index
from tests.surfaces.support import Address, Stub, read_reply, serving

LIST = "DynamoDB_20120810.ListTables"

# What AWS was seen to answer: the checksum proves the body letter for letter.
SERIALIZATION_CRC = "3948637019"
UNKNOWN_CRC = "1368724161"
PAGE_CRC = "3552371480"


def test_an_operation_reaches_the_backend_with_its_request(echoing: Address) -> None:
    reply = echoing.post("DynamoDB_20120810.GetItem", '{"TableName": "t"}')
    assert reply.status == 200
    assert reply.document == {"Operation": "GetItem", "Request": {"TableName": "t"}}


def test_a_stream_operation_reaches_the_backend_by_its_bare_name(echoing: Address) -> None:
    assert echoing.post("DynamoDBStreams_20120810.GetRecords").document["Operation"] == "GetRecords"


def test_an_answer_carries_the_headers_of_aws(echoing: Address) -> None:
    reply = echoing.post(LIST)
    assert re.fullmatch("[0-9A-Z]{52}", reply.headers["x-amzn-requestid"])
    assert reply.headers["x-amz-crc32"] == str(zlib.crc32(reply.body))
    assert reply.headers["content-length"] == str(len(reply.body))
    assert reply.headers["server"] == "Server"
    assert reply.headers["date"].endswith("GMT")


def test_every_answer_has_a_request_id_of_its_own(echoing: Address) -> None:
    assert len({echoing.post(LIST).headers["x-amzn-requestid"] for _ in range(20)}) == 20


@pytest.mark.parametrize(
    "spoken", ["application/x-amz-json-1.0", "application/x-amz-json-1.1", "application/json"]
)
def test_the_answer_is_in_the_type_that_was_asked_in(echoing: Address, spoken: str) -> None:
    assert echoing.post(LIST, content_type=f"{spoken}; charset=utf-8").headers["content-type"] == spoken


@pytest.mark.parametrize(
    "target",
    [
        None,
        "",
        "ListTables",
        "DynamoDB_20120810",
        "DynamoDB_20111205.ListTables",
        "dynamodb_20120810.ListTables",
        "DynamoDB_20120810.ListStreams",
        "DynamoDB_20120810.GetRecords",
        "DynamoDBStreams_20120810.GetItem",
        "DynamoDBStreams_20120810.",
        "Kinesis_20131202.ListStreams",
    ],
)
def test_an_unknown_target_is_an_unknown_operation(echoing: Address, target: str | None) -> None:
    reply = echoing.post(target)
    assert reply.status == 400
    assert reply.body == b'{"__type":"com.amazon.coral.service#UnknownOperationException"}'
    assert reply.headers["x-amz-crc32"] == UNKNOWN_CRC


@pytest.mark.parametrize(
    "operation", ["", "NoSuchThing", "getitem", "GetItem.", "__class__", "call", "é" * 3]
)
def test_an_operation_that_the_engine_does_not_know_is_an_unknown_operation(
    endpoint: Address, operation: str
) -> None:
    reply = endpoint.post("DynamoDB_20120810.{operation}")
    assert (reply.status, reply.code) == (400, "UnknownOperationException")


HOSTILE = {
    "no JSON": b"hi",
    "half JSON": b'{"TableName": "t"',
    "no value": b'{"TableName": }',
    "two documents": b"{} {}",
    "invalid UTF-8": b'{"TableName": "\xff\xfe"}',
    "an overlong NUL": b'{"TableName": "\xc0\x80"}',
    "a bare NUL": b"\x00",
    "a NUL in a string": b'{"TableName": "a\x00b"}',
    "UTF-16": '{"TableName": "t"}'.encode("utf-16"),
    "a lone surrogate": b'{"TableName": "\\ud800"}',
    "not a number": b'{"Limit": NaN}',
    "infinity": b'{"Limit": -Infinity}',
    "a hundred thousand brackets": b"[" * 100_000,
    "a hundred thousand pairs": b"[" * 100_000 + b"]" * 100_000,
    "a hundred thousand braces": b'{"a":' * 100_000,
    "a string": b'"TableName"',
    "a number": b"17",
    "null": b"null",
    "true": b"true",
    "white space": b"  \r\n ",
}


@clause("E15")
@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE)
def test_a_body_that_is_no_json_object_cannot_be_read(endpoint: Address, body: bytes) -> None:
    reply = endpoint.post(LIST, body)
    assert reply.status == 400
    assert reply.headers["x-amz-crc32"] == SERIALIZATION_CRC
    assert endpoint.post(LIST).status == 200


def test_a_list_is_refused_in_the_words_of_aws(endpoint: Address) -> None:
    assert endpoint.post(LIST, b"[]").document == {
        "__type": "com.amazon.coral.service#SerializationException",
        "Message": "Start of list found where not expected",
    }


@clause("E15")
def test_an_absent_body_cannot_be_read(endpoint: Address) -> None:
    assert endpoint.post(LIST, b"").headers["x-amz-crc32"] == SERIALIZATION_CRC


def test_bad_json_is_found_before_a_bad_target(endpoint: Address) -> None:
    assert endpoint.post("nothing", b"{").code == "SerializationException"


MISTYPED: dict[str, dict[str, Any]] = {
    "a number for a name": {"TableName": 7},
    "null for a name": {"TableName": None},
    "a list for a name": {"TableName": []},
    "an object for a name": {"TableName": {}},
    "a string for an item": {"TableName": "rice", "Item": "x"},
    "lists for a key": {"TableName": "rice", "Key": [[[]]]},
    "a very long name": {"TableName": "x" * 100_000},
    "a NUL in a name": {"TableName": "a\x00b"},
    "an empty member": {"": ""},
}


@pytest.mark.parametrize("request_body", MISTYPED.values(), ids=MISTYPED)
@pytest.mark.parametrize("operation", ["PutItem", "GetItem", "Query", "CreateTable", "BatchWriteItem"])
def test_wrong_types_are_the_fault_of_the_client(
    endpoint: Address, operation: str, request_body: dict[str, Any]
) -> None:
    assert endpoint.post("DynamoDB_20120810.{operation}", json.dumps(request_body)).status == 400


@pytest.fixture(scope="module")
def table(endpoint: Address) -> str:
    """A table of the endpoint with the key `pk`."""
    request = {
        "TableName": "rice",
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    }
    assert endpoint.post("DynamoDB_20120810.CreateTable", json.dumps(request)).status == 200
    return "rice"


@pytest.mark.parametrize(
    ("depth", "status"), [(30, 200), (40, 400), (100, 400), (400, 400), (500, 400), (5000, 400)]
)
def test_deep_values_are_never_a_fault_of_the_server(
    endpoint: Address, table: str, depth: int, status: int
) -> None:
    value = '{"L":[' * depth + '{"S":"x"}' + "]}" * depth
    item = f'{{"TableName":"{table}","Item":{{"pk":{{"S":"a"}},"v":{value}}}}}'
    assert endpoint.post("DynamoDB_20120810.PutItem", item).status == status


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from("SNBLM") | st.text(), inner),
)
OPERATIONS = [
    "PutItem",
    "GetItem",
    "UpdateItem",
    "Query",
    "Scan",
    "BatchGetItem",
    "TransactWriteItems",
    "CreateTable",
]
MEMBERS = [
    "TableName",
    "Item",
    "Key",
    "Limit",
    "RequestItems",
    "TransactItems",
    "KeySchema",
    "FilterExpression",
]


@given(
    operation=st.sampled_from(OPERATIONS),
    body=st.binary()
    | st.dictionaries(st.sampled_from(MEMBERS), JSON).map(lambda one: json.dumps(one).encode()),
)
def test_no_bytes_are_a_fault_of_the_server(endpoint: Address, operation: str, body: bytes) -> None:
    assert endpoint.post(f"DynamoDB_20120810.{operation}", body).status in (200, 400)


@pytest.mark.parametrize("count", [10, 301, 1000, 20_000])
@pytest.mark.parametrize("part", ["(", "NOT ", "a.", "a[0].", "attribute_exists("])
def test_deep_expressions_are_never_a_fault_of_the_server(
    endpoint: Address, table: str, part: str, count: int
) -> None:
    request = {"TableName": table, "Item": {"pk": {"S": "a"}}, "ConditionExpression": part * count + "a = a"}
    assert endpoint.post("DynamoDB_20120810.PutItem", json.dumps(request)).status == 400


def test_get_says_healthy(endpoint: Address) -> None:
    reply = endpoint.request("GET")
    assert (reply.status, reply.body) == (200, b"healthy: dynamodb.us-east-1.amazonaws.com ")
    assert reply.headers["x-amz-crc32"] == "3128867991"


def test_get_off_the_root_finds_nothing(endpoint: Address) -> None:
    assert endpoint.request("GET", "/health").status == 404


def test_a_head_of_more_than_16_kb_is_refused(echoing: Address) -> None:
    headers = {"X-Amz-Target": LIST, "Content-Type": "application/json"}
    assert echoing.request("POST", "/", b"{}", headers | {"X-Long": "x" * 15_000}).status == 200
    assert echoing.request("POST", "/", b"{}", headers | {"X-Long": "x" * 16_384}).status == 400


def test_the_endpoint_is_where_the_client_came_to(endpoint: Address) -> None:
    headers = {"X-Amz-Target": "DynamoDB_20120810.DescribeEndpoints", "Content-Type": "application/json"}
    reply = endpoint.request("POST", "/", b"{}", headers | {"Host": "localhost:8123"})
    assert reply.document["Endpoints"] == [{"Address": "localhost:8123", "CachePeriodInMinutes": 1440}]


def test_tagging_is_answered_without_a_body(endpoint: Address) -> None:
    table = json.dumps(with_index("tagged"))
    arn = endpoint.post("DynamoDB_20120810.CreateTable", table).document["TableDescription"]["TableArn"]
    tags = json.dumps({"ResourceArn": arn, "Tags": [{"Key": "a", "Value": "b"}]})
    for operation, body in (
        ("TagResource", tags),
        ("UntagResource", json.dumps({"ResourceArn": arn, "TagKeys": ["a"]})),
    ):
        reply = endpoint.post(f"DynamoDB_20120810.{operation}", body)
        assert (reply.status, reply.body, reply.headers["x-amz-crc32"]) == (200, b"", "0")


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"])
def test_a_method_other_than_post_finds_nothing(endpoint: Address, method: str) -> None:
    reply = endpoint.request(method)
    assert (reply.status, reply.body) == (404, b"<UnknownOperationException/>\n")
    assert reply.headers["x-amz-crc32"] == PAGE_CRC


def test_head_finds_nothing_and_has_no_body(endpoint: Address) -> None:
    reply = endpoint.request("HEAD")
    assert (reply.status, reply.body) == (404, b"")


@pytest.mark.parametrize(
    "spoken", ["", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]
)
def test_a_body_of_a_type_that_a_form_can_send_finds_nothing(endpoint: Address, spoken: str) -> None:
    reply = endpoint.post(LIST, content_type=spoken)
    assert (reply.status, reply.headers["x-amz-crc32"]) == (404, PAGE_CRC)


def test_the_path_does_not_matter(echoing: Address) -> None:
    headers = {"X-Amz-Target": LIST, "Content-Type": "application/x-amz-json-1.0"}
    assert echoing.request("POST", "/some/%2e%2e/path?x=%00", b"{}", headers).status == 200


def padded(size: int) -> bytes:
    return b'{"a":"' + b"x" * (size - 8) + b'"}'


def test_a_body_at_the_limit_is_served(echoing: Address) -> None:
    reply = echoing.post(LIST, padded(app.LIMIT))
    assert reply.status == 200
    assert len(reply.document["Request"]["a"]) == app.LIMIT - 8


def test_a_body_over_the_limit_is_refused(echoing: Address) -> None:
    reply = echoing.post(LIST, padded(app.LIMIT + 1))
    assert (reply.status, reply.code) == (413, "RequestEntityTooLarge")


def test_a_body_over_the_limit_is_refused_before_it_is_sent(echoing: Address) -> None:
    with echoing.connect() as client:
        client.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n")
        assert client.recv(65536).startswith(b"HTTP/1.1 413 ")


def test_a_client_that_waits_for_leave_to_send_too_much_is_refused(echoing: Address) -> None:
    with echoing.connect() as client:
        client.sendall(
            b"POST / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 20000000\r\n\r\n"
        )
        assert client.recv(65536).startswith(b"HTTP/1.1 413 ")


def chunks(size: int, piece: int = 65536) -> Iterator[bytes]:
    for _ in range(size // piece):
        yield b"x" * piece


def test_a_chunked_body_over_the_limit_is_refused_and_the_connection_goes_on(echoing: Address) -> None:
    connection = http.client.HTTPConnection(echoing.host, echoing.port, timeout=60)
    headers = {"X-Amz-Target": LIST, "Content-Type": "application/json"}
    connection.request("POST", "/", chunks(2 * app.LIMIT), headers, encode_chunked=True)
    assert read_reply(connection.getresponse()).status == 413
    connection.request("POST", "/", b"{}", headers)
    assert read_reply(connection.getresponse()).status == 200
    connection.close()


def test_a_chunked_body_is_read_whole(echoing: Address) -> None:
    connection = http.client.HTTPConnection(echoing.host, echoing.port, timeout=60)
    pieces = iter([b'{"Table', b'Name": ', b'"t"}'])
    headers = {"X-Amz-Target": LIST, "Content-Type": "application/json"}
    connection.request("POST", "/", pieces, headers, encode_chunked=True)
    assert read_reply(connection.getresponse()).document["Request"] == {"TableName": "t"}
    connection.close()


def test_a_client_that_stops_in_the_middle_of_a_body_is_let_go(
    echoing: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies, "PATIENCE", 0.1)
    with echoing.connect() as client:
        client.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{")
        with client.makefile("rb") as answer:
            assert answer.read().startswith(b"HTTP/1.1 408 ")  # And no more, since it is closed.


def test_a_client_whose_body_only_trickles_is_let_go(
    echoing: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter(range(1_000_000))  # A second goes by whenever somebody looks.
    monkeypatch.setattr(bodies, "monotonic", lambda: next(clock))
    monkeypatch.setattr(bodies, "PATIENCE", 30)
    with echoing.connect() as client:
        client.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n")
        while not select.select([client], [], [], 0.01)[0]:
            client.sendall(b" ")
        assert client.recv(65536).startswith(b"HTTP/1.1 408 ")


def test_readers_are_answered_while_writers_wait_and_too_many_writers_are_refused() -> None:
    begun, free = threading.Event(), threading.Event()

    def waiting(operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        if operation == "PutItem":
            begun.set()
            free.wait(60)
        return {"Operation": operation}

    with (
        serving(Stub(waiting), writers=1, waiting_writers=0) as address,
        ThreadPoolExecutor(1) as pool,
    ):
        try:
            writer = pool.submit(address.post, "DynamoDB_20120810.PutItem")
            assert begun.wait(60)
            assert [address.post(LIST).status for _ in range(20)] == [200] * 20
            execute = "DynamoDB_20120810.ExecuteStatement"
            assert address.post(execute, '{"Statement" : " select * from t"}').status == 200
            assert address.post(execute, '{"Statement":"DELETE FROM t"}').status == 503
            refused = address.post("DynamoDB_20120810.UpdateItem")
            assert (refused.status, refused.code) == (503, "ServiceUnavailable")
            assert int(refused.headers["retry-after"]) > 0
            assert not writer.done()
        finally:
            free.set()
        assert writer.result(60).status == 200
        assert address.post("DynamoDB_20120810.UpdateItem").status == 200


@clause("B16")
def test_an_error_of_the_backend_is_sent_as_dynamodb_sends_it() -> None:
    def missing(operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        raise WireError("ResourceNotFoundException", "Requested resource not found", Reason=[1])

    with serving(Stub(missing)) as address:
        reply = address.post(LIST)
    assert (reply.status, reply.document) == (
        400,
        {
            "__type": "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException",
            "message": "Requested resource not found",
            "Reason": [1],
        },
    )
    assert reply.headers["x-amz-crc32"] == str(zlib.crc32(reply.body))


def test_a_busy_file_is_an_error_that_clients_try_again() -> None:
    def busy(operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        raise StoreBusy("The data file is being written by process 1.", "process 1")

    with serving(Stub(busy)) as address:
        reply = address.post(LIST)
    assert (reply.status, reply.code) == (503, "ServiceUnavailable")
    assert reply.document["message"] == "The data file is being written by process 1."
    assert reply.headers["retry-after"] == "1"


def test_a_damaged_row_is_told_with_its_table_its_index_and_the_way_out(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with Embedded.open(tmp_path / "shop.db") as backend, serving(backend) as address:
        backend.call("CreateTable", with_index())
        item = {"pk": {"S": "1"}, "colour": {"S": "white"}}
        backend.call("PutItem", {"TableName": "rice", "Item": item})
        spoil_row(tmp_path / "shop.db", backend.engine.catalog().table("rice").indexes[0].rows)
        target, scan = "DynamoDB_20120810.Scan", {"TableName": "rice"}
        assert address.post(target, json.dumps(scan)).status == 200
        reply = address.post(target, json.dumps({**scan, "IndexName": "by-colour"}))
    assert (reply.status, reply.code) == (500, "InternalServerError")
    assert "a row of the index by-colour of the table rice" in reply.document["message"]
    assert "hansang check shop.db --repair" in reply.document["message"]
    assert str(tmp_path) not in reply.document["message"]
    assert "DamagedFile" in caplog.text


def spoil_row(path: Path, rows: int) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute(f"UPDATE rows_{rows} SET value = CAST('{{}}' AS BLOB)")
    finally:
        connection.close()


def test_an_unexpected_failure_is_logged_and_tells_the_client_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def broken(operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        raise RuntimeError("the inner works")

    with caplog.at_level(logging.ERROR, logger="hansang.wire"), serving(Stub(broken)) as address:
        reply = address.post(LIST)
    assert (reply.status, reply.code) == (500, "InternalServerError")
    assert reply.document["message"] == "Internal server error"
    assert b"inner works" not in reply.body
    assert "the inner works" in caplog.text


def test_an_answer_that_is_no_json_is_an_unexpected_failure() -> None:
    with serving(Stub(lambda operation, request: {"a": object()})) as address:
        assert address.post(LIST).status == 500
