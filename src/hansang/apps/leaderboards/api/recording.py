"""The verbs of the boards as a request does them: each with its line of history."""

from __future__ import annotations

from hansang.apps.leaderboards.recorded import RecordedBoards
from hansang.apps.leaderboards.service import Leaderboards
from hansang.parts.history import Actor
from hansang.parts.permissions import Principal
from hansang.surfaces.http.request_ids import current
from hansang.surfaces.shell import Shell


def recorded(shell: Shell, boards: Leaderboards, principal: Principal) -> RecordedBoards:
    """The boards for whoever asks."""
    return RecordedBoards(boards, shell.history, Actor.of(principal), current.get())
