"""Requests as a document writes them, so that the document can be reviewed before anything is built of it.

::

    [tables.Scores]
    key = ["PK", "SK"]

    [tables.Scores.indexes.by_level]
    key = ["SK", "Level"]
    project = ["Name"]              # or "ALL", or "KEYS_ONLY"

    [[requests]]
    title = "The best of a day"
    table = "Scores"
    index = "by_level"
    condition = 'SK = "SNAP#2026-02-21"'
    wants = ["Name"]
    names = { "#l" = "Level" }      # when the condition has aliases
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hansang.errors import SettingsError

_TABLE = {"key", "indexes"}
_INDEX = {"key", "project"}
_REQUEST = {"title", "table", "index", "condition", "wants", "names"}


@dataclass(frozen=True, slots=True)
class RequestSource:
    """A table or an index that is asked: its key, and the attributes that it holds, None for all."""

    name: str
    key: tuple[str, ...]
    holds: frozenset[str] | None = None

    @property
    def pk(self) -> str:
        return self.key[0]

    def lacks(self, wanted: tuple[str, ...]) -> list[str]:
        return [] if self.holds is None else [each for each in wanted if each not in self.holds]


@dataclass(frozen=True, slots=True)
class DocumentRequest:
    """One request: its key condition letter for letter, and the attributes that it is to bring."""

    title: str
    source: RequestSource
    condition: str
    wants: tuple[str, ...] = ()
    names: tuple[tuple[str, str], ...] = ()
    """What its aliases stand for."""


def read(text: str) -> list[DocumentRequest]:
    """The requests of a document, from TOML."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        raise SettingsError(f"The requests are not valid TOML: {fault}.") from fault
    _expect(document, {"tables", "requests"}, "the file")
    sources = {name: _sources(name, table) for name, table in document.get("tables", {}).items()}
    return [_request(sources, each) for each in document.get("requests", [])]


def _expect(given: Mapping[str, Any], known: set[str], where: str) -> None:
    strange = sorted(given.keys() - known)
    if strange:
        raise SettingsError(f"{strange[0]} is not known in {where}. Allowed: {', '.join(sorted(known))}.")


def _sources(name: str, table: Mapping[str, Any]) -> dict[str | None, RequestSource]:
    _expect(table, _TABLE, f"the table {name}")
    keys = tuple(table.get("key", ("PK", "SK")))
    found: dict[str | None, RequestSource] = {None: RequestSource(f"the table {name}", keys)}
    for title, index in table.get("indexes", {}).items():
        _expect(index, _INDEX, f"the index {title}")
        key = tuple(index["key"])
        found[title] = RequestSource(
            f"the index {title}", key, _held(index.get("project", "ALL"), {*keys, *key})
        )
    return found


def _held(project: str | list[str], keys: set[str]) -> frozenset[str] | None:
    if project == "ALL":
        return None
    return frozenset(keys if project == "KEYS_ONLY" else keys | set(project))


def _request(
    sources: Mapping[str, Mapping[str | None, RequestSource]], given: Mapping[str, Any]
) -> DocumentRequest:
    _expect(given, _REQUEST, "a request")
    title, index = given.get("title", given.get("condition", "")), given.get("index")
    found = sources.get(given.get("table", ""), {}).get(index)
    if found is None or "condition" not in given:
        raise SettingsError(
            f"The request {title!r} needs a condition, and a table and an index that the file names."
        )
    return DocumentRequest(
        title, found, given["condition"], tuple(given.get("wants", ())), tuple(given.get("names", {}).items())
    )
