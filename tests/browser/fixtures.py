"""The browser for every test that asks for it; such tests lie in folders of their own, which are dealt first."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.browsing import (
    HANG_MS,
    Browsing,
    Keeping,
    Language,
    Opening,
    Theme,
    Watched,
    act_when_loaded,
)
from tests.browser.serving import Site, served

_BROWSING = Browsing()
expect.set_options(timeout=HANG_MS)
act_when_loaded()


def _needs_browser(item: pytest.Item | None) -> bool:
    return "browsing" in getattr(item, "fixturenames", ())


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Open the browser before the test begins, so that no test seems to have left it behind."""
    if _needs_browser(item):
        _BROWSING.open()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None]:
    try:
        yield
    finally:
        if _needs_browser(item) and not _needs_browser(nextitem):
            _BROWSING.close()


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path | None:
    """Where the processes of a run leave what the others need not make again; None for one that is alone."""
    is_alone = "PYTEST_XDIST_WORKER" not in os.environ
    return None if is_alone else tmp_path_factory.getbasetemp().parent


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory, shared: Path | None) -> Iterator[Site]:
    """One server for all of them; what a test changes there is its own."""
    with served(tmp_path_factory.mktemp("browser"), shared=shared) as found:
        yield found


@pytest.fixture(scope="session")
def browsing() -> Browsing:
    return _BROWSING


@pytest.fixture
def opened(browsing: Browsing, site: Site) -> Iterator[Opening]:
    """Opens the browser for somebody, in a language, a theme and a size; nothing may have gone wrong at the end."""
    contexts: list[Watched] = []

    def open_for(
        name: str | None = None, *, language: Language = "ko", theme: Theme = "light", width: int = 1440
    ) -> Watched:
        contexts.append(browsing.open_for(site, name, language, theme, width))
        return contexts[-1]

    yield open_for
    faults = [fault for each in contexts for fault in each.faults]
    for each in contexts:
        each.context.close()
    assert faults == []


@pytest.fixture
def kept(browsing: Browsing, site: Site) -> Keeping:
    return lambda name, language: browsing.keep(site, name, language)


@pytest.fixture(scope="session")
def shots() -> Path | None:
    """Where pictures go, when the environment asks for them."""
    folder = os.environ.get("HANSANG_SHOTS")
    return Path(folder) if folder else None
