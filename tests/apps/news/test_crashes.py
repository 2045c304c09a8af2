"""A load that is killed at any of its writes leaves nothing that cannot be made whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest

from hansang.apps.news import loading
from hansang.apps.news.design import Mention, NewsDayKey, NewsItem, NewsItems, NewsRow, NewsWork, Run
from hansang.apps.news.rules import pk_of
from hansang.apps.news.service import News
from hansang.backends.base import Backend
from hansang.backends.embedded import Embedded
from hansang.design import Database
from tests.apps.news.conftest import SetClock, tokens
from tests.apps.news.faults import Counting, Killed, Losing
from tests.apps.news.lists import link
from tests.clauses import clause

GIVEN = [
    link(1, "NVDA"),
    link(2, "NVDA", "AMD"),
    {"title": "no link"},
    link(1, title="again"),
    link(3),
    link(7, "AMD"),
    link(8, "NVDA"),
    link(4, "A#B"),
    link(2),
    link(5, "NVDA"),
]
OUTCOMES = [
    "inserted",
    "inserted",
    "invalid",
    "duplicate_in_batch",
    "inserted",
    "duplicate",
    "collision",
    "inserted",
    "duplicate_in_batch",
    "inserted",
]
MENTIONS = {"NVDA": {1, 2, 5}, "AMD": {2}, "A%23B": {4}}
YESTERDAY = datetime(2026, 11, 14, tzinfo=UTC)


@dataclass
class Desk:
    """A list with a link that is there already, and one whose key is taken."""

    backend: Backend
    database: Database
    clock: SetClock

    def news(self, backend: Backend | None = None, prefix: str = "") -> News:
        database = self.database if backend is None else Database(backend)
        return News(database, self.clock, threads=1, sleep=self.clock.sleep, token=tokens(prefix))

    def found_run(self) -> Run | None:
        return self.database.first(Run.of_month("2026-11"))

    @property
    def day_count(self) -> int:
        found = self.database.find(NewsDayKey(day=self.day))
        return found.inserted if found else 0

    @property
    def day(self) -> Any:
        return datetime.fromtimestamp(self.clock.now, UTC).date()

    @property
    def stored(self) -> list[NewsRow]:
        return self.database.all(NewsRow.uploaded_on(self.day))


@contextmanager
def opened() -> Iterator[Desk]:
    with Embedded.open(":memory:") as backend:
        database = Database(backend)
        database.create_tables(NewsItems, NewsWork)
        there = NewsItem.uploaded(YESTERDAY, **link(7))
        database.create(there)
        other = NewsItem.uploaded(YESTERDAY, **link(9))
        database.create(other.model_copy(update={"pk": pk_of(link(8)["url"])}))
        yield Desk(backend, database, SetClock())


def expect_whole(desk: Desk, run: Run) -> None:
    lines = [line for part in desk.news().reading.report(run.id) for line in part.lines]
    assert [line.outcome for line in lines] == OUTCOMES
    assert [line.line for line in lines] == list(range(1, 11))
    assert (run.run_state, run.total, run.inserted, run.collision) == ("finished", 10, 5, 1)
    assert len(desk.stored) == desk.day_count == 5
    for ticker, numbers in MENTIONS.items():
        found = desk.database.all(Mention.of_ticker(ticker))
        assert {each.url for each in found} == {link(number)["url"] for number in numbers}


def writes_of(work: Callable[[Desk, Backend], object]) -> int:
    with opened() as desk:
        counting = Counting(desk.backend)
        work(desk, counting)
        return counting.writes


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "PART", 4)


def load(desk: Desk, backend: Backend) -> Run:
    return desk.news(backend).loader.load(GIVEN)


def kill(desk: Desk, at: int, after: bool) -> Run | None:
    """Load until the process is killed; the run that is left, if it was begun."""
    with suppress(RuntimeError):
        load(desk, Killed(desk.backend, at, after=after))
    return desk.found_run()


def go_on(desk: Desk, left: Run | None) -> Run:
    """Resume the run that is left; one that was never begun, or that was whole already, is loaded anew."""
    done = left is not None and left.run_state == "finished"
    return left if done and left else desk.news(prefix="b").loader.load(GIVEN, run=left.id if left else None)


@clause("X3-23", "X3-07", "3-12")
@pytest.mark.parametrize("after", [False, True])
def test_a_load_that_is_killed_at_any_write_can_go_on_as_if_nothing_had_been(after: bool) -> None:
    for at in range(writes_of(load)):
        with opened() as desk:
            run = go_on(desk, kill(desk, at, after))
            expect_whole(desk, run)


@clause("X3-08", "X3-23")
@pytest.mark.parametrize("after", [False, True])
def test_what_a_killed_load_left_can_be_mended_and_the_run_may_still_go_on(after: bool) -> None:
    for at in range(writes_of(load)):
        with opened() as desk:
            left = kill(desk, at, after)
            dict(desk.news().recount(desk.day, desk.day))
            assert desk.day_count == len(desk.stored)
            noted = desk.database.all(Mention.of_ticker("NVDA"))
            assert {each.url for each in noted} == {row.url for row in desk.stored if "NVDA" in row.tickers}
            run = go_on(desk, left)
            expect_whole(desk, run)
            dict(desk.news().recount(desk.day, desk.day))
            expect_whole(desk, run)


@clause("X3-07")
def test_any_answer_may_be_lost_and_the_report_is_the_same() -> None:
    for at in range(writes_of(load)):
        with opened() as desk:
            losing = Losing(desk.backend, at)
            run = load(desk, losing)
            assert losing.lost
            expect_whole(desk, run)


def mend(desk: Desk, backend: Backend) -> None:
    """Mend after a load that has died with two links stored and nothing reported."""
    with suppress(RuntimeError):
        load(desk, Killed(desk.backend, 5, after=False))
    dict(desk.news(backend).recount(desk.day, desk.day))


@clause("X3-08")
def test_any_answer_to_a_mend_may_be_lost() -> None:
    for at in range(writes_of(mend)):
        with opened() as desk:
            losing = Losing(desk.backend, at)
            mend(desk, losing)
            assert losing.lost
            assert desk.day_count == len(desk.stored) > 0
