"""A real browser on the real server. A test fails on any error in the console or request that leaves the machine."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, sync_playwright

from tests.browser.serving import PASSWORD, Site, served

Language = Literal["ko", "en"]
Theme = Literal["light", "dark"]

OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
SIZES = {1440: 1000, 390: 844}
_LOCALES = {"ko": "ko-KR", "en": "en-US"}


def chromium() -> str:
    """Where the browser is; without one the tests are skipped, but not in CI."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None and os.environ.get("CI") == "true":
        pytest.fail("There is no Chromium. make browser installs it.")
    if found is None:
        pytest.skip("There is no Chromium. Install it with: make browser (as root), or apt install chromium.")
    return found


@pytest.fixture(scope="package")
def playwright() -> Iterator[Playwright]:
    """Playwright, as long as these tests run: its loop is in the way of all others on this thread."""
    chromium()
    with sync_playwright() as found:
        yield found


@pytest.fixture(scope="package")
def browser(playwright: Playwright) -> Iterator[Browser]:
    found = playwright.chromium.launch(executable_path=chromium(), args=OPTIONS)
    yield found
    found.close()


@pytest.fixture(scope="package")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with served(tmp_path_factory.mktemp("browser")) as found:
        yield found


@dataclass
class Watched:
    """A context of the browser, and what went wrong in it."""

    context: BrowserContext
    site: Site
    faults: list[str] = field(default_factory=list)

    def page(self) -> Page:
        page = self.context.new_page()
        page.set_default_timeout(15_000)
        page.on("console", lambda message: self._note(message.type in ("error", "warning"), message.text))
        page.on("pageerror", lambda error: self._note(True, str(error)))
        page.on("request", lambda request: self._note(self._leaves(request.url), f"request to {request.url}"))
        return page

    def _note(self, wrong: bool, what: str) -> None:
        if wrong:
            self.faults.append(what)

    def _leaves(self, url: str) -> bool:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https", "ws") and not url.startswith(self.site.url)


Opening = Callable[..., Watched]


@pytest.fixture(scope="package")
def states() -> dict[str, Any]:
    """The cookies of those who have signed in already."""
    return {}


@pytest.fixture
def opened(browser: Browser, site: Site, states: dict[str, Any]) -> Iterator[Opening]:
    """Opens the browser for somebody, in a language, a theme and a size; nothing may have gone wrong at the end."""
    contexts: list[Watched] = []

    def open_for(
        name: str | None = None, *, language: Language = "ko", theme: Theme = "light", width: int = 1440
    ) -> Watched:
        state = None if name is None else _signed_in(browser, site, states, name)
        contexts.append(Watched(new_context(browser, site, state, language, theme, width), site))
        return contexts[-1]

    yield open_for
    faults = [fault for each in contexts for fault in each.faults]
    for each in contexts:
        each.context.close()
    assert faults == []


@dataclass
class Kept:
    """A page that stays open from test to test, since a new one costs more than what is shown in it."""

    watched: Watched
    page: Page
    sizes_bytes: list[float] = field(default_factory=list)
    """What every answer to the last visit has weighed over the wire."""

    @classmethod
    def of(cls, watched: Watched) -> Kept:
        kept = cls(watched, watched.page())
        session = watched.context.new_cdp_session(kept.page)
        session.send("Network.enable")
        session.send("Network.setCacheDisabled", {"cacheDisabled": True})
        session.on(
            "Network.loadingFinished", lambda event: kept.sizes_bytes.append(event["encodedDataLength"])
        )
        return kept

    def visit(self, path: str) -> int:
        """Go there with nothing kept from before; the status of the answer."""
        self.watched.faults.clear()
        self.sizes_bytes.clear()
        self.page.emulate_media(color_scheme="light", reduced_motion="reduce")
        answer = self.page.goto(path)
        assert answer is not None
        settled(self.page)
        return answer.status


Keeping = Callable[[str | None, Language, int], Kept]


@pytest.fixture(scope="package")
def kept(browser: Browser, site: Site, states: dict[str, Any]) -> Iterator[Keeping]:
    """One page for each person, language and size."""
    pages: dict[tuple[str | None, Language, int], Kept] = {}

    def keep(name: str | None, language: Language, width: int) -> Kept:
        look = (name, language, width)
        if look not in pages:
            state = None if name is None else _signed_in(browser, site, states, name)
            pages[look] = Kept.of(Watched(new_context(browser, site, state, language, "light", width), site))
        return pages[look]

    yield keep
    for each in pages.values():
        each.watched.context.close()


def new_context(
    browser: Browser, site: Site, state: Any, language: Language, theme: Theme, width: int
) -> BrowserContext:
    """A browser that nobody has used, with the cookies of whoever has signed in."""
    return browser.new_context(
        base_url=site.url,
        locale=_LOCALES[language],
        color_scheme=theme,
        viewport={"width": width, "height": SIZES.get(width, 1000)},
        storage_state=state,
        reduced_motion="reduce",
    )


def _signed_in(browser: Browser, site: Site, states: dict[str, Any], name: str) -> Any:
    if name not in states:
        context = browser.new_context(base_url=site.url)
        page = context.new_page()
        sign_in(page, name)
        page.wait_for_url(f"{site.url}/")
        states[name] = context.storage_state()
        context.close()
    return states[name]


def sign_in(page: Page, name: str, password: str = PASSWORD) -> None:
    """Fill in the form and send it."""
    page.goto("/sign-in")
    page.fill("input[name=name]", name)
    page.fill("input[name=password]", password)
    page.click("main button[type=submit]")


def settled(page: Page) -> None:
    """Wait until everything has come and every chart is drawn."""
    page.wait_for_load_state("load")
    page.wait_for_function(
        "() => [...document.querySelectorAll('[data-chart] .plot')].every(plot => plot.childElementCount)"
    )


@pytest.fixture(scope="session")
def shots() -> Path | None:
    """Where pictures go, when the environment asks for them."""
    folder = os.environ.get("HANSANG_SHOTS")
    return Path(folder) if folder else None
