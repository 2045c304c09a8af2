"""The threat model names tests that exist."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tests.documents import ROOT

PAGE = ROOT / "docs" / "security.md"
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def defences(text: str) -> dict[str, list[tuple[str, str]]]:
    """The rows of the table of defences, with the tests that each names."""
    section = text.partition("\n## What is defended\n")[2].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| ")][1:]
    return {row.split("|")[1].strip(): NAMED.findall(row) for row in rows}


@cache
def functions_in(path: Path) -> frozenset[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(each.name for each in tree.body if isinstance(each, ast.FunctionDef))


def missing(text: str) -> set[str]:
    """What the table names and is not there, and the rows that name nothing."""
    found = defences(text)
    absent = {
        f"{file}::{name}"
        for named in found.values()
        for file, name in named
        if not (ROOT / file).is_file() or name not in functions_in(ROOT / file)
    }
    return absent | {defence for defence, named in found.items() if not named}


def test_every_defence_is_tested_where_the_page_says() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert len(defences(text)) > 15
    assert missing(text) == set()


@pytest.mark.parametrize(
    "named", ["`tests/test_security.py::test_that_is_not_there`", "`tests/nowhere.py::test_a`", ""]
)
def test_a_defence_without_its_test_is_found(named: str) -> None:
    page = f"\n## What is defended\n\n| defence | tested by |\n|---|---|\n| doors are shut | {named} |\n"
    assert missing(page) == {named.strip("`") or "doors are shut"}
