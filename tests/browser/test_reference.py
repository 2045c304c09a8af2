"""The reference as people use it: finding, and trying requests from the page."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.browsing import Opening, Theme
from tests.browser.looking import violations

REPEATED_IDS = (
    "[...document.querySelectorAll('[id]')].map(({ id }) => id).filter((id, at, all) => all.indexOf(id) < at)"
)
WITHOUT_WHAT_IS_CLOSED = (
    "document.querySelectorAll('details:not([open]) > :not(summary)').forEach(each => each.remove())"
)
"""Nobody sees it nor hears of it, and axe takes ten seconds to find that out of its 28,000 elements."""


def operation(page: Page, name: str) -> Locator:
    """An operation of a section, opened, with its form."""
    found = page.locator(f"details[id='{name}']")
    found.locator("summary").first.click()
    found.get_by_role("button", name="Try it").click()
    return found


def hold(page: Page) -> list[Route]:
    """Keep back who is signed in, for however long, until it is let go on."""
    held: list[Route] = []
    page.add_init_script("AbortSignal.timeout = () => undefined")
    page.route("**/api/platform/me", lambda route: held.append(route))
    return held


def test_a_request_is_tried_from_the_page_with_the_session(opened: Opening) -> None:
    page = opened("seoyeon", language="en").page()
    page.goto("/api/docs/codex")
    found = operation(page, "codex.Category.latest")
    expect(found.get_by_text("Signed in as")).to_be_visible()
    found.get_by_label("limit").fill("1")
    found.get_by_role("button", name="Send request").click()
    expect(found.locator("[data-status]")).to_have_text("200")
    expect(found.locator("[data-said]")).to_contain_text('"items"')


def test_a_request_waits_until_it_is_known_who_is_signed_in(opened: Opening) -> None:
    page = opened("seoyeon", language="en").page()
    held = hold(page)
    page.goto("/api/docs/codex")
    with page.expect_request("**/api/platform/me"):
        found = operation(page, "codex.Category.latest")
    found.get_by_role("button", name="Send request").click()
    expect(found.get_by_text("Signed in as")).to_be_hidden()
    held[0].continue_()
    expect(found.locator("[data-status]")).to_have_text("200")


def test_a_key_that_was_typed_before_is_sent(opened: Opening) -> None:
    page = opened("seoyeon", language="en").page()
    held = hold(page)
    page.goto("/api/docs/codex")
    with page.expect_request("**/api/platform/me"):
        found = operation(page, "codex.Category.latest")
    found.locator("input[name=key]").fill("typed")
    page.route("**/api/codex/**", lambda route: route.fulfill(json=route.request.headers["authorization"]))
    held[0].continue_()
    expect(found.get_by_text("Signed in as")).to_be_visible()
    found.get_by_role("button", name="Send request").click()
    expect(found.locator("[data-said]")).to_have_text('"Bearer typed"')


def test_a_change_is_asked_about_first(opened: Opening) -> None:
    page = opened("seoyeon", language="en").page()
    page.goto("/api/docs/codex")
    found = operation(page, "codex.Banner.create")
    body = found.locator("textarea")
    body.fill(body.input_value().replace("bn001", "tried-here"))
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.method))
    send = found.get_by_role("button", name="Send request")
    send.click()
    expect(page.get_by_role("dialog")).to_contain_text("POST /api/codex/entities/Banner")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    assert "POST" not in asked
    send.click()
    page.get_by_role("dialog").get_by_role("button", name="Send").click()
    expect(found.locator("[data-status]")).to_have_text("201")
    assert asked.count("POST") == 1


def test_a_change_is_asked_about_and_sent_once_however_late_it_is_known_who_is_signed_in(
    opened: Opening,
) -> None:
    page = opened("seoyeon", language="en").page()
    held, sent = hold(page), list[str | None]()

    def take(route: Route) -> None:
        sent.append(route.request.post_data)
        route.fulfill(json="sent")

    page.route("**/api/codex/**", take)
    page.goto("/api/docs/codex")
    with page.expect_request("**/api/platform/me"):
        found = operation(page, "codex.Banner.create")
    body = found.locator("textarea")
    body.fill('{"title": "as it was sent"}')
    found.get_by_role("button", name="Send request").dblclick()
    page.get_by_role("dialog").get_by_role("button", name="Send").click()
    body.fill('{"title": "typed later"}')
    held[0].continue_()
    expect(found.locator("[data-said]")).to_have_text('"sent"')
    assert sent == ['{"title": "as it was sent"}']


def test_a_request_goes_without_a_session_where_it_cannot_be_found_out_who_is_signed_in(
    opened: Opening,
) -> None:
    page = opened("seoyeon", language="en").page()
    page.route("**/api/platform/me", lambda route: route.fulfill(body="<html>"))
    page.route("**/api/codex/**", lambda route: route.fulfill(json="sent"))
    page.goto("/api/docs/codex")
    found = operation(page, "codex.Category.latest")
    found.get_by_role("button", name="Send request").click()
    expect(found.locator("[data-said]")).to_have_text('"sent"')


def test_a_slash_leads_to_the_search_which_finds_every_section(opened: Opening) -> None:
    page = opened("seoyeon", language="en").page()
    page.goto("/api/docs/codex")
    page.keyboard.press("/")
    page.keyboard.type("capacity")
    expect(page.locator("[data-nothing]")).to_be_visible()
    page.keyboard.press("Enter")
    page.get_by_role("link", name="/api/platform/capacity").click()
    expect(page.locator("details[id='platform.capacity']")).to_have_attribute("open", "")


def test_the_form_fits_a_phone(opened: Opening) -> None:
    page = opened("seoyeon", language="en", width=390).page()
    page.goto("/api/docs/codex")
    found = operation(page, "codex.Post.latest")
    found.get_by_role("button", name="Send request").click()
    expect(found.locator("[data-status]")).to_have_text("200")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_an_open_operation_is_accessible(opened: Opening, theme: Theme) -> None:
    page = opened("seoyeon", language="en", theme=theme).page()
    page.goto("/api/docs/codex")
    found = operation(page, "codex.Banner.replace")
    for each in found.locator(".fold > summary").all():
        each.click()
    assert page.evaluate(REPEATED_IDS) == []
    page.evaluate(WITHOUT_WHAT_IS_CLOSED)
    assert violations(page) == []
