"""The news application, as it is plugged into the shell."""

from __future__ import annotations

from hansang.apps.application import Application, CountAlarm
from hansang.apps.news.design import (
    ArticleText,
    Body,
    Collision,
    Frontier,
    Mention,
    NewsDay,
    NewsItem,
    NewsItems,
    NewsWork,
    Run,
    RunPart,
    RunSecond,
    Work,
)
from hansang.apps.news.jobs import jobs
from hansang.apps.news.objects import load_object
from hansang.apps.news.sample import fill
from hansang.apps.news.searches import SavedSearch
from hansang.apps.news.sent_lists import ListPiece, SentList
from hansang.apps.news.settings import NewsSettings
from hansang.apps.news.today import today
from hansang.parts.words import Words
from hansang.parts.write_rules import application_only

_LOAD = application_only(
    Words(
        "목록을 적재하십시오: 콘솔의 적재 화면, POST /api/news/loads 또는 hansang news load.",
        "Load a list instead: the Load page, POST /api/news/loads or hansang news load.",
    )
)
_CRAWL = application_only(
    Words(
        "대기열을 쓰십시오: /api/news/queue 아래의 API 또는 hansang news queue.",
        "Use the queue instead: the routes below /api/news/queue, or hansang news queue.",
    )
)
_SEARCH = application_only(
    Words(
        "기사 화면에서 검색한 뒤 저장하십시오.",
        "Search on the page of articles, and save the search there.",
    )
)
_LISTS = (NewsItem, Run, RunSecond, RunPart, SentList, ListPiece, Collision, Mention, NewsDay)
_QUEUE = (Frontier, Work, Body, ArticleText)

APPLICATION = Application(
    name="news",
    title=Words("뉴스", "News"),
    summary=Words(
        "뉴스 목록을 적재하고, 처음 저장된 내용을 그대로 보존합니다.",
        "Loads news lists; what was written first is immutable.",
    ),
    icon="newspaper",
    tables=(NewsItems, NewsWork),
    writes={**dict.fromkeys(_LISTS, _LOAD), **dict.fromkeys(_QUEUE, _CRAWL), SavedSearch: _SEARCH},
    settings=NewsSettings,
    jobs=jobs,
    on_object=load_object,
    alarms=(
        CountAlarm("collisions", "Links were kept aside because another link has their key."),
        CountAlarm("drift", "Counts or tickers of a day were not what the list says."),
        CountAlarm("page_drift", "A list page is not as it used to be."),
        CountAlarm("failed_pages", "A list page could not be read."),
    ),
    fill=fill,
    today=today,
    api="hansang.apps.news.api:ROUTES",
    pages="hansang.apps.news.console:PAGES",
    commands="hansang.apps.news.cli.commands:group",
    words="hansang.apps.news",
)
