"""The register of the specification: every clause, who carries it, and which tests prove it.

The pages and the tests are not part of the package, so the register is generated from them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal, get_args

FILE = "clauses.json"

Kind = Literal["clause", "departure", "rule", "pitfall", "behaviour"]
"""A clause of a document, a departure from it, a rule of DynamoDB, what emulators get wrong, a behaviour."""

Status = Literal["proven", "partly", "later"]
"""Proven whole; proven as far as the design goes; to be proven together with its application."""

STATUSES: tuple[Status, ...] = get_args(Status)


@dataclass(frozen=True, slots=True)
class Clause:
    """One numbered statement of the specification."""

    id: str
    kind: Kind
    section: str
    text: str
    resolution: str
    """What is done instead, where a document cannot be followed to the letter."""
    severity: str
    """B breaks, C contradicts, A ambiguous, S scale, G gap; empty for what is no departure."""
    status: Status
    elements: tuple[str, ...]
    """The dotted names of the code that carries it."""
    tests: tuple[str, ...]

    def says(self, words: str) -> bool:
        """Whether the clause has these words in it, in whatever case."""
        fields = (self.id, self.text, self.resolution, self.section, *self.elements, *self.tests)
        return words.casefold() in "\n".join(fields).casefold()


@dataclass(frozen=True, slots=True)
class Document:
    """One page of the specification."""

    name: str
    application: str | None
    title: str
    source: str
    """The title of the design document that the page is about."""
    clauses: tuple[Clause, ...]

    def count(self, status: Status) -> int:
        return sum(each.status == status for each in self.clauses)


@dataclass(frozen=True, slots=True)
class Register:
    """The whole specification, page by page."""

    documents: tuple[Document, ...]

    def __iter__(self) -> Iterator[Document]:
        return iter(self.documents)

    def find(self, id_: str) -> tuple[Document, Clause] | None:
        """The clause of this id and its page, or None."""
        return next(((page, each) for page in self for each in page.clauses if each.id == id_), None)


def read(text: str) -> Register:
    """The register of a JSON text."""
    return Register(tuple(_document(page) for page in json.loads(text)))


def _document(page: dict[str, Any]) -> Document:
    return Document(**{**page, "clauses": tuple(_clause(each) for each in page["clauses"])})


def _clause(given: dict[str, Any]) -> Clause:
    return Clause(**{**given, "elements": tuple(given["elements"]), "tests": tuple(given["tests"])})


@cache
def register() -> Register:
    """The register that comes with Hansang."""
    return read(resources.files("hansang.blueprint").joinpath(FILE).read_text(encoding="utf-8"))
