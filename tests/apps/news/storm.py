"""Twenty loaders at once, with the same links, on a table that throttles and loses answers.

The whole of it, five thousand links on disk: `python -m tests.apps.news.storm`.
"""

from __future__ import annotations

import argparse
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from hansang.apps.news.design import Mention, NewsDay, NewsItems, NewsWork, Run
from hansang.apps.news.frontier import FIRST_DAY
from hansang.apps.news.service import News
from hansang.backends.base import Backend
from hansang.backends.chaos import Chaos, Faults
from hansang.backends.embedded import Embedded
from hansang.design import Database
from tests.apps.news.lists import link

LOADERS, LINKS = 20, 5_000
FAULTS = Faults(throttled=0.03, lost=0.03)
BEGUN = 1_800_000_000.0


class Accepting:
    """A backend that remembers every link that it has accepted, whether anybody hears of it or not."""

    def __init__(self, backend: Backend) -> None:
        self._backend, self._lock = backend, threading.Lock()
        self.accepted: list[dict[str, Any]] = []

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        response = self._backend.call(operation, request)
        if operation == "PutItem" and request["TableName"] == NewsItems.name:
            with self._lock:
                self.accepted.append(request["Item"])
        return response


@dataclass(frozen=True)
class Storm:
    """What is left when it is over."""

    links: int
    database: Database
    accepted: list[dict[str, Any]]
    runs: list[Run]
    faults: Counter[str]

    def check(self) -> None:
        """Every link is there once, as it was first accepted, and all reports add up."""
        self._check_first_writes()
        self._check_reports()
        self._check_counts()

    def _check_first_writes(self) -> None:
        found = {item["pk"]["S"]: item for item in _stored(self.database)}
        assert len(found) == self.links == len(self.accepted)
        assert found == {item["pk"]["S"]: item for item in self.accepted}

    def _check_reports(self) -> None:
        assert all(run.run_state == "finished" and run.total == self.links for run in self.runs)
        assert all(run.inserted + run.duplicate == self.links for run in self.runs)
        wrote = Counter(item["source"]["S"] for item in self.accepted)
        assert {run.source: run.inserted for run in self.runs} == {
            run.source: wrote[run.source] for run in self.runs
        }
        assert sum(run.inserted for run in self.runs) == self.links

    def _check_counts(self) -> None:
        assert sum(day.inserted for day in self.database.each(NewsDay.since(FIRST_DAY))) == self.links
        for number, run in enumerate(self.runs):
            assert self.database.count(Mention.of_ticker(f"L{number}")) == run.inserted


def _stored(database: Database) -> Iterator[dict[str, Any]]:
    request: dict[str, Any] = {"TableName": NewsItems.name, "ConsistentRead": True}
    while True:
        page = database.backend.call("Scan", request)
        yield from page["Items"]
        if "LastEvaluatedKey" not in page:
            return
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def _tokens(prefix: str) -> Callable[[], str]:
    numbers = count(1)
    return lambda: f"{prefix}{next(numbers):06x}"


def _given(number: int, links: int) -> Iterator[dict[str, Any]]:
    """The same links from every loader, each with a title and a ticker that tell who wrote it."""
    return (link(each, f"L{number}", title=f"by {number}") for each in range(links))


@contextmanager
def raging(place: str, links: int) -> Iterator[Storm]:
    """A storm at a place, when it is over."""
    with Embedded.open(place) as backend:
        database = Database(backend)
        database.create_tables(NewsItems, NewsWork)
        accepting = Accepting(backend)
        chaos = [Chaos(accepting, FAULTS, seed=seed, sleep=lambda _: None) for seed in range(LOADERS)]

        def load(number: int) -> Run:
            news = News(
                Database(chaos[number]),
                lambda: BEGUN + number,
                threads=2,
                sleep=lambda _: None,
                token=_tokens(f"{number:x}x"),
            )
            return news.loader.load(_given(number, links), source=f"loader-{number}")

        with ThreadPoolExecutor(LOADERS) as pool:
            runs = list(pool.map(load, range(LOADERS)))
        faults = sum((each.counts for each in chaos), Counter[str]())
        yield Storm(links, database, accepting.accepted, runs, faults)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--links", type=int, default=LINKS)
    options = parser.parse_args()
    begun = time.perf_counter()
    with (
        tempfile.TemporaryDirectory() as folder,
        raging(str(Path(folder, "storm.db")), options.links) as storm,
    ):
        seconds = time.perf_counter() - begun
        storm.check()
    inserted = sorted(run.inserted for run in storm.runs)
    lines = (
        f"{LOADERS} loaders, {storm.links:,} links each, on disk, full durability: {seconds:.0f} s",
        f"{storm.faults['throttled']:,} requests throttled, {storm.faults['lost']:,} answers lost",
        f"{len(storm.accepted):,} items stored, each as it was first accepted",
        f"inserted by the reports: {sum(inserted):,}, by one loader {inserted[0]:,} to {inserted[-1]:,}",
    )
    print("\n".join(lines))  # noqa: T201


if __name__ == "__main__":
    main()
