"""The journal of runs: one worker a slot, come what may."""

from __future__ import annotations

from datetime import timedelta

import pytest

from hansang.design import Database
from hansang.errors import Unavailable
from hansang.parts.journal import FIRST_PAUSE, MOST_ATTEMPTS, JobRun, Journal
from tests.parts.conftest import SetClock
from tests.parts.faults import at_once, losing, no_sleep

PAUSE = FIRST_PAUSE.total_seconds()


@pytest.fixture
def journal(database: Database, clock: SetClock) -> Journal:
    return Journal(database, clock, "w1")


@pytest.fixture
def other(database: Database, clock: SetClock) -> Journal:
    """The journal of another worker."""
    return Journal(database, clock, "w2")


def claimed(journal: Journal, slot: str = "s1") -> JobRun:
    run = journal.claim("tidy", slot)
    assert run is not None
    return run


def state(journal: Journal, slot: str = "s1") -> JobRun:
    run = journal.find("tidy", slot)
    assert run is not None
    return run


def test_a_slot_is_claimed_by_one_worker(journal: Journal, other: Journal) -> None:
    run = claimed(journal)
    assert (run.state, run.worker, run.attempts) == ("running", "w1", 1)
    assert other.claim("tidy", "s1") is None
    assert journal.claim("tidy", "s1") is None
    assert claimed(other, "s2").worker == "w2"


def test_of_many_at_once_one_claims(database: Database, clock: SetClock) -> None:
    found = at_once(8, lambda number: Journal(database, clock, f"w{number}").claim("tidy", "s1"))
    assert sum(isinstance(each, JobRun) for each in found) == 1
    assert sum(each is None for each in found) == 7


def test_what_is_done_is_never_done_again(journal: Journal, other: Journal, clock: SetClock) -> None:
    run = claimed(journal)
    clock.advance(1.5)
    done = journal.finish(run, "3 items")
    assert done is not None
    assert (done.state, done.result, done.took_ms) == ("done", "3 items", 1500)
    clock.advance(10_000_000)
    assert other.claim("tidy", "s1") is None


def test_the_slot_of_a_silent_worker_is_taken_over(journal: Journal, other: Journal, clock: SetClock) -> None:
    run = claimed(journal)
    clock.advance(29)
    assert other.claim("tidy", "s1") is None
    clock.advance(3)
    assert state(journal).standing(journal.now) == "lost"
    taken = claimed(other)
    assert (taken.worker, taken.attempts) == ("w2", 2)
    assert journal.finish(run, "too late") is None
    assert journal.fail(run, "too late") is None
    assert not journal.beat(run)
    assert state(journal).standing(journal.now) == "running"
    assert other.finish(taken, "in time") is not None
    assert state(journal).result == "in time"


def test_of_many_at_once_one_takes_over(database: Database, journal: Journal, clock: SetClock) -> None:
    claimed(journal)
    clock.advance(60)
    found = at_once(8, lambda number: Journal(database, clock, f"w{number}").claim("tidy", "s1"))
    assert sum(isinstance(each, JobRun) for each in found) == 1


def test_a_worker_that_beats_keeps_its_slot(journal: Journal, other: Journal, clock: SetClock) -> None:
    run = claimed(journal)
    for _ in range(10):
        clock.advance(20)
        assert journal.beat(run)
        assert other.claim("tidy", "s1") is None


def test_a_run_that_has_ended_does_not_beat(journal: Journal) -> None:
    run = claimed(journal)
    journal.finish(run, "done")
    assert not journal.beat(run)
    assert state(journal).state == "done"


def test_a_failed_run_is_tried_again_after_longer_and_longer_pauses(
    journal: Journal, other: Journal, clock: SetClock
) -> None:
    for attempt in range(1, MOST_ATTEMPTS):
        failed = journal.fail(claimed(journal), "no network")
        assert failed is not None
        assert (failed.state, failed.error, failed.attempts) == ("failed", "no network", attempt)
        clock.advance(PAUSE * 2 ** (attempt - 1) - 1.5)
        assert other.claim("tidy", "s1") is None
        clock.advance(1.5)
    run = claimed(other)
    assert run.attempts == MOST_ATTEMPTS
    other.fail(run, "still no network")
    clock.advance(10_000_000)
    assert journal.claim("tidy", "s1") is None
    assert state(journal).is_settled


def test_a_run_that_goes_well_at_last_has_no_error(journal: Journal, clock: SetClock) -> None:
    journal.fail(claimed(journal), "no network")
    clock.advance(PAUSE)
    done = journal.finish(claimed(journal), "fine")
    assert done is not None
    assert (done.error, done.retry_at, done.attempts) == (None, None, 2)


def test_a_slot_that_kills_its_workers_is_given_up(journal: Journal, clock: SetClock) -> None:
    for _ in range(MOST_ATTEMPTS):
        claimed(journal)
        clock.advance(60)
    assert journal.claim("tidy", "s1") is None
    assert state(journal).standing(journal.now) == "lost"


def test_runs_come_newest_first_page_by_page(journal: Journal) -> None:
    for number in range(5):
        journal.finish(claimed(journal, f"2026-01-0{number + 1}"), "ok")
    page = journal.runs("tidy", limit=3)
    rest = journal.runs("tidy", limit=3, cursor=page.cursor)
    assert [run.slot[-1] for run in page.items + rest.items] == ["5", "4", "3", "2", "1"]
    latest = journal.latest("tidy")
    assert latest is not None
    assert latest.slot == "2026-01-05"
    assert journal.latest("unknown") is None


def test_runs_expire_after_ninety_days(journal: Journal) -> None:
    journal.finish(claimed(journal), "x" * 5000)
    run = state(journal)
    assert run.expires_at == journal.now.replace(microsecond=0) + timedelta(days=90)
    assert run.result == "x" * 1000


@pytest.mark.parametrize("seed", range(4))
def test_however_many_answers_are_lost_a_slot_is_done_once(
    database: Database, clock: SetClock, seed: int
) -> None:
    journal = Journal(losing(database, 0.7, seed), clock, "w1", sleep=no_sleep)
    done: list[str] = []
    for slot in map(str, range(10)):
        for _ in range(4):
            try:
                run = journal.claim("tidy", slot)
                if run is not None:
                    done.append(slot)
                    journal.finish(run, "ok")
            except Unavailable:
                clock.advance(60)
    assert len(done) == len(set(done)) >= 5
