"""What holds for every test: clauses are recorded, nothing stays open, hypothesis searches without a deadline.

It searches briefly, or with HYPOTHESIS_PROFILE=long, at length.
"""

from __future__ import annotations

import gc
import os
import re
import signal
from collections.abc import Generator, Iterator
from functools import cache

import botocore.session
import pytest
import starlette.routing
import typer.testing
from hypothesis import HealthCheck, Phase, settings
from hypothesis.strategies import text
from tools.register.register import ROOT

from tests.leftovers import nothing_left, watch_engines
from tests.recording import ClauseResults

# Hundreds of tests put a whole server together: the addresses of its routes are compiled once.
re._MAXCACHE = 20_000  # type: ignore[attr-defined]
# Hundreds give commands: what Typer makes of a group of them is made once.
typer.testing._get_command = cache(typer.testing._get_command)  # type: ignore[attr-defined]
starlette.routing.compile_path = cache(starlette.routing.compile_path)
# And hundreds make a client of AWS: the descriptions of its services are read once.
_LOADER = botocore.session.create_loader()
botocore.session.create_loader = lambda search_path_string=None: _LOADER
# Thousands of tests are a large heap. The collector walks it seldom, and what is there after collecting never.
gc.set_threshold(50_000, 20, 50)

# A failure is told as it was found: shrinking it takes minutes, and HYPOTHESIS_PROFILE=long does it.
SEARCH = [Phase.explicit, Phase.reuse, Phase.generate]
CALM = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]

settings.register_profile(
    "short",
    max_examples=15,
    stateful_step_count=25,
    deadline=None,
    derandomize=True,
    phases=SEARCH,
    suppress_health_check=CALM,
)
settings.register_profile(
    "long",
    max_examples=2000,
    stateful_step_count=60,
    deadline=None,
    suppress_health_check=CALM,
    print_blob=True,
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "short"))

pytest_plugins = [
    "tests.browser.fixtures",
    "tests.dealing",
    "tests.moto_server",
    "tests.surfaces.asking",
    "tests.telling",
]

_FAILED = pytest.StashKey[bool]()


def pytest_configure(config: pytest.Config) -> None:
    # A shell that starts the tests in the background has them, and all that they start, ignore Ctrl+C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    config.pluginmanager.register(ClauseResults(ROOT))
    watch_engines()


@pytest.hookimpl(trylast=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Hypothesis keeps its table of all characters in a file: made once, before there are processes that need it."""
    if not hasattr(session.config, "workerinput"):
        text().validate()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Nothing of what is made while tests are collected is garbage: the collector would walk it in vain."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """Whatever is left says so now; pytest itself looks five times more, and need not walk the same heap again."""
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
