"""Signing in and out, roles, language, theme and the phone, as people use them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.browsing import Opening, sign_in
from tests.browser.serving import PASSWORD, Site


def hansang(site: Site, *arguments: str) -> str:
    command = [str(Path(sys.executable).with_name("hansang")), *arguments, "--data", str(site.data)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_somebody_signs_in_with_a_password_and_out_again(opened: Opening, site: Site) -> None:
    page = opened().page()
    page.goto("/changes")
    expect(page).to_have_url(re.compile(r"/sign-in"))
    page.locator("input[name=name]").fill("Mina")
    page.locator("input[name=password]").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/changes"))
    page.goto("/")
    expect(page.get_by_text("최미나").first).to_be_visible()
    page.locator("form[action='/sign-out'] button").first.click()
    expect(page).to_have_url(re.compile(r"/sign-in"))
    page.goto("/")
    expect(page).to_have_url(re.compile(r"/sign-in"))


def test_a_wrong_password_is_told_without_saying_what_was_wrong(opened: Opening) -> None:
    watched = opened()
    messages = []
    for name in ("seoyeon", "nobody"):
        page = watched.page()
        sign_in(page, name, "not the password")
        messages.append(page.locator("main [role=alert]").inner_text())
    assert messages[0] == messages[1]
    watched.faults.clear()  # The browser itself notes an answer of 401 as an error.


def test_a_link_signs_in_once(opened: Opening, site: Site) -> None:
    hansang(site, "people", "create", "linked", "--name", "Linked", "--role", "viewer")
    link = hansang(site, "people", "link", "linked", "--url", site.url).strip().splitlines()[0]
    first, second = opened(language="en"), opened(language="en")
    page = first.page()
    page.goto(link)
    page.locator("main button[type=submit]").click()
    expect(page).to_have_url(re.compile(r"/account"))
    late = second.page()
    late.goto(link)
    late.click("main button[type=submit]")
    expect(late.get_by_role("heading", name="This link does not work")).to_be_visible()
    second.faults.clear()  # The browser itself notes an answer of 410 as an error.


def test_whoever_may_only_look_is_offered_nothing_else(opened: Opening) -> None:
    page = opened("mina", language="en").page()
    page.goto("/")
    navigation = page.locator("nav").first
    expect(navigation.get_by_role("link", name="Content")).to_be_visible()
    expect(page.get_by_role("link", name="Admin")).to_have_count(0)
    assert page.request.get("/admin/people").status == 403
    assert page.request.get("/apps/assets").status == 403
    assert page.request.get("/apps/codex").status == 200


def test_a_form_without_its_token_is_refused(opened: Opening) -> None:
    page = opened("seoyeon").page()
    page.goto("/")
    assert page.request.post("/sign-out", form={"csrf": "made up"}).status == 403
    assert page.request.get("/account").status == 200


def test_the_language_is_that_of_the_browser_until_it_is_switched(opened: Opening) -> None:
    page = opened("mina", language="en").page()
    page.goto("/")
    expect(page.locator("html")).to_have_attribute("lang", "en")
    page.get_by_role("link", name="한국어").first.click()
    expect(page.locator("html")).to_have_attribute("lang", "ko")
    page.goto("/apps/codex")
    expect(page.locator("html")).to_have_attribute("lang", "ko")


def _background(page: Page) -> str:
    found: str = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    return found


def test_the_theme_is_that_of_the_system_until_it_is_switched(opened: Opening) -> None:
    page = opened("junho", theme="dark").page()
    page.goto("/")
    dark = _background(page)
    with page.expect_response("**/preferences"):
        page.locator(".top [data-theme-switch]").click()
    page.wait_for_function(
        "before => getComputedStyle(document.documentElement).backgroundColor !== before", arg=dark
    )
    light = _background(page)
    page.goto("/apps/codex")
    assert _background(page) == light
    page.locator(".top [data-theme-switch]").click()


def test_on_a_phone_the_tabs_are_at_the_bottom_and_the_rest_is_one_touch_away(opened: Opening) -> None:
    page = opened("seoyeon", width=390, language="en").page()
    page.goto("/")
    tab = page.get_by_role("link", name="News").first
    box = tab.bounding_box()
    assert box is not None
    assert box["y"] > 700
    page.get_by_text("More", exact=True).first.click()
    expect(page.get_by_role("link", name="Cost").first).to_be_visible()


def test_the_keyboard_alone_is_enough(opened: Opening) -> None:
    page = opened("seoyeon", language="en").page()
    page.goto("/")
    page.keyboard.press("Tab")
    skip = page.evaluate("document.activeElement.getAttribute('href')")
    assert skip == "#main"
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()
    page.get_by_role("link", name="Data").first.focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/data"))


def test_a_line_says_that_the_next_page_is_on_its_way(opened: Opening) -> None:
    page = opened("seoyeon", language="en").page()
    page.goto("/")
    page.evaluate(
        "addEventListener('pagehide', () => { sessionStorage.left = document.documentElement.dataset.leaving })"
    )
    page.get_by_role("link", name="Changes").first.click()
    page.wait_for_url("**/changes")
    assert page.evaluate("sessionStorage.left") == "yes"
    assert page.evaluate("document.documentElement.dataset.leaving") is None


def test_whoever_comes_back_after_a_while_is_told_how_old_the_page_is(opened: Opening) -> None:
    page = opened("seoyeon", language="en").page()
    page.clock.install()
    page.goto("/")
    come_back = "document.dispatchEvent(new Event('visibilitychange'))"
    page.evaluate(come_back)
    expect(page.locator("[data-stale]")).to_be_hidden()
    page.clock.fast_forward("06:00")
    page.evaluate(come_back)
    expect(page.locator("[data-stale]")).to_contain_text("It may have changed since.")
    page.locator("[data-stale]").get_by_role("link", name="Reload").click()
    expect(page.locator("[data-stale]")).to_be_hidden()


@pytest.mark.parametrize("path", ["/", "/apps/codex", "/capacity"])
def test_a_page_can_be_printed(path: str, opened: Opening) -> None:
    page = opened("seoyeon").page()
    page.goto(path)
    page.emulate_media(media="print")
    expect(page.locator("aside nav").first).to_be_hidden()
    expect(page.locator("main")).to_be_visible()
    assert not any(each.is_visible() for each in page.locator(".btn, .icon-btn").all())
