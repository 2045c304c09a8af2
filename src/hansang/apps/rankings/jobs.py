"""What the rankings do by themselves."""

from __future__ import annotations

from datetime import date, time

from hansang.apps.rankings.background import JOB, words_of_step
from hansang.apps.rankings.service import Rankings
from hansang.apps.rankings.settings import RankingsSettings
from hansang.clock import Clock
from hansang.design import Database
from hansang.errors import Busy
from hansang.parts.jobs import Job, JobResult, ending, tell_progress
from hansang.parts.journal import JobRun
from hansang.parts.schedules import Schedule
from hansang.parts.topics import Topics
from hansang.parts.words import Words

AREA = "rankings"


def jobs(database: Database, clock: Clock, settings: RankingsSettings) -> tuple[Job, ...]:
    """Days that wait are imported, all players compared, erasures go on, and snapshots are taken if a time is set."""
    publish = Topics(database, clock).publish
    rankings = Rankings(database, clock, pace=settings.pace or None, publish=publish)

    def go_on(run: JobRun) -> JobResult:
        count = rankings.privacy.go_on()
        rankings.sent.delete_old()
        return JobResult(f"{count:,} erasures", {"erasures": count})

    def work(run: JobRun) -> JobResult:
        return imported(rankings)

    def compare(run: JobRun) -> JobResult:
        count = rankings.movement.keep(lambda step, rows: tell_progress(words_of_step(step, rows)))
        return JobResult(f"{count} comparisons", {"comparisons": count})

    def take(run: JobRun) -> JobResult:
        return taken(rankings)

    nightly = Job(
        name="rankings-erasures",
        title=Words("중단된 유저 삭제 이어서 하기", "Resume interrupted erasures"),
        run=go_on,
        schedule=Schedule.daily(time(4, 30)),
        area=AREA,
    )
    waiting = Job(
        name=JOB,
        title=Words("올린 하루 가져오기와 되돌리기", "Import uploaded days, and roll back"),
        run=work,
        schedule=Schedule.every(300),
        area=AREA,
        is_wanted=rankings.background.is_wanted,
    )
    moving = Job(
        name="rankings-movers",
        title=Words("전체 유저의 변동 비교", "Compare all players with earlier days"),
        run=compare,
        schedule=Schedule.every(300),
        area=AREA,
        is_wanted=rankings.movement.is_wanted,
    )
    if settings.snapshot_at is None:
        return nightly, waiting, moving
    title = Words("오늘의 기록 저장", "Take the snapshot of the day")
    return (
        Job(name="rankings-snapshot", title=title, run=take, schedule=settings.snapshot_at, area=AREA),
        nightly,
        waiting,
        moving,
    )


def imported(rankings: Rankings) -> JobResult:
    """The days that wait, one after the other; when the server ends, another goes on with what is left."""
    stop, days = ending(), list[date]()
    while not stop.is_set() and (day := rankings.background.work_next(stop)) is not None:
        days.append(day)
    if stop.is_set() and rankings.background.is_wanted():
        raise Busy("The server ended before every day was imported. The rest is imported when it is back.")
    return JobResult(f"{len(days)} days", {"days": len(days)})


def taken(rankings: Rankings) -> JobResult:
    """The snapshot of today in Seoul, told as it goes on."""
    done = 0

    def progress(count: int) -> None:
        nonlocal done
        done += count
        tell_progress(Words(f"플레이어 {done:,}명", f"{done:,} players"))

    day = rankings.snapshots.take(
        progress=progress, tell=lambda step, rows: tell_progress(words_of_step(step, rows))
    )
    counts = {
        "players": day.players,
        "mismatches": day.level_mismatches + day.power_mismatches,
        "rejected": day.rejected,
    }
    return JobResult(f"{day.day}: {day.players:,} players", counts)
