"""Several workers submit to one file, one of them is killed and replaced: no accepted score is lost, every rank is right.

HANSANG_LEADERBOARD_WORKERS says how many workers there are, and HANSANG_LEADERBOARD_SECONDS for how long they
submit: 8 and 60 are the long form. It prints what it has seen, to whoever runs it with `-s`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from hansang.apps.leaderboards.application import APPLICATION
from hansang.backends.embedded import Embedded
from hansang.design import Database
from tests.apps.leaderboards.games import WEEK, Game
from tests.clauses import clause

WORKERS = int(os.environ.get("HANSANG_LEADERBOARD_WORKERS", "3"))
SECONDS = float(os.environ.get("HANSANG_LEADERBOARD_SECONDS", "0"))
PLAYS = 0 if SECONDS else 60
PLAYERS = 40 if PLAYS else 400
HANG = 300.0
ROOT = Path(__file__).parents[3]


@contextmanager
def worker(place: Path, seed: int) -> Iterator[subprocess.Popen[str]]:
    told = [str(each) for each in (place, seed, PLAYERS, PLAYS, SECONDS)]
    command = [sys.executable, "-m", "tests.apps.leaderboards.worker", *told]
    with (
        open(_said(place, seed), "w", encoding="utf-8") as said,
        subprocess.Popen(command, cwd=ROOT, stdout=said, text=True) as process,
    ):
        try:
            yield process
        finally:
            process.kill()


def _said(place: Path, seed: int) -> Path:
    return place.with_suffix(f".{seed}.txt")


def lines(place: Path, seed: int, verb: str) -> list[tuple[int, int]]:
    """The plays that a worker tried or that were accepted; of a killed one the last line may be cut off."""
    found = _said(place, seed).read_text(encoding="utf-8").splitlines(keepends=True)
    plays = [line.split()[1:] for line in found if line.startswith(f"{verb} ") and line.endswith("\n")]
    return [(int(player), int(score)) for player, score in plays]


def until_the_middle(place: Path, seed: int) -> None:
    """Wait until a worker has done a third of its plays, or half of its time has passed."""
    began = time.monotonic()
    while time.monotonic() - began < HANG:
        is_time = time.monotonic() - began >= SECONDS / 2
        if is_time and len(lines(place, seed, "accepted")) > PLAYS // 3:
            return
        time.sleep(0.05)
    raise AssertionError("The worker does not come to the middle of its plays.")


@clause("X2-04", "X2-18")
def test_no_accepted_score_is_lost_when_a_worker_is_killed(tmp_path: Path) -> None:
    place, seeds = tmp_path / "boards.db", [*range(WORKERS), 1000]
    with Embedded.open(str(place)) as backend:
        Database(backend).create_tables(*APPLICATION.tables)
    with ExitStack() as stack:
        workers = [stack.enter_context(worker(place, seed)) for seed in seeds[:-1]]
        until_the_middle(place, 0)
        assert workers[0].poll() is None, "it has not been killed in the middle"
        workers[0].kill()
        workers.append(stack.enter_context(worker(place, seeds[-1])))
        codes = [each.wait(timeout=HANG) for each in workers]
        assert codes[1:] == [0] * WORKERS
    expect_every_score(place, seeds)


def expect_every_score(place: Path, seeds: list[int]) -> None:
    accepted, tried = defaultdict[int, set[int]](set), defaultdict[int, set[int]](set)
    for seed in seeds:
        for player, score in lines(place, seed, "accepted"):
            accepted[player].add(score)
        for player, score in lines(place, seed, "tried"):
            tried[player].add(score)
    with Embedded.open(str(place)) as backend:
        game = Game(Database(backend))
        game.boards.settle()
        found = {row.id: row.score for row in game.boards.rows.each(WEEK)}
        for player, scores in accepted.items():
            # What a killed worker, or one that was refused, has tried may have been written all the same.
            better = {each for each in tried[player] if each > max(scores)}
            assert found[player] in {max(scores), *better}
        expect_ranks(game, found)
    count = {verb: sum(len(lines(place, seed, verb)) for seed in seeds) for verb in ("tried", "accepted")}
    beyond = sum(found[player] != max(scores) for player, scores in accepted.items())
    sys.stdout.write(f"{count} of {len(found)} players; {beyond} are better than what was told\n")


def expect_ranks(game: Game, found: dict[int, int]) -> None:
    """Every rank is that of the scores, on the board and in the tree, and a recount says the same."""
    scores = sorted(found.values(), reverse=True)
    first = {score: place for place, score in reversed(list(enumerate(scores, 1)))}
    board = game.board()
    assert {player: rank for rank, player, _ in board} == {
        player: first[score] for player, score in found.items()
    }
    tree = game.boards.trees.live(WEEK)
    counted = [(tree.standing(score).rank, tree.total) for score in scores]
    assert counted == [(first[score], len(found)) for score in scores]
    game.boards.trees.rebuild(WEEK, scores)
    again = game.another(plays_a_minute=0).trees.live(WEEK)
    assert [(again.standing(score).rank, again.total) for score in scores] == counted
