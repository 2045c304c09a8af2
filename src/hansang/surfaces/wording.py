"""All words in both languages, looked up by key. There is no other way from a thing to its text.

A file stands beside its owner. Those of the kit are in `http/words/`, `api/words/` and `console/words/`; `design`,
`parts`, `surfaces` and every application have a `words.toml`, whose keys begin with their name. What an error or an
outcome says has its code as key: that of `news.no-run` is `news.error.no-run`, and that of a whole class of errors,
such as `not-found`, is the detail of the problem, `problem.not-found.detail`.

A text has places for values, `{name}`; in Korean, `{name:을}` is the value with the particle that follows it.
"""

from __future__ import annotations

import inspect
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from hansang.apps.application import Application
from hansang.apps.dotted import folder
from hansang.errors import DesignError, word_key
from hansang.parts.words import Language, Words
from hansang.surfaces.particles import PARTICLES, particle

FILE = "words.toml"
_HERE = Path(__file__).parent
FOLDERS = tuple(_HERE / room / "words" for room in ("http", "api", "console"))
"""Where the words of the kit are, whose keys have no prefix."""
_BELOW = ("design", "parts", "surfaces")


@dataclass(frozen=True, slots=True)
class Placed:
    """A value in its place of a text: whole numbers have their commas, and a particle may follow."""

    value: object

    def __str__(self) -> str:
        is_whole = isinstance(self.value, int) and not isinstance(self.value, bool)
        return f"{self.value:,}" if is_whole else str(self.value)

    def __repr__(self) -> str:
        return repr(self.value)

    def __format__(self, form: str) -> str:
        if form in PARTICLES:
            text = str(self)
            return text + particle(text, form)
        return format(self.value, form) if form else str(self)


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
    def load(cls, applications: Iterable[Application] = (), kit: Sequence[Path] = FOLDERS) -> Wording:
        """The texts of the kit and of applications; a key that two files have is an error."""
        entries: dict[str, WordEntry] = {}
        files = [("", path) for folder in kit for path in sorted(folder.glob("*.toml"))]
        below = [(f"{name}.", _HERE.parent / name / FILE) for name in _BELOW] if kit is FOLDERS else []
        for prefix, path in [*files, *below, *(each for app in applications for each in _files(app))]:
            found = _read(path, prefix)
            if doubled := next((key for key in found if key in entries), None):
                raise DesignError(f"Two files have the words {doubled}; the second is {path.name}.")
            entries |= found
        return cls(entries)

    def text(self, key: str, language: Language, /, **values: object) -> str:
        """The text in a language, with values in its places; whole numbers get their commas."""
        text = self.entries[key].text(language, values.get("count"))
        return text.format_map({name: Placed(value) for name, value in values.items()})

    def words(self, key: str) -> Words:
        """The text in both languages, as it stands in its file."""
        entry = self.entries[key]
        return Words(entry.ko, entry.en)

    def find(self, key: str, language: Language, /, **values: object) -> str | None:
        """The text in a language; None when there is none of this key, or the values are not those of its places."""
        if key not in self.entries:
            return None
        try:
            return self.text(key, language, **values)
        except (KeyError, IndexError, ValueError, TypeError, AttributeError):
            return None

    def said(self, code: str, language: Language, values: Mapping[str, object]) -> str | None:
        """What a code says in a language; None when it has no words, or the values are not those of its words."""
        return self.find(word_key(code), language, **values)


def first_line(documented: Any) -> str:
    """The first line of the docstring that something has itself, and not from a class above it."""
    text = vars(documented).get("__doc__") if isinstance(documented, type) else inspect.getdoc(documented)
    return inspect.cleandoc(text or "").partition("\n")[0]


@cache
def kit() -> Wording:
    """The texts of the kit alone, for what has to be said without any application."""
    return Wording.load()


def _files(application: Application) -> Iterator[tuple[str, Path]]:
    """The files of an application, with what its keys begin with; pages may have one of their own."""
    named = [each.partition(":")[0] for each in (application.words, application.pages) if each is not None]
    for path in dict.fromkeys(folder(each) / FILE for each in named):
        if path.is_file():
            yield f"{application.name}.", path


def _read(path: Path, prefix: str) -> Mapping[str, WordEntry]:
    try:
        return _parsed(path.read_text("utf-8"), prefix)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as fault:
        raise DesignError(f"{path} cannot be read: {fault}.") from fault


@lru_cache(maxsize=256)
def _parsed(text: str, prefix: str) -> Mapping[str, WordEntry]:
    return dict(_entries(tomllib.loads(text), prefix))


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
