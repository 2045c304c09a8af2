"""Every run keeps the results of the tests that are marked with a clause, for the register."""

from __future__ import annotations

import pytest
from tools.register.register import ROOT

from tests.moto_server import moto_url, s3
from tests.recording import ClauseResults

__all__ = ["moto_url", "s3"]


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(ClauseResults(ROOT))
