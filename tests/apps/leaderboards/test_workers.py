"""Several workers submit to one file, one of them is killed and replaced: no accepted score is lost, every rank is right.

HANSANG_LEADERBOARD_WORKERS and HANSANG_LEADERBOARD_PLAYS make it longer: 8 workers with 5,000 plays take minutes.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from hansang.apps.leaderboards.application import APPLICATION
from hansang.backends.embedded import Embedded
from hansang.design import Database
from tests.apps.leaderboards.games import WEEK, Game
from tests.clauses import clause

WORKERS = int(os.environ.get("HANSANG_LEADERBOARD_WORKERS", "3"))
PLAYS = int(os.environ.get("HANSANG_LEADERBOARD_PLAYS", "60"))
ROOT = Path(__file__).parents[3]


@contextmanager
def worker(place: Path, seed: int) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "tests.apps.leaderboards.worker", str(place), str(seed), str(PLAYS)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def accepted(text: str) -> Iterator[tuple[int, int]]:
    """What a worker said it had submitted; of a killed one the last line may be cut off."""
    for line in text.splitlines(keepends=True):
        if line.endswith("\n") and line != "ready\n":
            player, score = line.split()
            yield int(player), int(score)


@clause("X2-04", "X2-18")
def test_no_accepted_score_is_lost_when_a_worker_is_killed(tmp_path: Path) -> None:
    place, bests = tmp_path / "boards.db", dict[int, int]()
    with Embedded.open(str(place)) as backend:
        Database(backend).create_tables(*APPLICATION.tables)
    with ExitStack() as stack:
        workers = [stack.enter_context(worker(place, seed)) for seed in range(WORKERS)]
        assert workers[0].stdout is not None
        first = "".join(workers[0].stdout.readline() for _ in range(PLAYS // 3))
        workers[0].kill()
        workers.append(stack.enter_context(worker(place, 1000)))
        said = [first, *(each.communicate(timeout=300)[0] for each in workers)]
        assert [each.returncode for each in workers[1:]] == [0] * WORKERS
    for text in said:
        for player, score in accepted(text):
            bests[player] = max(score, bests.get(player, 0))
    with Embedded.open(str(place)) as backend:
        game = Game(Database(backend))
        game.boards.settle()
        board = game.board()
        found = {player: score for _, player, score in board}
        # The killed worker may have written a last score that it could not tell of.
        assert sum(found[player] != score for player, score in bests.items()) <= 1
        assert all(found[player] >= score for player, score in bests.items())
        scores = sorted(found.values(), reverse=True)
        assert all(rank == scores.index(score) + 1 for rank, _, score in board)
        tree = game.boards.trees.live(WEEK)
        assert [tree.standing(score).above for score in scores] == [scores.index(score) for score in scores]
        assert tree.total == len(found)
