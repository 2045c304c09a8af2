"""When the browser is closed: its loop is in the way of all others, and a process in which it runs may not end."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.browser.browsing import chromium

FILE = """
import asyncio
import pytest

@pytest.fixture
def breaking(browsing):
    yield
    raise ValueError("broken after")

def test_is_not_torn_down(breaking):
    asyncio.get_running_loop()

def test_has_no_browser():
    with pytest.raises(RuntimeError, match="no running event loop"):
        asyncio.get_running_loop()
"""
HANG_SECONDS = 300


def test_it_is_closed_behind_a_test_that_fails_at_its_end(tmp_path: Path) -> None:
    chromium()
    file = tmp_path / "test_a.py"
    file.write_text(FILE)
    options = [
        "-p",
        "tests.browser.fixtures",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        str(tmp_path),
        str(file),
    ]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""},
        timeout=HANG_SECONDS,
    )
    assert "2 passed, 1 error" in done.stdout, done.stdout + done.stderr
