"""What `pip install hansang` brings, in an environment of its own: packages, megabytes, and the start of the command.

python bench/install.py [--folder DIR]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parent.parent
MOST_PACKAGES, MOST_MEGABYTES, MOST_SECONDS = 10, 30, 0.3
STARTS = 9

_SIZES = """
import json
from importlib.metadata import distributions

def size(package):
    places = [file.locate() for file in package.files or []]
    found = [place.stat() for place in places if place.is_file()]
    return sum(each.st_size for each in found), sum(each.st_blocks * 512 for each in found)

print(json.dumps({each.name: size(each) for each in distributions()}))
"""
"""The bytes of each package by what it has recorded, its files and the bytecode that pip has compiled; and on disk."""


def installed(folder: Path) -> Path:
    """The interpreter of a fresh environment that has the wheel and what it needs, and no pip."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    subprocess.run(
        [*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, ROOT], check=True
    )
    [wheel] = folder.glob("hansang-*.whl")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "fresh"], check=True)
    python = folder / "fresh" / "bin" / "python"
    install = ["--python", str(python), "install", "--constraint", str(ROOT / "constraints.txt"), str(wheel)]
    subprocess.run([*pip, *install], check=True, env=_bare())
    return python


def _bare() -> dict[str, str]:
    """The environment without what would change what Python finds or writes."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


def sizes(python: Path) -> dict[str, tuple[float, float]]:
    """The megabytes of each package: of its files, and of the blocks that they take on this disk."""
    said = subprocess.run([python, "-c", _SIZES], check=True, capture_output=True, env=_bare()).stdout
    found: dict[str, list[int]] = json.loads(said)
    ordered = sorted(found.items(), key=lambda each: -each[1][0])
    return {name: (size / 1e6, blocks / 1e6) for name, (size, blocks) in ordered}


def starts(command: Path) -> Iterator[float]:
    """Seconds of processor time that `--version` takes, each time it is asked."""
    for _ in range(STARTS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([command, "--version"], check=True, capture_output=True, env=_bare())
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        yield after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, help="where to build and install; a temporary one otherwise")
    given = parser.parse_args().folder
    with tempfile.TemporaryDirectory(dir=given) as folder:
        python = installed(Path(folder))
        found, seconds = sizes(python), median(starts(python.with_name("hansang")))
    for name, (size, _) in found.items():
        print(f"{name:20} {size:6.1f} MB")
    megabytes, on_disk = (sum(each) for each in zip(*found.values(), strict=True))
    print(f"{len(found)} packages of at most {MOST_PACKAGES}")
    print(
        f"{megabytes:.1f} MB with bytecode, of at most {MOST_MEGABYTES}; {on_disk:.1f} MB in blocks of this disk"
    )
    print(f"{seconds:.2f} s of processor time for hansang --version, of at most {MOST_SECONDS}")
    sys.exit(len(found) > MOST_PACKAGES or megabytes > MOST_MEGABYTES or seconds > MOST_SECONDS)


if __name__ == "__main__":
    main()
