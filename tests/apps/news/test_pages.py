"""List pages and feeds as links, and the alarms when a page has changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from hansang.apps.news import pages
from hansang.apps.news.pages import MOST_TAGS, Adapter, read_page
from hansang.errors import InvalidInput
from tests.apps.news.sites import RSS, page
from tests.clauses import clause

ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title>Feed</title>
<entry><title>One</title><link rel="self" href="https://a.example/x"/><link href="https://a.example/1"/>
<category scheme="urn:ticker" term="AMD"/></entry></feed>"""


def test_a_list_page_has_headlines_and_the_quotes_beside_them() -> None:
    found = read_page(page(6).encode(), address="https://finance.example/latest/")
    assert (found.adapter, len(found.links), found.alarms) == ("yahoo", 6, [])
    assert found.links[1] == {
        "title": "Headline 1 & more",
        "url": "https://finance.example/news/story-000000001.html",
        "tickers": ["NVDA", "^GSPC"],
    }


def test_a_feed_of_rss_is_read() -> None:
    found = read_page(RSS.encode())
    assert found.adapter == "rss"
    assert found.links == [
        {"title": "One & two", "url": "https://a.example/1", "tickers": ["NVDA"]},
        {"title": "Three <b>", "url": "https://a.example/2", "tickers": []},
    ]


def test_a_feed_of_atom_is_read() -> None:
    found = read_page(ATOM.encode())
    assert found.adapter == "atom"
    assert found.links == [{"title": "One", "url": "https://a.example/1", "tickers": ["AMD"]}]


@pytest.mark.parametrize(
    ("content", "alarm"),
    [
        ("<html><body><div>Please sign in</div></body></html>", "no links"),
        (page(3), "only 3 links"),
        (page(6).replace('href="/news', 'title="/news'), "no links"),
        (page(6).replace("Headline <b>", "<b hidden>").replace("</b>\n &amp; more", "</b>"), None),
        (page(4) + "".join(f"<li><a href='/n/{n}'><h3> </h3></a></li>" for n in range(4)), "no title"),
    ],
)
def test_a_page_that_has_changed_raises_an_alarm(content: str, alarm: str | None) -> None:
    found = read_page(content.encode(), adapter="yahoo", address="https://finance.example/")
    alarms = " ".join(each.text for each in found.alarms)
    assert alarms == "" if alarm is None else alarm in alarms


@pytest.mark.parametrize(("adapter", "content"), [("rss", ATOM), ("atom", RSS), ("rss", "<rss/>")])
def test_a_feed_of_another_form_raises_an_alarm(adapter: Adapter, content: str) -> None:
    assert "no links" in read_page(content.encode(), adapter=adapter).alarms[0].text


@pytest.mark.parametrize(("adapter", "start"), [("yahoo", "<html>"), ("rss", "<rss>"), ("atom", "<feed>")])
def test_what_has_too_many_tags_is_refused_before_it_is_parsed(
    adapter: Adapter, start: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = (start + "<a>" * (MOST_TAGS - 1)).encode()
    assert read_page(content, adapter=adapter).links == []
    monkeypatch.delattr(pages, "etree")
    with pytest.raises(InvalidInput, match="more than 100,000 tags") as caught:
        read_page(content + b"<a>", adapter=adapter)
    assert caught.value.code == "news.many-tags"


def test_what_is_no_page_is_refused() -> None:
    with pytest.raises(InvalidInput, match="--adapter"):
        read_page(b'{"a": 1}')


@pytest.mark.parametrize("content", [b"", b"\0\1", b"no XML"])
def test_what_is_no_feed_is_refused(content: bytes) -> None:
    with pytest.raises(InvalidInput, match="not valid XML"):
        read_page(content, adapter="rss")


def test_an_empty_page_raises_an_alarm() -> None:
    assert "no links" in read_page(b"", adapter="yahoo").alarms[0].text


@clause("3-01")
def test_a_feed_may_be_short() -> None:
    assert read_page(RSS.encode()).alarms == []


@clause("X3-18")
@pytest.mark.parametrize("href", ["/news/1.html", "javascript:void(0)", "mailto:a@b.example", "news/1.html"])
def test_a_link_that_is_not_whole_is_left_out_and_shouted_about(href: str) -> None:
    whole = '<li><a href="https://a.example/1"><h3>Whole</h3></a></li>'
    content = f'<html>{whole}<li><a href="{href}"><h3>Not whole</h3></a></li></html>'
    found = read_page(content.encode())
    assert [each["title"] for each in found.links] == ["Whole"]
    assert "1 of 2 links have no complete url" in found.alarms[0].text


@pytest.mark.parametrize(("declared", "encoding"), [("", "utf-8"), ("<meta charset=euc-kr>", "euc-kr")])
def test_a_page_in_korean_is_read_whether_it_says_its_encoding_or_not(declared: str, encoding: str) -> None:
    content = f"<html>{declared}<li><a href='https://a.example/1'><h3>한국 뉴스</h3></a></li></html>"
    assert read_page(content.encode(encoding)).links[0]["title"] == "한국 뉴스"


def test_lists_in_lists_are_read_once() -> None:
    inner = "".join(f"<li><a href='https://a.example/{n}'><h3>{n}</h3></a></li>" for n in range(5))
    found = read_page(f"<html><section><ul><li><ul>{inner}</ul></li></ul></section></html>".encode())
    assert [each["title"] for each in found.links] == ["0", "1", "2", "3", "4"]


def test_entities_of_a_feed_are_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret text")
    feed = f'<!DOCTYPE rss [<!ENTITY x SYSTEM "file://{secret}">]>' + RSS.replace("One &amp; two", "&x;")
    assert "secret text" not in str(read_page(feed.encode(), adapter="rss").links)


def test_the_first_link_on_or_around_a_heading_is_the_headline() -> None:
    inside = '<li><a href="https://a.example/x">x</a><h2><a href="https://a.example/1">One</a></h2></li>'
    around = '<article><a href="https://a.example/2"><div><h3>Two</h3></div></a><h3><a href="/3">3</a></h3></article>'
    nested = '<section><h2>All</h2><ul><li><a href="/quote/AMD">q</a><b>no</b></li></ul><h3><a href="https://a.example/4">Four</a></h3></section>'
    found = read_page(f"<html>{inside}{around}{nested}</html>".encode())
    assert [each["url"][-1] for each in found.links] == ["1", "2", "4"]
    assert [each["tickers"] for each in found.links] == [[], [], ["AMD"]]


def test_a_tag_of_many_attributes_keeps_its_address() -> None:
    many = " ".join(f"data-{number}='{number} > 0'" for number in range(5_000))
    content = f"<html><li {many}><a {many} href='https://a.example/1' {many}><h3 {many}>One</h3 {many}></a></li></html>"
    assert read_page(content.encode()).links == [
        {"title": "One", "url": "https://a.example/1", "tickers": []}
    ]
