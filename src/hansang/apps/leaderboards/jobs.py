"""What the leaderboards do by themselves."""

from __future__ import annotations

from hansang.apps.leaderboards.background import keep_counting
from hansang.apps.leaderboards.boards import GameBoards
from hansang.apps.leaderboards.service import Leaderboards
from hansang.apps.leaderboards.settings import LeaderboardsSettings
from hansang.clock import Clock
from hansang.design import Database
from hansang.parts.jobs import Job, JobResult, ending
from hansang.parts.journal import JobRun
from hansang.parts.schedules import Schedule
from hansang.parts.topics import Topics
from hansang.parts.words import Words

AREA = "leaderboards"
LATE = 1000
"""So many fan-outs that still wait after a repair are worth an alarm."""


def jobs(database: Database, clock: Clock, settings: LeaderboardsSettings) -> tuple[Job, ...]:
    """Scores of every board are counted while plays come in, and what was broken off is mended."""
    publish = Topics(database, clock).publish
    every = GameBoards(database, clock, settings, publish=publish).each()
    return tuple(job for boards in every for job in _jobs(boards))


def _jobs(boards: Leaderboards) -> tuple[Job, Job]:
    of_board, called = (f"{boards.board}-", f" ({boards.board})") if boards.board else ("", "")

    def count(run: JobRun) -> JobResult:
        counted, told = keep_counting(boards, ending())
        return JobResult(f"{counted:,} scores, {told:,} fan-outs", {"scores": counted, "fan_outs": told})

    def mend(run: JobRun) -> JobResult:
        for player in list(boards.operating.ended()):
            boards.operating.restore(player)
        erased, hidden = boards.erasing.go_on(), boards.operating.go_on()
        done = boards.settle(ending().is_set)
        waiting = boards.fan_outs.backlog()
        if waiting >= LATE:
            boards.alarms.tell("fan-out-backlog", {"waiting": waiting})
        counts = {"changes": done, "erasures": erased, "hidden": hidden, "waiting": waiting}
        return JobResult(f"{done:,} changes", counts)

    return (
        Job(
            name=f"leaderboards-{of_board}live",
            title=Words(f"점수 집계와 친구 순위 전달{called}", f"Count scores and tell friends{called}"),
            run=count,
            schedule=Schedule.every(5),
            area=AREA,
            is_wanted=boards.has_uncounted,
        ),
        Job(
            name=f"leaderboards-{of_board}repair",
            title=Words(f"중단된 집계와 전달 이어서 하기{called}", f"Resume interrupted counting{called}"),
            run=mend,
            schedule=Schedule.every(600),
            area=AREA,
        ),
    )
