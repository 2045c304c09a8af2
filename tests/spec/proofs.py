"""Which tests prove a clause, and which names of the product they do it with."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hansang.design import Index
from hansang.design.query import Pattern
from tests.clauses import marks

_COMMON = ("hansang.errors", "hansang.backends.", "hansang.design.Database", "hansang.design.Entity")
"""What nearly every test uses and which therefore says nothing."""


@dataclass(frozen=True)
class Proof:
    """One test of a clause, and the dotted names of the product that it is made with."""

    test: str
    elements: tuple[str, ...]


def proofs(tests: Path) -> dict[str, list[Proof]]:
    """The proofs below a folder, by clause."""
    found: dict[str, list[Proof]] = {}
    for path in sorted(tests.rglob("test_*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = Names(tree)
        for test, id_ in marks(tree):
            where = f"{path.relative_to(tests.parent).as_posix()}::{test.name}"
            found.setdefault(id_, []).append(Proof(where, tuple(names.used_by(test))))
    return found


class Names:
    """What the names of one test module stand for."""

    def __init__(self, tree: ast.Module) -> None:
        self._imported = dict(_imports(tree))
        self._own = dict(_definitions(tree))

    def used_by(self, test: ast.FunctionDef) -> list[str]:
        """The names of the product that a test uses, itself or through the names of its module."""
        found = dict.fromkeys(each for node in self._reached(test) for each in self._elements(node))
        return [name for name in found if not name.startswith(_COMMON)]

    def _reached(self, test: ast.AST) -> Iterable[ast.AST]:
        reached: dict[str, ast.AST] = {"": test}
        waiting = [test]
        while waiting:
            for node in ast.walk(waiting.pop()):
                if isinstance(node, ast.Name) and node.id in self._own and node.id not in reached:
                    reached[node.id] = self._own[node.id]
                    waiting.append(self._own[node.id])
        return reached.values()

    def _elements(self, tree: ast.AST) -> Iterator[str]:
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                owner = self._imported.get(node.value.id, "")
                if owner and _is_element(owner, node.attr):
                    yield f"{owner}.{node.attr}"
            elif isinstance(node, ast.Name) and node.id in self._imported:
                yield self._imported[node.id]


def _imports(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("hansang."):
            yield from ((alias.asname or alias.name, f"{node.module}.{alias.name}") for alias in node.names)


def _definitions(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name, node
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from ((each.id, node) for each in targets if isinstance(each, ast.Name))


def _is_element(owner: str, name: str) -> bool:
    """Whether a name of a class is an access pattern or an index of the design."""
    module, _, label = owner.rpartition(".")
    found: Any = getattr(importlib.import_module(module), label, None)
    return isinstance(found, type) and isinstance(vars(found).get(name), Pattern | Index)
