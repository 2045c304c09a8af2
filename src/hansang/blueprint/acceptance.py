"""Findings that a design accepts, each with its reason: `ACCEPTED = {"Post H201": "…"}` beside its classes."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from hansang.blueprint.codes import BY_CODE, STALE_ACCEPTANCE
from hansang.blueprint.findings import Finding, Location, place_of
from hansang.blueprint.subject import Design
from hansang.design import Table

NAME = "ACCEPTED"
"""The variable of a module: under the name of a class or a pattern and a code, why the finding may stay."""


@dataclass(frozen=True, slots=True)
class Acceptance:
    """One line of a module's ACCEPTED."""

    module: str
    subject: str
    code: str
    reason: str

    def covers(self, finding: Finding) -> bool:
        """Whether the finding may stay; what DynamoDB refuses may not, nor what nobody gives a reason for."""
        is_same = (finding.place.subject, finding.code) == (f"{self.module}:{self.subject}", self.code)
        return is_same and finding.severity != "error" and bool(self.reason.strip())


def accepted(design: Design, findings: Iterable[Finding]) -> Iterator[Finding]:
    """The findings, with the reasons of those that are accepted, and what is accepted and not found."""
    lines, used = list(_acceptances(design)), set[Acceptance]()
    for finding in findings:
        by = next((each for each in lines if each.covers(finding)), None)
        if by is None:
            yield finding
        else:
            used.add(by)
            yield replace(finding, accepted=by.reason)
    for each in lines:
        if each not in used:
            yield Finding(STALE_ACCEPTANCE, _place(each), _fault(each))


def _acceptances(design: Design) -> Iterator[Acceptance]:
    for module in dict.fromkeys(each.__module__ for each in _classes(design)):
        given: dict[str, str] = getattr(sys.modules.get(module), NAME, {})
        for line, reason in given.items():
            subject, _, code = line.rpartition(" ")
            if _table_of(module, subject) in (None, *design.tables):
                yield Acceptance(module, subject, code, reason)


def _classes(design: Design) -> Iterator[type[Any]]:
    for table in design.tables:
        yield table
        yield from (shape.cls for shape in (*table.shapes, *table.views))


def _owner(module: str, subject: str) -> Any:
    return getattr(sys.modules[module], subject.partition(".")[0], None)


def _table_of(module: str, subject: str) -> type[Table] | None:
    """The table that a class belongs to, or is; None where there is no such class."""
    owner = _owner(module, subject)
    if isinstance(owner, type) and issubclass(owner, Table):
        return owner
    found: type[Table] | None = getattr(getattr(owner, "__shape__", None), "table", None)
    return found


def _place(each: Acceptance) -> Location:
    owner = _owner(each.module, each.subject)
    return place_of(owner) if isinstance(owner, type) else Location(f"{each.module}:{each.subject}")


def _fault(each: Acceptance) -> str:
    line = f"{NAME} has {f'{each.subject} {each.code}'!r}"
    if each.code not in BY_CODE:
        return f"{line}, but {each.code} is not a rule."
    if not each.reason.strip():
        return f"{line} without a reason."
    if BY_CODE[each.code].severity == "error":
        return f"{line}, which is an error and cannot be accepted."
    return f"{line}, which is not found."
