"""What the patterns of the news list cost."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime

import pytest

from hansang.apps.news.design import NewsItem, NewsItems, NewsKey, NewsRow
from hansang.design import Database, attr
from hansang.engine.values import item_size
from hansang.errors import AlreadyExists
from tests.clauses import clause
from tests.storing import examples, item, opened

NOW = datetime(2025, 11, 6, 0, 35, 12, tzinfo=UTC)
INDEX = ("news_items", "dt_utc-uploaded_at_utc_ms-index")


@pytest.fixture
def db() -> Iterator[Database]:
    with opened(NewsItems) as db:
        yield db


def link(number: int = 1) -> NewsItem:
    url = f"https://finance.yahoo.com/news/trump-supreme-court-tariff-defeat-{number:09d}.html"
    title = "A Trump Supreme Court tariff defeat would add to trade uncertainty"
    return NewsItem.uploaded(NOW, url=url, title=title, tickers=["NVDA", "PLTR"])


@clause("X3-14")
def test_the_item_of_the_document_has_426_bytes() -> None:
    assert item_size(item(examples("news")["A"])) == 426


@clause("X3-14", "3-11")
def test_a_new_link_costs_one_unit_and_one_more_for_the_index(db: Database) -> None:
    with db.meter() as cost:
        db.create(link())
    assert (cost.tables["news_items"].write, cost.indexes[INDEX].write, cost.write) == (1.0, 1.0, 2.0)


@clause("X3-14", "3-12")
def test_a_duplicate_costs_one_unit(db: Database) -> None:
    db.create(link())
    with db.meter() as cost, pytest.raises(AlreadyExists):
        db.create(link())
    assert (cost.write, cost.requests) == (1.0, 1)


@clause("3-06")
def test_a_link_costs_half_a_unit_to_find(db: Database) -> None:
    db.create(link())
    with db.meter() as item_:
        db.get(NewsKey.of(link().url))
    with db.meter() as question:
        db.all(NewsItem.with_url(link().url))
    assert (item_.read, question.read) == (0.5, 0.5)


@clause("X3-08")
def test_a_run_of_fifty_links_costs_two_units_to_list(db: Database) -> None:
    for number in range(50):
        db.create(link(number))
    with db.meter() as cost:
        assert len(db.all(NewsRow.uploaded_on(date(2025, 11, 6)))) == 50
    assert (cost.read, cost.requests) == (2.0, 1)


@clause("X3-20")
def test_reserved_names_are_no_obstacle(db: Database) -> None:
    db.create(link())
    question = NewsRow.uploaded_on(date(2025, 11, 6))
    assert len(db.all(question.where(NewsRow.source == "yf_latest", attr(NewsRow.url).exists()))) == 1


@clause("3-08")
def test_tickers_keep_their_order_and_may_be_anything(db: Database) -> None:
    odd = link().model_copy(update={"tickers": ["^GSPC", "BRK-B", "005930.KS"]})
    db.create(odd)
    assert db.get(NewsKey.of(odd.url)) == odd
