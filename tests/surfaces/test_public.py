"""What an application shows to everyone: to read alone, counted, and in no cache together with what is personal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from starlette.types import ASGIApp

from hansang.apps.platform.accounts import accounts_of
from hansang.errors import DesignError
from hansang.surfaces.console.routing import PageRoute, readable
from hansang.surfaces.http.cookies import LANGUAGE, SESSION
from hansang.surfaces.http.frame import Frame
from hansang.surfaces.server.workers import Worker
from hansang.surfaces.shell import Shell
from hansang.wiring import product
from tests.surfaces.api.callers import Caller
from tests.surfaces.console.browsers import Browser
from tests.surfaces.public_shop import APPLICATION, ShopWindowSettings, window
from tests.surfaces.shells import SetClock, new_key, opened

API = "/api/shop/window"
PAGE = {"Accept": "text/html"}
EVERYONE = "public, max-age=60"


@pytest.fixture(scope="module")
def standing() -> Iterator[Shell]:
    with opened(SetClock(), applications=(APPLICATION,)) as shell:
        people = accounts_of(shell.identity).people
        people.create("owner", "Mina Owner", {"*": "owner"})
        people.create("nobody", "Nara Nobody", {})
        yield shell


def served(shell: Shell, *, is_public: bool = True, rate: int = 10_000) -> Iterator[ASGIApp]:
    chosen = {"shop": ShopWindowSettings(public=is_public)}
    with product(
        replace(shell, chosen=chosen, settings=replace(shell.settings, public_rate=rate)), Worker(1, "tests")
    ) as app:
        yield app


@pytest.fixture(scope="module")
def shop(standing: Shell) -> Iterator[ASGIApp]:
    yield from served(standing)


@pytest.fixture(scope="module")
def closed_shop(standing: Shell) -> Iterator[ASGIApp]:
    yield from served(standing, is_public=False)


@pytest.fixture
def hurried(standing: Shell) -> Iterator[ASGIApp]:
    """The same with a small rate and a clock that stands still."""
    for app in served(standing, rate=3):
        assert isinstance(app, Frame)
        app._around = replace(app._around, timer=lambda: 0.0)
        yield app


@pytest.fixture
def cookie(standing: Shell) -> Callable[[str], dict[str, str]]:
    def sign_in(name: str) -> dict[str, str]:
        accounts = accounts_of(standing.identity)
        session = accounts.sessions.start(accounts.people.get(name), "127.0.0.1", "tests")
        return {"Cookie": f"{SESSION.name}={session}", **PAGE}

    return sign_in


# ── who ───────────────────────────────────────────────────────────────────────────────────────────


def test_nobody_sees_a_page_of_an_application_that_is_not_public(closed_shop: ASGIApp) -> None:
    stranger = Caller(closed_shop)
    assert stranger.get("/shop", headers=PAGE).headers["location"].startswith("/sign-in")
    assert stranger.get(API).status_code == 401


def test_everyone_sees_a_page_of_a_public_one(shop: ASGIApp) -> None:
    stranger = Caller(shop)
    page = stranger.get("/shop", headers=PAGE)
    assert (page.status_code, "Window" in page.text) == (200, True)
    assert stranger.get(API).json() == {"things": ["kettle"]}


def test_only_what_is_marked_as_readable_is_public(shop: ASGIApp) -> None:
    stranger = Caller(shop)
    for path in ("/shop/till", "/data", "/data/shop", "/apps/shop", "/changes", "/admin", "/search?q=a", "/"):
        answer = stranger.get(path, headers=PAGE)
        assert (path, answer.status_code) == (path, 303)
        assert answer.headers["location"].startswith("/sign-in")
    for path in ("/api/shop/customers", "/api/shop", "/api/platform/people"):
        assert stranger.get(path).status_code in (401, 404)


def test_a_guest_writes_nothing(shop: ASGIApp) -> None:
    stranger = Caller(shop)
    assert stranger.post("/api/shop/till").status_code == 401
    assert stranger.send("POST", "/shop", headers=PAGE).status_code == 405
    sent = stranger.send("POST", "/shop/till", data={"csrf": ""}, headers=PAGE)
    assert (sent.status_code, sent.headers["location"][:8]) == (303, "/sign-in")


def test_a_form_cannot_be_readable() -> None:
    with pytest.raises(DesignError, match="takes forms"):
        PageRoute("/shop/till", window, readable("shop"), "POST")


def test_a_page_for_everyone_has_no_form_no_token_and_no_way_to_what_is_not(shop: ASGIApp) -> None:
    text = Caller(shop).get("/shop", headers=PAGE).text
    for part in ("csrf", "<form", "/shop/till", "/data", "data-live", "data-person"):
        assert part not in text
    assert "/sign-in?next=/shop" in text


def test_a_page_that_tells_who_looks_tells_a_guest_nothing(shop: ASGIApp) -> None:
    assert Caller(shop).get("/shop/me", headers=PAGE).status_code == 404


def test_whoever_has_signed_in_has_the_console_around_the_page(
    shop: ASGIApp, cookie: Callable[[str], dict[str, str]]
) -> None:
    owner = Caller(shop).get("/shop", headers=cookie("owner")).text
    assert ("Mina Owner" in owner, "/shop/till?open" in owner, "/data" in owner) == (True, True, True)
    other = Caller(shop).get("/shop", headers=cookie("nobody")).text
    assert ("Nara Nobody" in other, "/shop/till?open" in other, 'href="/data"' in other) == (
        True,
        False,
        False,
    )
    assert Caller(shop).get("/data/shop", headers=cookie("nobody")).status_code == 403


def test_a_key_is_no_way_into_pages_and_one_that_opens_nothing_is_refused(
    shop: ASGIApp, standing: Shell
) -> None:
    writer = Caller(shop, new_key(standing, "shop:write"))
    assert "/shop/till" not in writer.get("/shop", headers=PAGE).text
    assert writer.get(API).status_code == 200
    assert Caller(shop, "hsk_wrong").get(API).status_code == 401


# ── a form for everyone ───────────────────────────────────────────────────────────────────────────


def test_everyone_may_send_a_form_that_is_bound_to_the_browser(shop: ASGIApp) -> None:
    guest = Browser(shop, "en")
    page = guest.get("/counter/guestbook")
    assert (page.status, page.response.headers["cache-control"]) == (200, "no-store")
    sent = guest.send("/counter/guestbook", csrf=page.csrf, line="hello")
    assert (sent.status, "kept: hello" in sent.shown) == (200, True)


def test_a_form_that_another_site_sends_is_shown_again_with_what_was_typed(shop: ASGIApp) -> None:
    guest, other = Browser(shop, "en"), Browser(shop, "en")
    guest.get("/counter/guestbook")
    for token in ("", other.get("/counter/guestbook").csrf):
        sent = guest.send("/counter/guestbook", csrf=token, line="hello")
        assert (sent.status, "lost: hello" in sent.shown) == (403, True)


def test_a_form_of_an_application_that_is_not_public_is_for_nobody(closed_shop: ASGIApp) -> None:
    for method in ("GET", "POST"):
        answer = Caller(closed_shop).send(method, "/counter/guestbook", headers=PAGE, data={"line": "x"})
        assert answer.headers["location"].startswith("/sign-in")


# ── caches ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("path", ["/shop", API])
def test_a_shared_cache_keeps_what_everyone_gets(shop: ASGIApp, path: str) -> None:
    first = Caller(shop).get(path, headers=PAGE)
    assert first.headers["cache-control"] == EVERYONE
    assert {"Cookie", "Authorization", "Accept-Language"} <= set(first.headers["vary"].split(", "))
    assert "set-cookie" not in first.headers
    known = PAGE | {"If-None-Match": first.headers["etag"]}
    again = Caller(shop).get(path, headers=known)
    assert (again.status_code, again.content, again.headers["cache-control"]) == (304, b"", EVERYONE)
    assert again.headers["etag"] == first.headers["etag"]


@pytest.mark.parametrize("path", ["/shop", API])
def test_nothing_for_one_person_is_kept_by_a_shared_cache(
    shop: ASGIApp, standing: Shell, path: str, cookie: Callable[[str], dict[str, str]]
) -> None:
    known = {"If-None-Match": Caller(shop).get(path, headers=PAGE).headers["etag"]}
    for headers in (
        cookie("owner"),
        {"Cookie": f"{SESSION.name}=ended"},
        {"Cookie": f"{LANGUAGE.name}=ko"},
        {"Authorization": f"Bearer {new_key(standing, 'shop:read')}"},
        {"X-Part": "main"},
    ):
        answer = Caller(shop).get(path, headers=PAGE | headers)
        assert (answer.status_code, "public" in answer.headers["cache-control"]) == (200, False), headers
    signed_in = Caller(shop).get("/shop", headers=cookie("owner") | known)
    assert (signed_in.status_code, "etag" in signed_in.headers) == (200, False)


def test_a_page_that_sets_a_cookie_is_not_shared(shop: ASGIApp) -> None:
    chosen = Caller(shop).get("/shop?lang=ko", headers=PAGE)
    assert ("set-cookie" in chosen.headers, chosen.headers["cache-control"]) == (True, "private, no-cache")


def test_a_refusal_is_not_kept(shop: ASGIApp) -> None:
    assert Caller(shop).get("/shop/me", headers=PAGE).headers["cache-control"] == "no-store"


def test_an_answer_in_another_language_has_another_tag(shop: ASGIApp) -> None:
    tags = {
        Caller(shop).get("/shop", headers=PAGE | {"Accept-Language": each}).headers["etag"]
        for each in ("ko", "en")
    }
    assert len(tags) == 2


def test_what_a_request_says_of_the_host_does_not_come_into_a_page(shop: ASGIApp) -> None:
    told = {"X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "gopher"}
    assert "evil.example" not in Caller(shop).get("/shop", headers=PAGE | told).text


# ── rates ─────────────────────────────────────────────────────────────────────────────────────────


def test_guests_are_counted_apart_by_their_address(
    hurried: ASGIApp, standing: Shell, cookie: Callable[[str], dict[str, str]]
) -> None:
    stranger, key = Caller(hurried), new_key(standing, "shop:read")
    assert [stranger.get(API).status_code for _ in range(4)] == [200, 200, 200, 429]
    refused = stranger.get("/shop", headers=PAGE)
    assert (refused.status_code, int(refused.headers["retry-after"]) > 0) == (429, True)
    assert stranger.get(API, headers={"Cookie": f"{SESSION.name}=forged"}).status_code == 429
    assert Caller(hurried, key).get(API).status_code == 200
    assert stranger.get("/shop", headers=cookie("owner")).status_code == 200
    assert stranger.get("/sign-in", headers=PAGE).status_code == 200
