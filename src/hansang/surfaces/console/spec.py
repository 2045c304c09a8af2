"""The specification: every clause with its status, the code that carries it and how its tests last went."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import get_args

from markupsafe import Markup, escape
from starlette.responses import Response

from hansang.apps.application import Application
from hansang.blueprint.clauses import (
    STATUSES,
    Clause,
    Document,
    Kind,
    Outcome,
    Register,
    Status,
    register,
)
from hansang.blueprint.explorer.questions import questions
from hansang.errors import NotFound
from hansang.surfaces.addresses import table_path
from hansang.surfaces.console.data_paths import question_path
from hansang.surfaces.console.frame import readable
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import SIGNED_IN, PageRoute

KINDS: tuple[Kind, ...] = get_args(Kind)
_SHOWN_AT_ONCE = 60
_TONES: dict[Status | Outcome, str] = {
    "proven": "good",
    "passed": "good",
    "design": "c-sky",
    "failed": "bad",
    "unrun": "warn",
    "skipped": "quiet",
    "later": "quiet",
}

_PROSE = re.compile(
    r"`(?P<code>[^`]+)`|\*\*(?P<bold>[^*]+)\*\*|\[(?P<link>[^\]]+)\]\([^)]*\)"
    r"|(?<![\w-])(?P<id>X?[1-5]-\d{2}|[RG]\d{1,2})(?![\dA-Za-z-])"
)


@dataclass(frozen=True, slots=True)
class ClauseFilter:
    """Which clauses are looked for."""

    words: str = ""
    status: str = ""
    kind: str = ""

    def has(self, clause: Clause) -> bool:
        """Whether a clause is among them."""
        return (
            self.status in ("", clause.status)
            and self.kind in ("", clause.kind)
            and (not self.words or clause.says(self.words))
        )

    @property
    def is_narrow(self) -> bool:
        return bool(self.words or self.status or self.kind)


@dataclass(frozen=True, slots=True)
class ClauseSection:
    """The clauses that stand under one heading of a page."""

    document: Document
    clauses: list[Clause]


def overview(visit: Visit) -> Response:
    """How far every page of the specification is proven; with something looked for, where it was found."""
    pages, wanted = register(), _wanted(visit)
    found = _sections(pages, wanted) if wanted.is_narrow else []
    return _shown(visit, pages, wanted, found, None)


def document(visit: Visit) -> Response:
    """The clauses of one page, section by section."""
    pages = register()
    page = next((each for each in pages if each.name == visit.param("page")), None)
    if page is None:
        known = ", ".join(each.name for each in pages)
        raise NotFound(
            "The specification has no page {page}. There are {known}.",
            code="surfaces.no-page",
            values={"page": visit.param("page"), "known": known},
        )
    wanted = _wanted(visit)
    return _shown(visit, pages, wanted, _sections(Register((page,)), wanted), page)


def _shown(
    visit: Visit, pages: Register, wanted: ClauseFilter, sections: list[ClauseSection], page: Document | None
) -> Response:
    shown = sections if page is not None or visit.query("all") else _first(sections)
    return visit.page(
        "spec/page.html",
        pages=pages,
        page=page,
        wanted=wanted,
        sections=shown,
        count=sum(len(each.clauses) for each in sections),
        shown_count=sum(len(each.clauses) for each in shown),
        statuses=STATUSES,
        totals=_totals(pages),
        kinds=[
            kind
            for kind in KINDS
            if any(each.kind == kind for one in ([page] if page else pages) for each in one.clauses)
        ],
        tones=_TONES,
        run=pages.last_run,
        when=datetime.fromisoformat,
        title=lambda each: _title(visit, each),
        own_title=lambda each: each.korean_title if visit.language == "ko" else each.title,
        prose=lambda text: prose(text, pages),
        place=_DesignPaths(readable(visit)).find,
    )


def _totals(pages: Register) -> dict[str, int]:
    """How many clauses there are, and how many in each state."""
    counted: dict[str, int] = {status: sum(page.count(status) for page in pages) for status in STATUSES}
    return {"all": sum(counted.values()), **counted}


def _wanted(visit: Visit) -> ClauseFilter:
    status, kind = visit.query("status"), visit.query("kind")
    return ClauseFilter(
        visit.query("q").strip(),
        status if status in STATUSES else "",
        kind if kind in KINDS else "",
    )


def _sections(pages: Register, wanted: ClauseFilter) -> list[ClauseSection]:
    return [
        ClauseSection(page, list(clauses))
        for page in pages
        for _, clauses in groupby(filter(wanted.has, page.clauses), key=lambda each: each.section)
    ]


def _first(sections: list[ClauseSection]) -> list[ClauseSection]:
    """As many sections as fit on a page at once."""
    found: list[ClauseSection] = []
    left = _SHOWN_AT_ONCE
    for each in sections:
        if left <= 0:
            break
        found.append(ClauseSection(each.document, each.clauses[:left]))
        left -= len(each.clauses)
    return found


def _title(visit: Visit, page: Document) -> str:
    """What a page is called: as its application is, or by what it holds."""
    if page.application is None:
        return visit.t("spec.golden" if page.clauses[0].kind == "golden" else "spec.rules")
    titles = {each.name: each.title for each in visit.shell.applications}
    served = titles.get(page.application)
    return page.application if served is None else served.text(visit.language)


# ── text ──────────────────────────────────────────────────────────────────────────────────────────


def prose(text: str, pages: Register) -> Markup:
    """A line of the specification as HTML: code, stress, and links to the clauses that it names."""
    pieces: list[Markup] = []
    at = 0
    for match in _PROSE.finditer(text):
        pieces += [escape(text[at : match.start()]), _piece(match, pages)]
        at = match.end()
    return Markup("").join([*pieces, escape(text[at:])])


def _piece(match: re.Match[str], pages: Register) -> Markup:
    if match["code"]:
        return Markup("<code>{}</code>").format(match["code"])
    if match["bold"]:
        return Markup("<b>{}</b>").format(match["bold"])
    found = pages.find(match["id"]) if match["id"] else None
    if found is None:
        return escape(match["link"] or match[0])
    return Markup('<a class="link" href="/spec/{}#{}">{}</a>').format(found[0].name, match["id"], match["id"])


# ── code ──────────────────────────────────────────────────────────────────────────────────────────


class _DesignPaths:
    """Where the data pages show a piece of a design."""

    def __init__(self, applications: list[Application]) -> None:
        self._paths: dict[str, str] = {}
        for each in applications:
            for table in each.tables:
                self._paths[f"{table.__module__}.{table.__qualname__}"] = table_path(each, table)
                for shape in table.shapes:
                    name = f"{shape.cls.__module__}.{shape.cls.__qualname__}"
                    self._paths[name] = f"{table_path(each, table)}?as=entities"
            for question in questions(each.tables):
                owner = question.shape.cls
                name = f"{owner.__module__}.{owner.__qualname__}.{question.pattern.label}"
                self._paths[name] = question_path(each, question.label)

    def find(self, element: str) -> str | None:
        """The page of a piece of a design that whoever looks may see, or None."""
        return self._paths.get(element)


PAGES: tuple[PageRoute, ...] = (
    PageRoute("/spec", overview, SIGNED_IN),
    PageRoute("/spec/{page}", document, SIGNED_IN),
)
