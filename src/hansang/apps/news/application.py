"""The news application, as it is plugged into the shell."""

from __future__ import annotations

from hansang.apps.application import Application, CountAlarm
from hansang.apps.news.design import NewsItem, NewsItems, NewsWork
from hansang.apps.news.jobs import jobs
from hansang.apps.news.objects import load_object
from hansang.apps.news.sample import fill
from hansang.parts.words import Words

APPLICATION = Application(
    name="news",
    title=Words("뉴스", "News"),
    summary=Words(
        "뉴스 목록을 적재하고, 처음 적힌 내용을 그대로 지킵니다.",
        "Loads news lists; what was written first is kept for ever.",
    ),
    icon="newspaper",
    tables=(NewsItems, NewsWork),
    write_once=frozenset({NewsItem}),
    jobs=jobs,
    on_object=load_object,
    alarms=(
        CountAlarm("collisions", "Links were kept aside because another link has their key."),
        CountAlarm("drift", "Counts or tickers of a day were not what the list says."),
        CountAlarm("page_drift", "A list page is not as it used to be."),
        CountAlarm("failed_pages", "A list page could not be read."),
    ),
    fill=fill,
)
