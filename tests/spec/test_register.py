"""The register of clauses is the one that pages, tests and sources make."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from hansang.blueprint.clauses import read, register
from tests.clauses import stated
from tests.spec.carriers import mentions
from tests.spec.narrowing import narrowed
from tests.spec.proofs import Names, proofs
from tests.spec.register import COMMAND, ROOT, clauses, documents, written

PAGE = """# Title

The design document: *A document*. `L` numbers are its lines.

## What the document specifies

**Keys** (all text):
- **1-01** A table (L4).

## Where the document cannot be followed to the letter, and what we do

| # | Sev | Problem | Resolution |
|---|---|---|---|
| X1-01 | B | It breaks. | We mend it. |

## The behaviours that applications lean on most

One thing · another thing.
"""


def test_the_register_is_up_to_date() -> None:
    assert list(register()) == documents(), f"Run: {COMMAND}"


@pytest.mark.parametrize(
    "page", sorted((ROOT / "docs" / "spec").glob("[0-5]-*.md")), ids=lambda path: path.stem
)
def test_every_id_of_a_page_is_in_the_register_once(page: Path) -> None:
    ids = [each.id for document in register() if document.name == page.stem for each in document.clauses]
    assert sorted(ids) == sorted(stated(page.read_text(encoding="utf-8")))


def test_the_lines_of_a_page_become_clauses_with_their_kinds() -> None:
    found = [
        (each.id, each.kind, each.section.partition(" and what")[0], each.text) for each in clauses(PAGE)
    ]
    assert found == [
        ("1-01", "clause", "Keys (all text)", "A table (L4)."),
        ("X1-01", "departure", "Where the document cannot be followed to the letter,", "It breaks."),
        ("B1", "behaviour", "The behaviours that applications lean on most", "One thing"),
        ("B2", "behaviour", "The behaviours that applications lean on most", "another thing"),
    ]


def test_a_departure_carries_its_resolution_and_its_severity() -> None:
    [departure] = [each for each in clauses(PAGE) if each.kind == "departure"]
    assert (departure.severity, departure.resolution) == ("B", "We mend it.")


def test_what_is_written_can_be_read_again() -> None:
    pages = list(register())
    assert list(read(written(pages))) == pages


def test_a_test_uses_names_itself_and_through_its_module() -> None:
    tree = ast.parse(
        "from hansang.apps.news.design import NewsItem, NewsRow\n"
        "KINDS = [NewsItem]\n"
        "def test_one() -> None:\n    assert KINDS and NewsRow.uploaded_on(1)\n"
    )
    test = next(node for node in tree.body if isinstance(node, ast.FunctionDef))
    design = "hansang.apps.news.design"
    assert Names(tree).used_by(test) == [
        f"{design}.NewsRow.uploaded_on",
        f"{design}.NewsRow",
        f"{design}.NewsItem",
    ]


def test_a_proof_names_its_file_and_its_test(tmp_path: Path) -> None:
    tests = tmp_path / "tests"
    tests.mkdir()
    (tests / "test_a.py").write_text('@clause("R1")\ndef test_one() -> None: ...\n')
    assert [each.test for each in proofs(tests)["R1"]] == ["tests/test_a.py::test_one"]


def test_a_place_that_names_a_clause_is_found_with_what_is_around_it(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(
        'class A:\n    def b(self):\n        """As X1-07 has it."""\n# since 2025-01-07\n'
    )
    assert mentions(tmp_path) == {"X1-07": ["a.A.b"]}


def test_of_many_names_those_that_the_clause_spells_are_meant() -> None:
    design = "hansang.apps.assets.design"
    names = [f"{design}.AssetManager", f"{design}.Savings", f"{design}.ShortSavings", "hansang.engine.Engine"]
    assert narrowed(names, "`SHORT_SAVINGS#{YM}`: an entry") == [f"{design}.ShortSavings"]
    assert narrowed(names, "something else") == [f"{design}.Savings", f"{design}.ShortSavings"]
    assert narrowed(names[:1], "the table") == names[:1]
