"""What the ledger does by itself: it ends months, and goes on with balances that are being worked out."""

from __future__ import annotations

from datetime import time

from hansang.apps.assets.cascade import is_marked
from hansang.apps.assets.households import Households
from hansang.apps.assets.recording import AREA
from hansang.apps.assets.rules import month_before, months
from hansang.apps.assets.service import Assets
from hansang.apps.assets.settings import AssetsSettings
from hansang.clock import Clock
from hansang.design import Database
from hansang.parts.jobs import Job, JobResult, tell_progress
from hansang.parts.journal import JobRun
from hansang.parts.schedules import Schedule
from hansang.parts.words import Words


def jobs(database: Database, clock: Clock, settings: AssetsSettings) -> tuple[Job, ...]:
    """The end of each month in Seoul, and whatever a crash or a long correction has left."""
    households = Households(database, clock, settings)

    def close(run: JobRun) -> JobResult:
        done = [closed(assets) for assets in households.each()]
        counts = {name: sum(each.counts[name] for each in done) for name in ("months", "drifts")}
        return JobResult("; ".join(each.text for each in done), counts)

    def settle(run: JobRun) -> JobResult:
        lasts = [assets.cascade.go_on(None).last for assets in households.each()]
        return JobResult(f"balances are right until {max(filter(None, lasts), default=None)}")

    return (
        Job(
            name="assets-month-end",
            title=Words("지난달 마감", "Close last month"),
            run=close,
            schedule=Schedule.monthly(1, time(0, 10)),
            area=AREA,
        ),
        Job(
            name="assets-balances",
            title=Words("잔액 다시 계산하기", "Continue recalculating balances"),
            run=settle,
            schedule=Schedule.every(60),
            area=AREA,
            is_wanted=lambda: any(is_marked(assets.database) for assets in households.each()),
        ),
    )


def closed(assets: Assets) -> JobResult:
    """Every month that has ended in Seoul and is not closed yet, the oldest first; at least the last one."""
    last, book = month_before(assets.reading.this_month), assets.reading.book()
    if book.first is None or book.first > last:
        return JobResult("no month to close", {"months": 0, "drifts": 0})
    first = max(book.first, min(last, book.closed_through or book.first))
    drifts, count = 0, 0
    for month in months(first, last):
        tell_progress(Words(month, month))
        drifts, count = drifts + len(assets.checking.close(month)), count + 1
    return JobResult(f"{first} to {last}: {drifts:,} corrections", {"months": count, "drifts": drifts})
