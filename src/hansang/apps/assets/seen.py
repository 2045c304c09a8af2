"""What was seen: the version of each entry that a preview compared with; what has changed since is decided (X1-10)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hansang.apps.assets.entering import Place
from hansang.errors import Conflict

SeenVersions = Mapping[str, str]
"""The versions of entries by `seen_key`."""


@dataclass(frozen=True, slots=True)
class StaleLine:
    """An amount that would replace one that somebody has written since it was looked at: both, to choose from."""

    line: int
    month: str
    place: Place
    theirs: int | None
    """None where the entry is not there any more."""
    yours: int
    version: str
    """That of the entry as it is now."""


def seen_key(month: str, place: Place) -> str:
    """An entry of any month as text: 2025.01/living-expense/식비."""
    return f"{month}/{place.text}"


def expect_seen(stale: Sequence[StaleLine]) -> None:
    """Refuse to write anything while there is something to decide."""
    if stale:
        raise Conflict(
            "{count} entries were changed since the preview, and nothing was written. Decide for each, and send it "
            "again with the versions of now.",
            list(stale),
            code="assets.preview-stale",
            values={"count": len(stale)},
        )
