"""The commands on jobs: what the server does by itself, how it went, and doing it now."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from typing import Annotated, Any

import typer

from hansang.parts.history import Actor
from hansang.parts.jobs import JobState
from hansang.parts.journal import JobRun
from hansang.parts.permissions import PLATFORM
from hansang.parts.timestamps import to_datetime
from hansang.settings import ServerSettings
from hansang.surfaces.cli import exit_codes
from hansang.surfaces.cli.operators import operator
from hansang.surfaces.cli.support import (
    AsJson,
    Place,
    new_group,
    print_json,
    print_rows,
    tell_unreadable,
    with_examples,
)
from hansang.surfaces.shell import Shell

group = new_group("What the server does by itself.")

Name = Annotated[str, typer.Argument(metavar="NAME", help="The job, see hansang jobs list.")]


_command = partial(with_examples, group)


@contextmanager
def _open(place: str | None) -> Iterator[Shell]:
    """The shell at a place, without running the jobs that are due."""
    # The server takes a while to import, and the other commands do without it.
    from hansang.wiring import open_shell

    with open_shell(ServerSettings.chosen({"data": place, "jobs": False})) as shell:
        yield shell


@_command(
    """\
  hansang jobs list
  hansang jobs list --data aws:ap-northeast-2 --json""",
    "list",
)
def list_jobs(data: Place = None, as_json: AsJson = False) -> None:
    """List the jobs, with their last result and their next run."""
    with _open(data) as shell:
        states, now = shell.jobs.states(), to_datetime(shell.clock())
    if as_json:
        print_json([_plain_state(each, now) for each in states])
    elif not states:
        typer.echo("There are no jobs.")
    else:
        columns = ["name", "title", "when", "last", "state", "result", "next"]
        print_rows(columns, [_row(each, now) for each in states])
    tell_unreadable([bad for each in states for bad in each.unreadable], "platform", data)


@_command("""\
  hansang jobs run news-poll
  hansang jobs run news-poll --json""")
def run(name: Name, data: Place = None, as_json: AsJson = False) -> None:
    """Run a job now, here, and wait until it is done. Exit code 1 if it fails."""
    with _open(data) as shell:
        done = shell.jobs.run_now(name)
        shell.history.record(Actor.of(operator()), PLATFORM, "Job", name, "run")
        now = to_datetime(shell.clock())
    if as_json:
        print_json(_plain(done, now))
    else:
        typer.echo(f"{done.name} {done.standing(now)}: {_outcome(done)}")
    if done.state != "done":
        raise typer.Exit(exit_codes.FAILED)


@_command("""\
  hansang jobs stop news-poll""")
def stop(name: Name, data: Place = None) -> None:
    """Have the run of a job that goes on end at its next step, in whichever process it is."""
    with _open(data) as shell:
        marked = shell.jobs.stop_run(name)
        shell.history.record(Actor.of(operator()), PLATFORM, "Job", name, "stop")
    typer.echo(f"{name} ends at its next step: {marked.slot}, worker {marked.worker}.")


@_command("""\
  hansang jobs runs news-poll
  hansang jobs runs news-poll --limit 100 --json""")
def runs(
    name: Name,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many, the newest first.")] = 20,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """List the runs of a job, the newest first. They are kept for 90 days."""
    with _open(data) as shell:
        found, now = shell.jobs.runs(name, limit), to_datetime(shell.clock())
    if as_json:
        print_json([_plain(each, now) for each in found])
    elif not found:
        typer.echo(f"{name} has not run yet.")
    else:
        columns = ["slot", "state", "attempts", "began", "took", "worker", "result"]
        print_rows(columns, [_run_row(each, now) for each in found])
    tell_unreadable(found.unreadable, "platform", data)


def _row(state: JobState, now: datetime) -> tuple[object, ...]:
    job, latest = state.job, state.latest
    last = (
        (None, None, None) if latest is None else (latest.claimed_at, latest.standing(now), _outcome(latest))
    )
    return job.name, job.title.en, job.schedule.words.en, *last, state.next_at


def _run_row(run: JobRun, now: datetime) -> tuple[object, ...]:
    took = None if run.took_ms is None else f"{run.took_ms / 1000:.1f} s"
    return run.slot, run.standing(now), run.attempts, run.claimed_at, took, run.worker, _outcome(run)


def _outcome(run: JobRun) -> str:
    return run.error or run.result or "-"


def _plain_state(state: JobState, now: datetime) -> dict[str, Any]:
    job = state.job
    return {
        "name": job.name,
        "title": {"ko": job.title.ko, "en": job.title.en},
        "area": job.area,
        "schedule": {"ko": job.schedule.words.ko, "en": job.schedule.words.en},
        **job.schedule.parts,
        "next_at": state.next_at,
        "latest": None if state.latest is None else _plain(state.latest, now),
    }


def _plain(run: JobRun, now: datetime) -> dict[str, Any]:
    return {
        "name": run.name,
        "slot": run.slot,
        "state": run.standing(now),
        "attempts": run.attempts,
        "worker": run.worker,
        "claimed_at": run.claimed_at,
        "finished_at": run.finished_at,
        "took_ms": run.took_ms,
        "result": run.result,
        "counts": run.counts,
        "error": run.error,
        "retry_at": run.retry_at,
    }
