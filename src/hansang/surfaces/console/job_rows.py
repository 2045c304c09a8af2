"""Jobs as pages show them: what each is, how its last run went, when the next one begins."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from hansang.design import Unreadable
from hansang.parts.jobs import Job, JobState
from hansang.parts.journal import JobRun
from hansang.parts.permissions import PLATFORM
from hansang.parts.timestamps import to_datetime
from hansang.surfaces.console.pages import Visit

TONES = {
    "done": "good",
    "failed": "bad",
    "running": "c-blue",
    "lost": "warn",
    "stopped": "warn",
    "never": "quiet",
}


@dataclass(frozen=True, slots=True)
class JobRow:
    """One job, ready to be shown."""

    job: Job
    title: str
    rhythm: str
    latest: JobRun | None
    standing: str
    next_at: datetime
    unreadable: list[Unreadable]

    @property
    def tone(self) -> str:
        return TONES[self.standing]


def job_rows(visit: Visit, area: str | None = None) -> list[JobRow]:
    """The jobs that whoever looks may know of, of one area or of all."""
    seen = (each for each in visit.shell.jobs.states() if area is None or each.job.area == area)
    return [_row(visit, each) for each in seen if _may_know(visit, each.job)]


def _may_know(visit: Visit, job: Job) -> bool:
    return visit.may(PLATFORM, "read") or visit.may(job.area, "read")


def standing_of(visit: Visit, run: JobRun | None) -> str:
    """How a run stands, in a word that has its own words and its own colour."""
    return "never" if run is None else run.standing(to_datetime(visit.shell.clock()))


def result_of(visit: Visit, job: Job, run: JobRun) -> str:
    """What came of a run: in the words of its job, which have the counts in them, or as the job has said it."""
    said = visit.console.wording.find(f"{job.area}.job.{job.name}", visit.language, **(run.counts or {}))
    return said if said is not None and run.result else run.result or ""


def _row(visit: Visit, state: JobState) -> JobRow:
    return JobRow(
        state.job,
        state.job.title.text(visit.language),
        state.job.schedule.words.text(visit.language),
        state.latest,
        standing_of(visit, state.latest),
        state.next_at,
        state.unreadable,
    )
