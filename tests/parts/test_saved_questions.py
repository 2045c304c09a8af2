"""Saved questions: one's own and shared ones, with a bound and nothing of others to delete."""

from __future__ import annotations

import pytest

from hansang.design import Database
from hansang.errors import InvalidInput, NotAllowed, NotFound
from hansang.parts import saved_questions
from hansang.parts.saved_questions import LONGEST_ADDRESS, LONGEST_TITLE, SavedQuestionKey, SavedQuestions
from tests.parts.conftest import SetClock
from tests.spoiling import spoil

ADDRESS = "/data/codex/patterns/Banner.latest"


@pytest.fixture
def questions(database: Database, clock: SetClock) -> SavedQuestions:
    return SavedQuestions(database, clock)


def titles(questions: SavedQuestions, person: str, area: str = "codex") -> list[str]:
    return [each.title for each in questions.seen_by(area, person)]


def test_ones_own_come_first_and_of_others_only_what_they_share(questions: SavedQuestions) -> None:
    questions.save("codex", "mina", "Zebra", ADDRESS)
    questions.save("codex", "mina", "apple", ADDRESS)
    questions.save("codex", "junho", "Shared", ADDRESS, is_shared=True)
    questions.save("codex", "junho", "Private", ADDRESS)
    questions.save("news", "mina", "Elsewhere", ADDRESS)
    assert titles(questions, "mina") == ["apple", "Zebra", "Shared"]
    assert titles(questions, "junho") == ["Private", "Shared"]
    assert titles(questions, "mina", "news") == ["Elsewhere"]


def test_nobody_deletes_the_question_of_another(questions: SavedQuestions) -> None:
    kept = questions.save("codex", "mina", "Mine", ADDRESS, is_shared=True)
    with pytest.raises(NotFound):
        questions.delete("codex", "junho", kept.id)
    questions.delete("codex", "mina", kept.id)
    assert titles(questions, "mina") == []


@pytest.mark.parametrize(
    ("title", "address"),
    [(" ", ADDRESS), ("x" * (LONGEST_TITLE + 1), ADDRESS), ("x", ADDRESS + "x" * LONGEST_ADDRESS)],
)
def test_a_name_and_an_address_have_their_lengths(
    questions: SavedQuestions, title: str, address: str
) -> None:
    with pytest.raises(InvalidInput):
        questions.save("codex", "mina", title, address)


def test_a_person_saves_so_many_and_no_more(
    questions: SavedQuestions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saved_questions, "MOST_SAVED", 2)
    for title in "ab":
        questions.save("codex", "mina", title, ADDRESS)
    with pytest.raises(NotAllowed, match="Delete one first"):
        questions.save("codex", "mina", "c", ADDRESS)
    questions.save("codex", "junho", "c", ADDRESS)


def test_one_that_cannot_be_read_hides_no_other(questions: SavedQuestions, database: Database) -> None:
    bad = questions.save("codex", "mina", "Bad", ADDRESS)
    questions.save("codex", "mina", "Good", ADDRESS)
    spoil(database, SavedQuestionKey(area=bad.area, person=bad.person, id=bad.id), title={"N": "7"})
    page = questions.seen_by("codex", "mina")
    assert ([each.title for each in page], len(page.unreadable)) == (["Good"], 1)
