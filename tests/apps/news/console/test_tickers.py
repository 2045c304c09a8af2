"""The tickers that articles name, and one of them over time."""

from __future__ import annotations

import pytest

from hansang.apps.news.console.links import ticker_path
from tests.apps.news.console.newsroom import Newsroom, charts, newsroom
from tests.apps.news.lists import link
from tests.clauses import clause
from tests.surfaces.console.conftest import Visitor

__all__ = ["newsroom"]

TICKERS = "/news/tickers"


@pytest.fixture
def named(newsroom: Newsroom) -> Newsroom:
    """Three articles today, and one ten days before."""
    newsroom.clock.advance(-10 * 86_400)
    newsroom.load([link(1, "NVDA", "AMD")])
    newsroom.clock.advance(10 * 86_400)
    newsroom.load([link(2, "NVDA", "AMD", "^GSPC"), link(3, "NVDA"), link(4)])
    return newsroom


def test_tickers_are_ranked_and_pairs_counted(named: Newsroom, visitor: Visitor) -> None:
    page = visitor("viewer", "en").get(TICKERS)
    most = [(each["name"], each["value"]) for each in charts(page)["most"]["items"]]
    assert most == [("NVDA", 3), ("AMD", 2), ("^GSPC", 1)]
    assert "Most mentioned NVDA in 3 articles" in page.shown
    assert "AMD NVDA 2" in page.shown
    assert page.faults == page.doubled_ids == []


def test_articles_of_more_than_a_month_ago_are_not_counted(named: Newsroom, visitor: Visitor) -> None:
    named.clock.advance(25 * 86_400)
    most = charts(visitor("viewer").get(TICKERS))["most"]["items"]
    assert [(each["name"], each["value"]) for each in most] == [("NVDA", 2), ("AMD", 1), ("^GSPC", 1)]


@clause("X3-19")
@pytest.mark.parametrize(
    ("asked", "path"),
    [("nvda", "/news/tickers/NVDA"), (" ^gspc ", "/news/tickers/%5EGSPC"), ("a/b", "/news/tickers/A%2FB")],
)
def test_a_search_leads_to_the_ticker(named: Newsroom, visitor: Visitor, asked: str, path: str) -> None:
    viewer = visitor("viewer")
    viewer.client.params = {"q": asked}
    assert viewer.get(TICKERS).location == path
    viewer.client.params = {}
    assert viewer.follow().status == 200


@pytest.mark.parametrize(
    ("language", "words"),
    [("ko", "최근 30일 동안 언급된 종목이 없습니다"), ("en", "No ticker was mentioned in the last 30 days")],
)
def test_without_tickers_that_is_said(
    newsroom: Newsroom, visitor: Visitor, language: str, words: str
) -> None:
    newsroom.load([link(1)])
    assert words in visitor("viewer", language).get(TICKERS).shown


# ── one ticker ────────────────────────────────────────────────────────────────────────────────────


def test_a_ticker_is_shown_day_by_day_with_those_beside_it(named: Newsroom, visitor: Visitor) -> None:
    page = visitor("viewer").get(f"{ticker_path('NVDA')}?zone=utc")
    drawn = charts(page)
    days = {each["day"]: each["value"] for each in drawn["calendar"]["days"] if each["value"]}
    assert days == {"2096-09-22": 1, "2096-10-02": 2}
    assert len(drawn["calendar"]["days"]) > 25 * 7
    together = [(each["name"], each["value"]) for each in drawn["together"]["items"]]
    assert together == [("AMD", 2), ("^GSPC", 1)]
    assert sum(drawn["course"]["series"][0]["values"]) == 3
    assert [link(each)["url"] in page.links for each in (1, 2, 3, 4)] == [True, True, True, False]
    assert page.faults == page.doubled_ids == []


@clause("X3-12")
def test_its_days_are_those_of_the_zone(named: Newsroom, visitor: Visitor) -> None:
    page = visitor("viewer").get(f"{ticker_path('NVDA')}?zone=est")
    days = {each["day"]: each["value"] for each in charts(page)["calendar"]["days"] if each["value"]}
    assert days == {"2096-09-21": 1, "2096-10-01": 2}
    assert "뉴욕(New York) 시각 기준" in page.shown
    assert "/news?day=2096-10-01&zone=est&ticker=NVDA" in page.links


@pytest.mark.parametrize(("asked", "count"), [("30", 30), ("90", 90), ("7", 30), ("x", 30)])
def test_mentions_over_time_have_a_span_to_choose(
    named: Newsroom, visitor: Visitor, asked: str, count: int
) -> None:
    page = visitor("viewer").get(f"{ticker_path('NVDA')}?days={asked}")
    assert len(charts(page)["course"]["labels"]) == count


def test_a_ticker_that_is_named_alone_once(named: Newsroom, visitor: Visitor) -> None:
    named.load([link(9, "ONEX")])
    page = visitor("viewer", "en").get(ticker_path("onex"))
    assert "It was never mentioned with another ticker" in page.shown
    assert "together" not in charts(page)


@pytest.mark.parametrize(
    ("language", "words"), [("ko", "ZZZZ 기사가 없습니다"), ("en", "No article mentions ZZZZ")]
)
def test_a_ticker_that_nobody_names(named: Newsroom, visitor: Visitor, language: str, words: str) -> None:
    page = visitor("viewer", language).get(ticker_path("ZZZZ"))
    assert page.status == 200
    assert words in page.shown
    assert charts(page) == {}
    assert TICKERS in page.links


@pytest.mark.parametrize("ticker", ["BRK/B", "005930.KS", "<B>", "A B", "가나다"])
def test_a_ticker_may_have_any_characters(newsroom: Newsroom, visitor: Visitor, ticker: str) -> None:
    newsroom.load([link(1, ticker)])
    viewer = visitor("viewer")
    path = ticker_path(ticker)
    assert path in viewer.get("/news").links
    page = viewer.get(path)
    assert ticker in page.shown
    assert link(1)["url"] in page.links
    assert page.faults == []
