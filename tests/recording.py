"""Keeps the last result of every test that is marked with a clause."""

from __future__ import annotations

import subprocess
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tools.register.results import record

from hansang import __version__
from hansang.blueprint.clauses import Outcome

_ITEMS = "items of the marked test"


class ClauseResults:
    """What a run finds out about the marked tests, in this process or in its workers."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._wanted: dict[str, int] = {}
        self._found: dict[str, dict[str, Outcome]] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Write on each marked item how many its test has, before any are left out; workers report it back."""
        one_by_one = any("[" in argument for argument in config.args)
        marked = [item for item in items if item.get_closest_marker("clause")]
        counted = Counter(_test(item.nodeid) for item in marked)
        for item in marked:
            item.user_properties.append((_ITEMS, 0 if one_by_one else counted[_test(item.nodeid)]))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take in one phase of one item; a failure in any of them stays."""
        properties = dict(report.user_properties)
        if _ITEMS in properties and (report.when == "call" or not report.passed):
            test = _test(report.nodeid)
            self._wanted[test] = int(str(properties[_ITEMS]))
            found = self._found.setdefault(test, {})
            if found.get(report.nodeid) != "failed":
                found[report.nodeid] = report.outcome

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        outcomes = self._outcomes()
        if outcomes and not hasattr(session.config, "workerinput"):
            now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            record(self._root, outcomes, now, _version(self._root))

    def _outcomes(self) -> dict[str, Outcome]:
        """How each test went; of one that ran in part only a failure is known."""
        outcomes: dict[str, Outcome] = {}
        for test, items in self._found.items():
            if "failed" in items.values():
                outcomes[test] = "failed"
            elif len(items) == self._wanted[test]:
                outcomes[test] = "passed" if "passed" in items.values() else "skipped"
        return outcomes


def _test(nodeid: str) -> str:
    """The file and the function of an item, without its class and its parameters."""
    path, *names = nodeid.partition("[")[0].partition("@")[0].split("::")
    return f"{path}::{names[-1]}"


def _version(root: Path) -> str:
    """The commit that is run, and whether something was changed since; outside of git, the version."""
    command = ["git", "-C", str(root), "describe", "--always", "--dirty", "--exclude=*"]
    try:
        return subprocess.run(command, capture_output=True, check=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return __version__
