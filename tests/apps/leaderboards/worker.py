"""A worker that submits scores to a data file, and prints each play before it and each one that was accepted."""

from __future__ import annotations

import sys
import time
from random import Random

from hansang.apps.leaderboards.submitting import GivenPlay
from hansang.backends.embedded import Embedded
from hansang.design import Database
from hansang.errors import Busy, Unavailable
from tests.apps.leaderboards.games import Game

HIGHEST = 99_999


def main(place: str, seed: int, players: int, plays: int, seconds: float) -> None:
    """Submit plays of random players, so many or for so long, and count now and then, as every worker does."""
    chance, began, number, done = Random(seed), time.monotonic(), 0, 0.0
    with Embedded.open(place) as backend:
        boards = Game(Database(backend)).boards
        while done < 1:
            done = max(
                number / plays if plays else 0.0, (time.monotonic() - began) / seconds if seconds else 0.0
            )
            # Scores rise all the time, so that there are new bests until the end.
            player, score = chance.randint(1, players), chance.randint(0, int(min(1.0, done) * HIGHEST))
            _say(f"tried {player} {score}")
            try:
                boards.submitter.submit(GivenPlay(player, f"P{player}", score))
                _say(f"accepted {player} {score}")
                if number % 20 == 0:
                    boards.settle()
            except (Busy, Unavailable) as refusal:  # What a server answers with 503; the game sends it again.
                _say(f"refused {refusal.code} {number}")
            number += 1


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5]))
