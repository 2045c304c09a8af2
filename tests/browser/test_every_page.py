"""Every page in both languages, both themes and both sizes: accessible, whole, and light."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.conftest import Language, Opening, Theme

PAGES = {
    "sign-in": "/sign-in",
    "home": "/",
    "application": "/apps/codex",
    "account": "/account",
    "changes": "/changes",
    "people": "/admin/people",
    "keys": "/admin/keys",
    "jobs": "/admin/jobs",
    "data": "/data",
    "data-table": "/data/codex",
    "data-pattern": "/data/codex/patterns/Post.latest",
    "capacity": "/capacity",
    "spec": "/spec",
    "spec-news": "/spec/3-news",
    "news": "/news",
    "news-load": "/news/load",
    "news-tickers": "/news/tickers",
    "news-runs": "/news/runs",
    "news-queue": "/news/queue",
    "reference": "/api/docs",
    "missing": "/nothing-here",
}
LARGEST_PAGE = 60 * 1024
LOOKS: list[tuple[Language, Theme, int]] = list(product(("ko", "en"), ("light", "dark"), (1440, 390)))


@pytest.mark.parametrize("look", LOOKS, ids=lambda look: "-".join(map(str, look)))
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_accessible_and_fits(
    name: str, look: tuple[Language, Theme, int], opened: Opening, shots: Path | None
) -> None:
    language, theme, width = look
    watched = opened(None if name == "sign-in" else "seoyeon", language=language, theme=theme, width=width)
    page = watched.page()
    answer = page.goto(PAGES[name])
    assert answer is not None
    assert answer.status == (404 if name == "missing" else 200)
    page.wait_for_load_state("networkidle")
    if shots:
        page.screenshot(path=shots / f"{name}-{language}-{theme}-{width}.png", full_page=True)
    assert page.locator("html").get_attribute("lang") == language
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert _violations(page) == []
    if name == "missing":
        watched.faults.clear()  # The browser itself notes an answer of 404 as an error.


def _violations(page: Page) -> list[str]:
    found = Axe().run(page).response["violations"]
    return [f"{each['id']}: {node['html'][:160]}" for each in found for node in each["nodes"]]


@pytest.mark.parametrize("name", [name for name in PAGES if name != "missing"])
def test_a_page_is_light_over_the_wire(name: str, opened: Opening) -> None:
    watched = opened(None if name == "sign-in" else "seoyeon")
    page = watched.page()
    session = watched.context.new_cdp_session(page)
    octets: list[float] = []
    session.send("Network.enable")
    session.on("Network.loadingFinished", lambda event: octets.append(event["encodedDataLength"]))
    page.goto(PAGES[name])
    page.wait_for_load_state("networkidle")
    assert 1000 < sum(octets) < LARGEST_PAGE
