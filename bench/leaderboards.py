"""A week of the leaderboards on disk: submits a second with and without the rank, what every read takes, and Redis.

python bench/leaderboards.py [--players 1000000] [--folder DIR] [--pace 1000]

Redis sorted sets are measured in the same run where `redis-server` is installed: `apt-get install redis-server`.
They are kept in memory alone, and are not written to disk before a submit is answered.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from threading import Event, Thread
from typing import NamedTuple

from hansang.apps.leaderboards.application import APPLICATION
from hansang.apps.leaderboards.background import FOLD_EVERY, keep_counting, pause_after
from hansang.apps.leaderboards.design import WeeklyBest, WeeklyBestKey
from hansang.apps.leaderboards.metering import MeteredBackend
from hansang.apps.leaderboards.service import Leaderboards
from hansang.apps.leaderboards.settings import LeaderboardsSettings
from hansang.apps.leaderboards.submitting import GivenPlay
from hansang.apps.leaderboards.work import BoardPlayer
from hansang.backends.embedded import Embedded
from hansang.clock import system_clock
from hansang.design import Database, Entity, attr
from hansang.errors import Conflict
from hansang.parts.sampling import store
from rankings import Redis, redis_server

THREADS, ASKED = 8, 300
SUBMITS = 2000
PACE, PACED_SECONDS = 1000, 5
SETTINGS = LeaderboardsSettings(plays_a_minute=0)


def main() -> None:
    """Fill a week, then ask and submit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--players", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--pace", type=int, default=PACE, help="submits a second while the lag is measured")
    given = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(dir=given.folder) as folder,
        Embedded.open(f"{folder}/week.db") as backend,
        redis_server(Path(folder)) as redis,
    ):
        database = Database(backend)
        database.create_tables(*APPLICATION.tables)
        boards = Leaderboards(database, system_clock, SETTINGS)
        began = time.perf_counter()
        store(database, filled(boards, given.players), lambda count: None)
        week = boards.weeks.current
        boards.trees.rebuild(week, (row.score for row in boards.rows.each(week)))
        show("players written and counted", f"{given.players:,} in {time.perf_counter() - began:.0f} s")
        if redis is not None:
            fill_redis(redis, given.players)
        reads(boards, given.players, redis)
        submits(boards, database, given.players)
        for name, better in (("players not seen yet", 0), ("the same players once more", 4_500)):
            show(f"at {given.pace:,} submits a second", name)
            lag(boards, backend, given.players, given.pace, better)
        if redis is not None:
            redis_submits(Path(folder), given.players)
        show("memory", f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")


def filled(boards: Leaderboards, players: int) -> Iterator[Entity]:
    """A best of everyone."""
    chance, week = Random(1), boards.weeks.current
    for player in range(1, players + 1):
        yield BoardPlayer(id=player, name=f"P{player}")
        yield WeeklyBest(
            id=player,
            start=week.start,
            end=week.end,
            name=f"P{player}",
            top_score=chance.randrange(
                50_000, 90_000
            ),  # An improvement is no jump that an operator looks at.
        )


# ── reads ─────────────────────────────────────────────────────────────────────────────────────────


def reads(boards: Leaderboards, players: int, redis: Redis | None) -> None:
    """What every read takes, and around the middle against the top."""
    week, chance, reading = boards.weeks.current, Random(2), boards.reading
    middle = reading.page(week, players // 20, 10).items[0].id
    questions: dict[str, Callable[[], object]] = {
        "top 10": lambda: reading.page(week, 0, 10),
        "any page of 50": lambda: reading.page(week, chance.randrange(players // 50), 50),
        "around the middle, ±5": lambda: reading.around(week, middle, 5),
        "rank of a player": lambda: reading.rank(week, chance.randint(1, players)),
        "histogram": lambda: reading.histogram(week),
    }
    found = {name: spread(ask) for name, ask in questions.items()}
    for name, (half, most) in found.items():
        show(name, f"p50 {half:,.0f} µs, p99 {most:,.0f} µs")
    ratio = found["around the middle, ±5"][0] / found["top 10"][0]
    show("around the middle : top 10", f"{ratio:.2f} (goal: at most 4)")
    if redis is not None:
        redis_reads(redis, players, str(middle))


def spread(ask: Callable[[], object]) -> tuple[float, float]:
    """The median and the 99th of a hundred, in microseconds."""
    taken = sorted(timed(ask) for _ in range(ASKED))
    return taken[ASKED // 2] * 1e6, taken[ASKED * 99 // 100] * 1e6


# ── submits ───────────────────────────────────────────────────────────────────────────────────────


def submits(boards: Leaderboards, database: Database, players: int) -> None:
    """Plain conditional updates, and submits with and without the exact rank, from eight threads while a folder counts."""
    week = boards.weeks.current

    def plain(player: int) -> None:
        key = WeeklyBestKey(id=player, start=week.start, end=week.end)
        try:
            database.update(key, attr(WeeklyBest.top_score).set(91_000), when=WeeklyBest.top_score < 91_000)
        except Conflict:
            return

    def keep(score: int) -> Callable[[int], object]:
        return lambda player: boards.submitter.keep(GivenPlay(player, f"P{player}", score))

    def submit(score: int) -> Callable[[int], object]:
        return lambda player: boards.submitter.submit(GivenPlay(player, f"P{player}", score))

    chosen = Random(3).sample(range(1, players + 1), min(3 * SUBMITS, players // 2))
    third = len(chosen) // 3
    first, second, last = chosen[:third], chosen[third : 2 * third], chosen[2 * third :]
    base = rate(plain, first)
    show("plain conditional updates", f"{base.wall:,.0f} a second, {base.own:,.0f} by CPU time")
    for name, work, ids, goal in (
        ("submits, counted", keep(92_000), second, 55),
        ("the same players once more", keep(93_000), second, 55),
        ("submits with the exact rank", submit(93_000), last, 27),
        ("the same players once more", submit(94_000), last, 27),
    ):
        with counted(boards.fold):
            found = rate(work, ids)
        show(name, f"{found.beside(base)}; goal: {goal} %")
    boards.settle()
    for name, work in (("submits, friends told", keep(95_000)), ("with the exact rank", submit(96_000))):
        with told(boards):
            found = rate(work, second)
        show(name, found.beside(base))
        boards.settle()


class counted:  # noqa: N801 - used as a with statement
    """Changes are counted in the background for as long as a block runs."""

    def __init__(self, fold: Callable[[], int]) -> None:
        self._fold, self._stop = fold, Event()
        self._thread = Thread(target=self._run)

    def _run(self) -> None:
        while not self._stop.is_set():
            began = time.perf_counter()
            changes = self._fold()
            self._stop.wait(pause_after(changes, time.perf_counter() - began))

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()


class told:  # noqa: N801 - used as a with statement
    """Changes are counted and friends told in the background for as long as a block runs."""

    def __init__(self, boards: Leaderboards) -> None:
        self._stop = Event()
        self._thread = Thread(target=keep_counting, args=(boards, self._stop), kwargs={"idle": 10**9})

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()


def lag(boards: Leaderboards, backend: Embedded, players: int, pace: int, better: int) -> None:
    """At so many submits a second: how long a change waits until it is counted, and what a rank read costs.

    Every player is better by so much than before, if there was a time before.
    """
    boards.settle()
    written: list[float] = []
    folds: list[tuple[float, float]] = []
    stop, lock = Event(), threading.Lock()

    def fold() -> None:
        while not stop.is_set():
            began = time.perf_counter()
            changes = boards.fold()
            ended = time.perf_counter()
            folds.append((began, ended))
            stop.wait(pause_after(changes, ended - began))
        boards.settle()

    def one(number: int) -> None:
        time.sleep(max(0.0, began + number / pace - time.perf_counter()))
        player = number * 7919 % players + 1
        boards.submitter.keep(GivenPlay(player, f"P{player}", 90_001 + better + number % 4_500))
        with lock:
            written.append(time.perf_counter())

    meter = MeteredBackend(backend, {table.name: table for table in APPLICATION.tables})
    reader = Leaderboards(Database(meter), system_clock, SETTINGS)
    reader.reading.rank(reader.weeks.current, 1)
    ranks: list[float] = []
    answers: list[float] = []

    def ask() -> None:
        chance, week = Random(7), reader.weeks.current
        while not stop.wait(0.05):
            meter.reset()
            reader.trees.live(week).standing(chance.randrange(50_000, 99_000))
            ranks.append(sum(meter.units.values()))
            meter.reset()
            reader.reading.rank(week, chance.randint(1, players))
            answers.append(sum(meter.units.values()))

    counting, asking, began = Thread(target=fold), Thread(target=ask), time.perf_counter()
    counting.start()
    asking.start()
    try:
        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(one, range(pace * PACED_SECONDS)))
    finally:
        took = time.perf_counter() - began
        time.sleep(2 * FOLD_EVERY)
        stop.set()
        counting.join()
        asking.join()
    waits = sorted(wait_of(moment, folds) for moment in written)
    show(f"submits a second, asked for {pace:,}", f"{len(written) / took:,.0f}")
    show(
        "lag of the tree",
        f"p50 {waits[len(waits) // 2]:.2f} s, p99 {waits[len(waits) * 99 // 100]:.2f} s (goal: 0.3 s)",
    )
    show("units of a score's rank meanwhile", f"{told_units(ranks)} (goal: at most 4)")
    show("with the player and the next one", told_units(answers))


def told_units(units: list[float]) -> str:
    found = sorted(units)
    return f"p50 {found[len(found) // 2]}, p99 {found[len(found) * 99 // 100]}, most {found[-1]}"


def wait_of(moment: float, folds: list[tuple[float, float]]) -> float:
    """From a change that was written until the end of the first fold that began after it."""
    return next((ended - moment for began, ended in folds if began >= moment), 2 * FOLD_EVERY)


class Pace(NamedTuple):
    """How many a second, and how many a second of this process's own time, which a busy machine does not change."""

    wall: float
    own: float

    def beside(self, base: Pace) -> str:
        return f"{self.wall:,.0f} a second, {self.wall / base.wall:.0%} of plain ({self.own / base.own:.0%} by CPU time)"


def rate(work: Callable[[int], object], players: list[int]) -> Pace:
    began, spent = time.perf_counter(), time.process_time()
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(work, players))
    count = len(players)
    return Pace(count / (time.perf_counter() - began), count / (time.process_time() - spent))


# ── Redis ─────────────────────────────────────────────────────────────────────────────────────────


def fill_redis(redis: Redis, players: int) -> None:
    chance = Random(1)
    for first in range(1, players + 1, 1000):
        piece = range(first, min(first + 1000, players + 1))
        for player in piece:
            redis.send("ZADD", "week", chance.randrange(90_000), player)
        for _ in piece:
            redis.answer()


def redis_reads(redis: Redis, players: int, middle: str) -> None:
    chance = Random(2)

    def around() -> object:
        rank = int(redis.ask("ZREVRANK", "week", middle))
        return redis.ask("ZREVRANGE", "week", rank - 5, rank + 5, "WITHSCORES")

    questions: dict[str, Callable[[], object]] = {
        "Redis: top 10": lambda: redis.ask("ZREVRANGE", "week", 0, 9, "WITHSCORES"),
        "Redis: around the middle, ±5": around,
        "Redis: rank of a player": lambda: redis.ask("ZREVRANK", "week", chance.randint(1, players)),
    }
    for name, ask in questions.items():
        half, most = spread(ask)
        show(name, f"p50 {half:,.0f} µs, p99 {most:,.0f} µs")


def redis_submits(folder: Path, players: int) -> None:
    own = threading.local()
    opened: list[Redis] = []

    def submit(player: int) -> None:
        if not hasattr(own, "redis"):
            own.redis = Redis(str(folder / "redis.sock"))
            opened.append(own.redis)
        own.redis.ask("ZADD", "week", "GT", "CH", 93_000, player)
        own.redis.ask("ZCOUNT", "week", "(93000", "+inf")

    chosen = Random(4).sample(range(1, players + 1), min(SUBMITS, players))
    try:
        show("Redis: submits with the rank", f"{rate(submit, chosen).wall:,.0f} a second, in memory alone")
    finally:
        for each in opened:
            each.close()


def timed(ask: Callable[[], object]) -> float:
    began = time.perf_counter()
    ask()
    return time.perf_counter() - began


def show(name: str, value: str) -> None:
    print(f"{name:36} {value}", flush=True)


if __name__ == "__main__":
    main()
