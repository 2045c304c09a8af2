"""What is told of the tests of a run with several processes: every result, and every failure before and after."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FILE = """
import time

import pytest

@pytest.fixture
def telling():
    time.sleep(0.1)
    yield
    print("said after it")

@pytest.fixture
def broken():
    raise ValueError("broken before")

@pytest.fixture
def breaking():
    yield
    raise ValueError("broken after")

def test_passes():
    pass

def test_fails():
    assert False, "wrong"

def test_is_not_set_up(broken):
    pass

def test_is_not_torn_down(breaking):
    pass

@pytest.mark.skip(reason="left out")
def test_is_left_out():
    pass

@pytest.mark.xfail(strict=True)
def test_fails_as_it_should():
    assert False
"""
COUNTS = "2 failed, 2 passed, 1 skipped, 1 xfailed, 2 errors"


@pytest.mark.parametrize("more", [(), ("-v",), ("--durations=0",)])
def test_nothing_is_lost(tmp_path: Path, more: tuple[str, ...]) -> None:
    file = tmp_path / "test_a.py"
    file.write_text(
        FILE.replace("def test_passes", "def test_fails_too(telling):\n    raise OSError\n\ndef test_passes")
    )
    plugins = ["-p", "xdist", "-p", "tests.telling", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-n", "1", *plugins, *more, "--rootdir", str(tmp_path), str(file)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""},
    )
    assert COUNTS in done.stdout
    for said in ("wrong", "broken before", "broken after", "OSError", "said after it"):
        assert said in done.stdout
    if (
        "--durations=0" not in more
    ):  # A phase that takes five milliseconds is listed there by the name of its test.
        assert ("test_a.py::test_passes" in done.stdout) == ("-v" in more)
    assert ("setup" in done.stdout.partition("slowest durations")[2]) == ("--durations=0" in more)
