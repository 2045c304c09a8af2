"""A run keeps what became of the tests that are marked with a clause."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tools.register.results import results

from hansang import __version__
from hansang.blueprint.clauses import Outcome

pytestmark = pytest.mark.long

ROOT = Path(__file__).parent.parent
CONFTEST = """
from pathlib import Path
from tests.recording import ClauseResults

def pytest_configure(config):
    config.addinivalue_line("markers", "clause(*ids): an id")
    config.pluginmanager.register(ClauseResults(Path(__file__).parent))
"""
TESTS = """
import pytest

@pytest.mark.clause("R1")
@pytest.mark.parametrize("number", [1, 2])
def test_both(number): assert number < {limit}

@pytest.mark.parametrize("number", [1, pytest.param(2, marks=pytest.mark.clause("R4"))])
def test_marked_in_part(number): pass

@pytest.mark.clause("R2")
def test_skipped(): pytest.skip("not here")

@pytest.fixture
def left():
    yield
    assert False

@pytest.mark.clause("R3")
def test_left(left): pass

def test_of_no_clause(): pass
"""
NAMES = ("test_both", "test_skipped", "test_left", "test_marked_in_part")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_a.py").write_text(TESTS.format(limit=3))
    return tmp_path


def after(project: Path, *arguments: str) -> list[Outcome]:
    """What is known of the marked tests after one more run."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "xdist",
        "--rootdir",
        str(project),
    ]
    environment = {
        "PYTHONPATH": f"{ROOT}:{ROOT / 'src'}",
        "PATH": "/usr/bin:/bin",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }
    subprocess.run([*command, *arguments], cwd=project, env=environment, capture_output=True, check=False)
    known = results(project)
    return [
        known[f"test_a.py::{name}"].outcome if f"test_a.py::{name}" in known else "unrun" for name in NAMES
    ]


@pytest.mark.parametrize("workers", ["0", "2"])
def test_each_result_is_kept_with_its_time_and_its_version(project: Path, workers: str) -> None:
    assert after(project, "-n", workers) == ["passed", "skipped", "failed", "passed"]
    known = results(project)
    assert {each.version for each in known.values()} == {__version__}
    assert all(each.at.endswith("Z") for each in known.values())
    assert not any("of_no_clause" in test for test in known)


def test_one_failing_item_fails_its_test(project: Path) -> None:
    (project / "test_a.py").write_text(TESTS.format(limit=2))
    assert after(project)[0] == "failed"


@pytest.mark.parametrize("part", [("-k", "both and 1"), ("test_a.py::test_both[1]",)])
def test_a_test_that_ran_in_part_is_not_taken_for_passed(project: Path, part: tuple[str, ...]) -> None:
    assert after(project, *part) == ["unrun"] * 4


def test_a_failure_in_part_of_a_test_is_a_failure(project: Path) -> None:
    (project / "test_a.py").write_text(TESTS.format(limit=2))
    assert after(project, "test_a.py::test_both[2]")[0] == "failed"


def test_what_a_run_leaves_out_stays_as_it_was(project: Path) -> None:
    after(project)
    (project / "test_a.py").write_text(TESTS.format(limit=2))
    assert after(project, "-k", "both") == ["failed", "skipped", "failed", "passed"]
