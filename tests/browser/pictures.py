"""The pictures of the documentation, taken from a server with every sample: python -m tests.browser.pictures FOLDER."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, Page, StorageState, sync_playwright

from tests.browser.browsing import HANG_MS, OPTIONS, Language, Theme, chromium, new_context, settled, sign_in
from tests.browser.serving import Site, served

EVERY_SAMPLE = ("assets", "leaderboards", "rankings", "news", "codex")
TABLE = "/data/codex/tables/FMWebAppTable"
WHOLE, DESK, PHONE = (1440, 1080), (1280, 860), (390, 844)
LARGEST = 250_000
EDITS = {
    "BANNER%23bn004": "함께 일할 분을 기다립니다",
    "BANNER%23bn003": "공방 운영자 모임, 이번 달 목요일",
    "BANNER%23bn001": "가게 장부, 이제 두루빛 하나로",
}
"""New titles, by the keys of the banners that get them."""


@dataclass(frozen=True)
class Picture:
    """One picture: a page, as somebody sees it."""

    name: str
    path: str
    language: Language = "en"
    theme: Theme = "light"
    size: tuple[int, int] = DESK


PICTURES = (
    Picture("home-en", "/", size=WHOLE),
    Picture("home-ko", "/", "ko", size=WHOLE),
    Picture("home-dark", "/", theme="dark", size=WHOLE),
    Picture("home-phone", "/", "ko", "dark", PHONE),
    Picture("data", "/data"),
    Picture("table", f"{TABLE}?partition=CATEGORY%23c001"),
    Picture("entities", f"{TABLE}?partition=CATEGORY%23c001&as=entities", "ko", "dark"),
    Picture("table-phone", f"{TABLE}?partition=CATEGORY%23c001", "ko", "light", PHONE),
    Picture("item", f"{TABLE}/item?{{item}}"),
    Picture("edit", f"{TABLE}/edit?{{item}}"),
    Picture("pattern", "/data/codex/patterns/Post.in_category?arg-category_id=c001"),
    Picture("pattern-phone", "/data/codex/patterns/Post.in_category", "ko", "dark", PHONE),
    Picture("capacity", "/capacity"),
    Picture("spec", "/spec"),
    Picture("spec-news", "/spec/3-news"),
    Picture("change", "/changes/{change}"),
    Picture("news-articles", "/news"),
    Picture("news-tickers", "/news/tickers"),
    Picture("news-runs", "/news/runs", "ko", "dark"),
    Picture("reference", "/api/docs"),
    Picture("assets-month", "/assets", "ko", size=WHOLE),
    Picture("assets-dashboard", "/assets/dashboard"),
    Picture("assets-phone", "/assets", "ko", "dark", PHONE),
    Picture("leaderboards-week", "/leaderboards"),
    Picture("rankings-front", "/rankings", "ko"),
    Picture("rankings-everyone", "/rankings/everyone", theme="dark"),
    Picture("codex-posts", "/codex"),
    Picture("codex-site", "/site", "ko"),
)


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    wanted = [each for each in PICTURES if not sys.argv[2:] or each.name in sys.argv[2:]]
    with TemporaryDirectory() as data, served(Path(data), EVERY_SAMPLE) as site, _browser() as browser:
        owner = _used(browser, site)
        for picture in wanted:
            path = folder / f"{picture.name}.png"
            _take(browser, site, owner, picture, path)
            if path.stat().st_size > LARGEST:
                sys.exit(f"{path} is larger than {LARGEST} bytes. Show less of the page.")


@contextmanager
def _browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=OPTIONS)
        yield browser
        browser.close()


def _used(browser: Browser, site: Site) -> StorageState:
    """The cookies of the owner, after the console was used for a while."""
    context = new_context(browser, site, None, "ko", "light", DESK[0])
    page = context.new_page()
    page.set_default_timeout(HANG_MS)
    sign_in(page, "seoyeon")
    page.wait_for_url(f"{site.url}/")
    for key, title in EDITS.items():
        page.goto(f"{TABLE}/edit?pk={key}&sk=METADATA")
        page.fill("[name=value-title]", title)
        page.click("main form button[type=submit]")
        page.wait_for_url("**/item?**")
    for application in EVERY_SAMPLE:
        _ask_everything(page, application)
    state = context.storage_state()
    context.close()
    return state


def _ask_everything(page: Page, application: str) -> None:
    """Every access pattern of an application, with the values that its page offers."""
    shown = page.request.get(f"/data/{application}").text()
    for path in dict.fromkeys(re.findall(r'href="(/data/[^"]+/patterns/[^"]+)"', shown)):
        offered = re.findall(
            rf'href="({re.escape(path)}\?[^"]+)"', page.request.get(path).text().replace("&amp;", "&")
        )
        for each in offered:
            page.request.get(each)


def _take(browser: Browser, site: Site, owner: StorageState, picture: Picture, path: Path) -> None:
    width, height = picture.size
    context = new_context(browser, site, owner, picture.language, picture.theme, width)
    page = context.new_page()
    page.set_default_timeout(HANG_MS)
    page.set_viewport_size({"width": width, "height": height})
    page.goto(picture.path.format(change=site.change, item=site.item))
    settled(page)
    page.screenshot(path=path)
    context.close()


if __name__ == "__main__":
    main()
