"""The news application, as it is plugged into the shell."""

from __future__ import annotations

from hansang.apps.application import Application
from hansang.apps.news.design import NewsItem, NewsItems, NewsWork
from hansang.apps.news.jobs import jobs
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
    fill=fill,
)
