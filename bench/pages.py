"""How heavy each page of the console is over the wire, and how soon its first content is painted, as medians."""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, Page, StorageState, ViewportSize, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.browser.browsing import OPTIONS, chromium, sign_in
from tests.browser.pages import addresses
from tests.browser.serving import Site, served

TURNS = 3
ANSWERED = "performance.getEntriesByType('navigation')[0].responseEnd"
PAINTED = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
SIZE_BYTES = (
    "performance.getEntries().filter(each => 'transferSize' in each)"
    ".reduce((sum, each) => sum + each.transferSize, 0)"
)


def main() -> None:
    with TemporaryDirectory() as folder, sync_playwright() as playwright, served(Path(folder)) as site:
        browser = playwright.chromium.launch(executable_path=chromium(), args=OPTIONS)
        signed_in = signed_in_state(browser, site)
        print(f"{'page':<44}{'KB':>8}{'answered ms':>14}{'painted ms':>12}", flush=True)
        medians: list[tuple[float, ...]] = []
        for name, path in addresses(site).items():
            state = None if name == "sign-in" else signed_in
            turns = [_turn(browser, site, state, path) for _ in range(TURNS)]
            found = tuple(median(each) for each in zip(*turns, strict=True))
            medians.append(found)
            tell(name, found)
        browser.close()
        tell("the median of all pages", tuple(median(each) for each in zip(*medians, strict=True)))
        tell("the largest of each", tuple(max(each) for each in zip(*medians, strict=True)))


def tell(name: str, figures: tuple[float, ...]) -> None:
    size_bytes, answered, painted = figures
    print(f"{name:<44}{size_bytes / 1024:>8.1f}{answered:>14.0f}{painted:>12.0f}", flush=True)


def signed_in_state(browser: Browser, site: Site) -> StorageState:
    with browser.new_context(base_url=site.url) as context:
        page = context.new_page()
        sign_in(page, "seoyeon")
        page.wait_for_url(f"{site.url}/")
        return context.storage_state()


def _turn(browser: Browser, site: Site, state: StorageState | None, path: str) -> tuple[float, float, float]:
    """One page with nothing kept from the one before."""
    size: ViewportSize = {"width": 1440, "height": 1000}
    with browser.new_context(base_url=site.url, viewport=size, storage_state=state) as context:
        return _figures(context.new_page(), path)


def _figures(page: Page, path: str) -> tuple[float, float, float]:
    page.goto(path)
    page.wait_for_load_state("networkidle")
    return page.evaluate(SIZE_BYTES), page.evaluate(ANSWERED), page.evaluate(PAINTED)


if __name__ == "__main__":
    main()
