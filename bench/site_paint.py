"""How soon a phone paints the first content of the public site: a slow processor and a slow network, as medians."""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, StorageState, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.browser.browsing import OPTIONS, chromium, sign_in
from tests.browser.serving import Site, served

TURNS = 5
ANSWERED = "performance.getEntriesByType('navigation')[0].responseEnd"
PAINTED = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
SIZE_BYTES = (
    "performance.getEntries().filter(each => 'transferSize' in each)"
    ".reduce((sum, each) => sum + each.transferSize, 0)"
)
SLOWER = 4
"""How many times slower the processor is than this one."""
NETWORK = {
    "offline": False,
    "latency": 40,
    "downloadThroughput": 10_000_000 / 8,
    "uploadThroughput": 3_000_000 / 8,
}
"""4G, as Chromium's developer tools have it: milliseconds, and bytes a second."""
PAGES = ("/site", "/site/posts", "/site/search?q=고객", "/site/contact")


def main() -> None:
    with TemporaryDirectory() as folder, sync_playwright() as playwright, served(Path(folder)) as site:
        browser = playwright.chromium.launch(executable_path=chromium(), args=OPTIONS)
        state = signed_in_state(browser, site)
        print(f"{'page':<44}{'KB':>8}{'answered ms':>14}{'painted ms':>12}", flush=True)
        for path in PAGES:
            turns = [_turn(browser, site, state, path) for _ in range(TURNS)]
            size_bytes, answered, painted = (median(each) for each in zip(*turns, strict=True))
            print(f"{path:<44}{size_bytes / 1024:>8.1f}{answered:>14.0f}{painted:>12.0f}", flush=True)
        browser.close()


def signed_in_state(browser: Browser, site: Site) -> StorageState:
    with browser.new_context(base_url=site.url) as context:
        page = context.new_page()
        sign_in(page, "seoyeon")
        page.wait_for_url(f"{site.url}/")
        return context.storage_state()


def _turn(browser: Browser, site: Site, state: StorageState, path: str) -> tuple[float, float, float]:
    """One page on a phone with nothing kept from the one before."""
    with browser.new_context(
        base_url=site.url, viewport={"width": 390, "height": 844}, device_scale_factor=3, storage_state=state
    ) as context:
        page = context.new_page()
        session = context.new_cdp_session(page)
        session.send("Network.enable")
        session.send("Network.emulateNetworkConditions", NETWORK)
        session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
        page.goto(path)
        page.wait_for_load_state("networkidle")
        return page.evaluate(SIZE_BYTES), page.evaluate(ANSWERED), page.evaluate(PAINTED)


if __name__ == "__main__":
    main()
