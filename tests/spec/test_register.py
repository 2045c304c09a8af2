"""The register of clauses is the one that pages, tests and sources make."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tools.register.carriers import mentions
from tools.register.designs import Designs
from tools.register.narrowing import narrowed
from tools.register.pages import clauses
from tools.register.proofs import Names, marked_tests
from tools.register.register import ROOT, documents, made, written
from tools.register.results import record

from hansang.blueprint.clauses import Clause, ClauseText, Document, Proof, Status, read, register
from tests.spec.later import EVERY_LATER

pytestmark = pytest.mark.long

DESIGNS = Designs(ROOT / "src")
PAGES = sorted((ROOT / "docs" / "spec").glob("[0-6]-*.md"))

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

- **B1** One thing.
- **B2** Another thing.

See **1-03**.
"""
PAGE_OF_RULES = "- **R1** A rule.\n"


@pytest.fixture(scope="module")
def built() -> list[Document]:
    """The register of this checkout."""
    return documents()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A checkout with one page, one source and one test."""
    for folder in ("docs/spec", "src/hansang", "tests", "tools"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "docs/spec/0-dynamodb-rules.md").write_text(PAGE_OF_RULES)
    (tmp_path / "tests/test_a.py").write_text('@clause("R1")\ndef test_one() -> None: ...\n')
    return tmp_path


def rule(project: Path) -> Clause:
    return read(made(project)).documents[0].clauses[0]


def test_the_lines_of_a_page_become_clauses_with_their_kinds() -> None:
    found = [
        (each.id, each.kind, each.section.partition(" and what")[0], each.text) for each in clauses(PAGE)
    ]
    assert found == [
        ("1-01", "clause", "Keys (all text)", "A table (L4)."),
        ("X1-01", "departure", "Where the document cannot be followed to the letter,", "It breaks."),
        ("B1", "behaviour", "The behaviours that applications lean on most", "One thing."),
        ("B2", "behaviour", "The behaviours that applications lean on most", "Another thing."),
    ]


def test_a_departure_carries_its_resolution_and_its_severity() -> None:
    [departure] = [each for each in clauses(PAGE) if each.kind == "departure"]
    assert (departure.severity, departure.resolution) == ("B", "We mend it.")


def test_no_line_of_a_page_that_begins_with_an_id_is_overlooked(built: list[Document]) -> None:
    started = re.compile(r"^(?:- \*\*|\| )([REBGX]?\d+(?:-\d+)?)\b", re.MULTILINE)
    for page in built:
        text = (ROOT / "docs" / "spec" / f"{page.name}.md").read_text(encoding="utf-8")
        assert started.findall(text) == [each.id for each in page.clauses]


def test_a_checkout_has_the_register_that_its_files_make(built: list[Document]) -> None:
    def bare(page: Document) -> list[tuple[str, list[str]]]:
        return [(each.id, [proof.test for proof in each.proofs]) for each in page.clauses]

    assert [bare(page) for page in register()] == [bare(page) for page in built]


def test_what_is_written_can_be_read_again(built: list[Document]) -> None:
    assert list(read(written(built))) == built


def test_the_register_can_be_made_while_a_package_is_built_with_the_standard_library_alone(
    built: list[Document],
) -> None:
    made_alone = "import sys; from tools.register.register import made; sys.stdout.write(made())"
    environment = {"PYTHONPATH": f"{ROOT}:{ROOT / 'src'}", "PYTHONUTF8": "1"}
    command = [sys.executable, "-S", "-c", made_alone]
    found = subprocess.run(command, env=environment, capture_output=True, check=True, text=True).stdout
    assert [page.name for page in read(found)] == [page.name for page in built]


# ── Korean ────────────────────────────────────────────────────────────────────────────────────────

HANGUL = re.compile("[가-힣]")
ID = re.compile(r"(?<![\w-])(?:X?[1-5]-\d{2}|[REBG]\d{1,2})(?![\dA-Za-z-])")
CODE = re.compile(r"`([^`]+)`")
PLACE = re.compile(r"{[^}]*}")


def named(text: ClauseText) -> tuple[set[str], set[str]]:
    """The clauses and the code that a text names; what stands in braces may be translated."""
    whole = f"{text.text} {text.resolution}"
    return set(ID.findall(whole)), {PLACE.sub("{}", each) for each in CODE.findall(whole)}


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_a_page_has_the_same_clauses_under_the_same_headings_in_korean(page: Path) -> None:
    texts = (path.read_text(encoding="utf-8") for path in (page, page.parent / "ko" / page.name))
    english, korean = (list(clauses(text)) for text in texts)
    assert [(each.id, each.severity) for each in korean] == [(each.id, each.severity) for each in english]
    headings = {(own.section, other.section) for own, other in zip(korean, english, strict=True)}
    assert len(headings) == len({own for own, _ in headings}) == len({other for _, other in headings})


def test_every_clause_is_said_in_korean_with_the_same_names(built: list[Document]) -> None:
    for each in (each for page in built for each in page.clauses):
        korean = each.said("ko")
        assert HANGUL.search(korean.text), each.id
        assert bool(korean.resolution) == bool(each.resolution), each.id
        assert named(korean) == named(each.said("en")), each.id


def test_a_clause_is_said_in_the_language_that_is_asked_for() -> None:
    found = register().find("R8")
    assert found is not None
    assert found[1].said("ko").text == "조건이 실패해도 WCU를 씁니다(AWS)."
    assert found[1].said("en").text == "A failed condition still costs WCU (AWS)."
    assert found[1].says("조건이 실패해도")
    assert (found[0].korean_title, found[0].title) == (
        "설계가 기대는 DynamoDB 규칙",
        "Rules of DynamoDB that the designs rest on",
    )


# ── results ───────────────────────────────────────────────────────────────────────────────────────


def test_a_clause_whose_test_never_ran_is_not_proven(project: Path) -> None:
    assert (rule(project).status, rule(project).proofs[0].outcome) == ("unrun", "unrun")


def test_a_clause_is_proven_once_its_test_has_passed_and_no_longer_once_it_fails(project: Path) -> None:
    record(project, {"tests/test_a.py::test_one": "passed"}, "2026-11-15T00:00:00Z", "abc")
    assert rule(project).status == "proven"
    record(project, {"tests/test_a.py::test_one": "failed"}, "2026-11-16T00:00:00Z", "abd")
    assert rule(project).status == "failed"
    assert rule(project).proofs == (
        Proof("tests/test_a.py::test_one", "failed", "2026-11-16T00:00:00Z", "abd"),
    )


def test_a_changed_test_is_seen_in_the_next_register(project: Path) -> None:
    assert len(rule(project).proofs) == 1
    (project / "tests/test_b.py").write_text('@clause("R1")\ndef test_two() -> None: ...\n')
    assert len(rule(project).proofs) == 2


@pytest.mark.parametrize(
    ("outcomes", "is_later", "status"),
    [
        ("passed passed", False, "proven"),
        ("passed skipped", False, "proven"),
        ("passed passed", True, "design"),
        ("passed unrun", False, "unrun"),
        ("skipped", False, "unrun"),
        ("passed failed unrun", True, "failed"),
        ("", True, "later"),
        ("", False, "unrun"),
    ],
)
def test_a_clause_stands_where_its_tests_and_the_list_put_it(
    outcomes: str, is_later: bool, status: Status
) -> None:
    proofs = tuple(Proof("t", outcome) for outcome in outcomes.split())  # type: ignore[arg-type]
    assert Clause("1-01", "clause", "", "", is_later=is_later, proofs=proofs).status == status


def test_what_needs_an_application_is_never_more_than_proven_in_the_design(built: list[Document]) -> None:
    found = {each.id for page in built for each in page.clauses if each.is_later}
    assert found == EVERY_LATER


def test_the_last_run_is_the_newest_of_all(project: Path) -> None:
    assert read(made(project)).last_run is None
    record(project, {"tests/test_a.py::test_one": "passed"}, "2026-11-15T00:00:00Z", "abc")
    assert read(made(project)).last_run == rule(project).proofs[0]


# ── evidence ──────────────────────────────────────────────────────────────────────────────────────


def test_a_test_uses_names_itself_and_through_its_module() -> None:
    tree = ast.parse(
        "from hansang.apps.news.design import NewsItem, NewsRow\n"
        "KINDS = [NewsItem]\n"
        "def test_one() -> None:\n    assert KINDS and NewsRow.uploaded_on(1)\n"
    )
    test = next(node for node in tree.body if isinstance(node, ast.FunctionDef))
    design = "hansang.apps.news.design"
    assert Names(tree, DESIGNS).used_by(test) == [
        f"{design}.NewsRow.uploaded_on",
        f"{design}.NewsRow",
        f"{design}.NewsItem",
    ]


def test_marks_are_read_from_the_tests_that_carry_them(tmp_path: Path) -> None:
    lines = [
        '@clause("R1", "3-12")',
        "def test_a() -> None: ...",
        '@clause("R1")',
        "def test_b() -> None: ...",
        '@clause("R2")',
        "def not_a_test() -> None: ...",
        'LIST = [pytest.param(1, marks=pytest.mark.clause("R3"))]',
        '@pytest.mark.parametrize("number", LIST)',
        "def test_d(number: int) -> None: ...",
    ]
    tests = tmp_path / "tests"
    tests.mkdir()
    (tests / "test_c.py").write_text("\n".join(lines))
    found = {id_: [each.name for each in marked] for id_, marked in marked_tests(tests, DESIGNS).items()}
    a, b, d = (f"tests/test_c.py::test_{name}" for name in "abd")
    assert found == {"R1": [a, b], "3-12": [a], "R3": [d]}


def test_a_place_that_names_a_clause_is_found_with_what_is_around_it(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(
        'class A:\n    def b(self):\n        """As X1-07 has it."""\n# since 2025-01-07\n'
    )
    assert mentions(tmp_path) == {"X1-07": ["a.A.b"]}


def test_of_many_names_those_that_the_clause_spells_are_meant() -> None:
    design = "hansang.apps.assets.design"
    names = [f"{design}.AssetManager", f"{design}.Savings", f"{design}.ShortSavings", "hansang.engine.Engine"]
    assert narrowed(names, "`SHORT_SAVINGS#{YM}`: an entry", DESIGNS) == [f"{design}.ShortSavings"]
    assert narrowed(names, "something else", DESIGNS) == [f"{design}.Savings", f"{design}.ShortSavings"]
    assert narrowed(names[:1], "the table", DESIGNS) == names[:1]
