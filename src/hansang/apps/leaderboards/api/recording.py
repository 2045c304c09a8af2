"""Lines of history for what is done through these routes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hansang.apps.leaderboards.api.access import AREA
from hansang.parts.history import Actor, with_line
from hansang.parts.permissions import Principal
from hansang.parts.receipts import Beside
from hansang.surfaces.http.request_ids import current
from hansang.surfaces.shell import Shell


def noted(
    shell: Shell,
    principal: Principal,
    kind: str,
    subject: str,
    verb: str,
    before: Mapping[str, object] | None,
    after: Mapping[str, object] | None,
    beside: Beside[Any],
) -> Beside[Any]:
    """What is written beside the work: its line of history, and what was to be written anyway."""
    line = shell.history.line(
        Actor.of(principal), AREA, kind, subject, verb, before=before, after=after, request_id=current.get()
    )
    return with_line(line, beside)
