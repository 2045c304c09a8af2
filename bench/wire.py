"""The wire endpoint beside dynoxide, both on disk: `python bench/wire.py [--quick] [--only lean|boto3] [--folder …]`.

One request at a time on each connection, through a client that costs next to nothing and through boto3, over one
connection and over sixteen. The two take turns, a second here and a second there, and the ratio of neighbours counts.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from time import perf_counter

import workload
from contenders import Pace, Wire, through_boto3
from lean_client import lean_rate, request_bytes
from peers import MissingError, dynoxide_server, hansang_server
from tables import figure, show
from workload import LOADED, REQUESTS, SINGLES, numbers_for

OURS, THEIRS = "hansang", "dynoxide"
CONNECTIONS = (1, 16)
MARKS = {
    (column, count): 0.9 if count == 1 and column in ("put", "cond. put") else 1.0
    for column in SINGLES
    for count in CONNECTIONS
}
"""What ours shall reach of theirs."""
_PACE = Pace(0, 0, 0)

Rate = Callable[[int, str, Sequence[int], int, float], float]
"""By port, column, numbers of items, connections and seconds: answers a second."""


def lean(port: int, column: str, numbers: Sequence[int], connections: int, seconds: float) -> float:
    operation, request = REQUESTS[column]
    ready = [request_bytes(operation, request(number)) for number in numbers]
    return lean_rate(port, ready, connections, seconds)


def boto3(port: int, column: str, numbers: Sequence[int], connections: int, seconds: float) -> float:
    """The same with a client of its own in each of as many threads."""
    operation, request = REQUESTS[column]
    clients = [_client(port) for _ in range(connections)]
    shares = [[request(number) for number in numbers[first::connections]] for first in range(connections)]
    begun = perf_counter()
    stop = begun + seconds

    def work(client: Wire, share: list[workload.Request]) -> int:
        for done, each in enumerate(share, 1):
            client.call(operation, each)
            if perf_counter() > stop:
                return done
        return len(share)

    with ThreadPoolExecutor(connections) as pool:
        return sum(pool.map(work, clients, shares)) / (perf_counter() - begun)


def _client(port: int) -> Wire:
    return through_boto3("", port, lambda: None, _PACE)


CLIENTS: dict[str, Rate] = {"lean": lean, "boto3": boto3}


def fill(port: int) -> None:
    client = _client(port)
    client.prepare()
    load, batches = client.loading(0, range(LOADED))
    for batch in batches:
        load(batch)


def compare(ports: dict[str, int], options: argparse.Namespace) -> None:
    seconds, rounds = (0.3, 3) if options.quick else (1.0, 7)
    turn = 0
    for name, measure in CLIENTS.items():
        if options.only not in (None, name):
            continue
        for count in CONNECTIONS:
            seen: dict[str, dict[str, list[float]]] = {
                column: {OURS: [], THEIRS: []} for column in SINGLES if options.column in (None, column)
            }
            for _ in range(rounds):
                turn += 1
                for column, rates in seen.items():
                    numbers = numbers_for(column, turn, int(20_000 * seconds))
                    for server, port in ports.items():
                        rates[server].append(measure(port, column, numbers, count, seconds))
            show_ratios(f"{name}, {count} connection{'s' * (count > 1)}", count, seen)


def show_ratios(title: str, count: int, seen: dict[str, dict[str, list[float]]]) -> None:
    rows = []
    for column, rates in seen.items():
        ratios = [ours / theirs for ours, theirs in zip(rates[OURS], rates[THEIRS], strict=True)]
        middle, mark = median(ratios), MARKS[column, count]
        verdict = "met" if middle >= mark else "not met"
        spread = f"{min(ratios):.2f}–{max(ratios):.2f}"
        ours, theirs = figure(median(rates[OURS])), figure(median(rates[THEIRS]))
        rows.append([column, ours, theirs, f"{middle:.2f}", spread, f"{mark:.1f}", verdict])
    show(title, ["", OURS, THEIRS, "ratio", "spread", "mark", ""], rows)
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a minute instead of ten, and figures to match")
    parser.add_argument("--only", choices=CLIENTS, help="one client alone")
    parser.add_argument("--column", choices=SINGLES, help="one kind of request alone")
    parser.add_argument("--folder", type=Path, help="where the files go; a disk that you care for")
    options = parser.parse_args()
    # Without this a terminated run would leave its servers and its files behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with tempfile.TemporaryDirectory(dir=options.folder) as name, ExitStack() as stack:
        ports: dict[str, int] = {}
        for server, start in ((OURS, hansang_server), (THEIRS, dynoxide_server)):
            try:
                ports[server], stop = start(Path(name))
            except MissingError as reason:
                sys.exit(f"{server} is not there to be measured: {reason}")
            stack.callback(stop)
            fill(ports[server])
        compare(ports, options)


if __name__ == "__main__":
    main()
