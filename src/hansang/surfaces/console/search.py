"""Searching everything by name: pages, applications, tables, access patterns, and what applications add."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import orjson
from starlette.responses import Response

from hansang.blueprint.explorer.questions import questions
from hansang.parts.permissions import PLATFORM
from hansang.surfaces.addresses import table_path
from hansang.surfaces.console.data_paths import meaning, question_path
from hansang.surfaces.console.frame import navigation, readable
from hansang.surfaces.console.icons import icon
from hansang.surfaces.console.matching import rank
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.plugged import SearchResult
from hansang.surfaces.console.routing import SIGNED_IN, PageRoute

LONGEST = 100
_MOST_OF_A_GROUP = 6
_WORDS = ("title", "placeholder", "empty", "hint", "failed", "close")
_ICONS = {"tables": "table-2", "patterns": "route", "pages": "file", "partiql": "square-terminal"}


def show(visit: Visit) -> Response:
    """The search as a page, for whoever has no script."""
    typed = _typed(visit)
    return visit.page("search.html", typed=typed, groups=groups(visit, typed))


def results(visit: Visit) -> Response:
    """The same for the palette, with the words that it needs."""
    found = [
        {"label": label, "items": [_as_json(each) for each in results]}
        for label, results in groups(visit, _typed(visit))
    ]
    words = {key: visit.t(f"search.{key}") for key in _WORDS}
    body = orjson.dumps({"groups": found, "words": words})
    return Response(body, headers={"content-type": "application/json"})


def groups(visit: Visit, typed: str) -> list[tuple[str, list[SearchResult]]]:
    """What fits best of every group, under its name."""
    found: dict[str, list[SearchResult]] = {}
    for each in [*_everywhere(visit, typed), *_of_applications(visit, typed)]:
        found.setdefault(each.group, []).append(each)
    kept = [(group, _best(typed, results)) for group, results in found.items()]
    return [(visit.t(group), results) for group, results in kept if results]


def _typed(visit: Visit) -> str:
    return visit.query("q").strip()[:LONGEST]


def _as_json(result: SearchResult) -> dict[str, Any]:
    drawn = str(icon(result.icon, 16))
    return {
        "href": result.href,
        "text": result.text,
        "about": result.about,
        "icon": drawn,
        "facts": result.facts,
        "line": result.line,
        "lineAbout": result.line_about,
        "ways": result.ways,
    }


def _best(typed: str, results: Iterable[SearchResult]) -> list[SearchResult]:
    ranked = [(rank(typed, each.text, each.about), each) for each in results]
    fitting = sorted((pair for pair in ranked if pair[0] is not None), key=lambda pair: pair[0] or 0)
    return [each for _, each in islice(fitting, _MOST_OF_A_GROUP)]


def _everywhere(visit: Visit, typed: str) -> Iterator[SearchResult]:
    ways = navigation(visit)
    for link in (ways.home, *ways.groups[-1].links):
        yield SearchResult("search.pages", link.href, link.text, icon=link.icon)
    yield SearchResult("search.pages", "/account", visit.t("search.account"), icon="user-round")
    yield SearchResult("search.pages", "/keys", visit.t("keys.title"), icon="keyboard")
    if visit.may(PLATFORM, "read"):
        yield from _sections(visit, PLATFORM, visit.t("nav.admin"))
    for application in readable(visit):
        title = application.title.text(visit.language)
        href = visit.console.plugged.home_of(application.name)
        about = application.summary.text(visit.language)
        yield SearchResult("search.applications", href, title, about, application.icon)
        yield from _sections(visit, application.name, title)
    if typed:
        yield from _of_designs(visit)


def _sections(visit: Visit, area: str, title: str) -> Iterator[SearchResult]:
    for tab in visit.console.plugged.tabs(visit, area):
        yield SearchResult("search.pages", tab.href, tab.text, title, _ICONS["pages"])


def _of_designs(visit: Visit) -> Iterator[SearchResult]:
    for application in readable(visit):
        title = application.title.text(visit.language)
        href = f"/data/{application.name}/partiql"
        yield SearchResult("search.pages", href, "PartiQL", title, _ICONS["partiql"])
        for table in application.tables:
            href = table_path(application, table)
            yield SearchResult("search.tables", href, table.name, title, _ICONS["tables"])
        for each in questions(application.tables):
            about = meaning(visit, application, each.label, each.pattern.function)
            href = question_path(application, each.label)
            yield SearchResult("search.patterns", href, each.label, f"{title} · {about}", _ICONS["patterns"])


def _of_applications(visit: Visit, typed: str) -> Iterator[SearchResult]:
    """What the applications find by themselves; those that nobody may read are not asked."""
    areas = [PLATFORM, *(each.name for each in readable(visit))] if typed else []
    for area in areas:
        pages: Any = visit.console.plugged.pages.get(area)
        if pages is not None and pages.search is not None and visit.may(area, "read"):
            yield from pages.search(visit, typed)


PAGES = (
    PageRoute("/search", show, SIGNED_IN),
    PageRoute("/search/results", results, SIGNED_IN),
)
