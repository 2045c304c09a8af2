"""Every page in both languages, both themes and all sizes: accessible, whole, and light."""

from __future__ import annotations

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.browsing import SIZES, Keeping, Kept, Language, Theme
from tests.browser.pages import PAGES, addresses
from tests.browser.serving import Site

LARGEST_PAGE, LARGEST_PICTURED = 60 * 1024, 120 * 1024
PICTURED = frozenset({"/rankings/players/{uuid}/share"})
"""Pages that are made to show a picture of ours."""
TABLET = 820
THEMES: tuple[Theme, ...] = ("light", "dark")
FITS = "width => document.documentElement.scrollWidth <= width"
EVERYTHING = "axe.run({ resultTypes: ['violations'] })"
CONTENT = "axe.run('main', { resultTypes: ['violations'] })"
"""Without the frame, which is the same around every page."""
FRAMED = frozenset({"sign-in", "/", "/data", "missing"})
"""Where everything is looked at in both themes, languages and sizes."""
LOOKED_AT = {("ko", "light", 1440): EVERYTHING, ("en", "dark", 390): CONTENT}
"""How the other pages are looked at: each language, theme and size once, since a look takes longer than the page."""


@pytest.fixture(scope="session")
def found(site: Site) -> dict[str, str]:
    """The address of every page."""
    return addresses(site)


def test_a_link_leads_to_every_page(found: dict[str, str]) -> None:
    assert [page for page in PAGES if page not in found] == []


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_accessible_fits_and_is_light(
    name: str, found: dict[str, str], kept: Keeping, shots: Path | None
) -> None:
    for language in ("ko", "en"):
        look = opened_at(found[name], name, language, kept)
        for width in SIZES:
            look.resize(width)
            # A tablet is the page of a desk in less room.
            for theme in THEMES[: 1 if width == TABLET else 2]:
                look.page.emulate_media(color_scheme=theme)
                if shots:
                    file = f"{name.strip('/').replace('/', '-')}-{language}-{theme}-{width}.png"
                    look.page.screenshot(path=shots / file, full_page=True)
                # Charts are drawn anew when the page has another size, which takes a moment.
                look.page.wait_for_function(FITS, arg=width)
                if name in FRAMED and width != TABLET:
                    assert violations(look.page, EVERYTHING) == []
                elif (language, theme, width) in LOOKED_AT:
                    assert violations(look.page, LOOKED_AT[language, theme, width]) == []
        # The browser itself notes an answer of 404 as an error.
        assert look.watched.faults == [] or name == "missing"


def opened_at(path: str, name: str, language: Language, kept: Keeping) -> Kept:
    look = kept(None if name == "sign-in" else "seoyeon", language)
    assert look.visit(path) == (404 if name == "missing" else 200)
    assert 1000 < sum(look.sizes_bytes) < (LARGEST_PICTURED if name in PICTURED else LARGEST_PAGE)
    assert look.page.locator("html").get_attribute("lang") == language
    look.page.evaluate(Axe().axe_script)
    return look


def violations(page: Page, asked: str) -> list[str]:
    found = page.evaluate(f"{asked}.then(found => found.violations)")
    return [f"{each['id']}: {node['html'][:160]}" for each in found for node in each["nodes"]]
