"""Every page in both languages, both themes and all sizes: accessible, whole, and light."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path
from zlib import crc32

import pytest

from tests.browser.browsing import SIZES, Keeping, Kept, Language, Theme
from tests.browser.looking import violations
from tests.browser.pages import PAGES, addresses
from tests.browser.serving import Site, made_once

LARGEST_PAGE, LARGEST_PICTURED = 60 * 1024, 120 * 1024
PICTURED = frozenset({"/rankings/players/{uuid}/share"})
"""Pages that are made to show a picture of ours."""
PHONE, DESK = 390, 1440
ENDS = (PHONE, DESK)
THEMES: tuple[Theme, ...] = ("light", "dark")
Look = tuple[Language, Theme, int]
FITS = "width => document.documentElement.scrollWidth <= width"
EVERYTHING, CONTENT = "html", "main"
"""The content is without the frame, which is the same around every page."""
FRAMED = frozenset({"sign-in", "/", "/data", "missing"})
"""Where everything is looked at in both themes, languages and sizes."""
LOOKS: tuple[Look, ...] = (("ko", "light", 1440), ("en", "dark", 390))
"""How the other pages are looked at: half of them so and half of them so, since a look takes longer than the page.

With HANSANG_LOOKS=all each is looked at in both ways.
"""


@pytest.fixture(scope="session")
def found(site: Site, shared: Path | None, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The address of every page; on copies of one data file they are the same, and are looked for once."""
    folder = shared or tmp_path_factory.mktemp("addresses")
    made: dict[str, str] = made_once(folder, "addresses", lambda: addresses(site))
    return made


def test_a_link_leads_to_every_page(found: dict[str, str]) -> None:
    assert [page for page in PAGES if page not in found] == []


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_accessible_fits_and_is_light(
    name: str, found: dict[str, str], kept: Keeping, shots: Path | None
) -> None:
    look_at(found[name], name, kept, shots)


def look_at(path: str, name: str, kept: Keeping, shots: Path | None) -> None:
    """Open a page in every size and look at it."""
    wanted = looks(name)
    for language in ("ko", "en"):
        look = opened_at(path, name, language, kept)
        for width in SIZES:
            look.resize(width)
            # Charts are drawn anew when the page has another size, which takes a moment.
            look.page.wait_for_function(FITS, arg=width)
            for theme in THEMES:
                if shots or (language, theme, width) in wanted:
                    look.page.emulate_media(color_scheme=theme)
                if shots:
                    file = f"{name.strip('/').replace('/', '-')}-{language}-{theme}-{width}.png"
                    look.page.screenshot(path=shots / file, full_page=True)
                if (language, theme, width) in wanted:
                    within = EVERYTHING if name in FRAMED or width != PHONE else CONTENT
                    assert violations(look.page, within) == []
        # The browser itself notes an answer of 404 as an error.
        assert look.watched.faults == [] or name == "missing"


def looks(name: str) -> Collection[Look]:
    """In which languages, themes and sizes a page is looked at."""
    if name in FRAMED:
        return {(language, theme, width) for language in ("ko", "en") for theme in THEMES for width in ENDS}
    return LOOKS if os.environ.get("HANSANG_LOOKS") == "all" else {LOOKS[crc32(name.encode()) % len(LOOKS)]}


def opened_at(path: str, name: str, language: Language, kept: Keeping) -> Kept:
    look = kept(None if name == "sign-in" else "seoyeon", language)
    assert look.visit(path) == (404 if name == "missing" else 200)
    assert 1000 < sum(look.sizes_bytes) < (LARGEST_PICTURED if name in PICTURED else LARGEST_PAGE)
    assert look.page.locator("html").get_attribute("lang") == language
    return look
