"""The folder of a new application, and the file that its design is written into."""

from __future__ import annotations

import keyword
from pathlib import Path

from hansang.errors import AlreadyExists, SettingsError

DESIGN = "design.py"


def expect_new(name: str, folder: Path) -> Path:
    """Where the design of a new application goes; refused where its name is none, or a file is there."""
    if not name.isidentifier() or keyword.iskeyword(name):
        raise SettingsError(
            f"{name!r} is not a valid name for a Python package. Use letters, digits and _, such as my_shop."
        )
    path = folder / name / DESIGN
    if path.exists():
        raise AlreadyExists(f"{path} is there already. Choose another name, or move the file away.")
    return path


def write_design(path: Path, text: str) -> None:
    """Write a design into a new file of a package, which is made where there is none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    package = path.parent / "__init__.py"
    if not package.exists():
        package.write_text(f'"""The application {path.parent.name}."""\n', encoding="utf-8")
    with path.open("x", encoding="utf-8") as file:
        file.write(text)
