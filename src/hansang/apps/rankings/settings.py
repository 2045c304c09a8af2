"""What whoever runs the rankings has chosen."""

from __future__ import annotations

from dataclasses import dataclass

from hansang.errors import SettingsError
from hansang.parts.schedules import Schedule


@dataclass(frozen=True, slots=True)
class RankingsSettings:
    """When snapshots are taken, how fast a day is written, and who may read."""

    snapshot_at: Schedule | None = None
    """When the profiles become the snapshot of the day; without it, days come by import alone (5-06)."""
    pace: int = 0
    """How many players a second an import writes at the most; 0 for as many as the table takes (X5-12)."""
    public: bool = False
    """Whether everyone may read finished days without signing in."""

    def __post_init__(self) -> None:
        if self.pace < 0:
            raise SettingsError(f"The pace of imports cannot be {self.pace}. Give players a second, or 0.")


def is_public(settings: RankingsSettings | None) -> bool:
    """Whether everyone may read."""
    return settings is not None and settings.public
