"""Lists as files: JSON, JSON Lines and CSV, a line at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from io import BytesIO, StringIO, TextIOBase
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from hansang.apps.news.decoding import ListText
from hansang.apps.news.inputs import Form, UnreadableLine, form_of, read_links
from hansang.apps.news.rules import is_unicode
from hansang.errors import InvalidInput
from tests.apps.news.lists import links


def read(text: str, form: Form | None = None) -> list[Any]:
    return list(read_links(StringIO(text), form))


@pytest.mark.parametrize("form", [None, "json"])
@pytest.mark.parametrize("indent", [None, 2])
def test_an_array_of_json_is_a_list(form: Form | None, indent: int | None) -> None:
    assert read(json.dumps(links(3), indent=indent), form) == links(3)


@pytest.mark.parametrize("form", [None, "jsonl"])
def test_lines_of_json_are_a_list(form: Form | None) -> None:
    text = "\n".join(map(json.dumps, links(3)))
    assert read(text, form) == read(f"\ufeff\n{text}\n\n", form) == links(3)


@pytest.mark.parametrize("form", [None, "csv"])
def test_a_table_of_csv_is_a_list(form: Form | None) -> None:
    text = 'title,url,tickers\n"A, b",https://a.example,NVDA;AMD\nC,https://c.example,\n'
    assert read(text, form) == [
        {"title": "A, b", "url": "https://a.example", "tickers": ["NVDA", "AMD"]},
        {"title": "C", "url": "https://c.example", "tickers": []},
    ]


def test_a_csv_without_tickers_has_none() -> None:
    assert read("url,title\nhttps://a.example,A\n") == [
        {"title": "A", "url": "https://a.example", "tickers": []}
    ]


@pytest.mark.parametrize("text", ["[]", " [ ] \n", ""])
def test_an_empty_list_is_one(text: str) -> None:
    assert read(text, "json" if text else "jsonl") == []


@pytest.mark.parametrize("text", ["", " \n", "\ufeff"])
def test_nothing_at_all_is_an_empty_list(text: str) -> None:
    assert read(text) == []


def test_a_line_that_is_nested_too_deep_does_not_stop_the_others() -> None:
    deep, last = read("[" * 100_000 + '\n{"c": 3}', "jsonl")
    assert isinstance(deep, UnreadableLine)
    assert "nested too deeply" in deep.reason.text
    assert last == {"c": 3}


def test_a_row_of_csv_with_too_few_or_too_many_columns_is_a_row() -> None:
    short, long = read("title,url\nx\ny,https://a.example,w,q\n")
    assert (short["url"], long["url"]) == (None, "https://a.example")


def test_a_title_of_csv_may_have_lines() -> None:
    assert read('title,url\r\n"A\r\nb",https://a.example\r\n')[0]["title"] == "A\r\nb"


def test_a_broken_line_does_not_stop_the_others() -> None:
    first, broken, last = read('{"a": 1}\n{"b": \n{"c": 3}')
    assert (first, last) == ({"a": 1}, {"c": 3})
    assert isinstance(broken, UnreadableLine)


@pytest.mark.parametrize(
    ("text", "form", "why"),
    [
        ('[{"a": 1}, {"b"', "json", "cut off"),
        ('[{"a": 1}', "json", "cut off"),
        ('{"a": 1}', "json", "array"),
        ("", "json", "cut off"),
        ('[{"a": 1}, {b}, {"c": 1}]', "json", "property name"),
        ("[" * 100_000, "json", "nested too deeply"),
        ('[{"a": 1}] [{"a": 2}]', "json", "Behind the array"),
        ('[{"a": 1}]' + " " * 100_000 + "x", "json", "Behind the array"),
        ("name,link\na,b\n", "csv", "title,url,tickers"),
        ("title,url\rA,https://a.example\r", "csv", "new-line"),
        ('title,url\n"' + "x\n" * 2_500_000, "csv", "line .*field larger"),
    ],
)
def test_what_is_no_list_is_refused_with_the_reason(text: str, form: Form, why: str) -> None:
    with pytest.raises(InvalidInput, match=why):
        read(text, form)


class Slowly(TextIOBase):
    """A file that gives a few characters at a time, and counts how many it has given."""

    def __init__(self, pieces: Iterator[str]) -> None:
        self.pieces, self.given = pieces, 0

    def read(self, size: int | None = -1) -> str:
        piece = next(self.pieces, "")
        self.given += len(piece)
        return piece


@given(some.data())
def test_where_a_file_is_cut_into_pieces_does_not_matter(data: some.DataObject) -> None:
    text = json.dumps([{"title": "a]},[{", "url": '"\\'}, 5, {"n": [1, {"x": "é한"}]}, 12.5])
    cuts = sorted(data.draw(some.sets(some.integers(1, len(text) - 1), max_size=8)))
    pieces = [text[low:high] for low, high in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert list(read_links(Slowly(iter(pieces)), "json")) == json.loads(text)


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_a_long_list_is_not_read_whole(form: Form) -> None:
    def pieces() -> Iterator[str]:
        yield "[" if form == "json" else ""
        for number in range(1_000_000):
            yield json.dumps({"url": number}) + (",\n" if form == "json" else "\n")

    file = Slowly(iter(filter(None, pieces())))
    found = read_links(file, form)
    assert [next(found)["url"] for _ in range(1000)] == list(range(1000))
    assert file.given < 100_000


@pytest.mark.parametrize(
    ("name", "media", "form"),
    [
        ("a.json", "", "json"),
        ("a.JSONL", "", "jsonl"),
        ("a.ndjson", "", "jsonl"),
        ("a.csv", "", "csv"),
        ("-", "text/csv; charset=utf-8", "csv"),
        ("-", "application/json", "json"),
        ("-", "", None),
    ],
)
def test_the_name_or_the_media_type_tells_the_form(name: str, media: str, form: Form | None) -> None:
    assert form_of(name, media) == form


# ── encodings, other tables, long lines ───────────────────────────────────────────────────────────

_TABLE = "title,url,tickers\n코스피 오르다,https://a.example/1,005930.KS\n"


def bytes_read(given: bytes, form: Form | None = None, size: int = 7) -> list[Any]:
    """What is read of bytes that come a few at a time."""

    class Slow(BytesIO):
        def read(self, _: int | None = -1, /) -> bytes:
            return super().read(size)

    return list(read_links(ListText(Slow(given)), form))


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp949", "euc-kr"]
)
@pytest.mark.parametrize("size", [7, 4096])
def test_the_encodings_of_korean_desks_are_told(encoding: str, size: int) -> None:
    text = _TABLE if size > 100 else "title,url,tickers\n코스피 오르다,https://a.example/1,005930.KS\n"
    given = text.encode(encoding)
    if size < 100 and encoding in ("utf-16-le", "utf-16-be"):
        size = 64  # Without a mark it takes some characters.
    [line] = bytes_read(given, "csv", size)
    assert line == {"title": "코스피 오르다", "url": "https://a.example/1", "tickers": ["005930.KS"]}


def test_bytes_of_no_encoding_spoil_their_own_line_alone() -> None:
    given = b'{"title": "caf\xe9", "url": "u"}\n{"title": "ok", "url": "u2"}\n'
    first, second = bytes_read(given, "jsonl", 4096)
    assert not is_unicode(first["title"])
    assert second["title"] == "ok"


@pytest.mark.parametrize("between", [",", ";", "\t", "|"])
def test_columns_in_any_case_with_anything_between(between: str) -> None:
    heading = between.join([" URL", "Source", "TITLE ", "Tickers"])
    row = between.join(["https://a.example", "x", "A", "NVDA AMD"])
    assert read(f"{heading}\r\n{row}\r\n", "csv") == [
        {"title": "A", "url": "https://a.example", "tickers": ["NVDA", "AMD"]}
    ]


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_a_line_that_is_too_long_is_one_invalid_line(form: Form) -> None:
    lines = {"jsonl": ['{"title": "a", "url": "u"}'] * 2, "csv": ["title,url", "a,u", "a,u"]}[form]
    found = read("\n".join([*lines[:-1], "x" * 5_000_000, lines[-1]]), form)
    assert [isinstance(each, UnreadableLine) for each in found] == [False, True, False]
    assert "longer than 4 MB" in found[1].reason.text
