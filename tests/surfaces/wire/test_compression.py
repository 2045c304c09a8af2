"""gzip and deflate in requests and in answers, and the checksum beside it."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable

import pytest

from hansang.surfaces.http import compression
from hansang.surfaces.wire.app import LIMIT
from tests.surfaces.support import Address

LIST = "DynamoDB_20120810.ListTables"


@pytest.mark.parametrize(
    "header",
    [
        "gzip",
        "GZIP",
        "gzip, deflate, br",
        "dog, gzip ,, cat",
        "br;q=1, gzip;q=0.1",
        "*",
        "*;q=0.5, identity",
        "gzip;q=x",
    ],
)
def test_a_header_welcomes_gzip(header: str) -> None:
    assert compression.accepts_gzip(header)


@pytest.mark.parametrize(
    "header",
    [
        "",
        "identity",
        "br",
        "x-gzip",
        "gzip;q=0",
        "gzip; q=0.0",
        "*;q=0",
        "*, gzip;q=0",
        '"gzip"',
        "gzip;q=nan",
    ],
)
def test_a_header_does_not_welcome_gzip(header: str) -> None:
    assert not compression.accepts_gzip(header)


def test_what_was_compressed_comes_back() -> None:
    assert compression.gunzip(compression.gzip(b"rice" * 10_000), 40_000) == b"rice" * 10_000


def test_a_body_may_not_grow_beyond_the_limit() -> None:
    with pytest.raises(compression.OversizedError):
        compression.gunzip(compression.gzip(b"rice" * 10_000), 39_999)


GZIPPED = gzip.compress(b"{}", mtime=0)
CORRUPT = {
    "nothing": b"",
    "plain": b"{}",
    "cut off": GZIPPED[:-1],
    "followed by junk": GZIPPED + b"junk",
    "another format": zlib.compress(b"{}"),
}


@pytest.mark.parametrize("body", CORRUPT.values(), ids=CORRUPT)
def test_a_body_that_is_not_one_gzip_stream_is_corrupt(body: bytes) -> None:
    with pytest.raises(compression.CorruptError):
        compression.gunzip(body, 100)


def test_a_compressed_request_is_read(echoing: Address) -> None:
    body = gzip.compress(json.dumps({"TableName": "t" * 5000}).encode())
    reply = echoing.post(LIST, body, content_encoding="gzip")
    assert reply.document["Request"] == {"TableName": "t" * 5000}


@pytest.mark.parametrize("compressed", [gzip.compress, zlib.compress], ids=["gzip", "deflate"])
def test_both_codings_are_read(echoing: Address, compressed: Callable[[bytes], bytes]) -> None:
    coding = "gzip" if compressed is gzip.compress else "deflate"
    assert echoing.post(LIST, compressed(b'{"a": 1}'), content_encoding=coding).document["Request"] == {
        "a": 1
    }


def test_a_gzip_body_may_have_several_members(echoing: Address) -> None:
    body = gzip.compress(b'{"a": ') + gzip.compress(b"1}")
    assert echoing.post(LIST, body, content_encoding="gzip").document["Request"] == {"a": 1}


def test_members_together_may_not_grow_beyond_the_limit() -> None:
    with pytest.raises(compression.OversizedError):
        compression.gunzip(gzip.compress(b"rice") * 3, 11)


@pytest.mark.parametrize("body", [b"", b"{}", zlib.compress(b"{}")[:-1], zlib.compress(b"{}") + b"junk"])
def test_a_body_that_is_not_deflated_whole_is_corrupt(body: bytes) -> None:
    with pytest.raises(compression.CorruptError):
        compression.inflate(body, 100)


@pytest.mark.parametrize(
    ("header", "coding"),
    [
        ("gzip, deflate", "gzip"),
        ("deflate, gzip", "gzip"),
        ("deflate", "deflate"),
        ("gzip;q=0.5, deflate", "deflate"),
        ("gzip;q=0, *", "deflate"),
        ("identity, gzip;q=0.5", None),
        ("gzip;q=0", None),
        ("", None),
    ],
)
def test_the_coding_that_is_liked_best_is_chosen(header: str, coding: str | None) -> None:
    assert compression.preferred(header) == coding


def test_a_large_answer_is_deflated_for_who_wants_that(echoing: Address) -> None:
    reply = echoing.post(LIST, json.dumps({"a": "x" * 5000}), accept_encoding="deflate")
    assert reply.headers["content-encoding"] == "deflate"
    assert json.loads(zlib.decompress(reply.body))["Request"] == {"a": "x" * 5000}


@pytest.mark.parametrize("encoding", ["gzip", "br", "deflate", "gzip, gzip", "\xff"])
def test_a_request_that_cannot_be_decompressed_is_the_fault_of_the_client(
    echoing: Address, encoding: str
) -> None:
    reply = echoing.post(LIST, b"{}", content_encoding=encoding)
    assert (reply.status, reply.code) == (400, "SerializationException")


def test_a_small_request_that_grows_beyond_the_limit_is_refused(echoing: Address) -> None:
    bomb = gzip.compress(b" " * (LIMIT + 1))
    assert len(bomb) < 20_000
    assert echoing.post(LIST, bomb, content_encoding="gzip").status == 413


def test_a_large_answer_is_compressed_when_gzip_is_welcome(echoing: Address) -> None:
    reply = echoing.post(LIST, json.dumps({"a": "x" * 5000}), accept_encoding="gzip")
    assert reply.headers["content-encoding"] == "gzip"
    assert reply.headers["content-length"] == str(len(reply.body))
    assert len(reply.body) < 1000
    assert json.loads(gzip.decompress(reply.body))["Request"] == {"a": "x" * 5000}


def test_the_checksum_is_that_of_the_bytes_sent(echoing: Address) -> None:
    reply = echoing.post(LIST, json.dumps({"a": "x" * 5000}), accept_encoding="gzip")
    assert reply.headers["x-amz-crc32"] == str(zlib.crc32(reply.body))


def test_a_small_answer_is_never_compressed(echoing: Address) -> None:
    assert "content-encoding" not in echoing.post(LIST, accept_encoding="gzip").headers


def test_a_large_answer_is_not_compressed_unasked(echoing: Address) -> None:
    reply = echoing.post(LIST, json.dumps({"a": "x" * 5000}), accept_encoding="identity")
    assert "content-encoding" not in reply.headers
    assert reply.document["Request"] == {"a": "x" * 5000}
