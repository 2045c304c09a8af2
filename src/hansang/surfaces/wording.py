"""The words of pages in both languages, looked up by key.

Those of the kit are in `console/words/*.toml`; an application has a `words.toml` of its own, whose keys begin with
its name.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hansang.apps.application import Application
from hansang.apps.dotted import folder
from hansang.errors import DesignError
from hansang.parts.words import Language

FOLDER = Path(__file__).parent / "console" / "words"
FILE = "words.toml"


@dataclass(frozen=True, slots=True)
class WordEntry:
    """One text; English has a form of its own for one thing where that reads better."""

    ko: str
    en: str
    one: str | None = None

    def text(self, language: Language, count: object) -> str:
        if language == "ko":
            return self.ko
        return self.one if self.one is not None and count == 1 else self.en


class Wording:
    """Every text, by its key."""

    def __init__(self, entries: Mapping[str, WordEntry]) -> None:
        self.entries = dict(entries)

    @classmethod
    def load(cls, applications: Iterable[Application] = (), kit: Path = FOLDER) -> Wording:
        """The texts of the kit and of applications; a key that two files have is an error."""
        entries: dict[str, WordEntry] = {}
        files = [("", path) for path in sorted(kit.glob("*.toml"))]
        for prefix, path in [*files, *(each for app in applications for each in _files(app))]:
            for key, entry in _entries(_read(path), prefix):
                if key in entries:
                    raise DesignError(f"Two files have the words {key}; the second is {path.name}.")
                entries[key] = entry
        return cls(entries)

    def text(self, key: str, language: Language, **values: object) -> str:
        """The text in a language, with values in its places; whole numbers get their commas."""
        text = self.entries[key].text(language, values.get("count"))
        return text.format_map({name: _shown(value) for name, value in values.items()}) if values else text

    def find(self, key: str, language: Language) -> str | None:
        """The text in a language, or None when there is none of this key."""
        return self.text(key, language) if key in self.entries else None


def _files(application: Application) -> Iterator[tuple[str, Path]]:
    """The files of an application, with what its keys begin with; pages may have one of their own."""
    for dotted in (application.words, application.pages):
        if dotted is not None and (path := folder(dotted.partition(":")[0]) / FILE).is_file():
            yield f"{application.name}.", path


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as fault:
        raise DesignError(f"{path} cannot be read: {fault}.") from fault


def _entries(node: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, WordEntry]]:
    for name, value in node.items():
        key = f"{above}{name}"
        if not isinstance(value, dict):
            raise DesignError(f'The words {key} are not written as {{ ko = "…", en = "…" }}.')
        if isinstance(value.get("ko"), str):
            yield key, _entry(key, value)
        else:
            yield from _entries(value, f"{key}.")


def _entry(key: str, value: Mapping[str, Any]) -> WordEntry:
    if set(value) - {"one"} != {"ko", "en"} or not all(isinstance(each, str) for each in value.values()):
        raise DesignError(f"The words {key} need ko and en, and may have one; nothing else.")
    return WordEntry(**value)


def _shown(value: object) -> object:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else value
