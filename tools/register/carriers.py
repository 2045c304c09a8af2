"""Which places of the sources name a clause."""

from __future__ import annotations

import ast
import re
from pathlib import Path

_ID = re.compile(r"\b(R\d{1,2}|X?[1-5]-\d{2})\b(?!-)")
_Named = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def mentions(sources: Path) -> dict[str, list[str]]:
    """The dotted names of the places that name each clause, in the order of the sources."""
    found: dict[str, dict[str, None]] = {}
    for path in sorted(sources.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        module = ".".join(path.relative_to(sources).with_suffix("").parts).removesuffix(".__init__")
        tree = ast.parse(text)
        for number, line in enumerate(text.splitlines(), 1):
            for id_ in _ID.findall(line):
                place = ".".join([module, *_around(tree, number)])
                found.setdefault(id_, {})[place] = None
    return {id_: list(places) for id_, places in found.items()}


def _around(tree: ast.AST, number: int) -> list[str]:
    """The names of the classes and functions that a line stands in, from the outside in."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, _Named) and node.lineno <= number <= (node.end_lineno or 0):
            return [node.name, *_around(node, number)]
    return []
