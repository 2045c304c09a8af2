"""Every page in both languages, both themes and both sizes: accessible, whole, and light."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.conftest import Keeping, Language, Theme
from tests.browser.serving import Site

_TABLE = "/data/codex/tables/FMWebAppTable"
_BAD = "/data/leaderboards/tables/UsersLeaderboard/{verb}?pk=424242&sk=2014-05-09%2C2014-05-15"
PAGES = {
    "sign-in": "/sign-in",
    "home": "/",
    "application": "/apps/codex",
    "account": "/account",
    "changes": "/changes",
    "change": "/changes/{change}",
    "people": "/admin/people",
    "person": "/admin/people/junho",
    "keys": "/admin/keys",
    "jobs": "/admin/jobs",
    "audit": "/admin/audit",
    "data": "/data",
    "data-application": "/data/codex",
    "data-table": f"{_TABLE}?limit=10",
    "data-entities": f"{_TABLE}?limit=10&as=entities",
    "data-empty": f"{_TABLE}?partition=NOTHING",
    "data-item": f"{_TABLE}/item?{{item}}",
    "data-edit": f"{_TABLE}/edit?{{item}}",
    "data-new": f"{_TABLE}/new/Post",
    "data-pattern": "/data/codex/patterns/Post.latest",
    "data-question": "/data/assets/patterns/Income.of_month?arg-month=",
    "data-unreadable": "/data/leaderboards/patterns/WeeklyBest.recent?arg-player_id=424242",
    "data-bad-item": _BAD.format(verb="item"),
    "data-repair": _BAD.format(verb="repair"),
    "capacity": "/capacity",
    "spec": "/spec",
    "spec-news": "/spec/3-news",
    "spec-found": "/spec?q=X3-1",
    "news": "/news",
    "news-load": "/news/load",
    "news-tickers": "/news/tickers",
    "news-runs": "/news/runs",
    "news-queue": "/news/queue",
    "reference": "/api/docs",
    "missing": "/nothing-here",
}
LARGEST_PAGE = 60 * 1024
LANGUAGES: tuple[Language, ...] = ("ko", "en")
THEMES: tuple[Theme, ...] = ("light", "dark")
WIDTHS = (1440, 390)


@pytest.mark.parametrize(("language", "width"), list(product(LANGUAGES, WIDTHS)))
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_accessible_fits_and_is_light(
    name: str, language: Language, width: int, kept: Keeping, site: Site, shots: Path | None
) -> None:
    look = kept(None if name == "sign-in" else "seoyeon", language, width)
    assert look.visit(path_of(name, site)) == (404 if name == "missing" else 200)
    assert 1000 < sum(look.sizes_bytes) < LARGEST_PAGE
    assert look.page.locator("html").get_attribute("lang") == language
    look.page.evaluate(Axe().axe_script)
    for theme in THEMES:
        look.page.emulate_media(color_scheme=theme)
        if shots:
            look.page.screenshot(path=shots / f"{name}-{language}-{theme}-{width}.png", full_page=True)
        assert look.page.evaluate("document.documentElement.scrollWidth") <= width
        assert _violations(look.page) == []
    # The browser itself notes an answer of 404 as an error.
    assert look.watched.faults == [] or name == "missing"


def path_of(name: str, site: Site) -> str:
    """The address of a page, with what the site has."""
    return PAGES[name].format(change=site.change, item=site.item)


def _violations(page: Page) -> list[str]:
    found = page.evaluate("axe.run({ resultTypes: ['violations'] }).then(found => found.violations)")
    return [f"{each['id']}: {node['html'][:160]}" for each in found for node in each["nodes"]]
