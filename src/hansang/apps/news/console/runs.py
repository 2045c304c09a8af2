"""The runs: what each day of them brought, which ones want to be looked at, and one run with its lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import partial
from itertools import islice
from typing import Any

from starlette.responses import Response

from hansang.apps.news import reports
from hansang.apps.news.background import start
from hansang.apps.news.console.extents import extent_of
from hansang.apps.news.console.lines import context_of
from hansang.apps.news.console.links import AREA, news_of, page, run_path
from hansang.apps.news.design import AlarmCode, Run
from hansang.apps.news.reports import RunDay
from hansang.apps.news.runs import as_told, is_whole, run_topic
from hansang.apps.news.service import News
from hansang.design import Unreadable
from hansang.errors import InvalidInput
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, allowed

RUN_TONES = {"waiting": "quiet", "running": "c-blue", "finished": "good", "stopped": "warn"}
_DAYS = 30
_ON_A_PAGE = 25
_MOST_RUNS = 10_000
_MOST_ALARMS = 3
_MOST_COLLISIONS = 20
_LONG_AGO = timedelta(minutes=15)
_MONTH = re.compile(r"(19[7-9]\d|2\d{3})-(0[1-9]|1[0-2])").fullmatch


@dataclass(frozen=True, slots=True)
class Month:
    """A month of runs, and the ways to the ones beside it."""

    first: date
    before: str
    after: str | None

    @property
    def name(self) -> str:
        return f"{self.first:%Y-%m}"


def show(visit: Visit) -> Response:
    """The last month of runs by day, and the runs of a month one by one."""
    news = news_of(visit)
    since = news.today - timedelta(days=_DAYS - 1)
    unreadable: list[Unreadable] = []
    every_run = news.reading.each_run(since, news.today, unreadable=unreadable.append)
    recent = list(islice(every_run, _MOST_RUNS))
    days = reports.run_days(recent, since, news.today)
    month = _month(visit, news)
    runs = news.reading.runs(month.name, _ON_A_PAGE, visit.query("cursor") or None)
    collisions = news.reading.collisions(_MOST_COLLISIONS)
    context: dict[str, Any] = {
        "days": days,
        "chart": _chart(visit, days) if recent else None,
        "alarmed": [each for each in recent if each.alarms][:_MOST_ALARMS],
        "alarm_count": sum(1 for each in recent if each.alarms),
        "month": month,
        "runs": runs,
        "run_tones": RUN_TONES,
        "collisions": collisions.items,
        "unreadable": visit.named([*unreadable, *runs.unreadable, *collisions.unreadable]),
        "alarms_of": partial(_alarms, visit),
        "sums": {
            name: sum(getattr(each, name) for each in days)
            for name in ("runs", "inserted", "duplicate", "troubled")
        },
    }
    return page(visit, "runs.html", **context)


def _month(visit: Visit, news: News) -> Month:
    text, newest = visit.query("month"), news.today.replace(day=1)
    if text and not _MONTH(text):
        raise InvalidInput("A month looks like 2026-11.", "month", code="news.no-month")
    first = date.fromisoformat(f"{text}-01") if text else newest
    after = (first + timedelta(days=31)).replace(day=1)
    return Month(
        first,
        visit.link(month=f"{first - timedelta(days=1):%Y-%m}", cursor=None),
        visit.link(month=f"{after:%Y-%m}", cursor=None) if after <= newest else None,
    )


def _chart(visit: Visit, days: Sequence[RunDay]) -> dict[str, Any]:
    series = (("inserted", "blue"), ("duplicate", "grey"), ("troubled", "coral"))
    return {
        "type": "bars",
        "labels": [_label(visit, each.day, is_first=each is days[0]) for each in days],
        "full": [visit.formats.day(each.day) for each in days],
        "head": visit.t("news.day"),
        "series": [
            {
                "key": key,
                "name": visit.t(f"news.runs.{key}"),
                "color": color,
                "kind": "bar",
                "stack": "lines",
                "values": [getattr(each, key) for each in days],
            }
            for key, color in series
        ],
    }


def _label(visit: Visit, day: date, *, is_first: bool) -> str:
    """The day of the month; the month beside it where one begins."""
    return visit.formats.tick(day) if is_first or day.day == 1 else str(day.day)


# ── one run ───────────────────────────────────────────────────────────────────────────────────────


def show_one(visit: Visit) -> Response:
    """One run: how far it is, its counts, its alarms, its lines, and how to go on with it."""
    news = news_of(visit)
    found = news.reading.run(visit.param("id"))
    topic = run_topic(found.id)
    message = visit.shell.topics.find(topic) if found.run_state == "running" else None
    run, sent = as_told(found, message), news.lists.find(found.id)
    context: dict[str, Any] = {
        **context_of(visit, run),
        "run_tones": RUN_TONES,
        "alarms": _alarms(visit, run),
        "is_left": sent.list_state != "waiting" if sent else _is_left(visit, run),
        "sent": sent,
        "broken": visit.worded(sent.why, sent.code, sent.values) if sent and sent.why else "",
        "extent": extent_of(run, sent, message),
        "here_path": run_path(run.id),
        "largest": visit.shell.settings.largest_body,
        "live": [] if is_whole(run) else [topic],
    }
    return page(visit, "run.html", **context)


def _alarms(visit: Visit, run: Run) -> list[str]:
    """What was unusual about the page of a run, in the language of whoever looks."""
    codes = run.alarm_codes or [AlarmCode()] * len(run.alarms)
    pairs = zip(run.alarms, codes, strict=True)
    return [visit.worded(text, each.code, each.values) for text, each in pairs]


def _is_left(visit: Visit, run: Run) -> bool:
    """Whether somebody has to go on with a run: it was stopped, it seems dead, or lines of it failed."""
    if run.run_state == "running":
        return (
            datetime.fromtimestamp(visit.shell.clock(), run.uploaded_at.tzinfo) - run.uploaded_at > _LONG_AGO
        )
    return run.run_state == "stopped" or run.failed > 0


def stop(visit: Visit) -> Response:
    """Have a run that goes on end before its next part."""
    run = news_of(visit).awaited.stop(visit.param("id"))
    visit.shell.history.record(visit.actor, AREA, "Run", run.id, "stop", request_id=visit.request_id)
    return visit.go(run_path(run.id), "news.run.stopping")


def resume(visit: Visit) -> Response:
    """Go on with a run that was left, in the background, with the list that is kept for it."""
    run = news_of(visit).lists.resume(visit.param("id"))
    visit.shell.history.record(visit.actor, AREA, "Run", run.id, "resume", request_id=visit.request_id)
    start(visit.shell.jobs)
    return visit.go(run_path(run.id), "news.run.resumed")


PAGES = (
    PageRoute("/news/runs", show, allowed(AREA, "read")),
    PageRoute("/news/runs/{id}", show_one, allowed(AREA, "read")),
    PageRoute("/news/runs/{id}/stop", stop, allowed(AREA, "write"), "POST"),
    PageRoute("/news/runs/{id}/resume", resume, allowed(AREA, "write"), "POST"),
)
