"""Every line of the specification that has an id is proven by a test that names it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clauses import proven, stated

ROOT = Path(__file__).parent.parent.parent
PROVEN = proven(ROOT / "tests")
# The pages whose every line is proven; the designs join them as their applications come.
PAGES = ["0-dynamodb-rules.md"]
STATED = [
    id_ for page in PAGES for id_ in stated((ROOT / "docs" / "spec" / page).read_text(encoding="utf-8"))
]


@pytest.mark.parametrize("id_", STATED)
def test_a_line_of_the_specification_has_a_test(id_: str) -> None:
    assert PROVEN.get(id_), f"No test is marked @clause({id_!r})"


def test_a_mark_names_a_line_of_the_specification() -> None:
    pages = (ROOT / "docs" / "spec").glob("*.md")
    known = {id_ for page in pages for id_ in stated(page.read_text(encoding="utf-8"))}
    assert set(PROVEN) <= known


def test_the_ids_of_the_rules_are_all_found() -> None:
    rules = [f"R{number}" for number in range(1, 16)] + [f"E{number}" for number in range(1, 16)]
    assert STATED[:30] == rules
    assert [id_[0] for id_ in STATED[30:]] == ["B"] * 16


def test_the_ids_of_a_design_are_found_too() -> None:
    page = "- **1-01** A table (L4).\n- **1-02** Its key.\n\n| X1-01 | B | text | more |\n| id | x |\n\nSee **1-03**."
    assert stated(page) == ["1-01", "1-02", "X1-01"]


def test_marks_are_read_from_the_tests_that_carry_them(tmp_path: Path) -> None:
    lines = [
        '@clause("R1", "3-12")',
        "def test_a() -> None: ...",
        '@clause("R1")',
        "def test_b() -> None: ...",
    ]
    (tmp_path / "test_c.py").write_text("\n".join([*lines, '@clause("R2")', "def not_a_test() -> None: ..."]))
    assert proven(tmp_path) == {"R1": ["test_a", "test_b"], "3-12": ["test_a"]}
