"""What the pages of the specification say, clause by clause."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hansang.blueprint.clauses import Clause, Kind

_HEADING = re.compile(r"^\*\*(?P<title>[^*]+)\*\*(?P<rest>.*)$")
_BULLET = re.compile(r"^- \*\*(?P<id>[REBG]\d+|\d-\d+)\*\* (?P<text>.+)$")
_DEPARTURE = re.compile(
    r"^\| (?P<id>X\d-\d+) \| (?P<severity>\S+) \| (?P<problem>.+) \| (?P<resolution>.+) \|$"
)
_KINDS: dict[str, Kind] = {"R": "rule", "E": "pitfall", "B": "behaviour", "G": "golden"}


def clauses(text: str) -> Iterator[Clause]:
    """The clauses of a page, in its order, without their evidence."""
    section = ""
    for line in text.splitlines():
        if line.startswith("## "):
            section = line.removeprefix("## ")
        elif heading := _HEADING.match(line):
            section = (heading["title"] + heading["rest"].rstrip(":")).strip()
        elif found := _clause(line, section):
            yield found


def _clause(line: str, section: str) -> Clause | None:
    if bullet := _BULLET.match(line):
        return Clause(bullet["id"], _KINDS.get(bullet["id"][0], "clause"), section, bullet["text"])
    if row := _DEPARTURE.match(line):
        return Clause(row["id"], "departure", section, row["problem"], row["resolution"], row["severity"])
    return None
