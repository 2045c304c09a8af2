"""What entities and patterns mean: in English as their designs say it, in Korean as the console does."""

from __future__ import annotations

import re
from typing import Any

from hansang.parts.words import LANGUAGES, Language, Words
from hansang.surfaces.wording import Wording, first_line

CLAUSE = re.compile(r"\s*\((?:X?\d-\d+(?:, )?)+\)")
"""Where a text rests on clauses of a document, which is nothing to whoever uses the API."""


class Meanings:
    """Meanings by application and name."""

    def __init__(self, wording: Wording) -> None:
        self._wording = wording

    def of(self, application: str, name: str, documented: Any, spoken: Language) -> str:
        """What something of a design means."""
        found = self._wording.find(f"{application}.meaning.{name}", spoken)
        return found or plain(documented)

    def words(self, application: str, name: str, documented: Any) -> Words:
        """What something of a design means, in both languages."""
        return Words(*(self.of(application, name, documented, each) for each in LANGUAGES))


def plain(documented: Any) -> str:
    """The first line of a docstring, without the clauses that it rests on."""
    return CLAUSE.sub("", first_line(documented))
