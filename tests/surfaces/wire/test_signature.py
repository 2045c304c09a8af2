"""Signatures, against those that botocore makes, and the words that AWS has for the wrong ones."""

from __future__ import annotations

import base64
import gzip
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

import pytest
from botocore.auth import SigV4Auth, SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from hansang.errors import WireError
from hansang.surfaces.wire.messages import WireRequest
from hansang.surfaces.wire.signature import Keys, SignatureVerifier
from tests.surfaces.support import KEYS, Address, Stub, echo, serving

LIST = "DynamoDB_20120810.ListTables"
NOW = 1_767_225_600.0  # 2026-01-01 00:00:00 UTC
STAMP = "20260101T000000Z"


@pytest.fixture(autouse=True)
def botocore_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """botocore signs with the tests' time."""
    monkeypatch.setattr(
        "botocore.auth.get_current_datetime", lambda: datetime.fromtimestamp(NOW, UTC).replace(tzinfo=None)
    )


class BodyQueryAuth(SigV4QueryAuth):
    """A signature in the query for a request with a body, which botocore itself moves to the query."""

    def payload(self, request: AWSRequest) -> str:
        return hashlib.sha256(request.context["body"]).hexdigest()


def signed(
    url: str = "http://localhost:8000/",
    *,
    body: bytes = b"{}",
    keys: Keys = KEYS,
    region: str = "us-east-1",
    service: str = "dynamodb",
    headers: Mapping[str, str] | None = None,
    auth: type[SigV4Auth] = SigV4Auth,
    **options: Any,
) -> WireRequest:
    """A request as botocore signs it."""
    plain = {"X-Amz-Target": LIST, "Content-Type": "application/x-amz-json-1.0", "Host": urlsplit(url).netloc}
    data = None if issubclass(auth, SigV4QueryAuth) else body
    request = AWSRequest("POST", url, data=data, headers=plain | dict(headers or {}))
    request.context["body"] = body
    auth(Credentials(keys.access_key, keys.secret_key), service, region, **options).add_auth(request)
    parts = urlsplit(str(request.url))
    lowered = {name.lower(): value for name, value in request.headers.items()}
    return WireRequest("POST", parts.path, parts.query, lowered, body)


def verify(request: WireRequest, *, now: float = NOW) -> None:
    SignatureVerifier(KEYS, lambda: now).verify(request)


def refusal(request: WireRequest, *, now: float = NOW) -> WireError:
    with pytest.raises(WireError) as caught:
        verify(request, now=now)
    assert caught.value.status == 400
    return caught.value


def with_authorization(text: str | None) -> WireRequest:
    request = signed()
    headers = {name: value for name, value in request.headers.items() if name != "authorization"}
    return replace(request, headers=headers if text is None else headers | {"authorization": text})


def edited(old: str, new: str) -> WireRequest:
    return with_authorization(signed().headers["authorization"].replace(old, new))


ACCEPTED: dict[str, dict[str, Any]] = {
    "a plain request": {},
    "an empty body": {"body": b""},
    "a large body": {"body": b'{"a":"' + b"\xea\xb0\x80" * 500_000 + b'"}'},
    "another region": {"region": "ap-northeast-2"},
    "a path": {"url": "http://localhost:8000/a/b%20c/~d"},
    "a query": {"url": "http://localhost:8000/?b=2&a=1&a=%20x%2F&empty="},
    "another host": {"url": "http://tables.example/"},
    "wide spaces": {"headers": {"X-Amz-Meta": "  a   b  "}},
    "more headers": {"headers": {"X-Amz-User-Agent": "test", "Amz-Sdk-Request": "attempt=1"}},
}


@pytest.mark.parametrize("options", ACCEPTED.values(), ids=ACCEPTED)
def test_what_botocore_signs_is_accepted(options: dict[str, Any]) -> None:
    verify(signed(**options))


@pytest.mark.parametrize("options", ACCEPTED.values(), ids=ACCEPTED)
def test_what_botocore_signs_in_the_query_is_accepted(options: dict[str, Any]) -> None:
    verify(signed(auth=BodyQueryAuth, **options))


def test_the_parts_may_be_parted_by_commas_alone() -> None:
    verify(edited(", ", ","))


@pytest.mark.parametrize("text", [None, "", "AWS4", "Basic YTpi", "Bearer token", "AWS AKID:signature"])
def test_a_request_without_a_signature_misses_its_token(text: str | None) -> None:
    error = refusal(with_authorization(text))
    assert error.code == "MissingAuthenticationTokenException"
    assert error.message == "Request is missing Authentication Token"


def test_an_empty_signature_is_told_all_that_it_lacks() -> None:
    request = with_authorization("AWS4-")
    headers = {name: value for name, value in request.headers.items() if name != "x-amz-date"}
    error = refusal(replace(request, headers=headers))
    hashed = base64.b64encode(hashlib.sha256(b"AWS4-").digest()).decode()
    assert error.code == "IncompleteSignatureException"
    assert error.message == (
        "Authorization header requires 'Credential' parameter. "
        "Authorization header requires 'Signature' parameter. "
        "Authorization header requires 'SignedHeaders' parameter. "
        "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. "
        f"(Hashed with SHA-256 and encoded with Base64) Authorization={hashed}"
    )


def test_a_part_without_a_value_is_incomplete() -> None:
    error = refusal(with_authorization("AWS4-HMAC-SHA256 Credential"))
    assert error.code == "IncompleteSignatureException"
    assert str(error.message).startswith(
        "Invalid key=value pair (missing equal-sign) in Authorization header (hashed"
    )


@pytest.mark.parametrize(
    "date", ["201", "yesterday", "20260101T000000", "20261301T000000Z", "２0260101T000000Z"]
)
def test_a_date_in_another_form_is_incomplete(date: str) -> None:
    request = signed()
    error = refusal(replace(request, headers=dict(request.headers) | {"x-amz-date": date}))
    assert error.code == "IncompleteSignatureException"
    assert error.message == (
        f"Date must be in ISO-8601 'basic format'. Got '{date}'. See http://en.wikipedia.org/wiki/ISO_8601"
    )


def test_a_signature_holds_for_a_quarter_of_an_hour() -> None:
    verify(signed(), now=NOW + 900)
    error = refusal(signed(), now=NOW + 901)
    assert error.code == "InvalidSignatureException"
    assert error.message == (
        f"Signature expired: {STAMP} is now earlier than 20260101T000001Z (20260101T001501Z - 15 min.)"
    )


def test_a_signature_of_the_future_is_not_yet_current() -> None:
    verify(signed(), now=NOW - 900)
    error = refusal(signed(), now=NOW - 901)
    assert error.code == "InvalidSignatureException"
    assert error.message == (
        f"Signature not yet current: {STAMP} is still later than "
        "20251231T235959Z (20251231T234459Z + 15 min.)"
    )


@pytest.mark.parametrize(
    ("name", "spelled"),
    [("host", "'Host' or ':authority'"), ("x-amz-date", "'X-Amz-Date'"), ("x-amz-target", "'X-Amz-Target'")],
)
def test_what_matters_must_be_signed(name: str, spelled: str) -> None:
    authorization = signed().headers["authorization"].replace(f"{name};", "").replace(f";{name}", "")
    error = refusal(with_authorization(authorization))
    assert error.code == "InvalidSignatureException"
    assert error.message == f"{spelled} must be a 'SignedHeader' in the AWS Authorization."


def test_another_algorithm_is_not_supported() -> None:
    error = refusal(edited("AWS4-HMAC-SHA256", "AWS4-HMAC-SHA25"))
    assert error.code == "IncompleteSignatureException"
    assert error.message == "Unsupported AWS 'algorithm': 'AWS4-HMAC-SHA25' (only AWS4-HMAC-SHA256 for now). "


def test_a_credential_of_four_parts_is_incomplete() -> None:
    error = refusal(edited("/us-east-1/", "/"))
    assert error.code == "IncompleteSignatureException"
    assert error.message == (
        "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, "
        "got 'AKIDEXAMPLE/20260101/dynamodb/aws4_request'"
    )


def test_a_credential_of_another_scope_is_told_all_its_faults() -> None:
    error = refusal(edited("20260101/us-east-1/dynamodb/aws4_request", "20250101//s3/aws5"))
    assert error.code == "InvalidSignatureException"
    assert error.message == (
        "Credential should be scoped to a valid region, not ''. "
        "Credential should be scoped to correct service: 'dynamodb'. "
        "Credential should be scoped with a valid terminator: 'aws4_request', not 'aws5'. "
        "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: "
        "'20250101' != '20260101', from '20260101T000000Z'."
    )


def test_another_access_key_is_not_recognized() -> None:
    error = refusal(signed(keys=Keys("AKIDOTHER", KEYS.secret_key)))
    assert error.code == "UnrecognizedClientException"
    assert error.message == "The security token included in the request is invalid."


def test_a_session_token_is_not_recognized() -> None:
    assert refusal(signed(headers={"X-Amz-Security-Token": "t"})).code == "UnrecognizedClientException"


FORGED = {
    "another secret": lambda: signed(keys=Keys(KEYS.access_key, "other")),
    "another body": lambda: replace(signed(), body=b'{"Limit":1}'),
    "another method": lambda: replace(signed(), method="PUT"),
    "another path": lambda: replace(signed(), path="/x"),
    "another query": lambda: replace(signed(), query="a=1"),
    "another target": lambda: replace(
        signed(), headers=dict(signed().headers) | {"x-amz-target": "DynamoDB_20120810.DeleteTable"}
    ),
    "another host": lambda: replace(signed(), headers=dict(signed().headers) | {"host": "evil.example"}),
    "another region": lambda: edited("us-east-1", "eu-west-1"),
    "no hexadecimal": lambda: edited("Signature=", "Signature=é"),
    "another query signature": lambda: replace(
        (one := signed(auth=BodyQueryAuth)),
        query=one.query.replace("X-Amz-Expires=3600", "X-Amz-Expires=7200"),
    ),
}


@pytest.mark.parametrize("forge", FORGED.values(), ids=FORGED)
def test_what_was_not_signed_so_does_not_match(forge: Any) -> None:
    error = refusal(forge())
    assert error.code == "InvalidSignatureException"
    assert error.message == (
        "The request signature we calculated does not match the signature you provided. "
        "Check your AWS Secret Access Key and signing method. Consult the service documentation for details."
    )


def test_a_query_signature_holds_as_long_as_it_says() -> None:
    request = signed(auth=BodyQueryAuth, expires=120)
    verify(request, now=NOW + 120)
    error = refusal(request, now=NOW + 121)
    assert error.message == (
        f"Signature expired: {STAMP} is now earlier than 20260101T000001Z (20260101T000201Z - 2 min.)"
    )


@pytest.mark.parametrize("lifetime", ["604801", "-1", "x", "1e3", "9" * 5000])
def test_a_query_signature_may_not_hold_for_ever(lifetime: str) -> None:
    request = signed(auth=BodyQueryAuth)
    query = request.query.replace("X-Amz-Expires=3600", f"X-Amz-Expires={lifetime}")
    assert refusal(replace(request, query=query)).code == "IncompleteSignatureException"


def test_a_query_signature_is_told_all_that_it_lacks() -> None:
    error = refusal(replace(with_authorization(None), query="X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date="))
    assert error.code == "IncompleteSignatureException"
    assert error.message == (
        "AWS query-string parameters must include 'X-Amz-Credential'. "
        "AWS query-string parameters must include 'X-Amz-Signature'. "
        "AWS query-string parameters must include 'X-Amz-SignedHeaders'. "
        "AWS query-string parameters must include 'X-Amz-Date'. "
        "Re-examine the query-string parameters."
    )


def test_two_signatures_are_one_too_many() -> None:
    error = refusal(replace(signed(), query="X-Amz-Algorithm=AWS4-HMAC-SHA256"))
    assert error.code == "InvalidSignatureException"
    assert error.message == (
        "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header."
    )


@pytest.fixture(scope="module")
def guarded() -> Iterator[Address]:
    """An endpoint with keys, whose time stands still."""
    with serving(Stub(echo), keys=KEYS, clock=lambda: NOW) as address:
        yield address


def sent(address: Address, request: WireRequest) -> int:
    path = f"{request.path}?{request.query}" if request.query else request.path
    return address.request("POST", path, request.body, request.headers).status


@pytest.mark.parametrize("auth", [SigV4Auth, BodyQueryAuth])
def test_a_signed_request_is_served_over_http(guarded: Address, auth: type[SigV4Auth]) -> None:
    assert sent(guarded, signed(guarded.url + "/", auth=auth)) == 200


def test_an_unsigned_request_is_refused_over_http(guarded: Address) -> None:
    reply = guarded.post(LIST)
    assert (reply.status, reply.headers["x-amz-crc32"]) == (400, "2088342776")


def test_a_compressed_body_is_signed_as_it_is_sent(guarded: Address) -> None:
    body = gzip.compress(b"{}")
    assert sent(guarded, signed(guarded.url + "/", body=body, headers={"Content-Encoding": "gzip"})) == 200


def test_health_needs_no_signature(guarded: Address) -> None:
    assert guarded.request("GET").status == 200
