"""Saved questions: what somebody asks of an application's data again and again, under a name."""

from __future__ import annotations

from collections.abc import Callable
from secrets import token_hex
from typing import Annotated

from pydantic import StringConstraints

from hansang.clock import Clock
from hansang.design import Database, Entity, Key, Page, Query, Timestamp, pattern
from hansang.errors import InvalidInput, NotAllowed, NotFound
from hansang.parts.platform import Platform
from hansang.parts.timestamps import to_whole_second

MOST_SAVED = 100
"""Of one person in one application."""
LONGEST_TITLE, LONGEST_ADDRESS = 80, 2_000
_SHOWN = 200


class SavedQuestionKey(Key["SavedQuestion"], pk="QUESTIONS#{area}", sk="{person}#{id}"):
    """The key of a saved question: of which application, and whose it is."""

    area: str
    person: Annotated[str, StringConstraints(pattern=r"^[^#]+$")]
    id: str


class SavedQuestion(SavedQuestionKey, Entity, table=Platform, type="SavedQuestion"):
    """A page of an application's data with everything that was filled in."""

    title: str
    address: str
    """The path and what follows it, such as /data/codex/patterns/Post.in_category?arg-category_id=c001."""
    is_shared: bool = False
    """Whether everybody who may read the application sees it."""
    created_at: Timestamp

    @pattern
    def in_area(cls, area: str) -> Query[SavedQuestion]:
        """The questions that anybody has saved for one application."""
        return cls.query(SavedQuestion.area == area)

    @pattern
    def of_person(cls, area: str, person: str) -> Query[SavedQuestion]:
        """The questions that one person has saved for one application."""
        return cls.query(SavedQuestion.area == area, SavedQuestion.person == person).consistent()


class SavedQuestions:
    """The questions of everybody; one is seen by whoever saved it, and by the others if it is shared."""

    def __init__(self, database: Database, clock: Clock, chance: Callable[[int], str] = token_hex) -> None:
        self._database, self._clock, self._chance = database, clock, chance

    def save(
        self, area: str, person: str, title: str, address: str, *, is_shared: bool = False
    ) -> SavedQuestion:
        """Keep a question under a name."""
        title = title.strip()
        if not 0 < len(title) <= LONGEST_TITLE:
            raise InvalidInput(
                "A name has 1 to {most} characters.",
                "title",
                code="parts.question-title",
                values={"most": LONGEST_TITLE},
            )
        if len(address) > LONGEST_ADDRESS:
            raise InvalidInput(
                "This question is too long to be saved. Use fewer values.", code="parts.question-long"
            )
        if self._database.count(SavedQuestion.of_person(area, person)) >= MOST_SAVED:
            raise NotAllowed(
                "You have saved {most} questions here. Delete one first.",
                code="parts.many-questions",
                values={"most": MOST_SAVED},
            )
        question = SavedQuestion(
            area=area,
            person=person,
            id=self._chance(8),
            title=title,
            address=address,
            is_shared=is_shared,
            created_at=to_whole_second(self._clock()),
        )
        return self._database.create(question)

    def seen_by(self, area: str, person: str) -> Page[SavedQuestion]:
        """The questions that somebody sees, their own first, each by name; what cannot be read is named beside them."""
        page = self._database.page(SavedQuestion.in_area(area), _SHOWN)
        own = self._database.page(SavedQuestion.of_person(area, person), MOST_SAVED)
        others = [each for each in page.items if each.is_shared and each.person != person]
        found = [*sorted(own.items, key=_by_title), *sorted(others, key=_by_title)]
        return Page(found, None, 0, page.unreadable)

    def delete(self, area: str, person: str, question_id: str) -> None:
        """Delete one's own question, or NotFound."""
        key = SavedQuestionKey(area=area, person=person, id=question_id)
        if self._database.find(key, consistent=True) is None:
            raise NotFound(
                "Saved question {id} not found.", code="parts.no-question", values={"id": question_id}
            )
        self._database.delete(key)


def _by_title(question: SavedQuestion) -> tuple[str, str]:
    return question.title.casefold(), question.id
