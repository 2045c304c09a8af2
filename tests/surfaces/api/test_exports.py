"""Files: everything that a question answers, as JSON Lines and as CSV."""

from __future__ import annotations

import csv
import http.client
import io
import json
import tracemalloc
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from fastapi import FastAPI

from hansang.apps.codex.design import Category, CategoryKey, Post
from hansang.apps.platform.accounts import accounts_of
from hansang.apps.platform.person import PersonKey
from hansang.parts.words import Words
from hansang.surfaces.api.exports import chosen, chunks
from hansang.surfaces.http.export_formats import FORMATS, ExportFormat, ExportRows, cell, write_csv
from hansang.surfaces.http.frame import framed
from hansang.surfaces.server.http_server import HttpServer
from hansang.surfaces.shell import Shell
from hansang.surfaces.wire.server import listen
from tests.spoiling import spoil
from tests.surfaces.api.callers import Caller
from tests.surfaces.shells import new_key
from tests.surfaces.support import running

MOMENT = datetime(2026, 11, 1, 9, tzinfo=UTC)
LATEST = "/api/codex/patterns/Category.latest"


def category(number: int, title: str = "제목") -> Category:
    return Category(id=f"c{number:04}", title=title, desc="", created_at=MOMENT, updated_at=MOMENT)


@pytest.fixture
def filled(shell: Shell) -> None:
    """More than a page of anything."""
    shell.database.batch_write(category(number) for number in range(1500))


@pytest.mark.usefixtures("filled")
def test_json_lines_have_every_page(owner: Caller) -> None:
    answer = owner.get(LATEST, params={"format": "jsonl"})
    assert answer.headers["content-type"] == "application/jsonl"
    lines = [json.loads(line) for line in answer.text.splitlines()]
    assert len({line["id"] for line in lines}) == 1500
    assert lines[0]["created_at"] == "2026-11-01T09:00:00Z"


@pytest.mark.usefixtures("filled")
def test_csv_opens_in_a_spreadsheet(owner: Caller) -> None:
    answer = owner.get(LATEST, params={"format": "csv"})
    assert answer.headers["content-disposition"] == 'attachment; filename="codex-Category.latest.csv"'
    assert answer.content.startswith(b"\xef\xbb\xbf")
    rows = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))
    assert len(rows) == 1500
    assert rows[0]["title"] == "제목"


@pytest.mark.usefixtures("filled")
def test_a_limit_that_is_given_is_kept(owner: Caller) -> None:
    assert len(owner.get(LATEST, params={"format": "jsonl", "limit": 30}).text.splitlines()) == 30


@pytest.mark.usefixtures("filled")
def test_the_header_accept_chooses_too(owner: Caller) -> None:
    assert owner.get(LATEST, headers={"Accept": "text/csv"}).headers["content-type"].startswith("text/csv")


def test_a_file_has_no_cursor(owner: Caller) -> None:
    answer = owner.get(LATEST, params={"format": "csv", "cursor": "x"})
    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (422, "cursor")


@pytest.mark.parametrize("served", [("rankings",)])
def test_what_is_wrong_is_told_before_the_file_begins(owner: Caller) -> None:
    asked = {"format": "csv", "day": "2026-11-01", "low": "9", "high": "1"}
    assert owner.get("/api/rankings/patterns/LevelRow.between", params=asked).status_code == 422


def test_nothing_is_a_heading_alone(owner: Caller) -> None:
    answer = owner.get(LATEST, params={"format": "csv"})
    assert answer.content.decode("utf-8-sig") == "id,title,desc,created_at,updated_at\r\n"


def test_several_kinds_share_a_table(owner: Caller, shell: Shell) -> None:
    shell.database.create(category(1))
    shell.database.create(
        Post(
            category_id="c0001",
            id="p1",
            author_id="u1",
            title="글",
            contents={"n": Decimal("1.5")},
            created_at=MOMENT,
            updated_at=MOMENT,
        )
    )
    asked = {"format": "csv", "category_id": "c0001"}
    answer = owner.get("/api/codex/patterns/Category.with_posts", params=asked)
    rows = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))
    assert [(row["kind"], row["contents"]) for row in rows] == [("Category", ""), ("Post", '{"n":1.5}')]


def test_a_large_file_takes_little_memory() -> None:
    def many() -> Iterator[Category]:
        return (category(number % 10_000, "가" * 500) for number in range(20_000))

    tracemalloc.start()
    rows = ExportRows(("id", "title"), lambda: (dict(each) for each in many()), list)
    size = sum(map(len, chunks(write_csv(rows))))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size > 20_000_000
    assert peak < 2_000_000


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (None, ""),
        ("가", "가"),
        ("=1+1", "'=1+1"),
        ("@name", "'@name"),
        (-5, "-5"),
        (Decimal("0.10"), "0.10"),
        (True, "true"),
        ([1, "a"], '[1,"a"]'),
        ({"a": Decimal("2.50")}, '{"a":2.50}'),
    ],
)
def test_a_cell_shows_a_value_and_is_never_a_formula(value: object, written: str) -> None:
    assert cell(value) == written


@pytest.mark.parametrize(
    ("accept", "form"),
    [
        ("", "json"),
        ("*/*", "json"),
        ("text/html, text/csv;q=0.5", "csv"),
        ("application/x-ndjson", "jsonl"),
        ("application/jsonl, text/csv", "jsonl"),
    ],
)
def test_the_form_is_what_accept_names_first(accept: str, form: str) -> None:
    assert chosen(None, accept) == form
    assert chosen("json", accept) == "json"


# ── what cannot be read ───────────────────────────────────────────────────────────────────────────

BROKEN = {"S": "2026-01-01T00:00:00.123Z"}


def test_json_lines_have_a_line_of_its_own_for_an_item_that_cannot_be_read(
    owner: Caller, shell: Shell
) -> None:
    shell.database.batch_write(category(number) for number in range(3))
    item = spoil(shell.database, CategoryKey(id="c0001"), CreatedAt=BROKEN)
    lines = [json.loads(line) for line in owner.get(LATEST, params={"format": "jsonl"}).text.splitlines()]
    assert sorted(line["id"] for line in lines if "unreadable" not in line) == ["c0000", "c0002"]
    [bad] = [line for line in lines if "unreadable" in line]
    assert "CreatedAt" in bad["unreadable"]
    assert (bad["table"], bad["kind"], bad["item"]) == ("FMWebAppTable", "Category", item)


def test_a_limit_counts_what_is_before_it(owner: Caller, shell: Shell) -> None:
    shell.database.batch_write(category(number) for number in range(3))
    spoil(shell.database, CategoryKey(id="c0000"), CreatedAt={"S": "1999"})
    answer = owner.get(LATEST, params={"format": "csv", "limit": 2})
    assert (answer.status_code, len(answer.text.splitlines())) == (200, 3)


def test_csv_is_refused_before_it_begins_when_the_first_page_has_a_bad_item(
    owner: Caller, shell: Shell, caplog: pytest.LogCaptureFixture
) -> None:
    shell.database.batch_write(category(number) for number in range(3))
    spoil(shell.database, CategoryKey(id="c0001"), CreatedAt=BROKEN)
    answer = owner.get(LATEST, params={"format": "csv"})
    assert (answer.status_code, answer.json()["code"]) == (500, "unexpected-item")
    assert "PK=CATEGORY#c0001" in answer.json()["detail"]
    assert "format=jsonl" in answer.json()["detail"]
    assert "PK=CATEGORY#c0001" in caplog.text


def test_csv_is_cut_off_when_a_bad_item_comes_later_and_the_log_names_it(
    api: FastAPI, shell: Shell, caplog: pytest.LogCaptureFixture
) -> None:
    shell.database.batch_write(category(number, "가" * 1000) for number in range(1000))
    spoil(shell.database, CategoryKey(id="c0999"), CreatedAt={"S": "1999"})
    key = new_key(shell, "codex:read")
    headers = {"Authorization": f"Bearer {key}"}
    with (
        framed(api, shell) as app,
        running(HttpServer(app, grace=1), listen("127.0.0.1", 0, loopback_only=True)) as address,
        pytest.raises(http.client.IncompleteRead) as cut,
    ):
        address.request("GET", f"{LATEST}?format=csv", headers=headers)
    assert cut.value.partial.startswith(b"\xef\xbb\xbfid,title")
    assert "PK=CATEGORY#c0999" in caplog.text


def test_of_the_platform_nothing_but_the_key_is_told(owner: Caller, shell: Shell) -> None:
    accounts_of(shell.identity).people.create("minjun", "강민준", {"news": "viewer"})
    spoil(shell.database, PersonKey(name="minjun"), shown_name={"N": "7"})
    [bad] = [
        json.loads(line)
        for line in owner.get("/api/platform/people", params={"format": "jsonl"}).text.splitlines()
    ]
    assert bad == {
        "unreadable": "The item PK=PEOPLE, SK=PERSON#minjun cannot be read as a Person.",
        "table": "HansangPlatform",
        "kind": "Person",
        "key": {"PK": {"S": "PEOPLE"}, "SK": {"S": "PERSON#minjun"}},
    }


# ── a format of one's own ─────────────────────────────────────────────────────────────────────────


def _tabs(rows: ExportRows) -> Iterator[bytes]:
    yield "\t".join(rows.columns).encode() + b"\n"
    for each in rows.records():
        yield "\t".join(str(each.get(name)) for name in rows.columns).encode() + b"\n"


@pytest.fixture
def tabs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A format that nothing but its entry knows."""
    found = ExportFormat("tsv", Words("탭", "Tabs"), "text/tab-separated-values", _tabs)
    monkeypatch.setitem(FORMATS, "tsv", found)


@pytest.mark.usefixtures("tabs")
@pytest.mark.parametrize("path", [LATEST, "/api/platform/keys"])
@pytest.mark.parametrize("by", ["address", "header"])
def test_a_format_that_is_entered_can_be_had(owner: Caller, shell: Shell, path: str, by: str) -> None:
    shell.database.create(category(1))
    asked = (
        {"params": {"format": "tsv"}}
        if by == "address"
        else {"headers": {"Accept": "text/tab-separated-values"}}
    )
    answer = owner.get(path, **asked)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/tab-separated-values")
    assert answer.headers["content-disposition"].endswith('.tsv"')
    heading, first, *_ = answer.text.splitlines()
    assert heading.split("\t")[0] == "id"
    assert len(first.split("\t")) == len(heading.split("\t"))


@pytest.mark.usefixtures("tabs")
def test_a_format_that_is_entered_is_in_the_reference(owner: Caller) -> None:
    operation = owner.get("/api/openapi.json").json()["paths"]["/api/platform/keys"]["get"]
    assert "text/tab-separated-values" in operation["responses"]["200"]["content"]
    [given] = [each for each in operation["parameters"] if each["name"] == "format"]
    assert given["schema"]["enum"] == ["json", "jsonl", "csv", "tsv"]


def test_a_format_that_is_not_there_is_refused_with_those_that_are(owner: Caller) -> None:
    answer = owner.get(LATEST, params={"format": "tsv"})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["message"] == "It has to be one of 'json', 'jsonl' or 'csv'."
