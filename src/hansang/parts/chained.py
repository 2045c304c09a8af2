"""Pages over several questions in a row: where one has no more answers, the next one goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import dropwhile
from typing import Generic, TypeVar

from hansang.design import Database, Page, Query, Unreadable
from hansang.design.cursor import foreign_cursor
from hansang.design.pages import expect_limit

R = TypeVar("R")
T = TypeVar("T")

Questions = Callable[[str | None], Iterable[tuple[str, Query[R]]]]
"""Gives the questions with their names, from the one with a name on, or from the first."""


def in_order(queries: Mapping[str, Query[R]]) -> Questions[R]:
    """Questions that are all known beforehand."""

    def from_name(name: str | None) -> Iterable[tuple[str, Query[R]]]:
        if name is None:
            return queries.items()
        if name not in queries:
            raise foreign_cursor()
        return dropwhile(lambda each: each[0] != name, queries.items())

    return from_name


@dataclass(frozen=True, slots=True)
class Chain(Generic[R, T]):
    """Questions that are answered one behind the other.

    A cursor is signed and names the question that goes on, so questions may come before it at any time.
    """

    subject: str
    """What its cursors belong to: a cursor of one chain is refused by another."""
    questions: Questions[R]
    answers: Callable[[Page[R]], list[T]]
    """What a page of items comes to: fewer than they are where not all fit, or more where one holds several."""
    at_once: int = 1000
    """How many items are read at a time at most."""
    at_least: int = 1
    """How many are read at a time although fewer are wanted, where few of them are likely to fit."""
    most_asked: int = 1000
    most_read: int = 5000
    """How often one page asks, and how many items it looks at; then it is short, or empty, and its cursor goes on."""

    def page(self, database: Database, limit: int, cursor: str | None = None) -> Page[T]:
        """At most `limit` answers, and a cursor to the next ones."""
        expect_limit(limit)
        start, inner, skipped, offset = (
            (None, None, 0, 0) if cursor is None else database.unsealed(self.subject, cursor)
        )
        found: list[T] = []
        unreadable: list[Unreadable] = []
        asked = read = 0
        for name, query in self.questions(start):
            is_over = False
            while not is_over:
                if len(found) == limit or asked == self.most_asked or read >= self.most_read:
                    place = [name, inner, skipped, offset + len(found)]
                    return Page(found, database.sealed(self.subject, place), offset, unreadable)
                size = min(max(limit - len(found), self.at_least), self.at_once)
                page = database.page(query, size, inner)
                asked, read = asked + 1, read + len(page)
                unreadable += [] if skipped else page.unreadable
                answers, room = self.answers(page)[skipped:], limit - len(found)
                found += answers[:room]
                if len(answers) > room:
                    skipped += room
                else:
                    inner, skipped, is_over = page.cursor, 0, page.cursor is None
        return Page(found, None, offset, unreadable)
