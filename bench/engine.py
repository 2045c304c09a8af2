"""The engine against its limit and its peers: `python bench/engine.py [--quick] [--no-peers] [--only …]`."""

from __future__ import annotations

import argparse
import os
import platform
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

import threads
from bare import Bare
from contenders import Contender, ours
from measure import in_turns
from peers import OTHERS, PEERS, MissingError
from tables import figure, show
from workload import COLUMNS, LEGEND

MEMORY, FULL, NORMAL = "hansang, in memory", "hansang, on disk, full", "hansang, on disk, normal"
BARE_FULL, BARE_NORMAL = "bare sqlite3, full", "bare sqlite3, normal"
BOTO3 = " · boto3"

Results = dict[str, dict[str, float]]

OF_BARE = {"get": 0.30, "query 100": 0.40, "cond. put": 0.25}
OF_PEERS = {"get": 30, "query 100": 20, "cond. put": 8}


def in_process(folder: Path, quick: bool) -> list[Contender]:
    seconds, loads = (0.1, 1) if quick else (0.4, 3)
    return [
        ours(MEMORY, ":memory:", "full", seconds, loads),
        ours(FULL, folder / "full.db", "full", seconds, loads),
        ours(NORMAL, folder / "normal.db", "normal", seconds, loads),
        Bare(BARE_FULL, folder / "bare-full.db", "FULL", seconds, loads),
        Bare(BARE_NORMAL, folder / "bare-normal.db", "NORMAL", seconds, loads),
    ]


def through_boto3(folder: Path, quick: bool, missing: dict[str, str]) -> list[Contender]:
    """Everything that is reached with boto3; what cannot be had is named in `missing`."""
    found: list[Contender] = []
    for name, start in {**OTHERS, **PEERS}.items():
        try:
            contender = start(folder, 0.3 if quick else 0.8)
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
        turns, count = (1, 2_000) if options.quick else (3, 20_000)
        results = in_turns(contenders, turns, count)
    rows = [[name, *(figure(rates.get(column)) for column in COLUMNS)] for name, rates in results.items()]
    show("operations a second, one thread (items a second for walk and load)", ["", *COLUMNS], rows)
    for name, reason in missing.items():
        print(f"{name}: not measured, {reason}")
    print(f"\n{LEGEND}")
    show_marks(results)


def show_marks(results: Results) -> None:
    rows = []
    for mode, name, bare in (("full", FULL, BARE_FULL), ("normal", NORMAL, BARE_NORMAL)):
        for column, mark in OF_BARE.items():
            share = results[name][column] / results[bare][column]
            rows.append([f"{column}, {mode}", f"{share:.0%}", f"{mark:.0%}", verdict(share >= mark)])
    show("share of bare sqlite3", ["", "reached", "mark", ""], rows)
    peers = {name: rates for name, rates in results.items() if name.startswith(tuple(PEERS))}
    if peers:
        show_peer_marks(results, peers)


def show_peer_marks(results: Results, peers: Results) -> None:
    rows = []
    for mode, name in (("full", FULL), ("normal", NORMAL)):
        for column, mark in OF_PEERS.items():
            fastest = max(peers, key=lambda peer: peers[peer].get(column, 0))
            times = results[name][column] / peers[fastest][column]
            rows.append(
                [
                    f"{column}, {mode}",
                    f"{times:.1f}",
                    str(mark),
                    verdict(times >= mark),
                    fastest.partition(",")[0],
                ]
            )
    show("times the fastest peer", ["", "reached", "mark", "", "peer"], rows)


def verdict(met: bool) -> str:
    return "met" if met else "not met"


def show_threads(folder: Path, options: argparse.Namespace) -> None:
    rates = threads.durable_puts(folder, (1, 8), 0.3 if options.quick else 1.5)
    rows = [[f"{count} threads", figure(value)] for count, value in rates.items()]
    show("durable conditional puts a second, on disk, full durability", ["", "cond. put"], rows)


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
    print(f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {os.cpu_count()} processors")
    for name, part in PARTS.items():
        if options.only in (None, name):
            with tempfile.TemporaryDirectory(dir=options.folder) as folder:
                part(Path(folder), options)


if __name__ == "__main__":
    main()
