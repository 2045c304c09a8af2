"""The tests of a file run in one process, one after the other."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.dealing import hand

FILE = """
import os, pytest

@pytest.fixture(scope="module")
def made():
    with open(f"{__file__}.made", "a") as file:
        file.write("made ")

@pytest.mark.parametrize("number", range(12))
def test_looks_at_it(made, number):
    pass
"""


def test_what_a_file_looks_at_is_made_once(tmp_path: Path) -> None:
    files = [tmp_path / f"test_{name}.py" for name in ("a", "b", "c")]
    for each in files:
        each.write_text(FILE)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-n",
        "2",
        "-p",
        "xdist",
        "-p",
        "tests.dealing",
        "-p",
        "no:cacheprovider",
    ]
    done = subprocess.run(
        [*command, "--rootdir", str(tmp_path), *map(str, files)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert [Path(f"{each}.made").read_text() for each in files] == ["made "] * 3


def test_browsers_are_dealt_to_two_processes() -> None:
    folder = Path(__file__).parent
    names = [str(each.relative_to(folder.parent)) for each in folder.rglob("browser/test_*.py")]
    assert {hand(f"{name}::test_a") for name in names} == {"browser-0", "browser-1"}
    pages = [f"tests/browser/test_every_page.py::test_a_page[{number}]" for number in range(20)]
    assert {hand(page) for page in pages} == {"browser-0", "browser-1"}
    assert hand("tests/engine/test_store.py::test_a") == "tests/engine/test_store.py"


def test_what_a_file_with_a_browser_looks_at_is_made_once_too() -> None:
    names = [f"tests/apps/news/browser/test_news.py::test_{number}" for number in range(20)]
    assert len({hand(name) for name in names}) == 1
