"""A day of the rankings on disk: how fast it is written, and what every question takes; Redis beside it.

python bench/rankings.py [--players 1000000] [--folder DIR] [--data FILE] [--brief] [--write]

With --write the figures go into docs/rankings.md. Redis is Debian's redis-server, which is installed if it is missing and
this may be done; otherwise it is left out, and that is said. With --data the day of an earlier run is asked and not
written again: a file that is not there is made and kept, and one that is not complete is completed.
With --brief what reads the whole day is left out: the list of names, the COUNT query, the check of ranks, and Redis.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import platform
import resource
import shutil
import socket
import subprocess
import tempfile
import time
from bisect import bisect_left
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import date
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from hansang.apps.rankings.boards import DESIGNS
from hansang.apps.rankings.design import BOARDS, Board, Hanwol, PowerRow, SnapshotDay
from hansang.apps.rankings.reading import BoardReading
from hansang.apps.rankings.service import Rankings
from hansang.backends.embedded import Embedded
from hansang.clock import system_clock
from hansang.design import Database, Query
from hansang.parts.ranks.table import Ranks

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "rankings.md"
BEGIN, END = "<!-- bench/rankings.py -->", "<!-- end -->"
PLAYERS = 1_000_000
DAY = date(2026, 2, 21)
TRIES = 2000
TURN = 100
CHECKED = 20_000


def uuid_of(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012d}"


def players(count: int) -> Iterator[dict[str, Any]]:
    """Levels to 300 with a crowd at the cap, and powers of up to 38 digits."""
    chance = Random("a day of the rankings")
    for number in range(count):
        level = min(300, int(chance.expovariate(1 / 146)) + 1)
        power = min(10**37, int(10 ** chance.triangular(0, 37, 6)) + chance.randrange(1000))
        yield {"uuid": uuid_of(number), "name": f"한월{number}", "level": level, "power": power}


# ── ours ──────────────────────────────────────────────────────────────────────────────────────────


@contextmanager
def opened(path: Path) -> Iterator[Database]:
    with Embedded.open(path, durability="normal") as backend:
        database = Database(backend)
        database.create_tables(Hanwol, Ranks)
        yield database


class Stopwatch:
    """Seconds since it was made: those on the wall, and those of the processor."""

    def __init__(self) -> None:
        self._began, self._began_cpu = time.perf_counter(), time.process_time()

    def read(self) -> tuple[float, float]:
        return time.perf_counter() - self._began, time.process_time() - self._began_cpu


class ImportFigures(NamedTuple):
    """What the import of a day took, in seconds and megabytes; of an earlier run it goes on with, what was left."""

    players: int
    written: float
    written_cpu: float
    finished: float
    finished_cpu: float
    memory: float


def import_day(path: Path, count: int, told: Any) -> None:
    """Import a day in a process of its own, or what is missing of it, and tell how long it took."""
    with opened(path) as database:
        app = Rankings(database, system_clock)
        before = app.days.find(DAY)
        writing = Stopwatch()
        if before is None or before.status == "running":
            app.importer.load(DAY, players(count))
        written, written_cpu = writing.read()
        finishing = Stopwatch()
        app.finisher.finish(DAY)
        finished, finished_cpu = finishing.read()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    fresh = count - (before.players if before else 0)
    told.send(ImportFigures(fresh, written, written_cpu, finished, finished_cpu, memory))


def is_finished(path: Path) -> bool:
    """Whether there is a file with the whole day."""
    if not path.exists():
        return False
    with opened(path) as database:
        day = Rankings(database, system_clock).days.find(DAY)
    return day is not None and day.status == "finished"


@dataclass(frozen=True, slots=True)
class Timing:
    """How long a question took, and what it cost."""

    name: str
    p50: float
    p99: float
    requests: int = 0
    units: float = 0.0


def timed(name: str, ask: Callable[[int], object], tries: int, database: Database | None = None) -> Timing:
    took = []
    for number in range(tries):
        began = time.perf_counter_ns()
        ask(number)
        took.append((time.perf_counter_ns() - began) / 1000)
    took.sort()
    found = Timing(name, took[len(took) // 2], took[len(took) * 99 // 100])
    if database is None:
        return found
    with database.meter() as cost:
        ask(tries)
    return Timing(name, found.p50, found.p99, cost.requests, cost.read)


def board_questions(
    reading: BoardReading, board: Board, whom: list[str], pages: list[int], database: Database
) -> Iterator[Timing]:
    last = (max(pages) + 1) * 9 // 10
    yield timed(f"rank by {board}", lambda n: reading.rank(whom[n], board, DAY), TRIES, database)
    yield timed(f"page 1 by {board}", lambda n: reading.page(board, DAY, 0), 200, database)
    yield timed(f"page {last:,} by {board}", lambda n: reading.page(board, DAY, last), 200, database)
    yield timed(f"any page by {board}", lambda n: reading.page(board, DAY, pages[n]), TRIES, database)
    yield timed(
        f"any page by {board}, the official list first",
        lambda n: reading.page(board, DAY, pages[n], 100, "below_official"),
        200,
        database,
    )
    yield timed(f"official hundred by {board}", lambda n: reading.official(board, DAY), 200, database)


def questions(database: Database, count: int, *, is_brief: bool) -> Iterator[Timing]:
    app, chance = Rankings(database, system_clock), Random(7)
    whom = [uuid_of(chance.randrange(count)) for _ in range(TRIES + 1)]
    pages = [chance.randrange(count // 100) for _ in range(TRIES + 1)]
    day = app.days.finished(DAY)
    for board in BOARDS:
        yield from board_questions(app.reading, board, whom, pages, database)
    yield timed(
        "position in a tie group", lambda n: app.reading.page_of(whom[n], "level", DAY), 200, database
    )
    yield timed("range of ten levels", lambda n: app.reading.range("level", 100, 109, DAY), 200, database)
    yield timed("history of a day", lambda n: app.histories.history(whom[n], DAY, DAY), 200, database)
    yield timed("names of a player", lambda n: app.histories.names(whom[n]), 200, database)
    yield timed("compare five", lambda n: app.histories.compare(whom[n : n + 5], DAY, DAY), 100, database)
    yield timed("card", lambda n: app.cards.get(whom[n], "power"), 100, database)
    yield timed("spread in bars", lambda n: app.reports.histogram("power", day), 100, database)
    yield timed("cut-lines", lambda n: app.reports.cut_lines("power", day), 100, database)
    yield timed("neighbours", lambda n: _neighbours(app, whom[n], day), 200, database)
    for number in range(20):
        app.profiles.put(uuid_of(number), f"한월{number}", 1, 1)
    yield timed("lookup of a name", lambda n: app.profiles.lookup(f"한월{n % 20}"), 200, database)
    yield timed("movers", lambda n: app.histories.movers("power", "day", DAY), 20, database)
    if is_brief:
        return
    yield from name_questions(app, count, database)
    yield from count_questions(app, day, count, database)


def name_questions(app: Rankings, count: int, database: Database) -> Iterator[Timing]:
    """The list of names, with the memory that it takes, and what is typed into it letter by letter."""
    before, began = resident_megabytes(), time.perf_counter()
    app.search.search("한월")
    took = (time.perf_counter() - began) * 1e6
    yield Timing(f"list of names, once a day ({resident_megabytes() - before:,.0f} MB)", took, 0.0)
    whole = f"한월{count * 2 // 3}"
    typed = [whole[: length + 1] for length in range(len(whole))]
    yield timed("search as you type, a letter more each time", lambda n: _typed(app, typed, n), 60, database)
    yield timed("search by initials", lambda n: app.search.search(f"ㅎㅇ{n * 7919 % count}"), 50, database)
    yield timed("search by initials and syllables", lambda n: app.search.search(f"ㅎ월{n}"), 50, database)
    yield timed("search of a name that nobody has", lambda n: app.search.search(f"없음{n}"), 50, database)


def _typed(app: Rankings, typed: list[str], number: int) -> object:
    return app.search.search(typed[number % len(typed)])


def count_questions(app: Rankings, day: SnapshotDay, count: int, database: Database) -> Iterator[Timing]:
    """The rank of somebody beyond the first hundred, counted in the index as the document does it."""
    for name, position, tries in (
        ("rank 101", 100, 50),
        ("a hundredth", count // 100, 10),
        ("the middle", count // 2, 2),
    ):
        score = app.trees.rows("power", day, position, 1)[1][0].score
        counted = PowerRow.between(DAY, score + 1, 10**37)
        yield timed(f"COUNT query at {name}", partial(_counted, database, counted), tries, database)


def _counted(database: Database, counted: Query[PowerRow], number: int) -> object:
    return database.count(counted)


def resident_megabytes() -> float:
    """The memory of this process now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def _neighbours(app: Rankings, uuid: str, day: SnapshotDay) -> object:
    return app.reports.neighbours("power", day, app.reading.snapshot(uuid, day))


def wrong_ranks(database: Database, count: int) -> int:
    """How many of many ranks, positions included, are not what a sorted list says."""
    app, wrong, chance = Rankings(database, system_clock), 0, Random(11)
    day = app.days.finished(DAY)
    for board in BOARDS:
        scores = sorted((row.score for row in DESIGNS[board].each(database, DAY)), reverse=True)
        falling = [-score for score in scores]
        for _ in range(min(CHECKED, count)):
            score = scores[chance.randrange(count)] + chance.choice((0, 0, 1, -1))
            found = app.trees.standing(board, day, score)
            wrong += found.above != bisect_left(falling, -score)
        for _ in range(min(CHECKED // 4, count)):
            position = chance.randrange(count)
            above, rows = app.trees.rows(board, day, position, 1)
            wrong += rows[0].score != scores[position] or above != bisect_left(falling, falling[position])
    return wrong


# ── Redis ─────────────────────────────────────────────────────────────────────────────────────────


class Redis:
    """As little of a client as the commands here need."""

    def __init__(self, path: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(path)
        self._file = self._socket.makefile("rb")

    def send(self, *words: object) -> None:
        parts = [str(word).encode() for word in words]
        lines = b"".join(b"$%d\r\n%s\r\n" % (len(part), part) for part in parts)
        self._socket.sendall(b"*%d\r\n%s" % (len(parts), lines))

    def ask(self, *words: object) -> Any:
        self.send(*words)
        return self.answer()

    def answer(self) -> Any:
        line = self._file.readline()
        kind, rest = line[:1], line[1:-2]
        if kind == b"*":
            return [self.answer() for _ in range(int(rest))]
        if kind == b"$":
            return None if rest == b"-1" else self._file.read(int(rest) + 2)[:-2]
        return rest

    def close(self) -> None:
        self._file.close()
        self._socket.close()


def redis_program() -> str | None:
    """Where redis-server is; installed first if it is missing and we may."""
    apt = shutil.which("apt-get")
    if shutil.which("redis-server") is None and apt is not None and os.geteuid() == 0:
        subprocess.run([apt, "install", "-y", "-q", "redis-server"], stdout=subprocess.DEVNULL, check=False)
    return shutil.which("redis-server")


@contextmanager
def redis_server(folder: Path) -> Iterator[Redis | None]:
    program = redis_program()
    if program is None:
        yield None
        return
    path = str(folder / "redis.sock")
    command = [
        program,
        "--port",
        "0",
        "--unixsocket",
        path,
        "--save",
        "",
        "--appendonly",
        "no",
        "--dir",
        str(folder),
    ]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        client = _connected(path)
        try:
            yield client
        finally:
            client.close()
    finally:
        process.terminate()
        process.wait()


def _connected(path: str) -> Redis:
    """A client, once the server listens; its socket is there a little before that."""
    while True:
        with suppress(FileNotFoundError, ConnectionRefusedError):
            return Redis(path)
        time.sleep(0.05)


def fill(redis: Redis, count: int) -> int:
    """Give Redis the same day, a thousand players a command; of how many powers its doubles say something else."""
    given, altered = players(count), 0
    while some := list(islice(given, 1000)):
        for board in BOARDS:
            redis.ask("ZADD", board, *(word for each in some for word in (each[board], each["uuid"])))
        redis.ask("HSET", "names", *(word for each in some for word in (each["uuid"], each["name"])))
        altered += sum(int(float(each["power"])) != each["power"] for each in some)
    return altered


def beside(
    name: str, ours: Callable[[int], object], theirs: Callable[[int], object]
) -> tuple[Timing, Timing]:
    """The same questions to both, a hundred in turn, so that whatever else the machine does slows both down."""
    took: tuple[list[float], list[float]] = ([], [])
    for first_of_turn in range(0, TRIES, TURN):
        for times, ask in zip(took, (ours, theirs), strict=True):
            for number in range(first_of_turn, first_of_turn + TURN):
                began = time.perf_counter_ns()
                ask(number)
                times.append((time.perf_counter_ns() - began) / 1000)
    first, second = (sorted(times) for times in took)
    return (
        Timing(name, first[TRIES // 2], first[TRIES * 99 // 100]),
        Timing(name, second[TRIES // 2], second[TRIES * 99 // 100]),
    )


def redis_questions(redis: Redis, reading: BoardReading, count: int) -> Iterator[tuple[Timing, Timing]]:
    chance = Random(7)
    whom = [uuid_of(chance.randrange(count)) for _ in range(TRIES)]
    pages = [chance.randrange(count // 100) for _ in range(TRIES)]
    for board in BOARDS:
        yield from redis_board(redis, reading, board, whom, pages)


def redis_board(
    redis: Redis, reading: BoardReading, board: Board, whom: list[str], pages: list[int]
) -> Iterator[tuple[Timing, Timing]]:
    def rank(number: int) -> object:
        """The rank that equals share, as ours is."""
        score = redis.ask("ZSCORE", board, whom[number]).decode()
        return redis.ask("ZCOUNT", board, f"({score}", "+inf")

    def page(number: int) -> object:
        first = pages[number] * 100
        rows = redis.ask("ZREVRANGE", board, first, first + 99, "WITHSCORES")
        return redis.ask("HMGET", "names", *(row.decode() for row in rows[::2]))

    for time_asked in ("for the first time", "again"):
        name = f"rank by {board}, {time_asked}"
        yield beside(name, lambda n: reading.rank(whom[n], board, DAY), rank)
    for time_asked in ("for the first time", "again"):
        name = f"page of 100 by {board}, {time_asked}"
        yield beside(name, lambda n: reading.page(board, DAY, pages[n]), page)


# ── the report ────────────────────────────────────────────────────────────────────────────────────


def report(count: int, folder: Path, data: Path | None = None, *, is_brief: bool = False) -> Iterator[str]:
    path = data or folder / "rankings.db"
    busy = os.getloadavg()[0]
    machine = f"Python {platform.python_version()}, {os.cpu_count()} cores"
    yield f"{count:,} players, {machine}; {busy:.0f} processes wanted to run there already when it began."
    yield ""
    if not is_finished(path):
        yield from import_report(count, path)
    yield from reading_report(count, path, is_brief=is_brief)
    if not is_brief:
        yield from checking_report(count, path)
        yield from redis_report(count, path, folder)


def import_report(count: int, path: Path) -> Iterator[str]:
    receiving, sending = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("spawn").Process(target=import_day, args=(path, count, sending))
    child.start()
    sending.close()
    found: ImportFigures = receiving.recv()
    child.join()
    yield "| importing a day | |"
    yield "|---|---|"
    yield f"| players written | {found.players:,} |"
    yield f"| players a second | {found.players / found.written:,.0f} |"
    yield f"| players a second of processor time | {found.players / found.written_cpu:,.0f} |"
    yield f"| finishing: both walks and trees | {found.finished:,.1f} s, {found.finished_cpu:,.1f} s of processor time |"
    yield f"| memory of the process at most | {found.memory:,.0f} MB |"
    yield f"| data file | {path.stat().st_size / 2**20:,.0f} MB |"
    yield ""


def reading_report(count: int, path: Path, *, is_brief: bool) -> Iterator[str]:
    with opened(path) as database:
        ours = list(questions(database, count, is_brief=is_brief))
        yield "| question | p50 µs | p99 µs | requests | read units |"
        yield "|---|---|---|---|---|"
        for each in ours:
            p99 = f"{each.p99:,.0f}" if each.p99 else ""
            cost = f"{each.requests} | {each.units:g}" if each.requests else " | "
            yield f"| {each.name} | {each.p50:,.0f} | {p99} | {cost} |"
        yield ""


def checking_report(count: int, path: Path) -> Iterator[str]:
    with opened(path) as database:
        checked = min(CHECKED, count) + min(CHECKED // 4, count)
        yield f"{wrong_ranks(database, count)} wrong of {2 * checked:,} ranks and positions."
        yield ""


def redis_report(count: int, path: Path, folder: Path) -> Iterator[str]:
    with redis_server(folder) as redis:
        if redis is None:
            yield "Redis is left out: redis-server is not installed, and could not be (apt-get as root)."
        else:
            yield from beside_redis(redis, count, path)


def beside_redis(redis: Redis, count: int, path: Path) -> Iterator[str]:
    altered = fill(redis, count)
    yield "| in turns with Redis | ours p50 µs | Redis p50 µs | ratio | ours p99 | Redis p99 |"
    yield "|---|---|---|---|---|---|"
    with opened(path) as database:
        reading = Rankings(database, system_clock).reading
        for ours, theirs in redis_questions(redis, reading, count):
            p50 = f"{ours.p50:,.0f} | {theirs.p50:,.0f} | {ours.p50 / theirs.p50:.2f}"
            yield f"| {ours.name} | {p50} | {ours.p99:,.0f} | {theirs.p99:,.0f} |"
    used = redis.ask("INFO", "memory").decode().partition("used_memory:")[2].partition("\r")[0]
    yield ""
    yield f"Redis takes {int(used) / 2**20:,.0f} MB of memory, and its doubles alter {altered:,} powers."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--players", type=int, default=PLAYERS)
    parser.add_argument("--folder", type=Path)
    parser.add_argument(
        "--data", type=Path, help="the file of an earlier run, or where to keep that of this one"
    )
    parser.add_argument("--brief", action="store_true", help="leave out what reads the whole day")
    parser.add_argument("--write", action="store_true", help="put the figures into docs/rankings.md")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        lines = []
        for line in report(given.players, Path(folder), given.data, is_brief=given.brief):
            print(line, flush=True)
            lines.append(line)
    if given.write:
        text = PAGE.read_text(encoding="utf-8")
        before, after = text.partition(BEGIN)[0], text.partition(END)[2]
        PAGE.write_text(f"{before}{BEGIN}\n\n" + "\n".join(lines) + f"\n\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
