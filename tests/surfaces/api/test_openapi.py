"""The OpenAPI document: whole, valid, and in both languages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from fastapi import FastAPI

from hansang.apps.catalog import APPLICATIONS, PLATFORM
from hansang.surfaces.api.openapi import operations
from hansang.surfaces.api.rules import Allow, rule_of
from hansang.surfaces.wording import Wording
from tests.surfaces.api.callers import Caller
from tests.surfaces.api.conftest import With
from tests.surfaces.api.test_rules import routes

HANGUL = re.compile("[가-힣]")
AT_WILL = {
    *(f"assets.months.{verb}" for verb in ("enter", "enter_pair", "clear", "clear_pair")),
    *("assets.open", "assets.value", "assets.codes.put"),
    *(f"{each.name}.partiql.run" for each in APPLICATIONS),
}
"""What adds to a sum needs no sight of it, nor does INSERT; whoever has seen one may say so."""
OF_THE_DOCUMENT = re.compile(r"(^|\.)(api|schema|parameter|property|header)\.")


@pytest.fixture(scope="module")
def english(nobody: Caller) -> Any:
    return nobody.get("/api/openapi.json").json()


@pytest.fixture(scope="module")
def in_korean(nobody: Caller) -> Any:
    return nobody.get("/api/openapi.json?lang=ko").json()


def texts(node: Any) -> Iterator[str]:
    if isinstance(node, list):
        for each in node:
            yield from texts(each)
    elif isinstance(node, dict):
        for name, each in node.items():
            if name in ("summary", "description") and isinstance(each, str):
                yield each
            else:
                yield from texts(each)


def references(node: Any) -> Iterator[str]:
    if isinstance(node, list):
        for each in node:
            yield from references(each)
    elif isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for each in node.values():
            yield from references(each)


def test_every_route_but_those_of_the_reference_is_in_it(english: Any, standing_api: FastAPI) -> None:
    written = {each["operationId"] for each in operations(english)}
    assert written == {route.operation_id for route in routes(standing_api) if route.include_in_schema}


def test_every_reference_leads_somewhere(english: Any) -> None:
    known = {f"#/components/schemas/{name}" for name in english["components"]["schemas"]}
    assert set(references(english)) <= known


def test_names_of_schemas_are_short(english: Any) -> None:
    assert not [name for name in english["components"]["schemas"] if "__" in name]


def test_every_operation_says_what_it_needs_and_how_it_may_fail(english: Any, standing_api: FastAPI) -> None:
    by_name = {route.operation_id: rule_of(route) for route in routes(standing_api)}
    for operation in operations(english):
        is_open = not isinstance(by_name[operation["operationId"]], Allow)
        assert (operation["security"] == []) == is_open
        assert is_open or "401" in operation["responses"]
        assert "default" in operation["responses"]


def test_the_parameters_of_a_pattern_come_first_and_are_typed(english: Any) -> None:
    operation = english["paths"]["/api/rankings/patterns/Snapshot.history_between"]["get"]
    names = [each["name"] for each in operation["parameters"]]
    assert names == ["uuid", "since", "until", "limit", "cursor", "format", "lang"]
    assert operation["parameters"][1]["schema"]["format"] == "date"
    assert set(operation["responses"]["200"]["content"]) == {
        "application/json",
        "application/jsonl",
        "text/csv",
    }


def test_an_entity_is_typed_and_shown_by_example(english: Any) -> None:
    body = english["paths"]["/api/codex/entities/Banner"]["post"]["requestBody"]["content"][
        "application/json"
    ]
    assert body["schema"] == {"$ref": "#/components/schemas/Banner"}
    assert body["example"]["img_uri"]
    assert english["components"]["schemas"]["Banner"]["properties"]["created_at"]["format"] == "date-time"


def test_of_several_kinds_each_has_its_schema(english: Any) -> None:
    page = english["components"]["schemas"]["CategoryWithPostsPage"]
    assert page["properties"]["items"]["items"]["discriminator"]["propertyName"] == "kind"


def test_an_operation_names_only_the_problems_that_it_can_have(english: Any) -> None:
    told = {
        each["operationId"]: " ".join(answer["description"] for answer in each["responses"].values())
        for each in operations(english)
    }
    assert "invalid-cursor" in told["codex.Post.latest"]
    assert "invalid-cursor" not in told["codex.Post.create"]
    assert "idempotency-key-used" in told["codex.Post.create"]
    assert "idempotency-key-used" not in told["codex.Post.read"]
    assert not any("sign-in-refused" in each for each in told.values())


def test_where_a_tag_is_needed_the_document_says_so(english: Any) -> None:
    tagged = [
        (operation, each)
        for path in english["paths"].values()
        for operation in path.values()
        for each in operation.get("parameters", ())
        if each["name"] == "If-Match"
    ]
    assert tagged
    assert {each["operationId"] for each, tag in tagged if not tag["required"]} == AT_WILL
    assert all({"412", "428"} <= operation["responses"].keys() for operation, _ in tagged)


def test_bytes_are_said_to_be_base64(english: Any) -> None:
    assert "binary" not in str(english)


def test_every_text_is_in_korean(english: Any, in_korean: Any) -> None:
    assert [each for each in texts(in_korean) if not HANGUL.search(each)] == []
    assert [each for each in texts(english) if HANGUL.search(each)] == []


def test_no_text_of_the_document_is_left_over(english: Any) -> None:
    told = "\n".join(texts(english))
    words = {key: entry.en for key, entry in Wording.load([PLATFORM, *APPLICATIONS]).entries.items()}
    ours = {key: text for key, text in words.items() if OF_THE_DOCUMENT.search(key) and "{" not in text}
    assert {key: text for key, text in ours.items() if text not in told} == {}


# ── types and examples ────────────────────────────────────────────────────────────────────────────

TYPED = {"type", "anyOf", "oneOf", "enum", "const", "$ref"}


def untyped(node: Any, place: str) -> Iterator[str]:
    """Where a schema, or one inside it, says nothing of what a value is."""
    if not TYPED & set(node):
        yield place
    for name in ("anyOf", "oneOf", "prefixItems"):
        for each in node.get(name, ()):
            yield from untyped(each, f"{place} {name}")
    if node.get("type") == "array" and "prefixItems" not in node:
        yield from untyped(node.get("items", {}), f"{place}[]")
    if node.get("type") == "object":
        others = node.get("additionalProperties", "properties" not in node)
        yield from untyped(others, f"{place}.*") if isinstance(others, dict) else [place] if others else []
        for name, each in node.get("properties", {}).items():
            yield from untyped(each, f"{place}.{name}")


def contents(document: Any) -> Iterator[tuple[str, Any]]:
    """Every body and every answer of every operation."""
    for operation in operations(document):
        name = operation["operationId"]
        parts = {"body": operation.get("requestBody", {}), **operation["responses"]}
        for part, each in parts.items():
            for kind, content in each.get("content", {}).items():
                yield f"{name} {part} {kind}", content


def test_no_body_and_no_answer_is_of_any_type(english: Any) -> None:
    """The list of a load and the contents of a post were `[any]`."""
    schemas = english["components"]["schemas"]
    found = [*schemas.items(), *((place, content["schema"]) for place, content in contents(english))]
    assert [fault for name, schema in found for fault in untyped(schema, name)] == []


def test_every_body_has_an_example_that_its_route_accepts(english: Any, standing_with: With) -> None:
    caller, refused = standing_with("*:admin"), []
    for path, methods in english["paths"].items():
        for method, operation in methods.items():
            content = operation.get("requestBody", {}).get("content", {}).get("application/json")
            if content is not None:
                address, tag = with_values(path, operation), {"If-Match": '"none"'}
                answer = caller.send(method.upper(), address, json=content["example"], headers=tag)
                if answer.status_code in (400, 413, 415, 422, 500):
                    refused.append((operation["operationId"], answer.text))
    assert refused == []


def with_values(path: str, operation: Any) -> str:
    """The address of an operation with the values of its examples."""
    given = {
        each["name"]: next(iter(each["schema"].get("examples", ())), "none") for each in parameters(operation)
    }
    asked = {each["name"] for each in parameters(operation) if each["in"] == "query" and each["required"]}
    query = "&".join(f"{name}={quote(str(given[name]), safe='')}" for name in sorted(asked))
    return path.format_map({name: quote(str(value), safe="") for name, value in given.items()}) + f"?{query}"


def parameters(operation: Any) -> Any:
    return operation.get("parameters", ())


def test_no_question_takes_a_parameter_twice(english: Any, nobody: Caller) -> None:
    for path, of_path in english["paths"].items():
        names = [
            each["name"] for each in of_path.get("get", {}).get("parameters", ()) if each["in"] == "query"
        ]
        if names:
            twice = "&".join(f"{names[0]}={value}" for value in ("a", "b"))
            answer = nobody.get(f"{re.sub('{[^}]*}', '1', path)}?{twice}")
            told = [(each["path"], each["code"]) for each in answer.json()["errors"]]
            assert told == [(names[0], "repeated")], path
