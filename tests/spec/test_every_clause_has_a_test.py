"""Every line of the specification that has an id is proven by a test that names it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clauses import proven, stated
from tests.spec.later import LATER, RULES_LATER

ROOT = Path(__file__).parent.parent.parent
PROVEN = proven(ROOT / "tests")


def lines_of(page: str) -> list[str]:
    return stated((ROOT / "docs" / "spec" / page).read_text(encoding="utf-8"))


RULES = lines_of("0-dynamodb-rules.md")
DESIGNS = {page: lines_of(page) for page in LATER}
DUE = [id_ for id_ in RULES if id_ not in RULES_LATER] + [
    *(id_ for page, ids in DESIGNS.items() for id_ in ids if id_ not in LATER[page])
]


@pytest.mark.parametrize("id_", DUE)
def test_a_line_of_the_specification_has_a_test(id_: str) -> None:
    assert PROVEN.get(id_), f"No test is marked @clause({id_!r})"


@pytest.mark.parametrize("page", LATER)
def test_what_is_due_later_is_a_line_of_its_page(page: str) -> None:
    assert set(DESIGNS[page]) >= LATER[page]


def test_a_rule_that_is_due_later_is_a_rule_that_nobody_claims_to_prove() -> None:
    assert set(RULES) >= RULES_LATER
    assert not RULES_LATER & PROVEN.keys()


def test_every_design_has_its_lines_looked_at() -> None:
    pages = {page.name for page in (ROOT / "docs" / "spec").glob("[1-5]-*.md")}
    assert pages == LATER.keys()
    assert all(len(ids) > len(LATER[page]) for page, ids in DESIGNS.items())


def test_a_mark_names_a_line_of_the_specification() -> None:
    pages = (ROOT / "docs" / "spec").glob("*.md")
    known = {id_ for page in pages for id_ in stated(page.read_text(encoding="utf-8"))}
    assert set(PROVEN) <= known


def test_the_ids_of_the_rules_are_all_found() -> None:
    rules = [f"R{number}" for number in range(1, 16)] + [f"E{number}" for number in range(1, 16)]
    assert RULES[:30] == rules
    assert [id_[0] for id_ in RULES[30:]] == ["B"] * 16


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
