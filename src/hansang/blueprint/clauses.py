"""The register of the specification: every clause, the code that carries it, and its tests with their results.

The pages and the tests are not part of the package, so the register is generated from them: when a package is
built, or, in a checkout, when it is first asked for.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any, Literal, get_args

from hansang.errors import NotFound

FILE = "clauses.json"

Kind = Literal["clause", "departure", "rule", "pitfall", "behaviour", "golden"]
"""A clause of a document, a departure from it, a rule of DynamoDB, what emulators get wrong, a behaviour, a
golden value."""

Outcome = Literal["passed", "failed", "skipped", "unrun"]

Status = Literal["proven", "design", "failed", "unrun", "later"]
"""Its tests ran and passed; so did those of the design, and the application is to come; one of them failed; not
all of them ran; to be proven together with its application."""

STATUSES: tuple[Status, ...] = get_args(Status)

_CHECKOUT = Path(__file__).parents[3]


@dataclass(frozen=True, slots=True)
class Proof:
    """One test of a clause, and how it went when it was last run."""

    test: str
    outcome: Outcome = "unrun"
    at: str = ""
    """When the run was, in UTC; empty if there was none."""
    version: str = ""
    """The commit that was run, or the version."""


@dataclass(frozen=True, slots=True)
class ClauseText:
    """What a clause says in one language."""

    section: str
    text: str
    resolution: str = ""


@dataclass(frozen=True, slots=True)
class Clause:
    """One numbered statement of the specification."""

    id: str
    kind: Kind
    section: str
    text: str
    resolution: str = ""
    """What is done instead, where a document cannot be followed to the letter."""
    severity: str = ""
    """B breaks, C contradicts, A ambiguous, S scale, G gap; empty for what is no departure."""
    is_later: bool = False
    """Whether it takes the application to prove it whole."""
    elements: tuple[str, ...] = ()
    """The dotted names of the code that carries it."""
    proofs: tuple[Proof, ...] = ()
    korean: ClauseText | None = None

    def said(self, language: str) -> ClauseText:
        """The clause in a language; in English where it has no other."""
        own = ClauseText(self.section, self.text, self.resolution)
        return self.korean if language == "ko" and self.korean else own

    @property
    def status(self) -> Status:
        """Where the clause stands. A test that was skipped proves nothing, and nothing against it."""
        outcomes = {each.outcome for each in self.proofs}
        if "failed" in outcomes:
            return "failed"
        if "unrun" not in outcomes and "passed" in outcomes:
            return "design" if self.is_later else "proven"
        return "unrun" if self.proofs or not self.is_later else "later"

    def says(self, words: str) -> bool:
        """Whether the clause has these words in it, in whatever case."""
        tests = (each.test for each in self.proofs)
        texts = (each for one in ("en", "ko") for each in astuple(self.said(one)))
        return words.casefold() in "\n".join((self.id, *texts, *self.elements, *tests)).casefold()


@dataclass(frozen=True, slots=True)
class Document:
    """One page of the specification."""

    name: str
    application: str | None
    title: str
    source: str
    """The title of the design document that the page is about."""
    clauses: tuple[Clause, ...]
    korean_title: str = ""

    def count(self, status: Status) -> int:
        return sum(each.status == status for each in self.clauses)

    @property
    def share(self) -> float:
        """How much of the page is proven, from 0 to 1; what the design alone proves does not count."""
        return self.count("proven") / len(self.clauses)


@dataclass(frozen=True, slots=True)
class Register:
    """The whole specification, page by page."""

    documents: tuple[Document, ...]

    def __iter__(self) -> Iterator[Document]:
        return iter(self.documents)

    def find(self, id_: str) -> tuple[Document, Clause] | None:
        """The clause of this id and its page, or None."""
        return next(((page, each) for page in self for each in page.clauses if each.id == id_), None)

    @property
    def last_run(self) -> Proof | None:
        """The newest result of all, or None if no test has run."""
        proofs = [proof for page in self for each in page.clauses for proof in each.proofs if proof.at]
        return max(proofs, key=lambda each: each.at, default=None)


def read(text: str) -> Register:
    """The register of a JSON text."""
    return Register(tuple(_document(page) for page in json.loads(text)))


def _document(page: dict[str, Any]) -> Document:
    return Document(**{**page, "clauses": tuple(_clause(each) for each in page["clauses"])})


def _clause(given: dict[str, Any]) -> Clause:
    proofs = tuple(Proof(**each) for each in given["proofs"])
    korean = ClauseText(**given["korean"]) if given["korean"] else None
    return Clause(**{**given, "elements": tuple(given["elements"]), "proofs": proofs, "korean": korean})


def register() -> Register:
    """The register that comes with Hansang; in a checkout, with the results of the tests that ran last."""
    results = _CHECKOUT / "build" / "clause-results.json"
    return _register(results.stat().st_mtime_ns if results.is_file() else 0)


@lru_cache(maxsize=1)
def _register(_results: int) -> Register:
    packaged = resources.files("hansang.blueprint").joinpath(FILE)
    if packaged.is_file():
        return read(packaged.read_text(encoding="utf-8"))
    if not (_CHECKOUT / "tools" / "register").is_dir():
        raise NotFound("This installation has no register of clauses. Install the package that was released.")
    command = [sys.executable, "-m", "tools.register"]
    return read(subprocess.run(command, cwd=_CHECKOUT, capture_output=True, check=True).stdout.decode())
