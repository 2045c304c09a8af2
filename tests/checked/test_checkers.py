"""mypy and pyright are clean on right uses of a design, and flag every wrong one."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.checked.marks import marked

pytestmark = pytest.mark.long

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
FILES = (str(HERE / "right.py"), str(HERE / "wrong.py"))


def run(*command: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def mypy() -> str:
    """What it says of both files."""
    return run("mypy", "--strict", "--no-error-summary", *FILES)


@pytest.fixture(scope="module")
def pyright() -> str:
    """What it says of both files."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        if os.environ.get("CI"):
            pytest.fail("pyright needs Node.js and npm, and they are not installed")
        pytest.skip("pyright needs Node.js and npm")
    return run("pyright", *FILES)


def flagged(report: str, name: str = "wrong") -> set[int]:
    """The lines of a file that a checker complains of."""
    return {int(number) for number in re.findall(rf"{name}\.py:(\d+)[^\n]*error", report)}


def test_there_are_enough_wrong_uses() -> None:
    assert len(marked("wrong")) >= 30
    assert len(marked("wrong", "refused")) >= 40


def test_mypy_has_nothing_against_right_uses(mypy: str) -> None:
    assert flagged(mypy, "right") == set()
    assert set(re.findall(r"(\w+)\.py:\d+[^\n]*error", mypy)) == {"wrong"}


def test_mypy_flags_every_wrong_use(mypy: str) -> None:
    assert marked("wrong").keys() - flagged(mypy) == set()


def test_mypy_flags_nothing_else(mypy: str) -> None:
    assert flagged(mypy) - marked("wrong", "refused").keys() == set()


def test_pyright_has_nothing_against_right_uses(pyright: str) -> None:
    assert flagged(pyright, "right") == set()
    assert set(re.findall(r"(\w+)\.py:\d+[^\n]*error", pyright)) == {"wrong"}


def test_pyright_flags_every_wrong_use(pyright: str) -> None:
    assert marked("wrong").keys() - flagged(pyright) == set()


def test_pyright_flags_nothing_else(pyright: str) -> None:
    assert flagged(pyright) - marked("wrong", "refused").keys() == set()
