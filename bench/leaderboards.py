"""A week of the leaderboards on disk: submits a second with and without the rank, and what every read takes.

python -m bench.leaderboards [--players 1000000] [--folder DIR]
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from threading import Event, Thread

from hansang.apps.leaderboards.application import APPLICATION
from hansang.apps.leaderboards.background import keep_counting
from hansang.apps.leaderboards.design import WeeklyBest, WeeklyBestKey
from hansang.apps.leaderboards.service import Leaderboards
from hansang.apps.leaderboards.settings import LeaderboardsSettings
from hansang.apps.leaderboards.submitting import GivenPlay
from hansang.backends.embedded import Embedded
from hansang.clock import system_clock
from hansang.design import Database, Entity, attr
from hansang.errors import Conflict
from hansang.parts.sampling import store

THREADS, ASKED = 8, 300


def main() -> None:
    """Fill a week, then ask and submit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--players", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(dir=given.folder) as folder,
        Embedded.open(f"{folder}/week.db") as backend,
    ):
        database = Database(backend)
        database.create_tables(*APPLICATION.tables)
        settings = LeaderboardsSettings(plays_a_minute=0)
        boards = Leaderboards(database, system_clock, settings)
        began = time.perf_counter()
        store(database, filled(boards, given.players), lambda count: None)
        week = boards.weeks.current
        boards.trees.rebuild(week, (row.score for row in boards.rows.each(week)))
        show("players written and counted", f"{given.players:,} in {time.perf_counter() - began:.0f} s")
        reads(boards, given.players)
        submits(boards, database, given.players)
        show("memory", f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")


def filled(boards: Leaderboards, players: int) -> Iterator[Entity]:
    """A best of everyone."""
    chance, week = Random(1), boards.weeks.current
    for player in range(1, players + 1):
        yield WeeklyBest(
            id=player, start=week.start, end=week.end, name=f"P{player}", top_score=chance.randrange(99_000)
        )


def reads(boards: Leaderboards, players: int) -> None:
    """What every read takes, and around the middle against the top."""
    week, chance, reading = boards.weeks.current, Random(2), boards.reading
    questions: dict[str, Callable[[], object]] = {
        "top 10": lambda: reading.page(week, 0, 10),
        "any page of 50": lambda: reading.page(week, chance.randrange(players // 50), 50),
        "around a player, ±5": lambda: reading.around(week, chance.randint(1, players), 5),
        "rank of a player": lambda: reading.rank(week, chance.randint(1, players)),
        "histogram": lambda: reading.histogram(week),
    }
    for name, ask in questions.items():
        taken = sorted(timed(ask) for _ in range(ASKED))
        show(name, f"p50 {taken[ASKED // 2] * 1e6:,.0f} µs, p99 {taken[ASKED * 99 // 100] * 1e6:,.0f} µs")


def submits(boards: Leaderboards, database: Database, players: int) -> None:
    """Plain conditional updates and submits with the exact rank, from eight threads, while a folder counts."""
    week = boards.weeks.current

    def plain(player: int) -> None:
        key = WeeklyBestKey(id=player, start=week.start, end=week.end)
        try:
            database.update(key, attr(WeeklyBest.top_score).set(99_500), when=WeeklyBest.top_score < 99_500)
        except Conflict:
            return

    def submit(player: int) -> None:
        boards.submitter.submit(GivenPlay(player, f"P{player}", 99_600))

    chosen = Random(3).sample(range(1, players + 1), min(4000, players // 2))
    half = len(chosen) // 2
    slow = rate(plain, chosen[:half])
    stop = Event()
    folder = Thread(target=keep_counting, args=(boards, stop), kwargs={"idle": 10**9})
    folder.start()
    try:
        fast = rate(submit, chosen[half:])
    finally:
        stop.set()
        folder.join()
    show("plain conditional updates", f"{slow:,.0f} a second")
    show("submits with the exact rank", f"{fast:,.0f} a second, {fast / slow:.2f} of plain")


def rate(work: Callable[[int], None], players: list[int]) -> float:
    began = time.perf_counter()
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(work, players))
    return len(players) / (time.perf_counter() - began)


def timed(ask: Callable[[], object]) -> float:
    began = time.perf_counter()
    ask()
    return time.perf_counter() - began


def show(name: str, value: str) -> None:
    print(f"{name:32} {value}", flush=True)


if __name__ == "__main__":
    main()
