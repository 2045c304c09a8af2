"""Which tests prove a clause, and which names of the product they do it with."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeGuard

from tools.register.designs import Designs

_COMMON = ("hansang.errors", "hansang.backends.", "hansang.design.Database", "hansang.design.Entity")
"""What nearly every test uses and which therefore says nothing."""


@dataclass(frozen=True)
class MarkedTest:
    """One test of a clause, and the dotted names of the product that it is made with."""

    name: str
    elements: tuple[str, ...]


def marked_tests(tests: Path, designs: Designs) -> dict[str, list[MarkedTest]]:
    """The tests below a folder that are marked with a clause, by its id."""
    found: dict[str, list[MarkedTest]] = {}
    for path in sorted(tests.rglob("test_*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = Names(tree, designs)
        for test, id_ in marks(tree):
            where = f"{path.relative_to(tests.parent).as_posix()}::{test.name}"
            found.setdefault(id_, []).append(MarkedTest(where, tuple(names.used_by(test))))
    return found


def marks(tree: ast.Module) -> Iterator[tuple[ast.FunctionDef, str]]:
    """Every test of a module with each id that it, or one of its parameters, is marked with."""
    own = dict(_definitions(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            written = [each for mark in node.decorator_list for each in ast.walk(mark)]
            named = [own[each.id] for each in written if isinstance(each, ast.Name) and each.id in own]
            inside = [each for lists in named for each in ast.walk(lists)]
            ids = (id_ for each in [*written, *inside] if _is_mark(each) for id_ in _texts(each))
            yield from ((node, id_) for id_ in dict.fromkeys(ids))


def _is_mark(node: ast.AST) -> TypeGuard[ast.Call]:
    """Whether this is `clause(…)` or `pytest.mark.clause(…)`."""
    if not isinstance(node, ast.Call):
        return False
    called = node.func
    return (isinstance(called, ast.Name) and called.id == "clause") or (
        isinstance(called, ast.Attribute) and called.attr == "clause"
    )


def _texts(call: ast.Call) -> list[str]:
    return [str(ast.literal_eval(argument)) for argument in call.args]


class Names:
    """What the names of one test module stand for."""

    def __init__(self, tree: ast.Module, designs: Designs) -> None:
        self._imported = dict(_imports(tree))
        self._own = dict(_definitions(tree))
        self._designs = designs

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
                if owner and self._designs.is_element(owner, node.attr):
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
