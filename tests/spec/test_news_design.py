"""The table of the news list is the one of its document, clause by clause."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime

import pytest

from hansang.apps.news.design import NewsItem, NewsItems, NewsKey, NewsRow
from hansang.apps.news.rules import pk_of
from hansang.design import Database
from hansang.errors import AlreadyExists
from tests.clauses import clause
from tests.storing import (
    Document,
    after_round_trip,
    asked,
    examples,
    item,
    load,
    opened,
    projected,
    shape,
    stored,
)

EXAMPLES = examples("news")
KINDS = {
    "pk": "S",
    "source": "S",
    "title": "S",
    "url": "S",
    "tickers": "L",
    "uploaded_at_utc_iso": "S",
    "uploaded_at_utc_ms": "N",
    "uploaded_at_est_iso": "S",
    "uploaded_at_kst_iso": "S",
    "dt_utc": "S",
    "dt_est": "S",
    "dt_kst": "S",
    "tz_est_abbr": "S",
    "tz_est_is_dst": "BOOL",
}


@pytest.fixture
def db() -> Iterator[Database]:
    with opened(NewsItems) as db:
        yield db


def uploaded(document: Document) -> NewsItem:
    return NewsItem.uploaded(
        datetime.fromisoformat(document["uploaded_at_utc_iso"]),
        url=document["url"],
        title=document["title"],
        tickers=document["tickers"],
    )


# ── the table and its items ───────────────────────────────────────────────────────────────────────


@clause("3-05")
def test_the_table_has_a_partition_key_of_text_and_no_sort_key() -> None:
    definition = NewsItems.definition()
    assert definition["TableName"] == "news_items"
    assert definition["KeySchema"] == [{"AttributeName": "pk", "KeyType": "HASH"}]
    assert NewsItems.kind_of("pk") == "S"


@clause("3-08", "3-09", "X3-13")
def test_an_item_has_the_fields_of_the_document_and_no_other() -> None:
    assert {slot.attribute: slot.codec.kind for slot in shape(NewsItem).slots.values()} == KINDS
    assert shape(NewsItem).attributes == KINDS.keys()
    assert "url_norm" not in shape(NewsItem).attributes


@clause("3-13", "3-08", "X3-01", "X3-02")
@pytest.mark.parametrize("name", ["A", "B"])
def test_an_item_of_the_document_comes_back_as_it_was(name: str) -> None:
    assert after_round_trip(NewsItem, EXAMPLES[name]) == item(EXAMPLES[name])


@clause("3-13", "3-06", "3-10", "X3-01", "X3-02")
@pytest.mark.parametrize("name", ["A", "B"])
def test_an_upload_makes_the_item_of_the_document(name: str) -> None:
    assert shape(NewsItem).encode(uploaded(EXAMPLES[name])) == item(EXAMPLES[name])


@clause("X3-01")
@pytest.mark.parametrize("name", ["A", "B"])
def test_milliseconds_and_text_are_the_same_moment(name: str) -> None:
    moment = datetime.fromisoformat(EXAMPLES[name]["uploaded_at_utc_iso"])
    assert EXAMPLES[name]["uploaded_at_utc_ms"] == moment.timestamp() * 1000


@clause("3-14")
def test_no_tickers_are_an_empty_list(db: Database) -> None:
    db.create(uploaded(EXAMPLES["A"]))
    assert stored(db, NewsItems)[0]["tickers"] == {"L": []}


@clause("3-04", "3-07")
def test_one_differing_character_makes_another_item(db: Database) -> None:
    for url in (EXAMPLES["A"]["url"], EXAMPLES["A"]["url"] + "?src=latest", EXAMPLES["A"]["url"] + "#"):
        db.create(uploaded(EXAMPLES["A"] | {"url": url}))
    assert len(stored(db, NewsItems)) == 3


# ── writes and access patterns ────────────────────────────────────────────────────────────────────


@clause("3-11", "3-12", "X3-22")
def test_a_duplicate_changes_nothing(db: Database) -> None:
    db.create(uploaded(EXAMPLES["A"]))
    later = EXAMPLES["A"] | {"title": "x", "tickers": ["NVDA"], "uploaded_at_utc_iso": "2025-11-07T00:00:00Z"}
    with pytest.raises(AlreadyExists):
        db.create(uploaded(later))
    assert stored(db, NewsItems) == [item(EXAMPLES["A"])]


@clause("X3-06")
def test_a_refused_link_comes_with_the_one_that_is_stored(db: Database) -> None:
    load(db, NewsItems, EXAMPLES["A"] | {"url": "https://example.com/of-the-same-hash"})
    with pytest.raises(AlreadyExists) as caught:
        db.create(uploaded(EXAMPLES["A"]))
    assert caught.value.item.url == "https://example.com/of-the-same-hash"


@clause("3-06")
def test_a_link_is_found_by_its_text(db: Database) -> None:
    load(db, NewsItems, *EXAMPLES.values())
    url = EXAMPLES["B"]["url"]
    assert db.all(NewsItem.with_url(url)) == [db.get(NewsKey.of(url))] == [uploaded(EXAMPLES["B"])]
    assert asked(NewsItem.with_url(url)) == f"pk = {pk_of(url)}"


@clause("X3-08")
def test_the_index_is_by_day_and_moment_over_what_items_have_anyway() -> None:
    [index] = NewsItems.indexes
    assert (index.name, index.keys) == ("dt_utc-uploaded_at_utc_ms-index", ("dt_utc", "uploaded_at_utc_ms"))
    assert projected(index) == ["url", "title", "tickers", "source"]
    assert {*index.keys, *projected(index)} <= KINDS.keys()


@clause("X3-08")
def test_the_links_of_a_day_come_in_the_order_of_their_runs(db: Database) -> None:
    moments = ("2025-11-06T10:00:00Z", "2025-11-06T00:35:12Z", "2025-11-07T00:00:00Z")
    for number, moment in enumerate(moments):
        db.create(
            uploaded(EXAMPLES["B"] | {"url": f"https://example.com/{number}", "uploaded_at_utc_iso": moment})
        )
    day = date(2025, 11, 6)
    rows = db.all(NewsRow.uploaded_on(day))
    assert [row.url for row in rows] == ["https://example.com/1", "https://example.com/0"]
    assert (rows[0].tickers, rows[0].pk) == (["NVDA", "PLTR"], pk_of("https://example.com/1"))
    ends = rows[0].uploaded_at_utc_ms, rows[1].uploaded_at_utc_ms
    assert db.all(NewsRow.uploaded_between(day, *ends)) == rows
    assert db.all(NewsRow.uploaded_between(day, ends[0] + 1, ends[1])) == rows[1:]
