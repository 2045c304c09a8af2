"""Signing in and out, as a browser does it."""

from __future__ import annotations

import re

from starlette.types import ASGIApp

from hansang.apps.platform.accounts import accounts_of
from hansang.surfaces.http.cookies import DEVICE
from hansang.surfaces.shell import Shell
from tests.surfaces.console.browsers import Browser
from tests.surfaces.console.conftest import Visitor
from tests.surfaces.shells import PASSWORD, SetClock


def test_whoever_has_not_signed_in_is_led_to_the_form(visitor: Visitor) -> None:
    assert visitor().get("/").location == "/sign-in"


def test_after_signing_in_one_is_where_one_wanted_to_be(visitor: Visitor) -> None:
    browser = visitor()
    browser.get(browser.get("/changes?area=news").location)
    answer = browser.send("/sign-in", name="owner", password=PASSWORD, next="/changes?area=news")
    assert answer.location == "/changes?area=news"
    assert browser.follow().status == 200


def test_the_way_on_never_leads_to_another_site(visitor: Visitor) -> None:
    for elsewhere in ("https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)"):
        browser = visitor()
        browser.get("/sign-in")
        assert browser.send("/sign-in", name="owner", password=PASSWORD, next=elsewhere).location == "/"


def test_what_was_wrong_is_not_said(visitor: Visitor) -> None:
    browser = visitor()
    browser.get("/sign-in")
    wrong_password = browser.send("/sign-in", name="owner", password="not the password")
    unknown_name = browser.send("/sign-in", name="nobody", password="not the password")
    assert wrong_password.status == unknown_name.status == 401
    assert "이름이나 비밀번호가 맞지 않습니다." in wrong_password.shown
    assert wrong_password.shown == unknown_name.shown


def test_a_locked_name_says_how_long(visitor: Visitor, clock: SetClock) -> None:
    browser = visitor(language="en")
    browser.get("/sign-in")
    for _ in range(5):
        browser.send("/sign-in", name="owner", password="not the password")
    locked = browser.send("/sign-in", name="owner", password=PASSWORD)
    assert locked.status == 429
    assert re.search(r"Try again in 4", locked.shown)
    assert locked.response.headers["retry-after"] == "4"
    clock.advance(5)
    assert browser.send("/sign-in", name="owner", password=PASSWORD).status == 303


def locked_by_strangers(visitor: Visitor, password: str = PASSWORD) -> None:
    stranger = visitor()
    stranger.get("/sign-in")
    for _ in range(5):
        stranger.send("/sign-in", name="owner", password="not the password")
    assert stranger.send("/sign-in", name="owner", password=password).status == 429


def test_strangers_do_not_lock_the_owner_out_of_a_known_device(visitor: Visitor) -> None:
    browser = visitor()
    browser.get("/sign-in")
    browser.send("/sign-in", name="owner", password=PASSWORD)
    browser.get("/")
    browser.send("/sign-out")
    locked_by_strangers(visitor)
    browser.get("/sign-in")
    assert browser.send("/sign-in", name="owner", password=PASSWORD).status == 303


def test_a_device_cookie_that_was_made_up_or_is_of_another_password_is_unknown(
    visitor: Visitor, shell: Shell
) -> None:
    browser = visitor()
    browser.get("/sign-in")
    browser.send("/sign-in", name="owner", password=PASSWORD)
    browser.get("/")
    browser.send("/sign-out")
    device = browser.client.cookies[DEVICE.name]
    locked_by_strangers(visitor)
    for forged in ("", "mine." + "0" * 64, device[:-1] + ("0" if device[-1] != "0" else "1")):
        browser.client.cookies.delete(DEVICE.name)
        browser.client.cookies.set(DEVICE.name, forged)
        browser.get("/sign-in")
        assert browser.send("/sign-in", name="owner", password=PASSWORD).status == 429
    accounts_of(shell.identity).people.set_password("owner", "another password")
    locked_by_strangers(visitor, "another password")
    browser.client.cookies.delete(DEVICE.name)
    browser.client.cookies.set(DEVICE.name, device)
    browser.get("/sign-in")
    assert browser.send("/sign-in", name="owner", password="another password").status == 429


def test_a_form_without_its_token_signs_nobody_in(visitor: Visitor) -> None:
    browser = visitor()
    assert browser.send("/sign-in", name="owner", password=PASSWORD).status == 403
    browser.get("/sign-in")
    refused = browser.send("/sign-in", name="owner", password=PASSWORD, csrf="0" * 64)
    assert refused.status == 403
    assert "양식이 만료되었습니다" in refused.shown


def test_signing_out_ends_the_session(visitor: Visitor) -> None:
    browser = visitor("owner")
    stolen = dict(browser.client.cookies)
    browser.get("/")
    assert browser.send("/sign-out").location == "/sign-in"
    assert "로그아웃했습니다" in browser.follow().shown
    browser.client.cookies.update(stolen)
    assert browser.get("/").location == "/sign-in"


def test_looking_at_a_link_does_not_use_it_up(visitor: Visitor, shell: Shell) -> None:
    path = f"/sign-in/link/{accounts_of(shell.identity).people.new_link('viewer')}"
    assert visitor().get(path).status == 200
    browser = visitor()
    browser.get(path)
    assert browser.send(path).status == 303
    assert "Viewer" in browser.get("/").shown


def test_a_link_works_once(visitor: Visitor, shell: Shell) -> None:
    path = f"/sign-in/link/{accounts_of(shell.identity).people.new_link('viewer')}"
    first, second = visitor(), visitor()
    first.get(path)
    second.get(path)
    assert first.send(path).status == 303
    refused = second.send(path)
    assert refused.status == 410
    assert "쓸 수 없는 링크입니다" in refused.shown
    assert second.get("/").location == "/sign-in"


def test_whoever_has_no_password_is_led_to_set_one(app: ASGIApp, shell: Shell) -> None:
    accounts_of(shell.identity).people.create("newcomer", "새 사람", {"news": "viewer"})
    browser = Browser(app)
    path = f"/sign-in/link/{accounts_of(shell.identity).people.new_link('newcomer')}"
    browser.get(path)
    assert browser.send(path).location == "/account#password"
    page = browser.get("/account")
    assert "비밀번호를 설정하십시오" in page.shown
    assert not page.all("input", name="old")


def test_signing_in_again_ends_the_session_of_before(visitor: Visitor, shell: Shell) -> None:
    browser = visitor("owner")
    path = f"/sign-in/link/{accounts_of(shell.identity).people.new_link('viewer')}"
    browser.get(path)
    browser.send(path)
    assert accounts_of(shell.identity).sessions.of("owner") == []
    assert len(accounts_of(shell.identity).sessions.of("viewer")) == 1
