"""An export is a list: loaded elsewhere it gives the same links, whatever tickers and titles they have."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from typing import Any

import orjson
from hypothesis import example, given, settings
from hypothesis import strategies as some

from hansang.apps.news.decoding import ListText
from hansang.apps.news.design import NewsItem, NewsRow
from hansang.apps.news.inputs import Form, read_links
from hansang.apps.news.reading import whole_item
from hansang.apps.news.rules import Link, Unfit, link_of, pk_of
from hansang.surfaces.http.export_formats import FORMATS, ExportRows

_HOSTILE = some.sampled_from(
    ["=", "'", "''=1", '"', "[", "]", ",", ";", "|", " ", "\t", "\r\n", "-1", "@", "한글", "\ufeff"]
)
_TEXT = some.lists(_HOSTILE | some.text(max_size=4), max_size=6).map("".join)


@some.composite
def _links(draw: some.DrawFn) -> list[Link]:
    """Lines that can be stored."""
    found = []
    for number in range(draw(some.integers(1, 4))):
        line = {
            "title": draw(_TEXT),
            "url": f"{draw(_TEXT)}{number}",
            "tickers": draw(some.lists(_TEXT, max_size=4)),
        }
        try:
            found.append(link_of(line))
        except Unfit:
            continue
    return found


def _row(link: Link) -> NewsRow:
    at = datetime(2026, 11, 15, 9, 30, tzinfo=UTC)
    return NewsRow(
        pk=pk_of(link.url),
        source="s",
        title=link.title,
        url=link.url,
        tickers=list(link.tickers),
        dt_utc=at.date(),
        uploaded_at_utc_ms=int(at.timestamp()) * 1000,
    )


def exported(links: list[Link], form: str) -> bytes:
    items = [whole_item(_row(link)) for link in links]
    columns = tuple(NewsItem.model_fields)

    def records() -> Iterator[dict[str, Any]]:
        return (orjson.loads(each.model_dump_json()) for each in items)

    rows = ExportRows(columns, records, lambda: (each.model_dump_json().encode() for each in items))
    return b"".join(FORMATS[form].write(rows))


@settings(max_examples=150, deadline=None)
@example([Link("=1+1", "'=u", ("BRK B", "A,B", "[X]", "'=Y")), Link("a\r\nb", "u\n", ())])
@given(_links())
def test_what_is_exported_and_loaded_is_the_same(links: list[Link]) -> None:
    """A CSV tore tickers apart at their spaces and brackets, and kept the quotes of a spreadsheet."""
    forms: tuple[Form, ...] = ("csv", "jsonl")
    for form in forms:
        again = [link_of(line) for line in read_links(ListText(BytesIO(exported(links, form))), form)]
        assert again == links, form


def test_a_quote_of_a_strangers_table_stays() -> None:
    table = b"title,url\n'=quoted,'-u\n"
    assert [link_of(each) for each in read_links(ListText(BytesIO(table)))] == [Link("'=quoted", "'-u", ())]


def test_an_export_has_every_field_of_the_document() -> None:
    heading = exported([Link("a", "u", ())], "csv").decode("utf-8-sig").splitlines()[0]
    assert set(heading.split(",")) == set(NewsItem.model_fields)
