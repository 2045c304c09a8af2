"""The register that comes with the package."""

from __future__ import annotations

import pytest

from hansang.blueprint.clauses import STATUSES, Clause, register
from tests.spec.narrowing import resolved

ALL = [(page, each) for page in register() for each in page.clauses]


def test_there_is_a_page_for_the_rules_and_one_for_each_design() -> None:
    assert [page.application for page in register()] == [
        None, "assets", "leaderboards", "news", "codex", "rankings"
    ]  # fmt: skip
    assert all(page.title and page.clauses for page in register())
    assert all(page.source for page in register() if page.application)


def test_no_id_is_there_twice() -> None:
    ids = [each.id for _, each in ALL]
    assert len(ids) == len(set(ids)) > 200


def test_what_is_proven_has_tests_and_what_is_due_has_none() -> None:
    for _, each in ALL:
        assert bool(each.tests) == (each.status != "later"), each.id


def test_every_clause_that_has_a_test_has_a_carrier_that_is_there() -> None:
    for _, each in ALL:
        assert bool(each.elements) or not each.tests, each.id
        for name in each.elements:
            assert resolved(name) is not None, name


def test_the_counts_of_a_page_add_up() -> None:
    for page in register():
        assert sum(page.count(status) for status in STATUSES) == len(page.clauses)


def test_a_departure_says_what_is_done_instead() -> None:
    departures = [each for _, each in ALL if each.kind == "departure"]
    assert departures
    assert all(each.id.startswith("X") and each.resolution and each.severity for each in departures)


def test_a_clause_is_found_by_its_id_or_not_at_all() -> None:
    found = register().find("3-12")
    assert found is not None
    assert (found[0].application, found[1].status) == ("news", "proven")
    assert register().find("9-99") is None


@pytest.mark.parametrize("words", ["3-12", "PRESERVATION", "NewsItem", "test_"])
def test_a_clause_is_found_by_its_words_and_by_its_proof(words: str) -> None:
    assert _clause("3-12").says(words)
    assert not _clause("3-12").says("no such words")


def _clause(id_: str) -> Clause:
    found = register().find(id_)
    assert found is not None
    return found[1]
