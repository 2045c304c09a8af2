"""What the processes of a run tell the first one: each test's result, and of what went before and after it, failures.

Telling, packing and unpacking that a test has begun, was set up and was torn down takes as long as many a test.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    if hasattr(config, "workerinput") and not _shows_every_phase(config.option):
        _replace(
            config.hook.pytest_runtest_logreport, lambda tell: lambda report: is_news(report) and tell(report)
        )
        _replace(config.hook.pytest_runtest_logstart, lambda tell: lambda nodeid, location: None)


def _shows_every_phase(option: Any) -> bool:
    """Whether every phase of a test is shown or kept; `--durations=0` asks for all durations."""
    return bool(option.verbose or option.xmlpath) or option.durations is not None


def is_news(report: pytest.TestReport) -> bool:
    """Whether anything is counted or shown of a phase of a test: a failure is shown with what was said after it."""
    return report.when == "call" or not report.passed or _is_said_after(report)


def _is_said_after(report: pytest.TestReport) -> bool:
    return any(title.endswith(" teardown") for title, _ in report.sections)


def _replace(hook: Any, made: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    """Change what the part of xdist does that tells the first process."""
    for each in hook.get_hookimpls():
        if type(each.plugin).__name__ == "WorkerInteractor":
            each.function = made(each.function)
