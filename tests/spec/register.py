"""Makes the register of clauses from the pages, the tests and the sources.

`python -m tests.spec.register --write` writes it down; without the option it is only compared.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from hansang.blueprint.clauses import FILE, Clause, Document, Kind, Status
from tests.spec.carriers import mentions
from tests.spec.later import LATER, RULES_LATER
from tests.spec.narrowing import narrowed
from tests.spec.proofs import Proof, proofs

ROOT = Path(__file__).parent.parent.parent
TARGET = ROOT / "src" / "hansang" / "blueprint" / FILE
COMMAND = "python -m tests.spec.register --write"

_HEADING = re.compile(r"^\*\*(?P<title>[^*]+)\*\*(?P<rest>.*)$")
_BULLET = re.compile(r"^- \*\*(?P<id>R\d+|\d-\d+)\*\* (?P<text>.+)$")
_NUMBERED = re.compile(r"^(?P<number>\d+)\. (?P<text>.+)$")
_SOURCE = re.compile(r"The design document: \*(.+?)\*\.")
_BEHAVIOURS = "The behaviours that applications lean on most"


@dataclass(frozen=True)
class Evidence:
    """What the tests prove and what the sources mention, by clause."""

    proofs: dict[str, list[Proof]]
    mentions: dict[str, list[str]]

    def settle(self, clause: Clause, later: frozenset[str], floor: str) -> Clause:
        """The clause with its status, its tests and the code that carries it."""
        found = self.proofs.get(clause.id, [])
        carried = [*self.mentions.get(clause.id, []), *(name for each in found for name in each.elements)]
        status: Status = "proven" if clause.id not in later else "partly" if found else "later"
        elements = narrowed(list(dict.fromkeys(carried)), clause.text) or ([floor] if found else [])
        tests = dict.fromkeys(each.test for each in found)
        return replace(clause, status=status, elements=tuple(elements), tests=tuple(tests))


def documents(root: Path = ROOT) -> list[Document]:
    """Every page of the specification that has clauses, with its evidence."""
    evidence = Evidence(proofs(root / "tests"), mentions(root / "src"))
    pages = sorted((root / "docs" / "spec").glob("[0-5]-*.md"))
    return [_document(path.name, path.read_text(encoding="utf-8"), evidence) for path in pages]


def _document(name: str, text: str, evidence: Evidence) -> Document:
    application = name.partition("-")[2].removesuffix(".md") if name in LATER else None
    later = LATER.get(name, RULES_LATER)
    floor = f"hansang.apps.{application}" if application else "hansang.engine"
    source = _SOURCE.search(text)
    return Document(
        name=name.removesuffix(".md"),
        application=application,
        title=text.partition("\n")[0].removeprefix("# "),
        source=source[1] if source else "",
        clauses=tuple(evidence.settle(each, later, floor) for each in clauses(text)),
    )


def clauses(text: str) -> Iterator[Clause]:
    """The clauses of a page, in its order, without their evidence."""
    section, behaviour = "", 0
    for line in text.splitlines():
        if line.startswith("## "):
            section = line.removeprefix("## ")
        elif heading := _HEADING.match(line):
            section = (heading["title"] + heading["rest"].rstrip(":")).strip()
        elif section == _BEHAVIOURS and " · " in line:
            for each in line.removesuffix(".").split(" · "):
                behaviour += 1
                yield _bare(f"B{behaviour}", "behaviour", section, each)
        elif found := _line(line, section):
            yield found


def _line(line: str, section: str) -> Clause | None:
    if bullet := _BULLET.match(line):
        return _bare(bullet["id"], "rule" if bullet["id"][0] == "R" else "clause", section, bullet["text"])
    if numbered := _NUMBERED.match(line):
        return _bare(f"E{numbered['number']}", "pitfall", section, numbered["text"])
    if line.startswith("| X"):
        id_, severity, problem, resolution = (cell.strip() for cell in line.strip("| ").split(" | "))
        departure = _bare(id_, "departure", section, problem)
        return replace(departure, severity=severity, resolution=resolution)
    return None


def _bare(id_: str, kind: Kind, section: str, text: str) -> Clause:
    return Clause(id_, kind, section, text, "", "", "later", (), ())


def written(pages: list[Document]) -> str:
    """The text of the register."""
    return json.dumps([asdict(page) for page in pages], ensure_ascii=False, indent=1) + "\n"


def main(arguments: list[str]) -> int:
    """Write the register, or say whether it is as it should be."""
    text = written(documents())
    if "--write" in arguments:
        TARGET.write_text(text, encoding="utf-8")
        return 0
    if TARGET.is_file() and TARGET.read_text(encoding="utf-8") == text:
        return 0
    sys.stderr.write(f"{TARGET.relative_to(ROOT)} is out of date. Run: {COMMAND}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
