"""The register of a checkout: its pages with their evidence, and the last results of its tests."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path

from tests.spec.later import EVERY_LATER, LATER

from hansang.blueprint.clauses import FILE, Clause, Document, Proof, read
from tools.register.carriers import mentions
from tools.register.designs import Designs
from tools.register.narrowing import narrowed
from tools.register.pages import clauses
from tools.register.proofs import MarkedTest, marked_tests
from tools.register.results import BUILD, results, written_whole

ROOT = Path(__file__).parent.parent.parent

_SOURCE = re.compile(r"The design document: \*(.+?)\*\.")


@dataclass(frozen=True)
class Evidence:
    """What the tests prove and what the sources mention, by clause."""

    tests: dict[str, list[MarkedTest]]
    mentions: dict[str, list[str]]
    designs: Designs

    def settle(self, clause: Clause, floor: str) -> Clause:
        """The clause with its tests and the code that carries it."""
        found = self.tests.get(clause.id, [])
        carried = [*self.mentions.get(clause.id, []), *(name for each in found for name in each.elements)]
        elements = narrowed(list(dict.fromkeys(carried)), clause.text, self.designs) or (
            [floor] if found else []
        )
        return replace(
            clause,
            is_later=clause.id in EVERY_LATER,
            elements=tuple(elements),
            proofs=tuple(Proof(name) for name in dict.fromkeys(each.name for each in found)),
        )


def documents(root: Path = ROOT) -> list[Document]:
    """Every page of the specification that has clauses, with its evidence and no results yet."""
    designs = Designs(root / "src")
    evidence = Evidence(marked_tests(root / "tests", designs), mentions(root / "src"), designs)
    pages = sorted((root / "docs" / "spec").glob("[0-6]-*.md"))
    return [_document(path, evidence) for path in pages]


def _document(path: Path, evidence: Evidence) -> Document:
    name, text = path.name, path.read_text(encoding="utf-8")
    korean = path.parent / "ko" / name
    in_korean = korean.read_text(encoding="utf-8") if korean.is_file() else ""
    said = {each.id: each.said("en") for each in clauses(in_korean)}
    application = name.partition("-")[2].removesuffix(".md") if name in LATER else None
    floor = f"hansang.apps.{application}" if application else "hansang.engine"
    source = _SOURCE.search(text)
    return Document(
        name=name.removesuffix(".md"),
        application=application,
        title=_title(text),
        korean_title=_title(in_korean),
        source=source[1] if source else "",
        clauses=tuple(
            replace(evidence.settle(each, floor), korean=said.get(each.id)) for each in clauses(text)
        ),
    )


def _title(page: str) -> str:
    return page.partition("\n")[0].removeprefix("# ")


def made(root: Path = ROOT) -> str:
    """The text of the register with the last results; its evidence is gathered again when a file has changed."""
    found = results(root)
    return written([_with_results(page, found) for page in _kept(root)])


def _kept(root: Path) -> list[Document]:
    path, state = root / BUILD / FILE, _state(root)
    kept = path.read_text(encoding="utf-8") if path.is_file() else ""
    if kept.startswith(state):
        return list(read(kept.partition("\n")[2]))
    pages = documents(root)
    written_whole(path, f"{state}\n{written(pages)}")
    return pages


def _state(root: Path) -> str:
    """What changes whenever a file changes that the register is made from."""
    lines = (f"{path} {stat.st_mtime_ns} {stat.st_size}" for path in _inputs(root) for stat in [path.stat()])
    return sha256("\n".join(lines).encode()).hexdigest()


def _inputs(root: Path) -> Iterator[Path]:
    for folder, pattern in (("docs/spec", "*.md"), ("tests", "*.py"), ("src", "*.py"), ("tools", "*.py")):
        yield from sorted((root / folder).rglob(pattern))


def _with_results(page: Document, found: dict[str, Proof]) -> Document:
    return replace(
        page,
        clauses=tuple(
            replace(each, proofs=tuple(found.get(proof.test, proof) for proof in each.proofs))
            for each in page.clauses
        ),
    )


def written(pages: list[Document]) -> str:
    """The text of the register."""
    return json.dumps([asdict(page) for page in pages], ensure_ascii=False, separators=(",", ":")) + "\n"
