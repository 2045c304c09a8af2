"""Addresses that forms are sent to: what is shown there can be switched, left and come back to."""

from __future__ import annotations

import pytest

from hansang.surfaces.console.places import Places
from tests.surfaces.console.browsers import Browser, Page
from tests.surfaces.console.conftest import Visitor

PLACES = Places(["/", "/account", "/data/{app}", "/data/{app}/tables/{table}/edit"])
REFUSED: list[tuple[str, str, dict[str, str]]] = [
    ("/account", "/account/name", {"shown_name": " "}),
    ("/account", "/account/password", {"new": "one", "again": "two"}),
    ("/admin/people", "/admin/people", {"name": "!"}),
    ("/admin/people/viewer", "/admin/people/viewer/roles", {"seen": "old"}),
    ("/admin/keys", "/admin/keys", {"label": "x"}),
    ("/news/load", "/news/load", {"source": "x"}),
]
"""The page of a form, where it is sent, and what is refused."""


@pytest.mark.parametrize(
    ("path", "page"),
    [
        ("/account", "/account"),
        ("/account/name", "/account"),
        ("/data/codex/tables/T/edit", "/data/codex/tables/T/edit"),
        ("/data/codex/tables/T/delete", "/data/codex"),
        ("/nothing/at/all", "/"),
    ],
)
def test_a_form_is_on_the_page_at_or_above_its_address(path: str, page: str) -> None:
    assert PLACES.nearest(path) == page


def refused(browser: Browser, page: str, path: str, fields: dict[str, str]) -> Page:
    browser.get(page)
    found = browser.send(path, **fields)
    assert found.status in (409, 422), found.shown
    return found


@pytest.mark.parametrize(("page", "path", "fields"), REFUSED)
def test_the_language_of_a_refused_form_can_be_switched(
    visitor: Visitor, page: str, path: str, fields: dict[str, str]
) -> None:
    browser = visitor("owner", "ko")
    [link] = {own["href"] or "" for own in refused(browser, page, path, fields).all("a", hreflang="en")}
    switched = Page(browser.client.get(link, headers={"Referer": f"http://testserver{path}"}))
    assert link == f"{page}?lang=en"
    assert (switched.status, switched.all("html")[0]["lang"]) == (200, "en")


@pytest.mark.parametrize(("page", "path", "fields"), REFUSED)
def test_the_theme_of_a_refused_form_can_be_switched_without_a_script(
    visitor: Visitor, page: str, path: str, fields: dict[str, str]
) -> None:
    browser = visitor("owner")
    [back] = {own["value"] or "" for own in refused(browser, page, path, fields).all("input", name="next")}
    assert browser.send("/preferences", theme="dark", next=back).location == page
    assert browser.get(back).status == 200


def test_whoever_sent_a_form_after_the_session_ended_comes_back_to_it(visitor: Visitor) -> None:
    browser = visitor("owner", "en")
    browser.get("/news/load")
    browser.client.cookies.delete("hansang_session")
    assert browser.send("/news/load", text="a long list").location == "/sign-in?next=%2Fnews%2Fload"
    assert "Sign in again: what you typed is kept." in browser.follow().shown


def test_a_form_of_a_session_that_is_over_leads_back_to_its_page(visitor: Visitor) -> None:
    browser = visitor("owner", "en")
    page = browser.send("/account/name", csrf="old", shown_name="x")
    assert page.status == 403
    assert "/account" in page.links
    assert "Open the form again" in page.shown


@pytest.mark.parametrize(("path", "status"), [("/nothing-here", 404), ("/account/name", 405)])
def test_an_address_that_is_none_keeps_the_navigation(visitor: Visitor, path: str, status: int) -> None:
    page = visitor("owner", "en").get(path)
    assert page.status == status
    assert {"/data", "/changes", "/account"} <= set(page.links)
    assert "Not found" in page.shown


def test_whoever_has_not_signed_in_sees_no_navigation_there(visitor: Visitor) -> None:
    page = visitor("", "en").get("/nothing-here")
    assert page.status == 404
    assert "/account" not in page.links
