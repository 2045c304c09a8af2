"""Addresses, methods and bodies: what HTTP itself asks of the API."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal

import pytest
from fastapi import FastAPI
from starlette.responses import Response

from hansang.surfaces.api.endpoints import route
from hansang.surfaces.api.exports import attached
from hansang.surfaces.api.routes import Routes, exact_json
from hansang.surfaces.api.rules import Public
from hansang.surfaces.naming import Naming
from hansang.surfaces.shell import Shell
from tests.surfaces.api.callers import Caller

CATEGORY = "/api/codex/entities/Category"
JSON = {"Content-Type": "application/json"}


def test_an_unknown_address_is_a_problem(nobody: Caller) -> None:
    answer = nobody.get("/api/nowhere")
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["type"] == "/api/problems/not-found"


def test_an_address_with_a_slash_behind_it_is_another_one(reader: Caller) -> None:
    assert reader.get("/api/news/").status_code == 404


def test_a_wrong_method_is_told_all_that_work(reader: Caller) -> None:
    answer = reader.send("PATCH", CATEGORY)
    assert answer.status_code == 405
    assert answer.headers["allow"] == "DELETE, GET, HEAD, POST, PUT"


def test_a_head_is_answered_as_a_get(reader: Caller) -> None:
    assert reader.send("HEAD", "/api/platform/me").status_code == 200


def test_a_head_reads_no_more_of_a_file_than_its_beginning(shell: Shell) -> None:
    read: list[int] = []

    def many() -> Iterator[bytes]:
        for number in range(100):
            read.append(number)
            yield b"x" * 64 * 1024

    def file() -> Response:
        """A long file."""
        return attached(many(), "jsonl", "long", Naming(shell, None))

    app = FastAPI(openapi_url=None)
    answering = route("GET", "/api/x", file, name="x.file", tag="x", rule=Public())
    app.router.routes.append(Routes([answering]))
    answer = Caller(app).send("HEAD", "/api/x")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/jsonl")
    assert read == [0]


def test_a_parameter_of_the_path_arrives(reader: Caller) -> None:
    assert reader.get("/api/problems/busy").json()["code"] == "busy"


def test_texts_are_korean_unless_asked_otherwise(standing_api: FastAPI) -> None:
    caller = Caller(standing_api, headers={"Accept-Language": ""})
    assert caller.get("/api/nowhere").json()["title"] == "찾을 수 없습니다"
    answer = caller.get("/api/nowhere?lang=en")
    assert (answer.json()["title"], answer.headers["content-language"]) == ("Not found", "en")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b'{"a": NaN}',
        b'{"a": "\\ud800"}',
        b'"\xff"',
        b"[" * 900 + b"]" * 900,
        b"[" * 100_000,
        b"1" * 5000,
    ],
    ids=["nothing", "half", "NaN", "half a character", "no UTF-8", "deep", "deeper", "too long a number"],
)
def test_a_body_that_is_no_json_is_refused(reader: Caller, body: bytes) -> None:
    answer = reader.send("POST", CATEGORY, content=body, headers=JSON)
    assert answer.status_code in (400, 422)
    assert answer.json()["code"] in ("invalid-json", "invalid-request")


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_a_body_of_another_type_is_refused(reader: Caller, kind: str) -> None:
    answer = reader.send("POST", CATEGORY, content=b"{}", headers={"Content-Type": kind})
    assert answer.status_code == 415
    assert answer.json()["code"] == "not-json"


def test_numbers_keep_every_digit() -> None:
    read = exact_json(b'{"a": 0.1000000000000000000001, "b": 123456789012345678901234567890}')
    assert read == {"a": Decimal("0.1000000000000000000001"), "b": 123456789012345678901234567890}


@pytest.mark.parametrize("number", ["1e-3000000", "1.5E+999999", "1e131"])
def test_a_number_that_no_table_can_hold_is_refused(number: str) -> None:
    with pytest.raises(json.JSONDecodeError):
        exact_json(f'{{"limit":{number}}}'.encode())


def test_a_long_body_keeps_its_numbers() -> None:
    values = exact_json(b'{"numbers":[' + b"1.10," * 100_000 + b"1.10]}")["numbers"]
    assert set(values) == {Decimal("1.10")}


def test_what_is_no_json_says_so() -> None:
    with pytest.raises(json.JSONDecodeError):
        exact_json(b"[" * 990 + b"]" * 990)


def test_what_nobody_expected_is_told_without_its_insides(caplog: pytest.LogCaptureFixture) -> None:
    def broken() -> Response:
        """Fail in a way that nobody has thought of."""
        raise ZeroDivisionError("the secret of the house")

    app = FastAPI(openapi_url=None)
    answering = route("GET", "/api/x", broken, name="x.broken", tag="x", rule=Public())
    app.router.routes.append(Routes([answering]))
    answer = Caller(app).get("/api/x")
    assert (answer.status_code, answer.json()["code"]) == (500, "internal")
    assert "secret" not in answer.text
    assert "the secret of the house" in caplog.text


def test_a_name_that_an_address_has_twice_is_refused(reader: Caller) -> None:
    answer = reader.get("/api/codex/patterns/Category.latest?limit=5&limit=7")
    assert answer.status_code == 422
    [refused] = answer.json()["errors"]
    assert (refused["place"], refused["path"], refused["code"]) == ("query", "limit", "repeated")
    assert refused["message"] == "It is in the address more than once. Give it once."


def test_the_same_value_twice_is_refused_as_well(reader: Caller) -> None:
    assert reader.get("/api/codex/patterns/Category.latest?limit=5").status_code == 200
    assert reader.get("/api/codex/patterns/Category.latest?limit=5&limit=5").status_code == 422


def test_where_nothing_of_the_address_is_read_nothing_is_refused(reader: Caller) -> None:
    assert reader.get("/api/platform/me?a=1&a=2").status_code == 200
