"""The mark that ties a test to a clause of the specification, and who carries it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

_LISTED = re.compile(r"^(?:- \*\*|\| )(R\d+|X?\d-\d+)\b", re.MULTILINE)
_NUMBERED = re.compile(r"^(\d+)\. ", re.MULTILINE)


def clause(*ids: str) -> pytest.MarkDecorator:
    """Name the clauses that a test proves: `@clause("R8")`, `@clause("E1")`, `@clause("3-12")`."""
    return pytest.mark.clause(*ids)


def stated(document: str) -> list[str]:
    """The ids of a page of the specification, in its order.

    Clauses, resolutions and rules carry their ids. What emulators get wrong is numbered, and the
    behaviours that applications lean on are separated by dots: E1 … and B1 … in the order of the page.
    """
    numbered = [f"E{number}" for number in _NUMBERED.findall(document)]
    behaviours = (
        len(_section(document, "The behaviours").split(" · ")) if "\n## The behaviours" in document else 0
    )
    return [*_LISTED.findall(document), *numbered, *(f"B{number}" for number in range(1, behaviours + 1))]


def _section(document: str, title: str) -> str:
    return document.partition(f"\n## {title}")[2].partition("\n\n")[2].partition("\n\n")[0]


def proven(tests: Path) -> dict[str, list[str]]:
    """Every id that a test below this folder is marked with, and the names of those tests."""
    found: dict[str, list[str]] = {}
    for path in sorted(tests.rglob("test_*.py")):
        for test, id_ in marks(ast.parse(path.read_text(encoding="utf-8"))):
            found.setdefault(id_, []).append(test.name)
    return found


def marks(tree: ast.Module) -> Iterator[tuple[ast.FunctionDef, str]]:
    """Every test of a module with each id that it is marked with."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            for mark in node.decorator_list:
                if (
                    isinstance(mark, ast.Call)
                    and isinstance(mark.func, ast.Name)
                    and mark.func.id == "clause"
                ):
                    yield from ((node, str(ast.literal_eval(argument))) for argument in mark.args)
