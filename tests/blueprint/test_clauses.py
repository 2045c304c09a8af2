"""The register that comes with the package."""

from __future__ import annotations

import pytest
from tools.register.designs import Designs
from tools.register.register import ROOT

from hansang.blueprint.clauses import STATUSES, Clause, Document, Proof, register

ALL = [(page, each) for page in register() for each in page.clauses]


def test_there_is_a_page_for_the_rules_and_one_for_each_design() -> None:
    assert [page.application for page in register()] == [
        None, "assets", "leaderboards", "news", "codex", "rankings", None
    ]  # fmt: skip
    assert all(page.title and page.clauses for page in register())
    assert all(page.source for page in register() if page.application)


def test_no_id_is_there_twice() -> None:
    ids = [each.id for _, each in ALL]
    assert len(ids) == len(set(ids)) > 200


def test_every_clause_that_has_a_test_has_a_carrier_that_is_there() -> None:
    designs = Designs(ROOT / "src")
    for _, each in ALL:
        assert bool(each.elements) or not each.proofs, each.id
        for name in each.elements:
            assert designs.exists(name), name


def test_the_counts_of_a_page_add_up() -> None:
    for page in register():
        assert sum(page.count(status) for status in STATUSES) == len(page.clauses)


def test_only_what_is_proven_whole_counts_in_the_share_of_a_page() -> None:
    passed = (Proof("t", "passed"),)
    clauses = (
        Clause("1-01", "clause", "", "", proofs=passed),
        Clause("1-02", "clause", "", "", proofs=passed, is_later=True),
        Clause("1-03", "clause", "", "", proofs=(Proof("t", "failed"),)),
        Clause("1-04", "clause", "", "", proofs=(Proof("t"),)),
    )
    page = Document("1-page", "assets", "", "", clauses)
    assert (page.share, page.count("design")) == (0.25, 1)


def test_a_departure_says_what_is_done_instead() -> None:
    departures = [each for _, each in ALL if each.kind == "departure"]
    assert departures
    assert all(each.id.startswith("X") and each.resolution and each.severity for each in departures)


def test_a_clause_is_found_by_its_id_or_not_at_all() -> None:
    found = register().find("3-12")
    assert found is not None
    assert (found[0].application, found[1].kind) == ("news", "clause")
    assert register().find("9-99") is None


@pytest.mark.parametrize("words", ["3-12", "PRESERVATION", "NewsItem", "test_"])
def test_a_clause_is_found_by_its_words_and_by_its_proof(words: str) -> None:
    assert _clause("3-12").says(words)
    assert not _clause("3-12").says("no such words")


def _clause(id_: str) -> Clause:
    found = register().find(id_)
    assert found is not None
    return found[1]
