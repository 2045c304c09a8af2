"""The console with two weeks of plays."""

from __future__ import annotations

import pytest

from hansang.apps.application import Application
from hansang.apps.leaderboards.application import APPLICATION
from hansang.apps.leaderboards.service import Leaderboards
from hansang.apps.leaderboards.submitting import GivenPlay
from hansang.surfaces.shell import Shell
from tests.surfaces.console.conftest import app, clock, rendering, shell, visitor, whole
from tests.surfaces.shells import SetClock

__all__ = ["app", "clock", "rendering", "shell", "visitor", "whole"]

SCORES = {1: 900, 2: 800, 3: 700, 4: 600, 5: 600, 6: 500}
A_WEEK = 7 * 86_400


@pytest.fixture
def applications() -> tuple[Application, ...]:
    return (APPLICATION,)


@pytest.fixture
def boards(shell: Shell, clock: SetClock) -> Leaderboards:
    """Six players; in the week before, the sixth alone was first."""
    found = Leaderboards(shell.database, clock)
    play(found, 6, 990)
    clock.advance(A_WEEK)
    for player, score in SCORES.items():
        play(found, player, score)
        clock.advance(2)
    found.settle()
    return found


def play(boards: Leaderboards, player: int, score: int) -> None:
    boards.submitter.submit(GivenPlay(player, f"Player{player}", score))
