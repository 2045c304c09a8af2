"""Projection expressions: the parts of an item that a request asks for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from hansang.engine.expressions.parser import Parser
from hansang.engine.expressions.tree import Path
from hansang.engine.values import Item, Value


@dataclass(frozen=True, slots=True)
class Parsed:
    """The paths asked for, and what they refer to."""

    paths: tuple[Path, ...]
    names: frozenset[str]
    refs: tuple[str, ...] = ()

    @property
    def roots(self) -> dict[str, None]:
        return dict.fromkeys(str(path[0]) for path in self.paths)

    @property
    def flat(self) -> bool:
        return all(len(path) == 1 for path in self.paths)

    def pick(self, item: Item) -> Item:
        """What is asked for of this item; what is not there is left out."""
        if self.flat:
            return {name: item[name] for name in self.roots if name in item}
        return _picked(item, self.paths)


def _picked(members: dict[str, Value], paths: tuple[Path, ...]) -> dict[str, Value]:
    found = {}
    for name, rests in _grouped(paths).items():
        if name in members and (part := _part(members[str(name)], rests)) is not None:
            found[str(name)] = part
    return found


def _part(value: Value, rests: list[Path]) -> Value | None:
    if () in rests:
        return value
    if isinstance(rests[0][0], str):
        inside = _picked(value["M"], tuple(rests)) if "M" in value else {}
        return {"M": inside} if inside else None
    return _elements(value, rests)


def _elements(value: Value, rests: list[Path]) -> Value | None:
    """The elements asked for, in the order of the list, closed up."""
    elements: list[Value] = value.get("L", [])
    found = []
    for position, deeper in sorted(_grouped(tuple(rests)).items()):
        index: Any = position
        if index < len(elements) and (part := _part(elements[index], deeper)) is not None:
            found.append(part)
    return {"L": found} if found else None


def _grouped(paths: tuple[Path, ...]) -> dict[str | int, list[Path]]:
    groups: dict[str | int, list[Path]] = {}
    for path in paths:
        groups.setdefault(path[0], []).append(path[1:])
    return groups


@lru_cache(maxsize=4096)
def parse(label: str, text: str, names: tuple[tuple[str, str], ...]) -> Parsed:
    parser = Parser(label, text, dict(names))
    paths = [parser.path()]
    while parser.symbol(","):
        paths.append(parser.path())
    parser.finish()
    parser.distinct(paths)
    return Parsed(tuple(paths), frozenset(parser.used_names))
