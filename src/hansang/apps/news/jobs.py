"""What the news list does by itself."""

from __future__ import annotations

import logging
from collections import Counter
from datetime import time, timedelta

from hansang.apps.news.background import JOB
from hansang.apps.news.checking import check_day
from hansang.apps.news.design import Run
from hansang.apps.news.fetching import fetch
from hansang.apps.news.service import News
from hansang.apps.news.settings import NewsSettings
from hansang.clock import Clock
from hansang.design import Database
from hansang.errors import Busy, InvalidInput, Unavailable
from hansang.parts.jobs import Job, JobResult, ending, tell_progress
from hansang.parts.journal import JobRun
from hansang.parts.sandbox import Sandbox
from hansang.parts.schedules import Schedule
from hansang.parts.topics import Topics
from hansang.parts.words import Words

AREA = "news"

_log = logging.getLogger("hansang.news")


def jobs(database: Database, clock: Clock, settings: NewsSettings) -> tuple[Job, ...]:
    """Yesterday is checked and mended every night, and pages are fetched if any is named."""
    news = News(database, clock, publish=Topics(database, clock).publish)

    def check(run: JobRun) -> JobResult:
        return checked(database, news)

    def mend(run: JobRun) -> JobResult:
        return mended(news)

    def load(run: JobRun) -> JobResult:
        return loaded(news)

    def fetch_pages(run: JobRun) -> JobResult:
        return fetched(news, settings)

    always = (
        Job(
            name="news-check",
            title=Words("적재 기록 점검", "Check the counts and tickers of the list"),
            run=check,
            schedule=Schedule.daily(time(0, 10), "UTC"),
            area=AREA,
        ),
        Job(
            name="news-mend",
            title=Words("적재 기록 바로잡기", "Repair the counts and tickers of the list"),
            run=mend,
            schedule=Schedule.daily(time(0, 20), "UTC"),
            area=AREA,
        ),
        Job(
            name=JOB,
            title=Words("올린 목록 적재", "Load the lists that were sent"),
            run=load,
            schedule=Schedule.every(300),
            area=AREA,
            is_wanted=news.background.is_wanted,
        ),
    )
    if not settings.fetch_sources:
        return always
    title = Words("뉴스 목록 가져오기", "Fetch the news lists")
    return (
        Job(name="news-fetch", title=title, run=fetch_pages, schedule=settings.fetch_at, area=AREA),
        *always,
    )


def checked(database: Database, news: News) -> JobResult:
    """Yesterday in numbers; nothing is changed."""
    found = check_day(database, news.today - timedelta(days=1))
    text = f"{found.day}: {found.links:,} links, drift {found.drift:,}, {found.collisions:,} collisions"
    return JobResult(text, {"links": found.links, "drift": found.drift, "collisions": found.collisions})


def loaded(news: News) -> JobResult:
    """The lists that wait, one after the other; when the server ends, another goes on with what is left."""
    stop, counts, lists = ending(), Counter[str](), 0
    while not stop.is_set() and (run := news.background.load_next(stop)) is not None:
        counts.update(load_counts(run))
        lists += 1
    if stop.is_set() and news.background.is_wanted():
        raise Busy("The server ended before every list was loaded. The rest is loaded when it is back.")
    return JobResult(f"{counts['inserted']:,} new links of {lists} lists", counts)


def mended(news: News) -> JobResult:
    """Yesterday and today, put right after runs that died and were not resumed."""
    found = dict(news.recount(news.today - timedelta(days=1), news.today))
    links = sum(found.values())
    news.lists.delete_old()
    return JobResult(f"{links:,} links of {len(found)} days", {"links": links, "days": len(found)})


def fetched(news: News, settings: NewsSettings) -> JobResult:
    """The pages of the settings, one after the other; one that cannot be read does not stop the others."""
    counts: Counter[str] = Counter(pages=len(settings.pages), failed_pages=0, page_drift=0, collisions=0)
    with Sandbox(most=1) as sandbox:
        for number, (source, url) in enumerate(settings.pages):
            pages = len(settings.pages)
            tell_progress(Words(f"{pages:,}쪽 중 {number:,}쪽", f"{number:,} of {pages:,} pages"))
            try:
                listing = fetch(url, sandbox, private=settings.fetch_private)
            except (InvalidInput, Unavailable) as reason:
                _log.warning("The page %s was not fetched: %s", url, reason)
                counts["failed_pages"] += 1
                continue
            counts["page_drift"] += bool(listing.alarms)
            counts.update(
                load_counts(news.loader.load(listing.links, source=source, name=url, alarms=listing.alarms))
            )
    if counts["failed_pages"] == counts["pages"]:
        raise Unavailable(f"None of the {counts['pages']} pages could be read. Look at them in a browser.")
    read = counts["pages"] - counts["failed_pages"]
    return JobResult(f"{counts['inserted']:,} new links of {read} of {counts['pages']} pages", counts)


def load_counts(run: Run) -> dict[str, int]:
    """The outcomes of a load in numbers that alarms may read."""
    return {
        "inserted": run.inserted,
        "duplicates": run.duplicate + run.duplicate_in_batch,
        "collisions": run.collision,
        "invalid": run.invalid,
        "failed": run.failed,
    }
