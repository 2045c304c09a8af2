"""The reference for people: every operation, both languages, nothing from elsewhere."""

from __future__ import annotations

import re
from gzip import compress

import pytest
from fastapi import FastAPI

from hansang.apps.catalog import APPLICATIONS
from hansang.surfaces.api.openapi import operations
from hansang.surfaces.api.problems import kinds
from hansang.surfaces.api.reference import Reference, curl, python, type_of
from tests.surfaces.api.callers import Caller

SECTIONS = [*(each.name for each in APPLICATIONS), "platform", "general"]
LARGEST_PAGE = 60 * 1024
PAGES = ["/api/docs", *(f"/api/docs/{name}" for name in SECTIONS)]


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_in_the_language_that_is_asked_for(nobody: Caller, path: str, language: str) -> None:
    page = nobody.get(f"{path}?lang={language}")
    assert (page.status_code, page.headers["content-language"]) == (200, language)
    assert f'<html lang="{language}"' in page.text
    assert "API 문서" in page.text if language == "ko" else "API reference" in page.text


@pytest.mark.parametrize("path", PAGES)
def test_a_page_runs_under_a_strict_policy(nobody: Caller, path: str) -> None:
    text = nobody.get(path).text
    assert not re.search(r"\sstyle=|<style|\son\w+=", text)
    assert not re.search(r"<script(?![^>]*\ssrc=)", text)
    loaded = re.findall(r'(?:src|href)="([^"]+)"', text)
    assert all(each.startswith(("/", "#", "?")) for each in loaded)


@pytest.mark.parametrize("path", [*PAGES, "/api/problems"])
def test_a_page_is_light_over_the_wire(nobody: Caller, path: str) -> None:
    page = nobody.get(path, headers={"Accept": "text/html"})
    loaded = set(re.findall(r'"(/api/docs/files/[^"]+)"', page.text))
    assert len(loaded) == 3
    size_bytes = sum(
        len(compress(each)) for each in (page.content, *(nobody.get(each).content for each in loaded))
    )
    assert 1000 < size_bytes < LARGEST_PAGE


def test_every_operation_is_in_a_section(nobody: Caller) -> None:
    document = nobody.get("/api/openapi.json").json()
    shown = {each.id for name in SECTIONS for each in Reference(document, "").section(name)}
    assert shown == {each["operationId"] for each in operations(document)}


def test_the_files_of_a_page_are_there_and_stay(nobody: Caller) -> None:
    text = nobody.get("/api/docs").text
    files = set(re.findall(r'"(/api/docs/files/[^"]+)"', text))
    assert {each.partition("?")[0].rpartition("/")[2] for each in files} == {
        "docs.css",
        "docs.js",
        "icon.svg",
    }
    for each in files:
        assert "immutable" in nobody.get(each).headers["cache-control"]


def test_a_page_or_file_that_is_not_there_is_not_found(nobody: Caller) -> None:
    assert nobody.get("/api/docs/nothing").status_code == 404
    assert nobody.get("/api/docs/files/nothing.css").status_code == 404


def test_a_chosen_language_stays_for_the_next_page(nobody: Caller) -> None:
    assert "hansang_lang=ko" in nobody.get("/api/docs?lang=ko").headers["set-cookie"]
    assert "set-cookie" not in nobody.get("/api/docs").headers


def test_the_theme_is_the_one_of_the_console(standing_api: FastAPI) -> None:
    dark = Caller(standing_api, headers={"Cookie": "hansang_theme=dark"})
    assert 'data-theme="dark"' in dark.get("/api/docs").text
    odd = Caller(standing_api, headers={"Cookie": 'hansang_theme="><script>'})
    assert 'data-theme="system"' in odd.get("/api/docs").text


@pytest.mark.parametrize("code", list(kinds()))
def test_every_problem_has_a_page_and_a_document(nobody: Caller, code: str) -> None:
    page = nobody.get(f"/api/problems/{code}", headers={"Accept": "text/html"})
    assert kinds()[code].title.en in page.text.replace("&#39;", "'")
    assert nobody.get(f"/api/problems/{code}").json()["status"] == kinds()[code].status


def test_an_operation_has_its_fields_examples_and_errors(nobody: Caller) -> None:
    text = nobody.get("/api/docs/news").text
    load = text[text.index('id="news.loads.load"') :].partition('<details class="card operation"')[0]
    assert "[any]" not in text
    assert "Chips rally" in load
    assert "requests.post(" in load
    assert 'href="/api/problems/not-json"' in load
    assert 'data-name="zone" data-in="query" data-choices="utc est kst"' in text


def test_a_search_finds_operations_of_every_section(nobody: Caller) -> None:
    text = nobody.get("/api/docs?q=get+LATEST").text
    assert "/api/docs/codex#codex.Post.latest" in text
    assert "/api/docs/news#" not in text
    assert "No results" in nobody.get("/api/docs?q=nothing-like-this").text
    assert "&lt;b&gt;" in nobody.get("/api/docs?q=<b>").text


def test_a_program_in_python_can_be_run() -> None:
    node = {
        "security": [{"key": []}],
        "responses": {"200": {}},
        "requestBody": {"content": {"application/json": {"example": {"is_active": True, "sort_no": None}}}},
    }
    written = python("http://here", "/api/x", "POST", node)
    compile(written, "example", "exec")
    assert "json={'is_active': True, 'sort_no': None}" in written


def test_all_problems_are_on_one_page(nobody: Caller) -> None:
    page = nobody.get("/api/problems?lang=ko", headers={"Accept": "text/html"})
    assert all(code in page.text for code in kinds())
    assert len(nobody.get("/api/problems").json()["items"]) == len(kinds())


# ── types and examples in words ───────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("schema", "written"),
    [
        ({"type": "integer", "minimum": 0}, "integer ≥0"),
        ({"type": "string", "format": "date"}, "date"),
        ({"enum": ["ko", "en"], "type": "string"}, "ko | en"),
        ({"type": "array", "items": {"$ref": "#/components/schemas/Play"}, "maxItems": 20}, "[Play] ≤20"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "string | null"),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, "{name: integer}"),
        ({}, "any"),
    ],
)
def test_a_type_reads_like_words(schema: dict[str, object], written: str) -> None:
    assert type_of(schema) == written


def test_an_example_can_be_pasted_into_a_shell() -> None:
    node = {
        "security": [{"key": []}],
        "parameters": [
            {"name": "id", "in": "path", "schema": {"examples": ["a b"]}},
            {"name": "month", "in": "query", "schema": {"examples": ["2026.11"]}},
            {"name": "If-Match", "in": "header", "schema": {}},
        ],
        "requestBody": {"content": {"application/json": {"example": {"title": "it's"}}}},
    }
    written = curl("http://here", "/api/x/{id}", "PUT", node)
    assert "curl -X PUT 'http://here/api/x/a%20b?month=2026.11'" in written
    assert "-H 'If-Match: \"…\"'" in written
    assert "it'\\''s" in written
