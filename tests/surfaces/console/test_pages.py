"""Every page, in both languages: whole, without anything inline, and only for those who may see it."""

from __future__ import annotations

import re

import pytest
from starlette.types import ASGIApp

from hansang.apps.platform.accounts import accounts_of
from hansang.errors import StoreBusy
from hansang.surfaces.console.app import PAGES
from hansang.surfaces.console.pages import safe_path
from hansang.surfaces.console.routing import PageRoute
from hansang.surfaces.shell import Shell
from tests.surfaces.console.browsers import Browser, Page
from tests.surfaces.console.changed import created
from tests.surfaces.console.conftest import Visitor

OWN = (
    "/sign-in",
    "/sign-in/link/token",
    "/",
    "/account",
    "/apps/assets",
    "/apps/codex",
    "/changes",
    "/changes?area=codex",
    "/changes/{change}",
    "/search?q=a",
    "/keys",
    "/admin/people",
    "/admin/people/reporter",
    "/admin/keys",
    "/admin/audit",
    "/admin/jobs",
    "/admin/jobs/count",
    "/nothing-here",
    "/apps/nothing",
)


@pytest.fixture
def change(shell: Shell) -> str:
    """The id of a change, so that there is one to be seen."""
    return created(shell).id


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize("name", ["owner", "reporter", "guest", ""])
def test_every_page_is_whole_and_has_nothing_inline(
    visitor: Visitor, change: str, name: str, language: str
) -> None:
    browser = visitor(name, language)
    for path in OWN:
        page = browser.get(path.format(change=change))
        assert page.status in (200, 303, 403, 404), (path, page.shown)
        if page.status != 303:
            assert_sound(page, language, path)


def assert_sound(page: Page, language: str, path: str) -> None:
    """Nothing inline, nothing doubled, nothing left open, all in one language."""
    assert page.faults == [], path
    assert page.doubled_ids == [], path
    assert [own for _, own in page.tags if "style" in own] == [], path
    assert [own for _, own in page.tags if any(name.startswith("on") for name in own)] == [], path
    assert page.all("style") == [], path
    assert [own for own in page.all("script") if "src" not in own and own["type"] != "application/json"] == []
    assert page.all("html")[0]["lang"] == language
    assert page.response.headers["content-language"] == language
    if language == "en":
        assert set(re.findall(r"[가-힣]+", page.shown)) <= {"한국어"}, path


def test_every_page_carries_the_policy_that_forbids_the_inline(visitor: Visitor) -> None:
    policy = visitor("owner").get("/").response.headers["content-security-policy"]
    assert "unsafe" not in policy
    assert "script-src 'self'" in policy


def test_pages_are_not_kept_by_the_browser(visitor: Visitor) -> None:
    assert visitor("owner").get("/").response.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.method} {page.path}")
def test_every_page_has_a_rule_and_nobody_unknown_gets_past_it(visitor: Visitor, page: PageRoute) -> None:
    browser = visitor()
    browser.get("/sign-in")
    path = re.sub(r"\{\w+(:path)?\}", "x", page.path)
    answer = browser.get(path) if page.method == "GET" else browser.send(path)
    if page.rule.kind == "public":
        assert answer.status in (200, 303, 401, 410)
    else:
        assert answer.status == 303
        assert answer.location.startswith("/sign-in")


@pytest.mark.parametrize(
    "page", [each for each in PAGES if each.method == "POST"], ids=lambda page: str(page.path)
)
def test_every_form_needs_its_token(visitor: Visitor, page: PageRoute) -> None:
    browser = visitor("owner")
    browser.get("/account")
    path = re.sub(r"\{\w+(:path)?\}", "x", page.path)
    assert browser.send(path, csrf="").status == 403
    assert browser.send(path, csrf=visitor("viewer").get("/account").csrf).status == 403


@pytest.mark.parametrize(
    "page",
    [each for each in PAGES if each.rule.kind == "allowed"],
    ids=lambda page: f"{page.method} {page.path}",
)
def test_what_one_may_not_do_is_refused(visitor: Visitor, page: PageRoute) -> None:
    browser = visitor("guest")
    browser.get("/account")
    path = re.sub(r"\{\w+(:path)?\}", "news", page.path)
    answer = browser.get(path) if page.method == "GET" else browser.send(path)
    assert answer.status == 403
    assert "권한이 없습니다" in answer.shown


def test_the_navigation_shows_what_one_may_see(visitor: Visitor) -> None:
    def ways(name: str) -> set[str]:
        return {each for each in visitor(name).get("/account").links if not each.startswith(("?", "#"))}

    everything = ways("owner")
    assert {
        "/",
        "/assets",
        "/data",
        "/capacity",
        "/spec",
        "/changes",
        "/admin",
        "/account",
    } <= everything
    assert {"/codex", "/data", "/changes"} <= ways("reporter")
    assert ways("reporter").isdisjoint({"/assets", "/capacity", "/admin"})
    assert ways("guest") == {"/", "/search", "/spec", "/keys", "/account"}


def test_the_page_one_is_on_is_marked(visitor: Visitor) -> None:
    page = visitor("owner").get("/changes")
    assert {own["href"] for own in page.all("a", **{"aria-current": "page"})} == {"/changes"}


def test_the_language_of_the_address_is_kept(visitor: Visitor) -> None:
    browser = visitor("owner", "ko")
    assert browser.get("/?lang=en").all("html")[0]["lang"] == "en"
    assert browser.get("/changes").all("html")[0]["lang"] == "en"
    assert browser.get("/changes?lang=xx").all("html")[0]["lang"] == "en"


def test_the_language_links_keep_the_other_parameters(visitor: Visitor) -> None:
    links = visitor("owner").get("/changes?area=news&lang=ko").links
    assert "?area=news&lang=en" in links


def test_the_zone_of_the_browser_is_used_when_it_is_one(visitor: Visitor, change: str) -> None:
    browser = visitor("owner", "en")
    browser.client.cookies.set("hansang_zone", "America/New_York")
    assert "EST" in browser.get("/changes").text or "EDT" in browser.get("/changes").text
    for nonsense in ("Nowhere/Land", "../../etc/passwd", "x" * 500, "\x00"):
        browser.client.cookies.set("hansang_zone", nonsense)
        assert "KST" in browser.get("/changes").text


def test_what_people_typed_is_never_markup(visitor: Visitor, shell: Shell) -> None:
    accounts_of(shell.identity).people.set_shown_name("viewer", '<script>alert("x")</script>')
    for path in ("/", "/account"):
        page = visitor("viewer").get(path)
        assert "<script>alert" not in page.text
        assert "&lt;script&gt;" in page.text


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/data/codex/tables/Nope", "codex에 테이블 Nope는 없습니다."),
        ("/data/codex/patterns/Nope.all", "조회 패턴 Nope.all을 찾을 수 없습니다."),
        ("/changes/nope", "변경 nope를 찾을 수 없습니다."),
        ("/news/runs/nope", "적재 nope를 찾을 수 없습니다."),
    ],
)
def test_a_korean_page_says_what_is_wrong_in_korean(visitor: Visitor, path: str, said: str) -> None:
    page = visitor("owner").get(path)
    assert said in page.shown
    assert "not found" not in page.shown
    assert "There are" not in page.shown


def test_a_fault_of_ours_says_nothing_of_the_inside(
    app: ASGIApp, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("the inside")

    browser = Browser(app, "en", raises=False).sign_in("owner")
    monkeypatch.setattr(type(shell.history), "page", broken)
    page = browser.get("/changes")
    assert page.status == 500
    assert "Something went wrong" in page.shown
    assert "the inside" not in page.text
    assert page.response.headers["x-request-id"] in page.shown
    assert_sound(page, "en", "/changes")


def test_a_busy_file_is_a_page_that_says_when_to_come_back(
    app: ASGIApp, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*_: object) -> None:
        raise StoreBusy("The data file is being written by process 1.", "process 1", 2.5)

    browser = Browser(app, "en").sign_in("owner")
    monkeypatch.setattr(type(shell.history), "page", busy)
    page = browser.get("/changes")
    assert (page.status, page.response.headers["retry-after"]) == (503, "3")
    assert "The data file is being written by process 1." in page.shown


@pytest.mark.parametrize(
    ("to", "led"),
    [
        ("/a?b=c", "/a?b=c"),
        ("", "/"),
        ("//x", "/"),
        ("/\\x", "/"),
        ("http://x", "/"),
        ("/a\r\nb", "/a%0D%0Ab"),
    ],
)
def test_only_paths_of_this_server_are_led_to(to: str, led: str) -> None:
    assert safe_path(to) == led
