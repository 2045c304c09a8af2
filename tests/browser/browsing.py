"""A real browser on the real server, and what goes wrong in it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, Literal
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect, sync_playwright

from tests.browser.serving import PASSWORD, Site

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
THRIFTY = [
    "--in-process-gpu",
    "--js-flags=--no-opt",  # No page is open so long that it pays to make its scripts faster.
]
"""What saves the tests work, and would falsify what a bench measures."""
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""What it may be called; the one without a window to paint is much the quickest."""
HANG_MS = 300_000
"""After how long something that does not come is given up; a busy machine takes its time."""
ACTIONS = (
    "check",
    "click",
    "fill",
    "press",
    "press_sequentially",
    "select_option",
    "set_input_files",
    "uncheck",
)
SIZES = {1440: 1000, 820: 1180, 390: 844}
_LOCALES = {"ko": "ko-KR", "en": "en-US"}


def chromium() -> str:
    """Where the browser is; without one the tests are skipped, but not in CI."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None and os.environ.get("CI") == "true":
        pytest.fail("There is no Chromium. make browser installs it.")
    if found is None:
        pytest.skip(
            "There is no Chromium. Install it with: make browser (as root), or apt install chromium-headless-shell."
        )
    return found


@dataclass
class Watched:
    """A context of the browser, and what went wrong in it."""

    context: BrowserContext
    site: Site
    faults: list[str] = field(default_factory=list)

    def page(self) -> Page:
        page = self.context.new_page()
        page.set_default_timeout(HANG_MS)
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

    def resize(self, width: int) -> None:
        self.page.set_viewport_size({"width": width, "height": SIZES[width]})

    def visit(self, path: str) -> int:
        """Go there with nothing kept from before; the status of the answer."""
        self.watched.faults.clear()
        self.sizes_bytes.clear()
        self.page.emulate_media(color_scheme="light", reduced_motion="reduce")
        answer = self.page.goto(path)
        assert answer is not None
        settled(self.page)
        return answer.status


Keeping = Callable[[str | None, Language], Kept]


class Browsing:
    """Chromium, open while tests that use it follow each other: Playwright's loop is in the way of all others."""

    def __init__(self, options: Sequence[str] = (*OPTIONS, *THRIFTY)) -> None:
        self._stack, self._options = ExitStack(), options
        self._browser: Browser | None = None
        self.states: dict[tuple[str, str], Any] = {}
        """The cookies of those who have signed in already, by site and name."""
        self.kept: dict[tuple[str, str | None, Language], Kept] = {}

    def open(self) -> None:
        if self._browser is None:
            path = chromium()
            playwright = self._stack.enter_context(sync_playwright())
            self._browser = playwright.chromium.launch(executable_path=path, args=self._options)
            self._stack.callback(self._browser.close)

    @property
    def browser(self) -> Browser:
        assert self._browser is not None
        return self._browser

    def open_for(self, site: Site, name: str | None, language: Language, theme: Theme, width: int) -> Watched:
        state = None if name is None else self._signed_in(site, name)
        return Watched(new_context(self.browser, site, state, language, theme, width), site)

    def keep(self, site: Site, name: str | None, language: Language) -> Kept:
        """One page for each person and language."""
        look = (site.url, name, language)
        if look not in self.kept:
            self.kept[look] = Kept.of(self.open_for(site, name, language, "light", 1440))
        return self.kept[look]

    def _signed_in(self, site: Site, name: str) -> Any:
        if (site.url, name) not in self.states:
            with self.browser.new_context(base_url=site.url) as context:
                page = context.new_page()
                page.set_default_timeout(HANG_MS)
                sign_in(page, name)
                page.wait_for_url(f"{site.url}/")
                self.states[site.url, name] = context.storage_state()
        return self.states[site.url, name]

    def close(self) -> None:
        """End the browser; the next test that needs it starts another one."""
        self.kept.clear()
        self._browser = None
        self._stack.close()


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


def sign_in(page: Page, name: str, password: str = PASSWORD) -> None:
    """Fill in the form and send it."""
    page.goto("/sign-in")
    page.locator("input[name=name]").fill(name)
    page.locator("input[name=password]").fill(password)
    page.locator("main button[type=submit]").click()


def act_when_loaded() -> None:
    """From now on whatever is done to a part of a page waits until its scripts listen."""
    for name in ACTIONS:
        setattr(Locator, name, _when_loaded(getattr(Locator, name)))


def _when_loaded(action: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(action)
    def act(part: Locator, *arguments: Any, **options: Any) -> Any:
        part.first.wait_for(state="attached", timeout=options.get("timeout"))
        part.page.wait_for_load_state()
        return action(part, *arguments, **options)

    return act


def settled(page: Page) -> None:
    """Wait until everything has come and every chart is drawn."""
    page.wait_for_load_state("load")
    page.wait_for_function(
        "() => [...document.querySelectorAll('[data-chart] .plot, [data-course] .plot')]"
        ".every(plot => plot.childElementCount || !plot.checkVisibility())"
    )


def press_until_visible(page: Page, key: str, wanted: Locator) -> None:
    """Press a key; again if it came before the page could hear it, as on a busy machine."""
    for _ in range(10):
        page.keyboard.press(key)
        with suppress(AssertionError):
            expect(wanted).to_be_visible(timeout=6_000)
            return
    expect(wanted).to_be_visible()
