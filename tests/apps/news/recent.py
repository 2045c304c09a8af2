"""The runs that began a moment ago, whatever the calendar has done since."""

from __future__ import annotations

from datetime import timedelta

from hansang.apps.news.design import Run
from hansang.apps.news.service import News
from hansang.design import Database


def recent_runs(database: Database, news: News) -> list[Run]:
    """The runs of this month, and of the one before if it was still that one yesterday."""
    months = sorted({f"{day:%Y-%m}" for day in (news.today, news.today - timedelta(days=1))}, reverse=True)
    return [run for month in months for run in database.all(Run.of_month(month))]
