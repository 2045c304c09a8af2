"""What whoever looks after the news sees first: what came in today, what waits, and the last run."""

from __future__ import annotations

from datetime import UTC
from typing import Any

from hansang.apps.news.design import Run
from hansang.apps.news.service import News
from hansang.clock import Clock
from hansang.design import Database
from hansang.parts.today import MOST_LINES, Today, TodayFigure, TodayLine, Tone

_LOOKED_AT = 50
"""How many of the newest runs are looked at for alarms."""


def today(database: Database, clock: Clock, settings: Any) -> Today:
    """Links loaded today, articles that wait, alarms of today's runs, and the last runs."""
    news = News(database, clock)
    day, counts = news.today, news.queue.counts()
    loaded = sum(each.inserted for each in news.reading.days(day, day))
    runs = list(news.reading.runs(day.strftime("%Y-%m"), _LOOKED_AT).items)
    alarms = sum(1 for each in runs if each.alarms and each.uploaded_at.astimezone(UTC).date() == day)
    return Today(
        "news.today.about",
        {"day": day},
        (
            TodayFigure("news.today.loaded", loaded, href="/news"),
            TodayFigure("news.today.waiting", counts.waiting, href="/news/queue"),
            TodayFigure("news.today.alarms", alarms, tone="warn" if alarms else "good", href="/news/runs"),
        ),
        tuple(_line(each) for each in runs[:MOST_LINES]),
        nothing="news.today.nothing",
    )


def _line(run: Run) -> TodayLine:
    tone: Tone = "plain" if run.run_state == "finished" else "warn"
    return TodayLine(
        run.source,
        run.uploaded_at,
        badge=f"news.run_state.{run.run_state}",
        tone=tone,
        href=f"/news/runs/{run.id}",
    )
