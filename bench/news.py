"""The news loader beside bare sqlite3, and the memory that it takes: all by the command that people use.

python bench/news.py [--items 1000000] [--durability normal] [--folder DIR] [--storm]
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from hansang.apps.news.design import NewsItem
from hansang.apps.news.loading import THREADS
from tables import figure, show

ROOT = Path(__file__).parent.parent
ITEMS = 100_000
MARK = 150
"""Megabytes that a load may take, however long the list is."""
ALONE = 10.0
"""Seconds for the puts that are committed one by one."""
UPLOADED_AT = datetime(2026, 11, 15, 9, 30, tzinfo=UTC)

_COMPANIES = ("NVDA", "AMD", "TSM", "AAPL", "MSFT", "005930.KS", "000660.KS", "BRK-B", "^GSPC", "TSLA")


def link(number: int) -> dict[str, Any]:
    """A link as long as those of the document, with no ticker, one or two."""
    tickers = [_COMPANIES[(number + each) % len(_COMPANIES)] for each in range(number % 3)]
    return {
        "title": f"A headline of the day that is as long as headlines are, number {number}",
        "url": f"https://news.example/markets/a-headline-of-the-day-that-is-as-long-{number:09d}.html",
        "tickers": tickers,
    }


def write_list(path: Path, items: int) -> None:
    with path.open("wb") as file:
        file.writelines(orjson.dumps(link(number)) + b"\n" for number in range(items))


# ── ours ──────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Load:
    """One run of `hansang news load`."""

    seconds: float
    megabytes: float
    """The most memory that the process has held."""
    run: dict[str, Any]

    @property
    def rate(self) -> float:
        total: int = self.run["total"]
        return total / self.seconds


def load(given: Path, data: Path, durability: str) -> Load:
    """Load a list in a process of its own."""
    program = Path(sys.executable).with_name("hansang")
    command: list[str | Path] = [program, "news", "load", given, "--data", data, "--json"]
    begun = time.perf_counter()
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, env={**os.environ, "HANSANG_DURABILITY": durability}
    )
    assert process.stdout is not None
    answer = process.stdout.read()
    process.stdout.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - begun
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, [str(each) for each in command])
    return Load(seconds, usage.ru_maxrss / 1024, json.loads(answer))


# ── the limit ─────────────────────────────────────────────────────────────────────────────────────


Row = tuple[bytes, bytes, bytes, bytes]
"""The key and the bytes of an item, and of what its index holds of it."""


def row(number: int) -> Row:
    item: dict[str, Any] = NewsItem.__shape__.encode(NewsItem.uploaded(UPLOADED_AT, **link(number)))  # type: ignore[union-attr]
    kept = ("pk", "dt_utc", "uploaded_at_utc_ms", "url", "title", "tickers", "source")
    place = f"{item['dt_utc']['S']}\0{item['uploaded_at_utc_ms']['N']}\0{item['pk']['S']}"
    projected = {name: item[name] for name in kept}
    return item["pk"]["S"].encode(), orjson.dumps(item), place.encode(), orjson.dumps(projected)


class Bare:
    """Conditional puts of finished rows into a table and its index; no check, no mention, no report."""

    def __init__(self, path: Path, durability: str) -> None:
        self.base = sqlite3.connect(path, isolation_level=None)
        self.base.execute("PRAGMA journal_mode = WAL")
        self.base.execute(f"PRAGMA synchronous = {durability}")
        self.base.execute("PRAGMA wal_autocheckpoint = 10000")
        self.base.execute("PRAGMA cache_size = -16384")
        for name in ("items", "by_day"):
            self.base.execute(f"CREATE TABLE {name} (k BLOB PRIMARY KEY, v BLOB NOT NULL) WITHOUT ROWID")

    def put(self, rows: Iterable[Row]) -> None:
        """Put some rows and commit them together."""
        execute = self.base.execute
        execute("BEGIN IMMEDIATE")
        for key, stored, place, projected in rows:
            if execute("SELECT v FROM items WHERE k = ?", (key,)).fetchone() is None:
                execute("INSERT INTO items VALUES (?, ?)", (key, stored))
                execute("INSERT INTO by_day VALUES (?, ?)", (place, projected))
        execute("COMMIT")

    def rate(self, numbers: Iterator[int], together: int, seconds: float) -> float:
        """Items a second, until the numbers or the seconds are used up; only the puts are timed."""
        spent, count = 0.0, 0
        while spent < seconds and (rows := [row(number) for number in islice(numbers, together)]):
            begun = time.perf_counter()
            self.put(rows)
            spent += time.perf_counter() - begun
            count += len(rows)
        return count / spent


# ── the tables ────────────────────────────────────────────────────────────────────────────────────


def sizes(items: int) -> list[int]:
    """The sizes at which memory is looked at."""
    return [size for size in (items // 100, items // 10) if size] + [items]


def compare(folder: Path, items: int, durability: str) -> None:
    loads: dict[int, tuple[Load, Load]] = {}
    for size in sizes(items):
        given, data = folder / f"{size}.jsonl", folder / f"{size}.db"
        write_list(given, size)
        loads[size] = load(given, data, durability), load(given, data, durability)
        _expect_whole(size, *loads[size])
    show_rates(*loads[items], Bare(folder / "bare.db", durability), items)
    show_memory(loads)


def _expect_whole(size: int, first: Load, again: Load) -> None:
    if (first.run["inserted"], again.run["duplicate"]) != (size, size):
        raise SystemExit(f"Of {size:,} links, {first.run} and then {again.run}.")


def show_rates(first: Load, again: Load, bare: Bare, items: int) -> None:
    together = bare.rate(iter(range(items)), THREADS, 3600)
    alone = bare.rate(iter(range(items, 2 * items + 10**6)), 1, ALONE)
    rows = [
        [
            "hansang news load",
            figure(first.rate),
            f"{first.rate / together:.0%}",
            f"{first.rate / alone:.0%}",
        ],
        [
            "the same list again",
            figure(again.rate),
            f"{again.rate / together:.0%}",
            f"{again.rate / alone:.0%}",
        ],
        [f"bare sqlite3, {THREADS} puts a commit", figure(together), "", ""],
        ["bare sqlite3, one put a commit", figure(alone), "", ""],
    ]
    columns = ["", "items a second", f"of bare, {THREADS} a commit", "of bare, one a commit"]
    show(f"{items:,} links with a ticker each on average, on disk, from JSON Lines", columns, rows)
    print(
        "\nBare sqlite3 puts finished rows under the same condition: the item, and what its index holds of it."
        "\nThe loader reads, checks and hashes every line as well, keeps its mentions and reports on it."
    )


def show_memory(loads: dict[int, tuple[Load, Load]]) -> None:
    rows = []
    for size, (first, again) in loads.items():
        met = "met" if max(first.megabytes, again.megabytes) < MARK else "not met"
        rows.append([f"{size:,}", f"{first.megabytes:.0f}", f"{again.megabytes:.0f}", f"{MARK}", met])
    show("the most memory of the process, MB", ["links", "loaded", "loaded again", "mark", ""], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=ITEMS, help="links in the longest list")
    parser.add_argument("--durability", choices=("full", "normal"), default="full")
    parser.add_argument("--folder", type=Path, help="where the files go; a disk that you care for")
    parser.add_argument("--storm", action="store_true", help="twenty loaders at once, with faults, instead")
    options = parser.parse_args()
    if options.storm:
        subprocess.run([sys.executable, "-m", "tests.apps.news.storm"], cwd=ROOT, check=True)
        return
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        compare(Path(folder), options.items, options.durability)


if __name__ == "__main__":
    main()
