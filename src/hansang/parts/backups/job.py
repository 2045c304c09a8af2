"""The job that makes backups, and how it stands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

from hansang.engine.backup import COPY
from hansang.engine.inspection import INDEXES, ITEMS, PAGES
from hansang.parts.backups.backups import Backups
from hansang.parts.backups.retention import Retention
from hansang.parts.jobs import Job, JobResult, JobRunner, JobState, tell_progress
from hansang.parts.journal import JobRun
from hansang.parts.schedules import Schedule
from hansang.parts.words import Words

BACKUP = "backup"
"""The name of the job."""


def backup_job(backups: Backups, schedule: Schedule, retention: Retention) -> Job:
    """Makes a backup at every slot, tries it out, and then deletes those that need not be kept."""
    return Job(
        name=BACKUP,
        title=Words("백업", "Back up the data"),
        run=_work(backups, ZoneInfo(schedule.zone), retention),
        schedule=schedule,
    )


def _work(backups: Backups, zone: ZoneInfo, retention: Retention) -> Callable[[JobRun], JobResult]:
    def run(_: JobRun) -> JobResult:
        made = backups.make(_progress)
        kept, deleted = backups.thin_out(retention, zone, made.name)
        size, items = made.contents.size_bytes, made.contents.items
        text = f"{made.name} in {backups.place}: {items:,} items, {size:,} bytes; {kept:,} kept, {deleted:,} deleted"
        return JobResult(text, {"bytes": size, "items": items, "kept": kept, "deleted": deleted})

    return run


_STEPS = {COPY: "복사", PAGES: "페이지 확인", ITEMS: "아이템 확인", INDEXES: "인덱스 확인"}
"""What the steps are called in Korean."""


def _progress(step: str, done: int, total: int) -> None:
    share = f" {done / total:.0%}" if total else ""
    tell_progress(Words(f"{_STEPS.get(step, step)}{share}", f"{step}{share}"))


@dataclass(frozen=True, slots=True)
class BackupStatus:
    """How the backups stand."""

    state: JobState
    last_good: JobRun | None
    health: Literal["good", "running", "failed", "overdue", "none"]

    @property
    def size_bytes(self) -> int:
        return 0 if self.last_good is None else self.last_good.counts.get("bytes", 0)


def backup_status(jobs: JobRunner, now: datetime) -> BackupStatus | None:
    """How the backups stand; None where none are scheduled."""
    if BACKUP not in jobs.jobs:
        return None
    state, last_good = jobs.state(BACKUP), jobs.last_done(BACKUP)
    return BackupStatus(state, last_good, _health(state, last_good, now))


def _health(
    state: JobState, last_good: JobRun | None, now: datetime
) -> Literal["good", "running", "failed", "overdue", "none"]:
    standing = None if state.latest is None else state.latest.standing(now)
    if standing in ("failed", "lost"):
        return "failed"
    if standing == "running":
        return "running"
    if last_good is None:
        return "none"
    schedule = state.job.schedule
    slot_before = schedule.last_until(schedule.last_until(now) - timedelta(seconds=1))
    return "overdue" if last_good.claimed_at < slot_before else "good"
