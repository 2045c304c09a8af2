"""The engine against its limit and its peers: `python bench/engine.py [--quick] [--no-peers] [--only …]`."""

from __future__ import annotations

import argparse
import os
import platform
import signal
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

import threads
from bare import Bare
from contenders import Contender, Pace, ours
from measure import Results, in_turns, middle, ratio
from peers import OTHERS, PEERS, MissingError
from tables import figure, show
from workload import COLUMNS, LEGEND

MEMORY, FULL, NORMAL = "hansang, in memory", "hansang, on disk, full", "hansang, on disk, normal"
BARE_FULL, BARE_NORMAL = "bare sqlite3, full", "bare sqlite3, normal"
BOTO3 = " · boto3"

OF_BARE = {
    "get": 0.60,
    "query 100": 0.80,
    "cond. put": 0.75,
    "transact 3": 0.65,
    "load": 0.65,
    "walk": 1.0,
    "update": 0.35,
}
EIGHT_WRITERS = 1.7
OF_PEERS = {"get": 30, "query 100": 20, "cond. put": 8}


def in_process(folder: Path, quick: bool) -> list[Contender]:
    pace = Pace(0.1, turns=1, loads=1, count=3_000) if quick else Pace(0.4, turns=5, loads=3)
    return [
        ours(MEMORY, ":memory:", "full", pace),
        ours(FULL, folder / "full.db", "full", pace),
        ours(NORMAL, folder / "normal.db", "normal", pace),
        Bare(BARE_FULL, folder / "bare-full.db", "FULL", pace),
        Bare(BARE_NORMAL, folder / "bare-normal.db", "NORMAL", pace),
    ]


def through_boto3(folder: Path, quick: bool, missing: dict[str, str]) -> list[Contender]:
    """Everything that is reached with boto3; what cannot be had is named in `missing`."""
    pace = Pace(0.3, turns=1, loads=1, count=1_000) if quick else Pace(0.7, turns=3, loads=1, count=3_000)
    found: list[Contender] = []
    for name, start in {**OTHERS, **PEERS}.items():
        try:
            contender = start(folder, pace)
        except MissingError as reason:
            missing[name] = str(reason)
        else:
            contender.name += BOTO3
            found.append(contender)
    return found


def compare(folder: Path, options: argparse.Namespace) -> None:
    """The table of figures and the two tables of marks."""
    missing: dict[str, str] = {}
    with ExitStack() as stack:
        contenders = in_process(folder, options.quick)
        if not options.no_peers:
            contenders += through_boto3(folder, options.quick, missing)
        for contender in contenders:
            stack.callback(contender.close)
        results = in_turns(contenders)
    rows = [[name, *(figure(middle(results, name, column)) for column in COLUMNS)] for name in results]
    show("operations a second, one thread (items a second for walk and load)", ["", *COLUMNS], rows)
    for name, reason in missing.items():
        print(f"{name}: not measured, {reason}")
    print(f"\n{LEGEND}")
    show_marks(results)


def show_marks(results: Results) -> None:
    rows = []
    for mode, name, bare in (("full", FULL, BARE_FULL), ("normal", NORMAL, BARE_NORMAL)):
        for column, mark in OF_BARE.items():
            share = ratio(results, name, bare, column)
            rows.append([f"{column}, {mode}", f"{share:.0%}", f"{mark:.0%}", verdict(share >= mark)])
    show("share of bare sqlite3", ["", "reached", "mark", ""], rows)
    peers = [name for name in results if name.startswith(tuple(PEERS))]
    if peers:
        show_peer_marks(results, peers)


def show_peer_marks(results: Results, peers: list[str]) -> None:
    rows = []
    for mode, name in (("full", FULL), ("normal", NORMAL)):
        for column, mark in OF_PEERS.items():
            fastest = max(peers, key=lambda peer: middle(results, peer, column) or 0)
            times = ratio(results, name, fastest, column)
            peer = fastest.partition(",")[0]
            rows.append([f"{column}, {mode}", f"{times:.1f}", str(mark), verdict(times >= mark), peer])
    show("times the fastest peer", ["", "reached", "mark", "", "peer"], rows)


def verdict(met: bool) -> str:
    return "met" if met else "not met"


def show_threads(folder: Path, options: argparse.Namespace) -> None:
    rates = threads.durable_puts(folder, (1, 8), 0.3 if options.quick else 1.5)
    rows = [
        ["1 thread" if count == 1 else f"{count} threads", figure(value)] for count, value in rates.items()
    ]
    show("durable conditional puts a second, on disk, full durability", ["", "cond. put"], rows)
    times = rates[8] / rates[1]
    print(f"eight threads to one: {times:.2f}, mark {EIGHT_WRITERS}, {verdict(times >= EIGHT_WRITERS)}")


def show_growth(folder: Path, options: argparse.Namespace) -> None:
    items = 50_000 if options.quick else 1_000_000
    script = Path(__file__).with_name("growth.py")
    subprocess.run([sys.executable, str(script), "--items", str(items), "--folder", str(folder)], check=True)


PARTS = {"table": compare, "threads": show_threads, "growth": show_growth}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a minute instead of ten, and figures to match")
    parser.add_argument("--no-peers", action="store_true", help="leave out everything that boto3 speaks to")
    parser.add_argument("--only", choices=PARTS, help="one part alone")
    parser.add_argument("--folder", type=Path, help="where the files go; a disk that you care for")
    options = parser.parse_args()
    # Without this a terminated run would leave its servers and its files behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    print(f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {os.cpu_count()} processors")
    for name, part in PARTS.items():
        if options.only in (None, name):
            with tempfile.TemporaryDirectory(dir=options.folder) as folder:
                part(Path(folder), options)


if __name__ == "__main__":
    main()
