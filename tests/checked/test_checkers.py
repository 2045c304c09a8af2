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


def run(*command: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


def mypy(name: str) -> str:
    return run("mypy", "--strict", "--no-error-summary", str(HERE / name))


def pyright(name: str) -> str:
    if shutil.which("node") is None or shutil.which("npm") is None:
        if os.environ.get("CI"):
            pytest.fail("pyright needs Node.js and npm, and they are not installed")
        pytest.skip("pyright needs Node.js and npm")
    return run("pyright", str(HERE / name))


def flagged(report: str) -> set[int]:
    """The lines of wrong.py that a checker complains of."""
    return {int(number) for number in re.findall(r"wrong\.py:(\d+)[^\n]*error", report)}


@pytest.fixture(scope="module")
def flagged_by_mypy() -> set[int]:
    return flagged(mypy("wrong.py"))


@pytest.fixture(scope="module")
def flagged_by_pyright() -> set[int]:
    return flagged(pyright("wrong.py"))


def test_there_are_enough_wrong_uses() -> None:
    assert len(marked("wrong")) >= 30
    assert len(marked("wrong", "refused")) >= 40


def test_mypy_has_nothing_against_right_uses() -> None:
    assert "error" not in mypy("right.py")


def test_mypy_flags_every_wrong_use(flagged_by_mypy: set[int]) -> None:
    assert marked("wrong").keys() - flagged_by_mypy == set()


def test_mypy_flags_nothing_else(flagged_by_mypy: set[int]) -> None:
    assert flagged_by_mypy - marked("wrong", "refused").keys() == set()


def test_pyright_has_nothing_against_right_uses() -> None:
    assert "0 errors" in pyright("right.py")


def test_pyright_flags_every_wrong_use(flagged_by_pyright: set[int]) -> None:
    assert marked("wrong").keys() - flagged_by_pyright == set()


def test_pyright_flags_nothing_else(flagged_by_pyright: set[int]) -> None:
    assert flagged_by_pyright - marked("wrong", "refused").keys() == set()
