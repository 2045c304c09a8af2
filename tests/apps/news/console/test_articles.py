"""The articles of a day, and the page of one article."""

from __future__ import annotations

import csv
import io
import json
from urllib.parse import quote, urlencode

import pytest
from starlette.types import ASGIApp

from hansang.apps.news.console import articles as news_articles
from hansang.apps.news.console.links import article_path
from hansang.apps.news.rules import pk_of
from hansang.parts.sandbox import SandboxLimits
from tests.apps.news.console.newsroom import Newsroom, charts, newsroom
from tests.apps.news.lists import link, links
from tests.clauses import clause
from tests.surfaces.console.browsers import Browser
from tests.surfaces.console.conftest import Visitor

__all__ = ["newsroom"]


def path(**asked: str) -> str:
    return f"/news?{urlencode(asked)}"


# ── the day ───────────────────────────────────────────────────────────────────────────────────────


def test_the_newest_day_with_articles_is_shown_by_itself(newsroom: Newsroom, visitor: Visitor) -> None:
    newsroom.load([link(1, "NVDA")], source="desk")
    newsroom.clock.advance(5 * 86_400)
    page = visitor("viewer", "en").get("/news")
    assert page.status == 200
    assert "2 Oct 2096" in page.shown
    assert "Headline 1" in page.shown
    assert "desk" in page.shown
    assert "/news/tickers/NVDA" in page.links
    assert page.faults == page.doubled_ids == []


def test_an_article_leads_out_of_the_house_in_a_window_of_its_own(
    newsroom: Newsroom, visitor: Visitor
) -> None:
    newsroom.load([link(1)])
    page = visitor("viewer", "en").get("/news")
    [out] = page.all("a", href=link(1)["url"])
    assert (out["target"], out["rel"]) == ("_blank", "noopener noreferrer")
    assert "Open article: Headline 1" in (out["aria-label"] or "")
    [title] = page.all("a", href=article_path(newsroom.stored(1).pk))
    assert title["class"] == "rows-link"


def test_an_address_that_is_no_page_of_the_web_is_text(newsroom: Newsroom, visitor: Visitor) -> None:
    newsroom.load(
        [{"title": "<b>Trap</b>", "url": "javascript:alert(1)"}, {"title": "Nowhere", "url": "//x"}]
    )
    page = visitor("viewer").get("/news")
    assert "<b>Trap</b>" in page.shown
    assert "&lt;b&gt;Trap" in page.text
    assert not [each for each in page.links if each.startswith(("javascript:", "//"))]


@clause("X3-22")
@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("ko", "나중에 수정된 제목이나 추가된 종목은 반영하지 않도록 설계되었습니다"),
        ("en", "By design, later changes of the title and tickers added later are ignored"),
    ],
)
def test_it_is_said_that_later_titles_and_tickers_are_lost(
    newsroom: Newsroom, visitor: Visitor, language: str, words: str
) -> None:
    newsroom.load([link(1, "NVDA")])
    newsroom.load([link(1, "NVDA", "AMD", title="Corrected")])
    page = visitor("viewer", language).get("/news")
    assert words in page.shown
    assert "Corrected" not in page.shown
    one = visitor("viewer", language).get(article_path(newsroom.stored(1).pk))
    assert words in one.shown
    assert "AMD" not in one.shown


@clause("X3-12")
@pytest.mark.parametrize(
    ("zone", "day", "hour", "korean", "english"),
    [
        ("utc", "2096-10-02", 1, "UTC 기준", "UTC"),
        ("est", "2096-10-01", 21, "뉴욕(New York) 시각 기준", "New York time"),
        ("kst", "2096-10-02", 10, "서울 시각 기준", "Seoul time"),
    ],
)
def test_days_and_hours_are_those_of_the_zone(
    newsroom: Newsroom, visitor: Visitor, zone: str, day: str, hour: int, korean: str, english: str
) -> None:
    newsroom.load([link(1), link(2)])
    page = visitor("viewer").get(path(zone=zone))
    assert korean in page.shown
    assert page.all("input", name="day")[0]["value"] == day
    assert f"{hour:02d}:31" in page.shown
    assert charts(page)["hours"]["series"][0]["values"] == [2 * (each == hour) for each in range(24)]
    assert english in visitor("viewer", "en").get(path(zone=zone, day=day)).shown
    chosen = [own for own in page.all("a") if own.get("aria-current") == "true"]
    assert any(f"zone={zone}" in (own["href"] or "") for own in chosen)


def test_the_days_beside_are_one_step_away_and_tomorrow_is_not(newsroom: Newsroom, visitor: Visitor) -> None:
    newsroom.load([link(1)])
    page = visitor("viewer").get(path(zone="utc"))
    assert [own["href"] for own in page.all("a", rel="prev")] == ["?zone=utc&day=2096-10-01"]
    assert page.all("a", rel="next") == []
    before = visitor("viewer").get(path(zone="utc", day="2096-09-30"))
    assert [own["href"] for own in before.all("a", rel="next")] == ["?zone=utc&day=2096-10-01"]


def test_articles_are_filtered_by_ticker_source_and_text(newsroom: Newsroom, visitor: Visitor) -> None:
    newsroom.load([link(1, "NVDA", title="Chips rise"), link(2, "AMD", title="Rain falls")], source="a")
    newsroom.load([link(3, "NVDA", title="Chips fall")], source="b")
    viewer = visitor("viewer", "en")

    def found(**asked: str) -> list[str]:
        shown = viewer.get(path(day="2096-10-02", zone="utc", **asked)).shown
        return [title for title in ("Chips rise", "Rain falls", "Chips fall") if title in shown]

    assert found(ticker="nvda") == ["Chips rise", "Chips fall"]
    assert found(ticker="NVDA", source="b") == found(text="CHIPS F") == ["Chips fall"]
    assert found(source="a", text="rain") == ["Rain falls"]
    assert found(ticker="ZZZZ") == []


@pytest.mark.parametrize(
    ("language", "words"), [("ko", "조건에 맞는 기사가 없습니다"), ("en", "No matching articles")]
)
def test_when_nothing_fits_the_filters_can_be_taken_away(
    newsroom: Newsroom, visitor: Visitor, language: str, words: str
) -> None:
    newsroom.load([link(1)])
    page = visitor("viewer", language).get(path(day="2096-10-02", zone="utc", ticker="ZZZZ"))
    assert words in page.shown
    assert "?day=2096-10-02&zone=utc" in page.links


def test_a_long_day_goes_on_page_by_page(newsroom: Newsroom, visitor: Visitor) -> None:
    newsroom.load(links(65))
    viewer, seen = visitor("viewer", "en"), set[str]()
    page = viewer.get(path(zone="utc"))
    assert "1–30" in page.shown
    while True:
        here = {each for each in page.links if each.startswith("https://news.example/")}
        assert not seen & here
        seen |= here
        following = [
            own["href"] or "" for own in page.all("a", rel="next") if "cursor" in (own["href"] or "")
        ]
        if not following:
            break
        page = viewer.get(f"/news{following[0]}")
    assert len(seen) == 65
    assert "61–65" in page.shown


def test_links_that_differ_in_tracking_alone_stand_together(newsroom: Newsroom, visitor: Visitor) -> None:
    url = link(1)["url"]
    newsroom.load([link(1), {"title": "Again", "url": f"{url}?utm_source=mail"}, link(2)])
    page = visitor("viewer", "en").get("/news")
    assert "1 nearly identical link" in page.shown
    assert sum(url in each for each in page.links) == 1


def test_of_a_day_with_too_many_articles_the_newest_are_counted(
    newsroom: Newsroom, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    newsroom.load(links(5))
    monkeypatch.setattr(news_articles, "MOST_COUNTED", 4)
    page = visitor("viewer", "en").get("/news")
    assert "4+" in page.shown
    assert "the figures cover the newest 4" in page.shown


def test_an_empty_day_leads_to_the_newest_and_an_empty_list_to_loading(
    newsroom: Newsroom, visitor: Visitor
) -> None:
    assert "/news/load" in visitor("editor").get("/news").links
    viewer = visitor("viewer", "en")
    assert "/news/load" not in viewer.get("/news").links
    newsroom.load([link(1)])
    page = viewer.get(path(day="2096-09-30", zone="utc"))
    assert "Go to 2 Oct 2096" in page.shown
    assert "?day=2096-10-02&zone=utc" in page.links


@pytest.mark.parametrize(
    "asked",
    [
        {"day": "yesterday"},
        {"day": "0001-01-01"},
        {"day": "9999-12-31"},
    ],
)
@pytest.mark.parametrize("language", ["ko", "en"])
def test_what_cannot_be_asked_is_refused(
    newsroom: Newsroom, visitor: Visitor, asked: dict[str, str], language: str
) -> None:
    newsroom.load([link(1)])
    page = visitor("viewer", language).get(path(**asked))
    assert page.status == 422
    assert page.faults == []


@pytest.mark.parametrize("cursor", ["zzz", "9.0.x"])
def test_a_cursor_of_something_else_is_refused(newsroom: Newsroom, visitor: Visitor, cursor: str) -> None:
    newsroom.load([link(1)])
    page = visitor("viewer").get(path(cursor=cursor))
    assert page.status == 400
    assert page.faults == []


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("ko", "날짜는 2026-11-15처럼 적으십시오. 확인할 값: day"),
        ("en", "A day looks like 2026-11-15. Check this value: day"),
    ],
)
def test_the_value_that_cannot_be_asked_for_is_named(visitor: Visitor, language: str, said: str) -> None:
    assert said in visitor("viewer", language).get(path(day="2026-02-31")).shown


def test_nobody_reads_without_the_right_to(newsroom: Newsroom, visitor: Visitor) -> None:
    assert visitor("guest").get("/news").status == 403
    assert visitor().get("/news").location == "/sign-in?next=%2Fnews"


def test_the_same_articles_are_had_as_a_file(newsroom: Newsroom, whole: ASGIApp) -> None:
    newsroom.load([link(1, "NVDA"), link(2), link(3, "NVDA", "AMD")])
    viewer = Browser(whole).sign_in("viewer")
    page = viewer.get(path(day="2096-10-02", zone="kst", ticker="NVDA"))
    exports = [each for each in page.links if each.startswith("/api/news/articles?")]
    assert len(exports) == 2
    table, lines = (viewer.client.get(each) for each in exports)
    assert [row["title"] for row in csv.DictReader(io.StringIO(table.content.decode("utf-8-sig")))] == [
        "Headline 3",
        "Headline 1",
    ]
    assert [json.loads(line)["url"] for line in lines.text.splitlines()] == [link(3)["url"], link(1)["url"]]


# ── one article ───────────────────────────────────────────────────────────────────────────────────


def test_an_article_shows_every_field_as_it_was_first_written(newsroom: Newsroom, visitor: Visitor) -> None:
    newsroom.load([link(1, "NVDA", "^GSPC")], source="desk")
    item = newsroom.stored(1)
    page = visitor("viewer").get(article_path(item.pk))
    for value in (
        *(item.pk, "desk", "Headline 1", item.url, "NVDA", "2096-10-02T01:31:00Z"),
        *(str(item.uploaded_at_utc_ms), "2096-10-01T21:31:00-04:00", "2096-10-02T10:31:00+09:00"),
        *("2096-10-01", "EDT", "true", "뉴욕(New York)", "대기"),
    ):
        assert value in page.shown, value
    assert "/news/tickers/%5EGSPC" in page.links
    assert page.faults == page.doubled_ids == []


def test_a_title_without_end_is_whole_on_its_own_page_and_short_elsewhere(
    newsroom: Newsroom, visitor: Visitor
) -> None:
    title = "long " * 100 + "end"
    newsroom.load([link(1, title=title)])
    viewer = visitor("viewer")
    assert title not in viewer.get("/news").shown
    assert "long long" in viewer.get("/news").shown
    assert title in viewer.get(article_path(newsroom.stored(1).pk)).shown


@pytest.mark.parametrize("pk", ["id#0000000000000000", "nothing", "a/b", "id"])
def test_an_article_that_is_not_there_is_missing(visitor: Visitor, pk: str) -> None:
    assert visitor("viewer").get(f"/news/articles/{quote(pk, safe='')}").status == 404


def test_a_text_is_shown_without_its_markup_and_had_whole(newsroom: Newsroom, visitor: Visitor) -> None:
    newsroom.load([link(1)])
    [work] = newsroom.news.queue.take("crawler", 1)
    text = "<html><head><script>alert(1)</script></head><body><p>First.</p><p>Second &amp; last.</p></body></html>"
    newsroom.news.queue.done(work.item_pk, work.claim, text.encode())
    viewer = visitor("viewer", "en")
    page = viewer.get(article_path(work.item_pk))
    assert "First. Second & last." in page.shown
    assert "alert(1)" not in page.text
    assert "Crawled" in page.shown
    file = viewer.client.get(f"{article_path(work.item_pk)}/text")
    assert file.text == "First.\nSecond & last."
    assert (
        file.headers["content-disposition"] == f'attachment; filename="{work.item_pk.replace("#", "-")}.txt"'
    )
    assert viewer.get(f"{article_path(pk_of('https://other.example'))}/text").status == 404


@pytest.mark.parametrize("charset", ["undefined", "idna", "punycode", "rot13", "base64", "none of all"])
def test_an_article_in_an_encoding_that_is_none_is_shown(
    newsroom: Newsroom, visitor: Visitor, charset: str
) -> None:
    newsroom.load([link(1)])
    [work] = newsroom.news.queue.take("crawler", 1)
    newsroom.news.queue.done(
        work.item_pk, work.claim, "<p>본문</p>".encode(), f"text/html; charset={charset}"
    )
    page = visitor("viewer", "en").get(article_path(work.item_pk))
    assert page.status == 200
    assert "본문" in page.shown


def test_a_text_whose_bytes_are_damaged_is_said_to_be_so(newsroom: Newsroom, visitor: Visitor) -> None:
    newsroom.load([link(1)])
    [work] = newsroom.news.queue.take("crawler", 1)
    newsroom.news.queue.done(work.item_pk, work.claim, b"<p>One</p>")
    body, _ = newsroom.news.queue.body(work.item_pk)
    newsroom.shell.database.put(body.model_copy(update={"compressed": b"no zlib"}))
    page = visitor("viewer", "en").get(article_path(work.item_pk))
    assert (page.status, "The stored text is damaged" in page.shown) == (200, True)


def test_an_article_that_is_too_much_is_shown_as_it_came_with_a_notice(
    newsroom: Newsroom, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hansang.apps.news.texts._LIMITS", SandboxLimits(cpu_seconds=0.01, seconds=50))
    newsroom.load([link(1)])
    [work] = newsroom.news.queue.take("crawler", 1)
    newsroom.news.queue.done(work.item_pk, work.claim, b"<b>One</b>" * 200_000)
    page = visitor("viewer", "en").get(article_path(work.item_pk))
    assert "too complex to be cleaned" in page.shown
    assert "its end is not included" in page.shown
    assert "<b>One</b><b>One</b>" in page.shown


def test_an_article_that_failed_can_be_tried_again_by_those_who_may(
    newsroom: Newsroom, visitor: Visitor
) -> None:
    newsroom.load([link(1)])
    [work] = newsroom.news.queue.take("crawler", 1)
    newsroom.news.queue.fail(work.item_pk, work.claim, "answered <404>")
    here = article_path(work.item_pk)
    watching = visitor("viewer").get(here)
    assert "answered <404>" in watching.shown
    retry = f"/news/queue/{quote(work.item_pk, safe='')}/retry"
    assert retry not in watching.actions
    editor = visitor("editor")
    assert retry in editor.get(here).actions
    assert editor.send(retry, next=here).location == here
    assert [each.pk for each in newsroom.news.queue.waiting()] == [work.item_pk]


# ── searching ─────────────────────────────────────────────────────────────────────────────────────


def test_a_search_finds_what_lies_behind_thousands_of_others(newsroom: Newsroom, visitor: Visitor) -> None:
    """It said “1–0” and showed nothing, under a chart of all articles."""
    newsroom.load([link(900, title="Needle in the hay")])
    newsroom.load(links(5200))
    page = visitor("viewer", "en").get("/news?text=needle")
    assert "Needle in the hay" in page.shown
    assert "1–0" not in page.shown
    assert "matching this search" in page.shown
    assert "per day on average" not in page.shown


def test_a_search_goes_over_many_days(newsroom: Newsroom, visitor: Visitor) -> None:
    newsroom.load([link(1, title="Tariff of last week"), link(2)])
    newsroom.clock.advance(6 * 86_400)
    newsroom.load([link(3, title="Tariff of today")])
    viewer = visitor("viewer", "en")
    assert "Tariff of last week" not in viewer.get("/news?text=tariff").shown
    page = viewer.get("/news?text=tariff&days=7")
    assert "Tariff of last week" in page.shown
    assert sum(charts(page)["hours"]["series"][0]["values"]) == 2
    assert "since=2096-10-02&until=2096-10-08" in page.text.replace("&amp;", "&")
    assert page.shown.count("2 Oct 2096 – 8 Oct 2096") == 2, (
        "the tickers and the list say which days they are of"
    )
    assert page.faults == page.doubled_ids == []


@pytest.mark.parametrize(("language", "zone"), [("ko", "Seoul"), ("en", "UTC")])
def test_a_korean_reader_has_the_days_of_seoul(visitor: Visitor, language: str, zone: str) -> None:
    reader = visitor("viewer", language)
    reader.client.cookies.set("hansang_zone", "Europe/Berlin")
    current = [
        own
        for own in reader.get("/news").all("a", **{"aria-current": "true"})
        if "zone=" in (own["href"] or "")
    ]
    assert [own["href"] for own in current if ("kst" if zone == "Seoul" else "utc") in (own["href"] or "")]


def test_a_search_is_saved_and_counts_what_is_new(newsroom: Newsroom, visitor: Visitor) -> None:
    newsroom.load([link(1, "NVDA", title="Tariff one")])
    viewer = visitor("viewer", "en")
    assert "Save this search" in viewer.get("/news?text=tariff").shown
    viewer.send("/news/searches", text="tariff", ticker="", source="", next="/news")
    assert "New matches are counted here" in viewer.follow().shown
    assert "Save this search" not in viewer.get("/news?text=tariff").shown
    assert "Save this search" in viewer.get("/news?text=tariff&ticker=NVDA").shown
    newsroom.load([link(2, title="A tariff again"), link(3)])
    [search] = newsroom.news.searches.new_matches("viewer")
    assert (search.count, search.is_whole) == (1, True)
    assert "1 new" in viewer.get("/news").shown
    newsroom.clock.advance(1)
    answer = viewer.send(f"/news/searches/{search.search.id}/open")
    assert answer.location == "/news?days=30&text=tariff"
    assert "1 new" not in viewer.follow().shown
    assert visitor("editor").get("/news").text.count("chip-open") == 0
    viewer.send(f"/news/searches/{search.search.id}/delete", next="/news")
    assert newsroom.news.searches.new_matches("viewer") == []
