"""The library is small: what it installs, that it does without the rest, and what it says where the rest is needed."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

import hansang

ROOT = Path(__file__).parent.parent
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MOST_PACKAGES, MOST_BYTES = 10, 30_000_000
_PAGE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def closure(requirements: list[str]) -> dict[str, Distribution]:
    """The packages that these requirements bring, with those that they need in turn."""
    found: dict[str, Distribution] = {}
    waiting = [Requirement(each) for each in requirements]
    while waiting:
        wanted = waiting.pop()
        applies = wanted.marker is None or wanted.marker.evaluate({"extra": ""})
        if applies and wanted.name not in found:
            found[wanted.name] = distribution(wanted.name)
            waiting += map(Requirement, found[wanted.name].requires or [])
    return found


LIBRARY = closure(PROJECT["dependencies"])


def size(package: Distribution) -> int:
    return sum(each.locate().stat().st_size for each in package.files or [] if each.locate().is_file())  # type: ignore[attr-defined]


def test_the_library_is_a_few_packages_of_a_few_megabytes() -> None:
    own = [path for path in (ROOT / "src").rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert set(LIBRARY) >= {"pydantic", "orjson"}
    assert len(LIBRARY) + 1 <= MOST_PACKAGES
    assert sum(map(size, LIBRARY.values())) + sum(path.stat().st_size for path in own) <= MOST_BYTES


def test_every_extra_that_runs_something_has_what_the_command_line_needs() -> None:
    extras: dict[str, list[str]] = PROJECT["optional-dependencies"]
    assert set(extras) == {"aws", "server", "dev", "bench", "test", "lambda"}
    for name in set(extras) - {"aws", "server"}:
        assert "hansang[server]" in extras[name], name
    assert "hansang[aws]" in extras["server"]


ALONE = f"""
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        first = name.partition(".")[0]
        known = {sorted({name.replace("-", "_") for name in LIBRARY})!r} + ["hansang", "__main__", "notes"]
        if path is None and first not in sys.stdlib_module_names and not first.startswith("_") and first not in known:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=first)

sys.meta_path.insert(0, Missing())
"""
"""Before anything else: there is the standard library, and what the library installs."""


def alone(program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    # Without the site, whose hooks for editable packages are modules too.
    paths = [str(ROOT / "src"), *{str(each.locate_file("")) for each in LIBRARY.values()}]
    given = f"import sys; sys.path += {paths!r}\n{ALONE}\n{program}"
    return subprocess.run(
        [sys.executable, "-S", "-E", "-c", given],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_the_library_alone_runs_the_example_of_the_readme(tmp_path: Path) -> None:
    [example] = [
        text for text in _PAGE.findall((ROOT / "README.md").read_text("utf-8")) if "class Notes" in text
    ]
    (tmp_path / "notes.py").write_text(example, encoding="utf-8")
    done = alone(
        "sys.path.append('.'); import notes; import hansang.blueprint.lint, hansang.blueprint.template",
        tmp_path,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "밥 먹자" in done.stdout


MESSAGES = {
    "from hansang.backends.urls import open_backend; open_backend('aws:')": "boto3 is .*hansang\\[aws\\]",
    "import hansang.testing": "botocore is not installed. .*hansang\\[aws\\]",
    "import hansang.blueprint.inference.templates": "yaml is not installed. .*hansang\\[server\\]",
    "sys.argv[1:] = ['tables', 'lint']; from hansang.__main__ import main; main()": "^hansang: .*hansang\\[server\\]",
}


@pytest.mark.parametrize("program", MESSAGES)
def test_what_is_missing_says_what_to_install(program: str, tmp_path: Path) -> None:
    done = alone(program, tmp_path)
    assert done.returncode == 1
    assert re.search(MESSAGES[program], done.stderr.strip().splitlines()[-1]), done.stderr


def test_the_library_alone_tells_its_version(tmp_path: Path) -> None:
    done = alone("sys.argv[1:] = ['--version']; from hansang.__main__ import main; main()", tmp_path)
    assert (done.returncode, done.stdout) == (0, f"hansang {hansang.__version__}\n")
