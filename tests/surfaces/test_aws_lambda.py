"""The API under AWS Lambda: events as API Gateway sends them, on the embedded engine."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from mangum.types import LambdaContext

from hansang import wiring
from hansang.errors import SettingsError
from hansang.settings import ServerSettings
from hansang.surfaces import aws_lambda
from hansang.surfaces.aws_lambda import Gateway, handler
from tests.surfaces.shells import new_key

Event = dict[str, Any]
CONTEXT = cast(LambdaContext, object())


def event(
    method: str, path: str, query: str = "", body: object = None, key: str | None = None, **more: str
) -> Event:
    """A request in the form 2.0 of an HTTP API, as AWS documents it."""
    headers = {"host": "a1b2c3.execute-api.ap-northeast-2.amazonaws.com", "x-forwarded-proto": "https"}
    headers |= {name.replace("_", "-"): value for name, value in more.items()}
    if key is not None:
        headers["authorization"] = f"Bearer {key}"
    found: Event = {
        "version": "2.0",
        "routeKey": "ANY /api/{proxy+}",
        "rawPath": path,
        "rawQueryString": query,
        "headers": headers,
        "requestContext": {
            "accountId": "123456789012",
            "apiId": "a1b2c3",
            "domainName": headers["host"],
            "http": {
                "method": method,
                "path": path,
                "protocol": "HTTP/1.1",
                "sourceIp": "203.0.113.9",
                "userAgent": "curl/8",
            },
            "requestId": "JKJaXmPLvHcESHA=",
            "routeKey": "ANY /api/{proxy+}",
            "stage": "$default",
            "time": "15/Nov/2026:09:30:00 +0000",
            "timeEpoch": 1794994200000,
        },
        "isBase64Encoded": False,
    }
    if body is not None:
        headers["content-type"] = "application/json"
        found |= {"body": json.dumps(body, ensure_ascii=False)}
    return found


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lambda") / "a.db"


@pytest.fixture(scope="module")
def key(place: Path) -> str:
    """A key that was made elsewhere."""
    with wiring.open_shell(ServerSettings(data=str(place), jobs=False)) as shell:
        return new_key(shell, "codex:write", "platform:read")


def test_two_sets_of_tables_are_kept_apart_by_their_suffix(tmp_path: Path) -> None:
    settings = ServerSettings(data=str(tmp_path / "a.db"), jobs=False, apps=("codex",), table_suffix="-dev")
    with wiring.open_shell(settings) as shell:
        made = new_key(shell, "codex:write")
        tables = shell.database.backend.call("ListTables", {})["TableNames"]
        assert tables == ["FMWebAppTable-dev", "HansangPlatform-dev"]
    with closing(Gateway(settings)) as gateway:
        assert gateway(event("GET", "/health/ready"), CONTEXT)["statusCode"] == 200
        assert gateway(event("GET", "/api/codex", key=made), CONTEXT)["statusCode"] == 200
    with closing(Gateway(replace(settings, table_suffix=None))) as gateway:
        assert gateway(event("GET", "/api/codex", key=made), CONTEXT)["statusCode"] == 401


@pytest.fixture(scope="module")
def gateway(place: Path) -> Iterator[Gateway]:
    with closing(Gateway(ServerSettings(data=str(place), jobs=False, apps=("codex",)))) as opened:
        yield opened


def answered(gateway: Gateway, sent: Event) -> tuple[int, dict[str, str], Any]:
    """The status, the headers and the JSON of an answer."""
    answer = gateway(sent, CONTEXT)
    body = base64.b64decode(answer["body"]) if answer["isBase64Encoded"] else answer["body"]
    return answer["statusCode"], answer["headers"], json.loads(body) if body else None


MOMENT = "2026-11-15T09:30:00Z"
CATEGORY = {"id": "c900", "title": "소식", "desc": "새 소식", "created_at": MOMENT, "updated_at": MOMENT}


def test_a_request_without_a_key_is_told_so(gateway: Gateway) -> None:
    status, headers, problem = answered(gateway, event("GET", "/api/codex"))
    assert status == 401
    assert headers["content-type"].startswith("application/problem+json")
    assert headers["www-authenticate"].startswith("Bearer")
    assert problem["request_id"] == headers["x-request-id"]


def test_only_the_applications_that_are_named_are_served(gateway: Gateway, key: str) -> None:
    assert answered(gateway, event("GET", "/api/codex", key=key))[0] == 200
    assert answered(gateway, event("GET", "/api/news", key=key))[0] == 404


def test_a_pattern_is_asked_with_its_query(gateway: Gateway, key: str) -> None:
    asked = event("GET", "/api/codex/patterns/Post.latest", "limit=5", key=key)
    status, _, found = answered(gateway, asked)
    assert (status, found["items"]) == (200, [])


def test_an_item_is_written_and_read_again(gateway: Gateway, key: str) -> None:
    status, headers, _ = answered(
        gateway, event("POST", "/api/codex/entities/Category", body=CATEGORY, key=key)
    )
    assert status == 201
    path, _, query = headers["location"].partition("?")
    status, again, found = answered(gateway, event("GET", path, query, key=key))
    assert (status, again["etag"]) == (200, headers["etag"])
    assert found["title"] == "소식"


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_file_comes_as_text(gateway: Gateway, key: str, form: str) -> None:
    asked = event("GET", "/api/codex/patterns/Category.latest", f"format={form}", key=key)
    answer = gateway(asked, CONTEXT)
    assert (answer["statusCode"], answer["isBase64Encoded"]) == (200, False)
    assert answer["headers"]["content-disposition"].endswith(f'.{form}"')


def test_an_edit_needs_the_tag_and_a_create_its_key(gateway: Gateway, key: str) -> None:
    path, new = "/api/codex/entities/Category", CATEGORY | {"id": "c901"}
    sent = event("POST", path, body=new, key=key, idempotency_key="once")
    first, again = answered(gateway, sent), answered(gateway, sent)
    assert (first[0], again[0], again[1]["idempotency-replayed"]) == (201, 201, "true")
    assert answered(gateway, event("DELETE", path, "id=c901", key=key))[0] == 428
    seen = event("DELETE", path, "id=c901", key=key, if_match=first[1]["etag"])
    assert answered(gateway, seen)[0] == 204


def test_a_large_answer_is_packed_for_who_asks_for_it(gateway: Gateway, key: str) -> None:
    answer = gateway(event("GET", "/api/codex", key=key, accept_encoding="gzip"), CONTEXT)
    assert (answer["isBase64Encoded"], answer["headers"]["content-encoding"]) == (True, "gzip")
    assert json.loads(gzip.decompress(base64.b64decode(answer["body"])))["name"] == "codex"


def test_the_function_is_alive_and_ready(gateway: Gateway) -> None:
    assert answered(gateway, event("GET", "/health/live"))[0] == 200
    assert answered(gateway, event("GET", "/health/ready"))[0] == 200


def test_every_answer_has_the_headers_of_the_server(gateway: Gateway) -> None:
    _, headers, _ = answered(gateway, event("GET", "/api/codex"))
    assert headers["x-content-type-options"] == "nosniff"


def test_the_handler_opens_the_api_once_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANSANG_DATA", ":memory:")
    aws_lambda._gateway.cache_clear()
    try:
        first = handler(event("GET", "/health/live"), CONTEXT)
        opened = aws_lambda._gateway()
        assert first["statusCode"] == 200
        assert handler(event("GET", "/api/codex"), CONTEXT)["statusCode"] == 401
        assert aws_lambda._gateway() is opened
        opened.close()
    finally:
        aws_lambda._gateway.cache_clear()


def test_a_data_file_is_no_place_for_a_function(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANSANG_DATA", "shop.db")
    aws_lambda._gateway.cache_clear()
    with pytest.raises(SettingsError, match="Set HANSANG_DATA to aws:REGION"):
        handler(event("GET", "/health/live"), CONTEXT)
