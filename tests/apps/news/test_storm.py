"""Twenty loaders at once on a table that throttles and loses answers.

Five thousand links at a time take longer: `python bench/news.py --storm`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from hansang.apps.news.design import Mention, NewsDay, NewsItems, NewsWork, Run
from hansang.apps.news.frontier import FIRST_DAY
from hansang.apps.news.service import News
from hansang.backends.base import Backend
from hansang.backends.chaos import Chaos, Faults
from hansang.backends.embedded import Embedded
from hansang.design import Database
from tests.apps.news.conftest import tokens
from tests.apps.news.lists import link
from tests.clauses import clause
from tests.designs import stored

LOADERS, LINKS = 20, 500
BEGUN = 1_800_000_000.0


class Accepting:
    """A backend that remembers every link that it has accepted, whether anybody hears of it or not."""

    def __init__(self, backend: Backend) -> None:
        self._backend, self._lock = backend, threading.Lock()
        self.accepted: list[dict[str, Any]] = []

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        response = self._backend.call(operation, request)
        if operation == "PutItem" and request["TableName"] == "news_items":
            with self._lock:
                self.accepted.append(request["Item"])
        return response


@dataclass
class Storm:
    """What is left when it is over."""

    database: Database
    accepted: list[dict[str, Any]]
    runs: list[Run]
    lost: int


def given(number: int) -> list[dict[str, Any]]:
    """The same links from every loader, each with a title and a ticker that tell who wrote it."""
    return [link(each, f"L{number}", title=f"by {number}") for each in range(LINKS)]


@contextmanager
def raging() -> Iterator[Storm]:
    with Embedded.open(":memory:") as backend:
        database = Database(backend)
        database.create_tables(NewsItems, NewsWork)
        accepting = Accepting(backend)
        faults = Faults(throttled=0.03, lost=0.03)
        chaos = [Chaos(accepting, faults, seed=seed, sleep=lambda _: None) for seed in range(LOADERS)]

        def load(number: int) -> Run:
            news = News(
                Database(chaos[number]),
                lambda: BEGUN + number,
                threads=2,
                sleep=lambda _: None,
                token=tokens(f"{number:x}x"),
            )
            return news.loader.load(given(number), source=f"loader-{number}")

        with ThreadPoolExecutor(LOADERS) as pool:
            runs = list(pool.map(load, range(LOADERS)))
        yield Storm(database, accepting.accepted, runs, sum(each.counts["lost"] for each in chaos))


def expect_first_writes(storm: Storm) -> None:
    found = {item["pk"]["S"]: item for item in stored(storm.database, NewsItems)}
    assert len(found) == LINKS == len(storm.accepted)
    assert found == {item["pk"]["S"]: item for item in storm.accepted}


def expect_true_reports(storm: Storm) -> None:
    assert all(run.run_state == "finished" and run.total == LINKS for run in storm.runs)
    assert all(run.inserted + run.duplicate == LINKS for run in storm.runs)
    assert sum(run.inserted for run in storm.runs) == LINKS
    wrote = [item["source"]["S"] for item in storm.accepted]
    assert {run.source: run.inserted for run in storm.runs} == {
        run.source: wrote.count(run.source) for run in storm.runs
    }


def expect_true_counts(storm: Storm) -> None:
    assert sum(day.inserted for day in storm.database.each(NewsDay.since(FIRST_DAY))) == LINKS
    for number, run in enumerate(storm.runs):
        assert storm.database.count(Mention.of_ticker(f"L{number}")) == run.inserted


@clause("3-11", "3-12", "X3-07", "X3-08", "X3-23")
def test_every_link_is_there_once_as_it_was_first_accepted_and_all_reports_add_up() -> None:
    with raging() as storm:
        assert storm.lost > 100
        expect_first_writes(storm)
        expect_true_reports(storm)
        expect_true_counts(storm)
