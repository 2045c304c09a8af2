"""What the sources declare, read without importing them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

_INDEXES = frozenset({"GSI", "LSI"})
_Declared = ast.ClassDef | ast.FunctionDef


class Designs:
    """The declarations of a package, by their dotted names."""

    def __init__(self, sources: Path) -> None:
        self._sources = sources
        self._module = cache(self._parsed)

    def exists(self, name: str) -> bool:
        """Whether a dotted name is a module, or something that a module has at its top or in a class."""
        module, _, label = name.rpartition(".")
        if self._module(name) is not None or label in _names(self._module(module)):
            return True
        return label in _names(self.declared(module))

    def is_element(self, owner: str, name: str) -> bool:
        """Whether a name of a class is an access pattern or an index."""
        found = self.declared(owner)
        return isinstance(found, ast.ClassDef) and name in {*_patterns(found), *_indexes(found)}

    def is_table(self, name: str) -> bool:
        found = self.declared(name)
        return isinstance(found, ast.ClassDef) and any(_is_named(base, "Table") for base in found.bases)

    def spellings(self, name: str) -> Iterator[str]:
        """What a document would call this: the index, or the beginning of the key, the type and the class."""
        owner, _, label = name.rpartition(".")
        around = self.declared(owner)
        if isinstance(around, ast.ClassDef) and label in (indexes := _indexes(around)):
            yield indexes[label]
            return
        for each in (name, owner):
            found = self.declared(each)
            if isinstance(found, ast.ClassDef) and not self.is_table(each):
                pk = self._keyword(each.rpartition(".")[0], found, "pk")
                yield from (pk.partition("{")[0], _own(found, "type"), found.name) if pk else ()

    def declared(self, name: str) -> _Declared | None:
        """The class or function of a dotted name, where it is written."""
        module, _, label = name.rpartition(".")
        tree = self._module(module)
        for node in tree.body if tree else []:
            if isinstance(node, _Declared) and node.name == label:
                return node
        return None

    def _keyword(self, module: str, node: ast.ClassDef, keyword: str) -> str:
        """What a class or one of its bases of the same module says for a keyword of its declaration."""
        if own := _own(node, keyword):
            return own
        for base in node.bases:
            found = self.declared(f"{module}.{base.id}") if isinstance(base, ast.Name) else None
            if isinstance(found, ast.ClassDef) and (inherited := self._keyword(module, found, keyword)):
                return inherited
        return ""

    def _parsed(self, module: str) -> ast.Module | None:
        path = self._sources.joinpath(*module.split("."))
        for each in (path.with_suffix(".py"), path / "__init__.py"):
            if each.is_file():
                return ast.parse(each.read_text(encoding="utf-8"))
        return None


def _names(node: ast.Module | _Declared | None) -> set[str]:
    """What a module or a class has: what it declares, assigns and imports."""
    found: set[str] = set()
    for each in node.body if node else []:
        if isinstance(each, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            found.add(each.name)
        elif isinstance(each, ast.ImportFrom | ast.Import):
            found |= {alias.asname or alias.name for alias in each.names}
        elif isinstance(each, ast.Assign | ast.AnnAssign):
            targets = each.targets if isinstance(each, ast.Assign) else [each.target]
            found |= {target.id for target in targets if isinstance(target, ast.Name)}
    return found


def _patterns(node: ast.ClassDef) -> set[str]:
    return {
        each.name
        for each in node.body
        if isinstance(each, ast.FunctionDef)
        and any(_is_named(mark, "pattern") for mark in each.decorator_list)
    }


def _indexes(node: ast.ClassDef) -> dict[str, str]:
    """The indexes of a table, by the names that the code has for them."""
    return {
        target.id: _text(each.value.args[0])
        for each in node.body
        if isinstance(each, ast.Assign) and isinstance(each.value, ast.Call)
        for target in each.targets
        if isinstance(target, ast.Name) and any(_is_named(each.value.func, kind) for kind in _INDEXES)
    }


def _own(node: ast.ClassDef, keyword: str) -> str:
    return next((_text(each.value) for each in node.keywords if each.arg == keyword), "")


def _text(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _is_named(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
