"""The documents as written: each of their known faults is found, and what is right is left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from hansang.blueprint.findings import Finding
from hansang.blueprint.requests import DocumentRequest, RequestSource, read
from hansang.blueprint.rules.requests import review
from hansang.errors import SettingsError

DOCUMENTS = Path(__file__).parent.parent / "documents"


def findings_of(document: str) -> list[Finding]:
    return review(read((DOCUMENTS / f"{document}.toml").read_text(encoding="utf-8")))


KNOWN = [
    pytest.param("assets", "H002", "6. period", marks=pytest.mark.clause("X1-01")),
    pytest.param("assets", "H003", "3. expense of a month", marks=pytest.mark.clause("X1-02")),
    pytest.param("assets", "H003", "4. savings and investment of a month", marks=pytest.mark.clause("X1-02")),
    pytest.param("codex", "H007", "all banners", marks=pytest.mark.clause("X4-01")),
    pytest.param("rankings", "H005", "① official top 100", marks=pytest.mark.clause("X5-01")),
    pytest.param("rankings", "H005", "② custom rank", marks=pytest.mark.clause("X5-01")),
    pytest.param("rankings", "H005", "④ range", marks=pytest.mark.clause("X5-01")),
    pytest.param("rankings", "H007", "④ range", marks=pytest.mark.clause("X5-02")),
    pytest.param("rankings", "H006", "③ history", marks=pytest.mark.clause("X5-03")),
    pytest.param("rankings", "H004", "⑤ lookup", marks=pytest.mark.clause("X5-04")),
]


@pytest.mark.parametrize(("document", "code", "title"), KNOWN)
def test_a_known_fault_of_a_document_is_found(document: str, code: str, title: str) -> None:
    assert (code, title) in {(each.code, each.place.subject) for each in findings_of(document)}


@pytest.mark.parametrize("document", ["assets", "leaderboards", "codex", "rankings"])
def test_nothing_else_is_found(document: str) -> None:
    known = {(str(each.values[1]), str(each.values[2])) for each in KNOWN if each.values[0] == document}
    assert {(each.code, each.place.subject) for each in findings_of(document)} == known


SOURCE = RequestSource("the index by_level", ("SK", "Level"), frozenset({"PK", "SK", "Level", "Title"}))


def codes(condition: str, *wants: str) -> list[str]:
    return [
        each.code for each in review([DocumentRequest("asked", SOURCE, condition, wants, (("#l", "Level"),))])
    ]


def test_a_right_request_has_no_faults() -> None:
    assert codes("SK = :day AND #l BETWEEN 1 AND 2", "Title") == []


def test_every_fault_of_one_request_is_found() -> None:
    assert codes("SK > :day AND Level = 1", "Power") == ["H002", "H004", "H007"]


def test_an_attribute_outside_the_key_is_found() -> None:
    assert codes("SK = :day AND Power > 3") == ["H005"]


@pytest.mark.parametrize("condition", ["SK IN (:a, :b)", "NOT SK = :a", "SK = :a AND (PK = :b OR PK = :c)"])
def test_only_conjunctions_are_conditions_on_keys(condition: str) -> None:
    assert codes(condition) == ["H003"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[", "not valid TOML"),
        ("colour = 1", "colour is not known"),
        ("[tables.A]\nsort = 1", "sort is not known"),
        ("[[requests]]\ntitle = 'x'", "needs a condition"),
        ("[tables.A]\n[[requests]]\ntable = 'A'\nindex = 'B'\ncondition = 'PK = :p'", "needs a condition"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused(text: str, words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        read(text)
