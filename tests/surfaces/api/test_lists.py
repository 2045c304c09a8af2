"""Lists: every one has pages, a cursor and files; every create can be repeated, every edit has a condition."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from hansang.design import Page
from hansang.errors import InvalidCursor
from hansang.surfaces.api.lists import each_page, page_of
from tests.surfaces.api.callers import Caller
from tests.surfaces.api.writing_routes import WRITE_NOTHING

Node = dict[str, Any]

WHOLE = {
    "leaderboards.boards.around",
    "leaderboards.boards.board",
    "leaderboards.boards.histogram",
    "leaderboards.boards.scores",
    "leaderboards.friends.board",
    "leaderboards.players.hide_many",
    "leaderboards.players.restore_many",
    "leaderboards.players.search",
    "leaderboards.scores.submit_batch",
    "news.queue.take",
    "rankings.board",
    "rankings.histogram",
    "rankings.official",
    "rankings.players.compare",
    "rankings.players.history",
    "rankings.players.lookup",
    "rankings.range",
    "rankings.search",
    "codex.search",
    "codex.types.types",
}
"""What answers with items and is no list: articles that were taken, and boards, which have pages by number; and what
became of each of those who were named."""
RELATIONS = {"leaderboards.friends.befriend", "leaderboards.friends.unfriend"}
"""What is either there or not, and has no versions."""


@pytest.fixture(scope="module")
def document(nobody: Caller) -> Node:
    found: Node = nobody.get("/api/openapi.json").json()
    return found


def takes(operation: Node) -> set[str]:
    return {each["name"] for each in operation.get("parameters", ())}


def lists(document: Node) -> Iterator[tuple[str, Node]]:
    """The operations that answer with items, by their address."""
    schemas = document["components"]["schemas"]
    for path, methods in document["paths"].items():
        for operation in methods.values():
            content = operation["responses"].get("200", {}).get("content", {}).get("application/json", {})
            name = content.get("schema", {}).get("$ref", "").rpartition("/")[2]
            if "items" in schemas.get(name, {}).get("properties", {}):
                yield path, operation


# ── what the document promises ────────────────────────────────────────────────────────────────────


def test_every_list_has_a_limit_a_cursor_and_files(document: Node) -> None:
    found = {each["operationId"]: each for _, each in lists(document)}
    assert len(found) > 60
    without = {name for name, each in found.items() if not takes(each) >= {"limit", "cursor", "format"}}
    assert without == WHOLE | {"general.problems"}
    for name in found.keys() - without:
        assert {"application/jsonl", "text/csv"} <= set(found[name]["responses"]["200"]["content"]), name


def test_everything_that_writes_can_be_asked_for_twice(document: Node) -> None:
    writing = [
        each
        for methods in document["paths"].values()
        for method, each in methods.items()
        if method in ("post", "put", "patch", "delete")
    ]
    assert len(writing) > 60
    without = {each["operationId"] for each in writing if "Idempotency-Key" not in takes(each)}
    assert without == WRITE_NOTHING & {each["operationId"] for each in writing}


def test_every_edit_takes_the_tag_of_what_was_read(document: Node) -> None:
    edits = [
        each
        for methods in document["paths"].values()
        for method, each in methods.items()
        if method in ("put", "patch", "delete") and each["operationId"] not in RELATIONS
    ]
    assert len(edits) > 20
    assert [each["operationId"] for each in edits if "If-Match" not in takes(each)] == []
    assert all({"412", "428"} <= set(each["responses"]) for each in edits)


def test_every_thing_that_can_be_edited_is_read_with_its_tag(document: Node) -> None:
    for path, methods in document["paths"].items():
        names = {method: each["operationId"] for method, each in methods.items()}
        if {"put", "delete"} & set(methods) and not RELATIONS & {*names.values()}:
            reading = document["paths"][path.removesuffix("/roles")]["get"]
            assert "ETag" in reading["responses"]["200"]["headers"], path


# ── what the lists do ─────────────────────────────────────────────────────────────────────────────

PLAIN = ["people", "keys", "jobs", "usage", "changes"]


@pytest.mark.parametrize("name", PLAIN)
def test_a_list_of_the_platform_comes_as_lines_and_as_a_table(reader: Caller, name: str) -> None:
    path = f"/api/platform/{name}"
    lines = reader.get(path, params={"format": "jsonl"})
    table = reader.get(path, params={"format": "csv"})
    assert lines.headers["content-disposition"].startswith("attachment; ")
    rows = list(csv.DictReader(io.StringIO(table.content.decode("utf-8-sig"))))
    written = [json.loads(line) for line in lines.text.splitlines()]
    assert len(rows) >= len(written)
    assert all(set(each) == set(rows[0]) for each in written)


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize("cursor", ["", "x", "%00", "WzFd", "WyJub3doZXJlIiwiYSJd", "2026-11abc", "한"])
def test_a_cursor_that_was_made_up_is_refused(reader: Caller, name: str, cursor: str) -> None:
    answer = reader.get(f"/api/platform/{name}", params={"cursor": cursor})
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid-cursor")


@pytest.mark.parametrize("name", PLAIN)
def test_a_file_has_no_cursor(reader: Caller, name: str) -> None:
    answer = reader.get(f"/api/platform/{name}", params={"cursor": "x", "format": "csv"})
    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (422, "cursor")


def letters(text: str, name: str = "letters") -> Any:
    return partial(page_of, name, text, lambda each: (each,))


def test_rows_come_in_their_order_page_by_page() -> None:
    page = letters("dacbe")
    first = page(2, None)
    second = page(2, first.cursor)
    assert (first.items, second.items) == (["a", "b"], ["c", "d"])
    assert page(2, second.cursor) == Page(["e"], None, 0)


def test_a_row_that_is_gone_does_not_lose_the_place() -> None:
    cursor = letters("abcd")(2, None).cursor
    assert letters("acde")(5, cursor).items == ["c", "d", "e"]


def test_the_cursor_of_another_list_is_refused() -> None:
    cursor = letters("abcd")(2, None).cursor
    with pytest.raises(InvalidCursor):
        letters("abcd", "others")(2, cursor)


def test_every_page_is_walked() -> None:
    asked: list[str | None] = []

    def page(limit: int, cursor: str | None) -> Page[int]:
        asked.append(cursor)
        return Page([len(asked)], f"to {len(asked) + 1}" if len(asked) < 3 else None, 0)

    assert [each for found in each_page(page) for each in found] == [1, 2, 3]
    assert asked == [None, "to 2", "to 3"]
