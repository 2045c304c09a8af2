"""The wire endpoint beside dynoxide, both on disk: `python bench/wire.py [--quick] [--only lean|boto3] [--folder …]`.

One request at a time on each connection, through a client that costs next to nothing and through boto3, over one
connection and over sixteen. The two take turns, a second here and a second there, and the ratio of neighbours counts.
Beside it stands the processor time that each server takes for a request, which a busy machine disturbs less.
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
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter

import workload
from contenders import Pace, Wire, through_boto3
from lean_client import lean_answers, request_bytes
from peers import MissingError, PeerProcess, dynoxide_server, hansang_server
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

Client = Callable[[int, str, Sequence[int], int, float], tuple[int, float]]
"""By port, column, numbers of items, connections and seconds: how many answers came, and in how many seconds."""


def lean(
    port: int, column: str, numbers: Sequence[int], connections: int, seconds: float
) -> tuple[int, float]:
    operation, request = REQUESTS[column]
    ready = [request_bytes(operation, request(number)) for number in numbers]
    return lean_answers(port, ready, connections, seconds)


def boto3(
    port: int, column: str, numbers: Sequence[int], connections: int, seconds: float
) -> tuple[int, float]:
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
        return sum(pool.map(work, clients, shares)), perf_counter() - begun


def _client(port: int) -> Wire:
    return through_boto3("", port, lambda: None, _PACE)


CLIENTS: dict[str, Client] = {"lean": lean, "boto3": boto3}


def fill(port: int) -> None:
    client = _client(port)
    client.prepare()
    load, batches = client.loading(0, range(LOADED))
    for batch in batches:
        load(batch)


@dataclass
class Seen:
    """What one server has done in all rounds of a kind of request."""

    rates: list[float] = field(default_factory=list)
    requests: int = 0
    processor_seconds: float = 0

    @property
    def cost(self) -> float:
        """Microseconds of the processor for each request."""
        return self.processor_seconds / self.requests * 1e6


def measured(seen: Seen, server: PeerProcess, work: Callable[[], tuple[int, float]]) -> None:
    """One round more."""
    spent = server.processor_seconds()
    count, seconds = work()
    seen.rates.append(count / seconds)
    seen.requests += count
    seen.processor_seconds += server.processor_seconds() - spent


def compare(servers: dict[str, PeerProcess], options: argparse.Namespace) -> None:
    seconds, rounds = (0.3, 3) if options.quick else (1.0, 7)
    columns = [column for column in SINGLES if options.column in (None, column)]
    turn = 0
    for name, client in CLIENTS.items():
        if options.only not in (None, name):
            continue
        for count in CONNECTIONS:
            seen = {column: {server: Seen() for server in servers} for column in columns}
            for _ in range(rounds):
                turn += 1
                for column in columns:
                    numbers = numbers_for(column, turn, int(20_000 * seconds))
                    for title, server in servers.items():
                        work = partial(client, server.port, column, numbers, count, seconds)
                        measured(seen[column][title], server, work)
            show_ratios(f"{name}, {count} connection{'s' * (count > 1)}", count, seen)


def show_ratios(title: str, count: int, seen: dict[str, dict[str, Seen]]) -> None:
    rows = []
    for column, found in seen.items():
        ours, theirs = found[OURS], found[THEIRS]
        ratios = [a / b for a, b in zip(ours.rates, theirs.rates, strict=True)]
        middle, mark = median(ratios), MARKS[column, count]
        row = [column, figure(median(ours.rates)), figure(median(theirs.rates)), f"{middle:.2f}"]
        row += [f"{min(ratios):.2f}–{max(ratios):.2f}", f"{mark:.1f}", "met" if middle >= mark else "not met"]
        rows.append([*row, figure(ours.cost), figure(theirs.cost), f"{theirs.cost / ours.cost:.2f}"])
    show(title, ["", OURS, THEIRS, "ratio", "spread", "mark", "", "µs ours", "µs theirs", "ratio"], rows)
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
        servers: dict[str, PeerProcess] = {}
        for title, begin in ((OURS, hansang_server), (THEIRS, dynoxide_server)):
            try:
                servers[title] = begin(Path(name))
            except MissingError as reason:
                sys.exit(f"{title} is not there to be measured: {reason}")
            stack.callback(servers[title].stop)
            fill(servers[title].port)
        compare(servers, options)


if __name__ == "__main__":
    main()
