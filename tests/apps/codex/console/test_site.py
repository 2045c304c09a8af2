"""The public site: what visitors, search engines and readers of feeds are shown, and what they are not."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from urllib.parse import quote
from xml.etree import ElementTree

import pytest
from starlette.applications import Starlette

from hansang.apps.codex.console.site_pages import shortened
from hansang.apps.codex.design import PostLocator
from hansang.apps.codex.entities import ANY_TAG
from hansang.apps.codex.settings import CodexSettings
from hansang.errors import SettingsError
from hansang.surfaces.console.app import create_console
from hansang.surfaces.console.rendering import Rendering
from hansang.surfaces.http.frame import framed
from tests.apps.codex.console.newsroom import BY, CDN, SETTINGS, Newsroom, whole
from tests.apps.codex.site import post
from tests.surfaces.console.browsers import Browser, Page


@pytest.fixture(scope="module")
def visitor(newsroom: Newsroom) -> Browser:
    newsroom.publish("Opening day", "We **open** on Monday.", slug="opening")
    newsroom.publish("Read me first", "House rules.", isPinned=True)
    return newsroom.guest()


def meta(page: Page, name: str) -> str:
    [found] = [own for own in page.all("meta") if name in (own.get("name"), own.get("property"))]
    return found["content"] or ""


def test_the_home_page_has_banners_the_latest_posts_and_notices(newsroom: Newsroom, visitor: Browser) -> None:
    newsroom.publish("Fresh", slug="fresh")
    page = whole(visitor.get("/site"))
    assert "2025 신규 프로젝트" in page.shown
    assert page.all("img", src=f"{CDN}/banner/bn001.png")
    assert "Fresh" in page.shown
    assert "/site/posts/fresh" in page.links
    assert page.shown.count("Read me first") >= 2


def test_a_page_has_a_policy_of_its_own(visitor: Browser) -> None:
    policy = visitor.get("/site").response.headers["content-security-policy"]
    assert f"img-src 'self' {CDN};" in policy
    assert "script-src 'none'" in policy
    assert "script-src 'self'" in visitor.get("/sign-in").response.headers["content-security-policy"]


def test_a_page_has_a_tag_and_is_not_sent_twice(newsroom: Newsroom, visitor: Browser) -> None:
    first = newsroom.guest().get("/site/posts/opening").response
    assert first.headers["cache-control"] == "public, max-age=60"
    again = newsroom.guest().client.get(
        "/site/posts/opening", headers={"If-None-Match": first.headers["etag"]}
    )
    assert (again.status_code, again.content) == (304, b"")


def test_a_post_tells_search_engines_and_messengers_what_it_is(visitor: Browser) -> None:
    page = whole(visitor.get("/site/posts/opening"))
    [canonical] = page.all("link", rel="canonical")
    assert canonical["href"] == "http://testserver/site/posts/opening"
    assert meta(page, "og:type") == "article"
    assert meta(page, "og:title") == "Opening day"
    assert meta(page, "og:url") == "http://testserver/site/posts/opening"
    assert meta(page, "description") == meta(page, "og:description") == "We open on Monday."
    assert meta(page, "naver-site-verification") == "naver-proof"
    assert "<strong>open</strong>" in page.text


def test_contents_in_json_are_shown_as_names_and_values(newsroom: Newsroom, visitor: Browser) -> None:
    newsroom.publish("Hours", {"wait_minutes": 4, "days": ["Mon", "<b>Tue</b>"]}, slug="hours")
    page = whole(visitor.get("/site/posts/hours"))
    assert "wait minutes 4" in page.shown
    assert "<b>Tue</b>" not in page.text


def test_a_former_address_leads_on_and_what_was_taken_down_is_gone(
    newsroom: Newsroom, visitor: Browser
) -> None:
    post_id = newsroom.publish("Moving", slug="before")
    post, tag = newsroom.codex.posts.get(post_id)
    given = {**newsroom.codex.posts.type.document(post), "slug": "after"}
    newsroom.codex.posts.replace(post_id, given, tag, BY)
    moved = visitor.get("/site/posts/before")
    assert (moved.status, moved.location) == (308, "/site/posts/after")
    assert visitor.get(f"/site/posts/{post_id}").location == "/site/posts/after"
    newsroom.codex.drafts.take_down(post_id, ANY_TAG, BY)
    gone = visitor.get("/site/posts/after")
    assert (gone.status, "410" in gone.shown) == (410, True)


def test_what_has_expired_is_not_shown(newsroom: Newsroom, visitor: Browser) -> None:
    newsroom.publish("Last week", slug="last-week", expiresAt=int(newsroom.clock()) - 60)
    assert visitor.get("/site/posts/last-week").status == 410
    assert "Last week" not in visitor.get("/site/posts").shown
    assert "last-week" not in visitor.get("/site/sitemap.xml").text


def test_a_category_has_the_pinned_first_and_then_the_years(visitor: Browser) -> None:
    page = whole(visitor.get("/site/categories/c001"))
    assert page.shown.index("Pinned") < page.shown.index("Read me first") < page.shown.index("Opening day")
    assert visitor.get("/site/categories/c999").status == 404


def test_a_long_category_goes_on_to_the_next_page(newsroom: Newsroom, visitor: Browser) -> None:
    for number in range(21):
        newsroom.publish(f"Line {number:02d}", categoryId="c002")
    first = visitor.get("/site/categories/c002")
    [more] = [each for each in first.links if "page=2" in each]
    second = visitor.get(f"/site/categories/c002{more}")
    assert ("Line 00" in first.shown, "Line 00" in second.shown) == (False, True)
    assert visitor.get("/site/categories/c002?page=9").status == 404
    [older] = [each for each in visitor.get("/site/posts").links if "cursor=" in each]
    assert visitor.get(f"/site/posts{older}").status == 200
    [on] = [each for each in visitor.get("/site/search?q=line").links if "cursor=" in each]
    rest = visitor.get(f"/site/search{on}")
    assert "Line 00" in rest.shown
    assert "were searched" in rest.shown


def test_a_visitor_finds_posts_by_their_words(visitor: Browser) -> None:
    page = whole(visitor.get("/site/search?q=monday"))
    assert "Opening day" in page.shown
    assert meta(page, "robots") == "noindex"
    assert "Nothing found" in visitor.get("/site/search?q=zebra").shown


def test_an_address_without_a_page_offers_posts_that_may_be_meant(visitor: Browser) -> None:
    page = visitor.get("/site/posts/opening-hours")
    assert (page.status, "/site/posts/opening" in page.links) == (404, True)
    assert visitor.get("/site/nothing/below").status == 404


def test_the_sitemap_and_the_feed_are_sound(newsroom: Newsroom, visitor: Browser) -> None:
    newsroom.publish("Fish & <chips>", "A \x0b bell", slug="fish")
    for path, kind in (("/site/sitemap.xml", "application/xml"), ("/site/rss.xml", "application/rss+xml")):
        answer = visitor.get(path).response
        assert answer.headers["content-type"] == f"{kind}; charset=utf-8"
        tree = ElementTree.fromstring(answer.text)
        assert "http://testserver/site/posts/fish" in {each.text for each in tree.iter()}
        assert (path, answer.headers["etag"] != "") == (path, True)


def test_a_draft_is_seen_by_its_link_alone(newsroom: Newsroom, visitor: Browser) -> None:
    draft = newsroom.codex.drafts.create({"title": "Not yet", "contents": "Soon."}, BY).subject
    token = newsroom.codex.drafts.preview(draft.id, newsroom.codex.desk.pipeline.now + timedelta(days=7))
    page = whole(visitor.get(f"/site/preview/{quote(token)}"))
    assert ("Not yet" in page.shown, meta(page, "robots")) == (True, "noindex")
    assert visitor.get(f"/site/posts/{draft.id}").status == 404
    assert visitor.get(f"/site/preview/{quote(token[:-2])}").status == 404


def test_a_site_that_is_not_public_asks_who_is_there(newsroom: Newsroom) -> None:
    newsroom.shell.chosen["codex"] = CodexSettings()  # type: ignore[index]
    try:
        for path in ("/site", "/site/contact", "/site/rss.xml", "/site/anything"):
            assert newsroom.guest().get(path).location.startswith("/sign-in")
    finally:
        newsroom.shell.chosen["codex"] = SETTINGS  # type: ignore[index]


@pytest.mark.parametrize(
    "origin", ["cdn.example.com", "https://cdn.example.com/pictures", "https://a; script-src *"]
)
def test_pictures_come_from_origins_and_from_nothing_else(origin: str) -> None:
    with pytest.raises(SettingsError, match="is not a valid origin"):
        CodexSettings(cdn=(origin,))


def test_a_host_of_its_own_has_the_site_and_nothing_of_the_console(
    newsroom: Newsroom, rendering: Rendering
) -> None:
    newsroom.publish("At home")
    settings = replace(SETTINGS, site_url="https://www.durubit.example")
    shell = replace(newsroom.shell, chosen={"codex": settings})
    pages, error_page = create_console(shell, rendering)
    with framed(Starlette(routes=pages), shell, error_page=error_page) as app:
        client = Browser(app, "en").client

        def status(path: str, host: str) -> int:
            return client.get(path, headers={"Host": host}, follow_redirects=False).status_code

        own = "www.durubit.example"
        there = ["/", "/posts", "/site/posts", "/sitemap.xml", "/search?q=home", "/contact"]
        assert [status(path, own) for path in there] == [200] * len(there)
        console = ["/codex", "/sign-in", "/api/codex/posts", "/data", "/metrics", "/siteless"]
        assert [status(path, own) for path in console] == [404] * len(console)
        home = client.get("/", headers={"Host": own}).text
        assert '<link rel="canonical" href="https://www.durubit.example/site">' in home
        assert "At home" in home
        assert (status("/sign-in", "testserver"), status("/", "evil.example")) == (200, 421)


def test_an_inquiry_is_sent_at_a_host_of_its_own(newsroom: Newsroom, rendering: Rendering) -> None:
    settings = replace(SETTINGS, site_url="https://www.durubit.example")
    shell = replace(newsroom.shell, chosen={"codex": settings}, made={})
    pages, error_page = create_console(shell, rendering)
    with framed(Starlette(routes=pages), shell, error_page=error_page) as app:
        visitor = Browser(app, "en")
        visitor.client.headers |= {"Host": "www.durubit.example", "Origin": settings.site_url}
        visitor.get("/contact")
        given = {"name": "Own Host", "email": "own@mail.example", "subject": "Hi", "message": "There"}
        assert visitor.send("/contact", **given).status == 422
        assert visitor.send("/contact", **given, consent="yes").location == "/site/contact/sent"
        assert "We have it" in whole(visitor.follow()).shown
    assert "Own Host" in [each.name for each in newsroom.codex.inquiries.page(100).items]


def test_a_text_is_cut_between_two_words() -> None:
    assert shortened("one two three", 9) == "one two…"
    assert shortened("a &amp; **b**", 20) == "a & b"


def test_every_page_of_the_site_speaks_the_language_of_the_visitor(newsroom: Newsroom) -> None:
    for language, word in (("ko", "문의"), ("en", "Contact")):
        page = newsroom.guest(language).get("/site/contact")
        assert (page.all("html")[0]["lang"], word in page.shown) == (language, True)


@pytest.mark.parametrize(
    ("address", "is_shown"),
    [
        ("/static/a.png", True),
        ("https://cdn.example/a.png", True),
        ("https://cdn.example.evil/a.png", False),
        ("//cdn.example/a.png", False),
        ("/\\cdn.example/a.png", False),
        ("https://other.example/a.png", False),
        ("", False),
        (None, False),
    ],
)
def test_pictures_of_this_server_and_of_the_cdn_are_shown(address: str | None, is_shown: bool) -> None:
    assert CodexSettings(cdn=("https://cdn.example",)).shows(address) is is_shown


def test_a_stale_cursor_leads_a_visitor_to_the_beginning(newsroom: Newsroom) -> None:
    for path, start in (
        ("/site/posts?cursor=forged", "/site/posts?"),
        ("/site/search?q=line&cursor=forged", "/site/search?q=line"),
    ):
        found = newsroom.guest().get(path)
        assert (found.status, found.response.headers["location"]) == (303, start)
        assert "public" not in found.response.headers.get("cache-control", "")


def test_a_post_whose_category_is_gone_is_read_all_the_same(newsroom: Newsroom) -> None:
    lone = post(77, "no-such-category").model_copy(update={"title": "Lone post"})
    newsroom.shell.database.batch_write([lone, PostLocator(post_id=lone.id, category_id=lone.category_id)])
    assert "Lone post" in whole(newsroom.guest().get(f"/site/posts/{lone.id}")).shown


def test_a_post_has_one_address_in_its_page_the_sitemap_and_the_feed(newsroom: Newsroom) -> None:
    newsroom.publish("새 소식입니다", slug="새-소식")
    path = f"/site/posts/{quote('새-소식')}"
    page, address = whole(newsroom.guest().get(path)), f"http://testserver{path}"
    assert page.all("link", rel="canonical")[0]["href"] == address
    assert page.all("meta", property="og:url")[0]["content"] == address
    for feed in ("/site/sitemap.xml", "/site/rss.xml"):
        assert f">{address}<" in newsroom.guest().get(feed).text
