"""Jobs: which slots there are, and that each is run once."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, time, timedelta
from functools import partial
from time import monotonic, sleep
from typing import Any

import pytest

from hansang.backends.limits import Limited
from hansang.design import Database
from hansang.errors import Busy, Conflict, DesignError, NotFound
from hansang.parts import jobs
from hansang.parts.jobs import LONGEST_PROGRESS, Job, JobResult, JobRunner, job_topic, tell_progress
from hansang.parts.journal import JobRun, JobRunKey, Journal
from hansang.parts.schedules import Schedule
from hansang.parts.words import Words
from tests.parts.conftest import SetClock
from tests.parts.faults import losing
from tests.spoiling import spoil

TITLE = Words(ko="정리", en="Tidy")


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


def job(run: Callable[[JobRun], str | JobResult] = lambda run: "ok", **when: Any) -> Job:
    return Job(name="tidy", title=TITLE, run=run, **(when or {"schedule": Schedule.every(60)}))


def daily(run: Callable[[JobRun], str] = lambda run: "ok") -> Job:
    return job(run, schedule=Schedule.daily(time(9)))


class Notes:
    """A job's work that notes which slots it was done for."""

    def __init__(self) -> None:
        self.slots: list[str] = []

    def __call__(self, run: JobRun) -> str:
        self.slots.append(run.slot)
        return f"run {len(self.slots)}"


@pytest.fixture
def notes() -> Notes:
    return Notes()


@pytest.fixture
def runner_of(database: Database, clock: SetClock) -> Iterator[Callable[..., JobRunner]]:
    """Makes runners, and stops them at the end."""
    made: list[JobRunner] = []

    def make(*jobs: Job, worker: str = "w1", lease: float = 30.0) -> JobRunner:
        journal = Journal(database, clock, worker, lease=timedelta(seconds=lease))
        made.append(JobRunner(journal, jobs, poll=0.005))
        return made[-1]

    yield make
    for runner in made:
        assert runner.stop(60)


def eventually(true: Callable[[], bool]) -> None:
    """Wait until something is so."""
    end = monotonic() + 60
    while not true():
        assert monotonic() < end, "it did not come to be"
        sleep(0.005)


def has_done(runner: JobRunner, count: int) -> bool:
    runs = runner.runs("tidy", limit=100)
    return len(runs) == count and all(run.state == "done" for run in runs)


def due(runner: JobRunner) -> list[str]:
    return [slot for _, slot in runner.due()]


# ── slots ─────────────────────────────────────────────────────────────────────────────────────────


def test_a_slot_of_so_many_seconds_begins_at_a_multiple_of_them() -> None:
    schedule = Schedule.every(300)
    now = at("2026-11-15T08:24:59.9+00:00")
    assert schedule.slot(now) == "2026-11-15T08:20:00Z"
    assert schedule.slot(schedule.next_after(now)) == "2026-11-15T08:25:00Z"


@pytest.mark.parametrize(
    ("now", "slot"),
    [
        ("2026-11-15T08:59:59+09:00", "2026-11-14T00:00:00Z"),
        ("2026-11-15T09:00:00+09:00", "2026-11-15T00:00:00Z"),
        ("2026-11-15T23:59:00+09:00", "2026-11-15T00:00:00Z"),
        ("2026-11-16T00:30:00+09:00", "2026-11-15T00:00:00Z"),
    ],
)
def test_a_daily_slot_lasts_a_day_from_its_time_on(now: str, slot: str) -> None:
    assert daily().schedule.slot(at(now)) == slot


def test_a_daily_slot_keeps_its_hour_when_the_clocks_change() -> None:
    schedule = Schedule.daily(time(9), "Europe/Berlin")
    assert schedule.next_after(at("2026-03-28T12:00:00+01:00")) == at("2026-03-29T09:00:00+02:00")
    assert schedule.slot(at("2026-03-29T08:30:00+02:00")) == "2026-03-28T08:00:00Z"


def test_a_job_that_cannot_be_is_refused() -> None:
    with pytest.raises(DesignError, match="cannot be called"):
        Job(name="Tidy Up", title=TITLE, run=lambda run: "ok", schedule=Schedule.every(60))


# ── what is due ───────────────────────────────────────────────────────────────────────────────────


def test_a_slot_is_due_until_it_is_done(
    runner_of: Callable[..., JobRunner], clock: SetClock, database: Database
) -> None:
    runner = runner_of(daily())
    journal = Journal(database, clock, "another")
    [slot] = due(runner)
    run = journal.claim("tidy", slot)
    assert run is not None
    assert due(runner) == []
    journal.finish(run, "ok")
    assert due(runner) == []
    clock.advance(86_400)
    assert len(due(runner)) == 1


@pytest.mark.parametrize("schedule", ["every 3600", "daily 09:00", "weekly SAT 09:00", "monthly 31 09:00"])
def test_of_slots_that_were_missed_the_latest_is_run_and_no_other(
    runner_of: Callable[..., JobRunner], clock: SetClock, notes: Notes, schedule: str
) -> None:
    runner = runner_of(job(notes, schedule=Schedule.parse(schedule)))
    runner.start()
    eventually(partial(has_done, runner, 1))
    runner.stop()
    clock.advance(200 * 86_400)
    latest = Schedule.parse(schedule).slot(datetime.fromtimestamp(clock.now, UTC))
    assert due(runner) == [latest]
    runner.start()
    eventually(lambda: due(runner) == [])
    eventually(partial(has_done, runner, 2))
    assert notes.slots[1:] == [latest]


def test_the_slot_of_a_dead_worker_comes_back_before_the_next_one(
    runner_of: Callable[..., JobRunner], clock: SetClock, database: Database, notes: Notes
) -> None:
    runner = runner_of(job(notes))
    [slot] = due(runner)
    assert Journal(database, clock, "dead").claim("tidy", slot) is not None
    assert due(runner) == []
    clock.advance(90)
    assert due(runner) == [slot]
    runner.start()
    eventually(lambda: len(notes.slots) == 2)
    assert notes.slots[0] == slot != notes.slots[1]


def test_a_job_does_not_overtake_itself(
    runner_of: Callable[..., JobRunner], clock: SetClock, database: Database
) -> None:
    runner = runner_of(job())
    journal = Journal(database, clock, "slow")
    run = journal.claim("tidy", due(runner)[0])
    assert run is not None
    clock.advance(20)
    journal.beat(run)
    clock.advance(29)
    journal.beat(run)
    clock.advance(29)
    assert due(runner) == []
    journal.finish(run, "ok")
    assert len(due(runner)) == 1


def test_a_job_that_failed_is_due_again_later(
    runner_of: Callable[..., JobRunner], clock: SetClock, caplog: pytest.LogCaptureFixture
) -> None:
    runner = runner_of(daily(broken))
    with caplog.at_level(logging.CRITICAL, logger="hansang.jobs"):
        runner.start()
        eventually(lambda: any(run.state == "failed" for run in runner.runs("tidy")))
        runner.stop()
    [run] = runner.runs("tidy")
    assert (run.error, run.attempts) == ("ValueError: no network", 1)
    assert due(runner) == []
    clock.advance(31)
    assert due(runner) == [run.slot]


# ── running ───────────────────────────────────────────────────────────────────────────────────────


def test_a_due_job_is_run_and_written_down(runner_of: Callable[..., JobRunner], notes: Notes) -> None:
    runner = runner_of(job(notes))
    runner.start()
    eventually(lambda: any(run.state == "done" for run in runner.runs("tidy")))
    [run] = runner.runs("tidy")
    assert (run.result, run.slot, run.worker) == ("run 1", notes.slots[0], "w1")


def test_each_slot_is_run_once_however_many_workers_there_are(
    runner_of: Callable[..., JobRunner], clock: SetClock, notes: Notes
) -> None:
    runners = [runner_of(job(notes), worker=f"w{number}") for number in range(4)]
    for runner in runners:
        runner.start()
    for count in range(1, 6):
        eventually(partial(has_done, runners[0], count))
        clock.advance(60)
    eventually(partial(has_done, runners[0], 6))
    assert len(set(notes.slots)) == len(notes.slots) == 6


def test_a_long_run_keeps_its_lease(
    runner_of: Callable[..., JobRunner], clock: SetClock, database: Database
) -> None:
    go_on = threading.Event()

    def patient(run: JobRun) -> str:
        go_on.wait(60)
        return "at last"

    runner = runner_of(daily(patient), lease=2.0)
    runner.start()
    eventually(lambda: len(runner.runs("tidy")) == 1)
    first = runner.runs("tidy").items[0].lease_until
    clock.advance(1.9)
    eventually(lambda: runner.runs("tidy").items[0].lease_until > first)
    go_on.set()
    eventually(lambda: runner.runs("tidy").items[0].result == "at last")


def test_stopping_waits_for_what_has_begun_and_begins_nothing(
    runner_of: Callable[..., JobRunner], clock: SetClock
) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def patient(run: JobRun) -> str:
        begun.set()
        go_on.wait(60)
        return "whole"

    runner = runner_of(job(patient))
    runner.start()
    assert begun.wait(60)
    assert not runner.stop(0.01)
    clock.advance(600)
    go_on.set()
    assert runner.stop(60)
    assert [run.result for run in runner.runs("tidy")] == ["whole"]


def test_lost_answers_do_not_run_a_slot_twice(database: Database, clock: SetClock, notes: Notes) -> None:
    journal = Journal(losing(database, 0.4), clock, "w1", sleep=lambda seconds: None)
    runner = JobRunner(journal, [job(notes)], poll=0.005)
    runner.start()
    for count in range(1, 8):
        eventually(partial(has_done, runner, count))
        clock.advance(60)
    assert runner.stop(60)
    assert len(set(notes.slots)) == len(notes.slots)


# ── by somebody else's timer ──────────────────────────────────────────────────────────────────────


def broken(run: JobRun) -> str:
    raise ValueError("no network")


def test_a_slot_that_a_timer_asks_for_is_run_once(
    runner_of: Callable[..., JobRunner], clock: SetClock, notes: Notes
) -> None:
    runner = runner_of(daily(notes))
    moment = datetime.fromtimestamp(clock.now, UTC)
    first = runner.run_slot("tidy", moment)
    clock.advance(86_400)
    again = runner.run_slot("tidy", moment)
    assert (first.state, again) == ("done", first)
    assert runner.run_slot("tidy").slot > first.slot
    assert len(notes.slots) == 2


def test_a_slot_that_failed_is_tried_again_when_it_is_due(
    runner_of: Callable[..., JobRunner], clock: SetClock, caplog: pytest.LogCaptureFixture
) -> None:
    runner = runner_of(daily(broken))
    with caplog.at_level(logging.CRITICAL, logger="hansang.jobs"):
        assert runner.run_slot("tidy").state == "failed"
        with pytest.raises(Busy, match="not due again yet"):
            runner.run_slot("tidy")
        for attempts in range(2, 6):
            clock.advance(600)
            assert runner.run_slot("tidy").attempts == attempts
    clock.advance(600)
    given_up = runner.run_slot("tidy")
    assert (given_up.state, given_up.attempts) == ("failed", 5)


def test_a_slot_that_is_under_way_is_left_to_its_worker(
    runner_of: Callable[..., JobRunner], clock: SetClock, database: Database, notes: Notes
) -> None:
    runner = runner_of(job(notes))
    running = Journal(database, clock, "another", lease=timedelta(hours=1)).claim("tidy", due(runner)[0])
    assert runner.run_slot("tidy") == running
    clock.advance(60)
    with pytest.raises(Busy, match="still running"):
        runner.run_slot("tidy")
    assert notes.slots == []


def test_a_slot_whose_end_cannot_be_written_is_asked_for_again(
    runner_of: Callable[..., JobRunner], clock: SetClock, notes: Notes
) -> None:
    def outlived(run: JobRun) -> str:
        if not notes.slots:
            clock.advance(31)
            assert other.run_slot("tidy").state == "done"
        return notes(run)

    other = runner_of(daily(notes), worker="w2")
    with pytest.raises(Busy, match="not written down"):
        runner_of(daily(outlived)).run_slot("tidy")
    assert runner_of(daily(outlived)).run_slot("tidy").worker == "w2"


def test_the_numbers_of_a_result_are_kept(runner_of: Callable[..., JobRunner]) -> None:
    counting = job(schedule=Schedule.every(60), run=lambda run: JobResult("3 of 4", {"kept": 3}))
    run = runner_of(counting).run_slot("tidy")
    assert (run.result, run.counts) == ("3 of 4", {"kept": 3})


# ── by hand ───────────────────────────────────────────────────────────────────────────────────────


def test_a_job_can_be_run_out_of_turn(runner_of: Callable[..., JobRunner], notes: Notes) -> None:
    runner = runner_of(job(notes))
    run = runner.run_now("tidy")
    assert (run.state, run.result) == ("done", "run 1")
    assert len(due(runner)) == 1


def test_a_run_out_of_turn_is_the_latest_whatever_the_day_is_in_the_zone_of_the_job(
    runner_of: Callable[..., JobRunner], clock: SetClock
) -> None:
    clock.now = at("2026-11-16T00:30:00+09:00").timestamp()
    runner = runner_of(job(schedule=Schedule.daily(time(0, 5))))
    runner.run_slot("tidy")
    by_hand = runner.run_now("tidy")
    [state] = runner.states()
    assert state.latest == by_hand


def test_a_run_out_of_turn_says_how_it_failed(
    runner_of: Callable[..., JobRunner], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.CRITICAL, logger="hansang.jobs"):
        run = runner_of(job(broken)).run_now("tidy")
    assert (run.state, run.error) == ("failed", "ValueError: no network")


def test_a_run_out_of_turn_need_not_be_waited_for(runner_of: Callable[..., JobRunner]) -> None:
    go_on = threading.Event()

    def patient(run: JobRun) -> str:
        go_on.wait(60)
        return "done"

    runner = runner_of(job(patient))
    assert runner.run_now("tidy", wait=False).state == "running"
    with pytest.raises(Busy, match="running already"):
        runner.run_now("tidy")
    go_on.set()
    eventually(lambda: runner.runs("tidy").items[0].state == "done")


def test_an_unknown_job_is_not_found(runner_of: Callable[..., JobRunner]) -> None:
    runner = runner_of(job())
    for ask in (runner.run_now, runner.runs, runner.get):
        with pytest.raises(NotFound, match="There are: tidy"):
            ask("untidy")


def test_the_state_of_a_job_is_its_latest_run_and_its_next_slot(
    runner_of: Callable[..., JobRunner], clock: SetClock
) -> None:
    runner = runner_of(job())
    [state] = runner.states()
    assert state.latest is None
    run = runner.run_now("tidy")
    [state] = runner.states()
    assert state.latest is not None
    assert state.latest.slot == run.slot
    assert timedelta(0) < state.next_at - datetime.fromtimestamp(clock.now, UTC) <= timedelta(seconds=60)


# ── what cannot be read ───────────────────────────────────────────────────────────────────────────


def test_a_run_that_cannot_be_read_stops_its_own_job_alone(
    runner_of: Callable[..., JobRunner], database: Database, clock: SetClock
) -> None:
    other = Job(
        name="other", title=Words("다른 일", "Other"), run=lambda run: "ok", schedule=Schedule.every(600)
    )
    runner = runner_of(job(schedule=Schedule.every(600)), other)
    first = next(iter(runner.jobs))
    good = runner.run_now(first)
    clock.advance(700)
    bad = runner.run_now(first)
    spoil(database, JobRunKey(name=first, slot=bad.slot), worker=None)
    assert [each.name for each, _ in runner.due()] == ["other"]
    [state, _] = runner.states()
    assert state.latest is not None
    assert (state.latest.slot, [each.kind for each in state.unreadable]) == (good.slot, [JobRun])


# ── what is published ─────────────────────────────────────────────────────────────────────────────


def published_by(database: Database, clock: SetClock, run: Callable[[JobRun], str]) -> list[dict[str, Any]]:
    """What a runner publishes while it runs a job once."""
    messages: list[dict[str, Any]] = []

    def publish(topic: str, message: Mapping[str, Any], *, at_once: bool = False) -> None:
        messages.append({"topic": topic, "at_once": at_once, **message})

    JobRunner(Journal(database, clock, "w1"), [job(run)], publish=publish).run_now("tidy")
    return messages


def test_a_run_is_told_from_its_start_to_its_end(database: Database, clock: SetClock) -> None:
    def work(run: JobRun) -> str:
        tell_progress(Words("둘 중 하나", "1 of 2"))
        tell_progress(Words("둘" + "." * 500, "2 of 2" + "." * 500))
        return "ok"

    messages = published_by(database, clock, work)
    assert {each["topic"] for each in messages} == {job_topic("tidy")} == {"platform.job.tidy"}
    said = [{name: text[:6] for name, text in each["progress"].items()} for each in messages]
    assert said == [{}, {"ko": "둘 중 하나", "en": "1 of 2"}, {"ko": "둘.....", "en": "2 of 2"}, {}]
    stood = [(each["state"], each["at_once"]) for each in messages]
    assert stood == [("running", True), ("running", False), ("running", False), ("done", True)]
    assert {len(text) for text in messages[2]["progress"].values()} == {LONGEST_PROGRESS}


def test_the_end_of_a_run_that_failed_is_told(database: Database, clock: SetClock) -> None:
    def work(run: JobRun) -> str:
        raise ValueError("no")

    assert [each["state"] for each in published_by(database, clock, work)] == ["running", "failed"]


def test_progress_outside_of_a_job_is_told_to_nobody(database: Database, clock: SetClock) -> None:
    assert len(published_by(database, clock, lambda run: "ok")) == 2
    tell_progress(Words("아무도", "nobody asks"))


# ── stopping ──────────────────────────────────────────────────────────────────────────────────────


def _goes_on(run: JobRun) -> str:
    """Take steps until somebody says that it is enough."""
    for number in range(1_000_000):
        tell_progress(Words(f"{number}", f"step {number}"))
        threading.Event().wait(0.001)
    return "done by itself"


def test_a_run_is_stopped_by_another_process_at_its_next_step(
    runner_of: Callable[..., JobRunner], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "STOP_POLL", 0.005)
    working, asking = runner_of(job(_goes_on)), runner_of(job(_goes_on), worker="w2")
    working.run_now("tidy", wait=False)
    assert asking.stop_run("tidy").stop_asked_at is not None
    eventually(lambda: asking.runs("tidy").items[0].state == "stopped")
    stopped = asking.runs("tidy").items[0]
    assert stopped.is_settled
    assert stopped.finished_at is not None
    assert stopped.error is None


def test_a_stopped_run_is_not_tried_again_and_the_next_slot_runs(
    runner_of: Callable[..., JobRunner], clock: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "STOP_POLL", 0.005)
    runner = runner_of(job(_goes_on))
    [(_, slot)] = runner.due()
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(runner.run_slot, "tidy")
        eventually(lambda: bool(runner.runs("tidy").items))
        runner.stop_run("tidy")
        assert running.result(60).state == "stopped"
    assert due(runner) == []
    clock.now += 60
    assert due(runner) not in ([], [slot])


def test_only_a_run_that_goes_on_can_be_stopped(runner_of: Callable[..., JobRunner]) -> None:
    runner = runner_of(job())
    with pytest.raises(Conflict, match="The job tidy is not running"):
        runner.stop_run("tidy")
    runner.run_now("tidy")
    with pytest.raises(Conflict, match="The job tidy is not running"):
        runner.stop_run("tidy")


def test_a_job_that_is_stopped_can_still_clean_up(
    database: Database, clock: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What ends its work is raised once, by the first call that it makes; those that follow are answered."""
    monkeypatch.setattr(jobs, "STOP_POLL", 0.005)
    limited = Limited(database.backend)
    tidied = threading.Event()

    def walk(run: JobRun) -> str:
        try:
            while True:
                limited.call("ListTables", {})
        finally:
            limited.call("ListTables", {})
            tidied.set()

    runner = JobRunner(Journal(database, clock, "w1"), [job(walk)])
    runner.run_now("tidy", wait=False)
    runner.stop_run("tidy")
    eventually(lambda: runner.runs("tidy").items[0].state == "stopped")
    assert tidied.is_set()
    assert runner.stop(60)
