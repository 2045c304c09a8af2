"""Findings of a review: rules with stable codes, and where each was broken."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

Severity = Literal["error", "warning", "info"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")


@dataclass(frozen=True, slots=True)
class LintRule:
    """What lint looks for: a code that never changes, a name, and how to mend what it finds."""

    code: str
    name: str
    severity: Severity
    meaning: str
    fix: str


@dataclass(frozen=True, slots=True)
class Location:
    """Where a finding is: a name for people, and a line of a file when there is one."""

    subject: str
    file: str | None = None
    line: int = 1


@dataclass(frozen=True, slots=True)
class Finding:
    """One rule, broken in one place."""

    rule: LintRule
    place: Location
    message: str
    fix: str = ""
    accepted: str = ""
    """Why the design leaves it as it is; empty when it does not say."""

    @property
    def code(self) -> str:
        return self.rule.code

    @property
    def severity(self) -> Severity:
        return self.rule.severity

    @property
    def remedy(self) -> str:
        return self.fix or self.rule.fix


def place_of(owner: Any, member: str = "") -> Location:
    """The place of a class, or of a pattern of a class."""
    subject = f"{owner.__module__}:{owner.__qualname__}{'.' + member if member else ''}"
    thing = inspect.getattr_static(owner, member).function if member else owner
    try:
        line = inspect.getsourcelines(thing)[1]
        file = inspect.getsourcefile(thing)
    except (OSError, TypeError):
        return Location(subject)
    return Location(subject, None if file is None else _relative(file), line)


def _relative(file: str) -> str:
    """A path that means something on another machine too."""
    path, here = Path(file), Path.cwd()
    return path.relative_to(here).as_posix() if path.is_relative_to(here) else path.name


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """The worst first, then by code and by place; the same finding once."""
    unique = dict.fromkeys(findings)
    return sorted(unique, key=lambda each: (SEVERITIES.index(each.severity), each.code, each.place.subject))


def has_errors(findings: Iterable[Finding]) -> bool:
    return any(each.severity == "error" for each in findings)
