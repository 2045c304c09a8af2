"""Every line of the specification that has an id is proven by a test that names it."""

from __future__ import annotations

import pytest
from tools.register.designs import Designs
from tools.register.pages import clauses
from tools.register.proofs import MarkedTest, marked_tests
from tools.register.register import ROOT

from tests.spec.later import EVERY_LATER, GOLDEN_LATER, LATER, RULES_LATER


@pytest.fixture(scope="module")
def proven() -> dict[str, list[MarkedTest]]:
    """The tests of every clause."""
    return marked_tests(ROOT / "tests", Designs(ROOT / "src"))


def lines_of(page: str) -> list[str]:
    return [each.id for each in clauses((ROOT / "docs" / "spec" / page).read_text(encoding="utf-8"))]


RULES = lines_of("0-dynamodb-rules.md")
GOLDEN = lines_of("6-across.md")
DESIGNS = {page: lines_of(page) for page in LATER}
DUE = [*(id_ for ids in (RULES, *DESIGNS.values()) for id_ in ids if id_ not in EVERY_LATER), *GOLDEN]


def test_every_line_of_the_specification_has_a_test_marked_with_its_clause(
    proven: dict[str, list[MarkedTest]],
) -> None:
    assert [id_ for id_ in DUE if not proven.get(id_)] == []


@pytest.mark.parametrize("page", LATER)
def test_what_is_due_later_is_a_line_of_its_page(page: str) -> None:
    assert set(DESIGNS[page]) >= LATER[page]


def test_a_rule_that_is_due_later_is_a_rule_that_nobody_claims_to_prove(
    proven: dict[str, list[MarkedTest]],
) -> None:
    assert set(RULES) >= RULES_LATER
    assert not RULES_LATER & proven.keys()


def test_a_golden_value_that_is_due_later_is_one_of_the_page() -> None:
    assert [f"G{number}" for number in range(1, len(GOLDEN) + 1)] == GOLDEN
    assert set(GOLDEN) >= GOLDEN_LATER


def test_every_design_has_its_lines_looked_at() -> None:
    pages = {page.name for page in (ROOT / "docs" / "spec").glob("[1-5]-*.md")}
    assert pages == LATER.keys()
    assert all(len(ids) > len(LATER[page]) for page, ids in DESIGNS.items())


def test_a_mark_names_a_line_of_the_specification(proven: dict[str, list[MarkedTest]]) -> None:
    known = {id_ for page in (ROOT / "docs" / "spec").glob("*.md") for id_ in lines_of(page.name)}
    assert set(proven) <= known


def test_the_ids_of_the_rules_are_all_found() -> None:
    rules = [f"R{number}" for number in range(1, 16)] + [f"E{number}" for number in range(1, 16)]
    assert RULES[:30] == rules
    assert [id_[0] for id_ in RULES[30:]] == ["B"] * 16
