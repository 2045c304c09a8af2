"""What the leaderboards do by themselves."""

from __future__ import annotations

from hansang.apps.leaderboards.background import JOB, keep_counting
from hansang.apps.leaderboards.service import Leaderboards
from hansang.apps.leaderboards.settings import LeaderboardsSettings
from hansang.clock import Clock
from hansang.design import Database
from hansang.parts.jobs import Job, JobResult, ending
from hansang.parts.journal import JobRun
from hansang.parts.schedules import Schedule
from hansang.parts.words import Words

AREA = "leaderboards"


def jobs(database: Database, clock: Clock, settings: LeaderboardsSettings) -> tuple[Job, ...]:
    """Scores are counted while plays come in, and what was broken off is mended."""
    boards = Leaderboards(database, clock, settings)

    def count(run: JobRun) -> JobResult:
        counted, told = keep_counting(boards, ending())
        return JobResult(f"{counted:,} scores, {told:,} fan-outs", {"scores": counted, "fan_outs": told})

    def mend(run: JobRun) -> JobResult:
        done = boards.settle(ending().is_set)
        return JobResult(f"{done:,} changes", {"changes": done})

    return (
        Job(
            name=JOB,
            title=Words("점수 집계와 친구 순위 전달", "Count scores and tell friends"),
            run=count,
            schedule=Schedule.every(5),
            area=AREA,
            is_wanted=boards.has_uncounted,
        ),
        Job(
            name="leaderboards-repair",
            title=Words("중단된 집계와 전달 이어서 하기", "Go on with counting that was broken off"),
            run=mend,
            schedule=Schedule.every(3600),
            area=AREA,
        ),
    )
