"""A worker that submits scores to a data file and prints each one that was accepted."""

from __future__ import annotations

import sys
from random import Random

from hansang.apps.leaderboards.submitting import GivenPlay
from hansang.backends.embedded import Embedded
from hansang.design import Database
from tests.apps.leaderboards.games import Game

PLAYERS = 40


def main(place: str, seed: int, plays: int) -> None:
    """Submit so many plays of random players, and count now and then, as every worker does."""
    chance = Random(seed)
    with Embedded.open(place) as backend:
        boards = Game(Database(backend)).boards
        _say("ready")
        for number in range(plays):
            player, score = chance.randint(1, PLAYERS), chance.randrange(100_000)
            boards.submitter.submit(GivenPlay(player, f"P{player}", score))
            _say(f"{player} {score}")
            if number % 20 == 0:
                boards.settle()


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
