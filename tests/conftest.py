"""Every run keeps the results of the tests that are marked with a clause, for the register."""

from __future__ import annotations

import pytest
from tools.register.register import ROOT

from tests.recording import ClauseResults


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(ClauseResults(ROOT))
