"""What holds for every test: clauses are recorded, nothing stays open, the browser's tests come first."""

from __future__ import annotations

import gc
from collections.abc import Generator, Iterator

import pytest
from tools.register.register import ROOT

from tests.leftovers import nothing_left, watch_engines
from tests.recording import ClauseResults

# Thousands of tests are a large heap. The collector walks it seldom, and what is there after collecting never.
gc.set_threshold(50_000, 20, 50)

pytest_plugins = ["tests.browser.fixtures", "tests.moto_server"]

_FAILED = pytest.StashKey[bool]()


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(ClauseResults(ROOT))
    watch_engines()


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    item.stash[_FAILED] = item.stash.get(_FAILED, False) or report.failed
    return report


@pytest.fixture(autouse=True)
def leaves_nothing(request: pytest.FixtureRequest) -> Iterator[None]:
    """Set up before every other fixture of a test alone, so it looks when all of them have closed."""
    with nothing_left(lambda: request.node.stash.get(_FAILED, False)):
        yield
