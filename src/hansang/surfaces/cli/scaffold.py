"""The files of a new application."""

from __future__ import annotations

import keyword
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from hansang.apps.catalog import APPLICATIONS, PLATFORM, RESERVED
from hansang.errors import AlreadyExists, SettingsError

STARTER = Path(__file__).parent / "starter"
OF_DESIGN = {
    "__init__.py": "__init__.py",
    "application.py": "application_of_design.py",
    "test_NAME.py": "test_of_design.py",
}
"""What an application has whose design is there already, and the file of the starter that each is made of."""
PROJECT = "pyproject.toml"

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_PLACES = re.compile(r"NAME|TITLE|UPPER|PACKAGE|TABLES")


@dataclass(frozen=True, slots=True)
class Starter:
    """A new application by its name: `my_shop` becomes MyShop, MY_SHOP and my-shop."""

    name: str

    def __post_init__(self) -> None:
        taken = {
            PLATFORM.name,
            *(each.name for each in APPLICATIONS),
            *RESERVED,
            *sys.stdlib_module_names,
            "hansang",
        }
        if not _NAME.fullmatch(self.name) or keyword.iskeyword(self.name):
            raise SettingsError(
                f"{self.name!r} is not a valid name for an application. Use small letters, digits and _, such as my_shop."
            )
        if self.name in taken:
            raise SettingsError(f"{self.name} is taken by Hansang itself or by Python. Choose another name.")

    def write(self, folder: Path) -> list[Path]:
        """Write a small application with a page, a command, a job and a test; nothing is written over."""
        return self._written(folder, {name: name for name in _names() if name != PROJECT}, ())

    def write_around(self, folder: Path, tables: Iterable[str]) -> list[Path]:
        """Write what makes an application of a design that is there."""
        return self._written(folder, OF_DESIGN, tables)

    def _written(self, folder: Path, sources: dict[str, str], tables: Iterable[str]) -> list[Path]:
        home = folder / self.name
        texts = {home / self._filled(to): self._text(source, tables) for to, source in sources.items()}
        if (package := home / "__init__.py").exists():
            texts.pop(package, None)
        for path in texts:
            if path.exists():
                raise AlreadyExists(f"{path} is there already. Choose another name, or move the file away.")
        if not (folder / PROJECT).exists():
            texts[folder / PROJECT] = self._text(PROJECT, tables)
        for path, text in texts.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return list(texts)

    def _text(self, source: str, tables: Iterable[str]) -> str:
        return self._filled((STARTER / f"{source}.txt").read_text(encoding="utf-8"), tables)

    def _filled(self, text: str, tables: Iterable[str] = ()) -> str:
        names = ", ".join(tables)
        values = {
            "NAME": self.name,
            "TITLE": "".join(part.capitalize() for part in self.name.split("_")),
            "UPPER": self.name.upper(),
            "PACKAGE": self.name.replace("_", "-"),
            "TABLES": names,
        }
        text = text.replace("tables=(TABLES,)", f"tables=({names},)")
        return _PLACES.sub(lambda found: values[found[0]], text)


def _names() -> list[str]:
    """The files of the starter that stand for themselves."""
    made_of_design = {each for each in OF_DESIGN.values() if each not in OF_DESIGN}
    found = [path.relative_to(STARTER).as_posix().removesuffix(".txt") for path in STARTER.rglob("*.txt")]
    return sorted(each for each in found if each not in made_of_design)
