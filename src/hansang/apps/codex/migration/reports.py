"""What each step of a migration has found and done."""

from __future__ import annotations

from dataclasses import dataclass, field

from hansang.apps.codex.migration.mapping import Findings

MOST_NAMED = 100
"""How many differences are named; the rest is counted."""


@dataclass(slots=True)
class TablePlan:
    """What a copy of one old table would come to."""

    source: str
    type: str
    items: int = 0
    findings: Findings = field(default_factory=Findings)


@dataclass(slots=True)
class DeltaReport:
    """What has changed since the copy."""

    written: int = 0
    deleted: int = 0
    kept: int = 0
    """Items that are newer in the new table, and stay."""
    findings: Findings = field(default_factory=Findings)


@dataclass(slots=True)
class VerifyReport:
    """Whether everything is there: counted, listed by the index, and compared item by item."""

    counts: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    """By type: in the old table, in the new one, in the index."""
    differences: int = 0
    named: list[str] = field(default_factory=list)

    @property
    def is_clean(self) -> bool:
        return not self.differences

    def tell(self, text: str) -> None:
        self.differences += 1
        if len(self.named) < MOST_NAMED:
            self.named.append(text)
