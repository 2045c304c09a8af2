"""Every wrong use of a design raises an error when it is run, and changes nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from copy import deepcopy
from importlib import import_module

import pytest
from pydantic import ValidationError

from hansang.design import Database
from hansang.errors import HansangError
from tests.checked.marks import WRONG, marked
from tests.checked.stock import TABLES, stocked
from tests.storing import stored

MARKED = marked("wrong", "refused")
MODULE = ast.parse(WRONG.read_text(encoding="utf-8"))


class Without(ast.NodeTransformer):
    """Puts nothing in the place of the statements of these lines."""

    def __init__(self, lines: set[int]) -> None:
        self.lines = lines

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.stmt) and node.lineno in self.lines:
            return ast.copy_location(ast.Pass(), node)
        return self.generic_visit(node)


def function_around(line: int) -> ast.FunctionDef:
    functions = (node for node in MODULE.body if isinstance(node, ast.FunctionDef))
    return deepcopy(next(node for node in functions if node.lineno < line <= (node.end_lineno or 0)))


def run(line: int, db: Database, *, itself: bool = True) -> None:
    """Run one marked line with the unmarked ones around it, or these alone."""
    function = function_around(line)
    Without(MARKED.keys() - ({line} if itself else set())).visit(function)
    scope = dict(vars(import_module("tests.checked.wrong")))  # mypy would check what is imported by name
    exec(compile(ast.Module([function], []), str(WRONG), "exec"), scope)
    scope[function.name](db)


@pytest.fixture(scope="module")
def db() -> Iterator[Database]:
    with stocked() as database:
        yield database


def test_every_mark_is_behind_a_whole_statement() -> None:
    whole = {
        node.lineno
        for node in ast.walk(MODULE)
        if isinstance(node, ast.stmt) and node.lineno == node.end_lineno
    }
    assert MARKED.keys() <= whole


def test_there_is_nothing_wrong_with_the_lines_that_are_not_marked(db: Database) -> None:
    before = [stored(db, table) for table in TABLES]
    for line in MARKED:
        run(line, db, itself=False)
    assert [stored(db, table) for table in TABLES] == before


@pytest.mark.parametrize("line", MARKED, ids=MARKED.values())
def test_a_wrong_use_is_an_error_and_changes_nothing(line: int, db: Database) -> None:
    before = [stored(db, table) for table in TABLES]
    with pytest.raises((HansangError, ValidationError, TypeError, AttributeError)):
        run(line, db)
    assert [stored(db, table) for table in TABLES] == before
