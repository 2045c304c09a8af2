"""Projection expressions: the parts of an item that a request asks for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from hansang.engine.expressions.parser import Parser, clash, undefined
from hansang.engine.expressions.paths import nested, picked
from hansang.engine.expressions.tree import Path
from hansang.engine.values import Item


@dataclass(frozen=True, slots=True)
class ParsedProjection:
    """The paths asked for, and what they refer to."""

    paths: tuple[Path, ...]
    roots: tuple[str, ...]
    flat: bool
    nested: frozenset[str]
    names: frozenset[str]
    refs: tuple[str, ...] = ()

    def check(self, values: object) -> None:
        """A projection has no values."""

    def pick(self, item: Item) -> Item:
        """What is asked for of this item; what is not there is left out."""
        if self.flat:
            return {name: item[name] for name in self.roots if name in item}
        return picked(item, self.paths)


@lru_cache(maxsize=4096)
def parse(label: str, text: str, names: tuple[tuple[str, str], ...]) -> ParsedProjection:
    parser = ProjectionParser(label, text, dict(names))
    paths = [parser.path()]
    while parser.symbol(","):
        paths.append(parser.path())
    parser.finish()
    fault = clash(paths)
    if fault is not None:
        raise parser.error(fault)
    roots = dict.fromkeys(str(path[0]) for path in paths)
    flat = len(roots) == len(paths) and all(len(path) == 1 for path in paths)
    return ParsedProjection(tuple(paths), tuple(roots), flat, nested(paths), frozenset(parser.used_names))


class ProjectionParser(Parser):
    """`a, b.c, d[0]`."""

    def met(self, kind: str, text: str) -> None:
        self.fault(kind, undefined(kind, text))
