"""The news application, as it is plugged into the shell."""

from __future__ import annotations

from hansang.apps.application import Application
from hansang.apps.news.design import NewsItem, NewsItems, NewsWork
from hansang.apps.news.jobs import jobs
from hansang.apps.news.sample import fill
from hansang.parts.words import Words
from hansang.parts.write_rules import ONCE

APPLICATION = Application(
    name="news",
    title=Words("뉴스", "News"),
    summary=Words(
        "뉴스 목록을 적재하고, 처음 저장된 내용을 그대로 보존합니다.",
        "Loads news lists; what was written first is immutable.",
    ),
    icon="newspaper",
    tables=(NewsItems, NewsWork),
    writes={NewsItem: ONCE},
    jobs=jobs,
    fill=fill,
    api="hansang.apps.news.api:ROUTES",
    pages="hansang.apps.news.console:PAGES",
    commands="hansang.apps.news.cli.commands:group",
    words="hansang.apps.news",
)
