"""What the rankings do by themselves."""

from __future__ import annotations

from datetime import time

from hansang.apps.rankings.service import Rankings
from hansang.apps.rankings.settings import RankingsSettings
from hansang.clock import Clock
from hansang.design import Database
from hansang.parts.jobs import Job, JobResult, tell_progress
from hansang.parts.journal import JobRun
from hansang.parts.schedules import Schedule
from hansang.parts.words import Words

AREA = "rankings"


def jobs(database: Database, clock: Clock, settings: RankingsSettings) -> tuple[Job, ...]:
    """Erasures that were broken off go on every night, and snapshots are taken if a time is set."""
    rankings = Rankings(database, clock, pace=settings.pace or None)

    def go_on(run: JobRun) -> JobResult:
        count = rankings.privacy.go_on()
        return JobResult(f"{count:,} erasures", {"erasures": count})

    def take(run: JobRun) -> JobResult:
        return taken(rankings)

    nightly = Job(
        name="rankings-erasures",
        title=Words("중단된 유저 삭제 이어서 하기", "Go on with erasures that were broken off"),
        run=go_on,
        schedule=Schedule.daily(time(4, 30)),
        area=AREA,
    )
    if settings.snapshot_at is None:
        return (nightly,)
    title = Words("오늘의 기록 저장", "Take the snapshot of the day")
    return (
        Job(name="rankings-snapshot", title=title, run=take, schedule=settings.snapshot_at, area=AREA),
        nightly,
    )


def taken(rankings: Rankings) -> JobResult:
    """The snapshot of today in Seoul, told as it goes on."""
    done = 0

    def progress(count: int) -> None:
        nonlocal done
        done += count
        tell_progress(f"{done:,} players")

    day = rankings.snapshots.take(
        progress=progress, tell=lambda step, rows: tell_progress(f"{step}: {rows:,} players")
    )
    counts = {
        "players": day.players,
        "mismatches": day.level_mismatches + day.power_mismatches,
        "rejected": day.rejected,
    }
    return JobResult(f"{day.day}: {day.players:,} players", counts)
