"""What the news list does by itself."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta

from hansang.apps.news.service import News
from hansang.clock import Clock
from hansang.design import Database
from hansang.parts.jobs import Job
from hansang.parts.journal import JobRun
from hansang.parts.words import Words


def jobs(database: Database, clock: Clock) -> tuple[Job, ...]:
    """Every night yesterday and today are mended, after runs that died and were not resumed."""

    def mend(run: JobRun) -> str:
        today = datetime.fromtimestamp(clock(), UTC).date()
        found = dict(News(database, clock).mend(today - timedelta(days=1), today))
        return f"{sum(found.values()):,} links of {len(found)} days"

    title = Words("적재 기록 바로잡기", "Repair counts and tickers")
    return (Job(name="news-mend", title=title, run=mend, daily_at=time(0, 20, tzinfo=UTC), area="news"),)
