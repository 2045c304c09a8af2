"""Loading a list by hand: a file or a text goes in, and what became of each line comes out."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO

from starlette.datastructures import UploadFile
from starlette.responses import Response

from hansang.apps.news.background import start
from hansang.apps.news.console.lines import TONES, context_of
from hansang.apps.news.console.links import AREA, news_of, page, run_path
from hansang.apps.news.decoding import ListText
from hansang.apps.news.design import YAHOO_LATEST, Run
from hansang.apps.news.inputs import FORMS, Form, form_of, read_links
from hansang.apps.news.rehearsing import DryRun
from hansang.apps.news.runs import OUTCOMES
from hansang.apps.news.sent_lists import AT_ONCE
from hansang.errors import Busy, Conflict, HansangError, InvalidInput, NotFound
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, allowed


@dataclass(frozen=True, slots=True)
class Sent:
    """A list as it was sent, what it is called, and its length in bytes."""

    file: BinaryIO
    name: str
    length: int


@dataclass(frozen=True, slots=True)
class Checked:
    """What a dry run has found, and what its list is called."""

    found: DryRun
    name: str

    @property
    def counts(self) -> list[tuple[str, int]]:
        return [(name, getattr(self.found, name)) for name in OUTCOMES if name != "failed"]


class _Refused(Exception):
    """The list was not taken to its end; says why, in words, and which field it is about."""

    def __init__(self, field: str, words: str) -> None:
        super().__init__(words)
        self.field = field


def show(visit: Visit) -> Response:
    """The form, and below it what became of the list that was sent with it last."""
    run = visit.query("run")
    return _shown(visit, news_of(visit).reading.run(run) if run else None)


def _shown(
    visit: Visit,
    run: Run | None = None,
    status: int = 200,
    errors: Mapping[str, str] | None = None,
    checked: Checked | None = None,
) -> Response:
    context: dict[str, Any] = {
        **(context_of(visit, run) if run else {"run": None}),
        "errors": errors or {},
        "source": visit.given("source") or (run.source if run else YAHOO_LATEST),
        "pasted": visit.given("text") if errors or checked else "",
        "checked": checked,
        "tones": TONES,
        "why": lambda line: visit.worded(line.why, line.code, line.values),
        "form": visit.given("form"),
        "resumed": visit.given("run"),
        "forms": FORMS,
        "at_once": AT_ONCE,
        "largest": visit.shell.settings.largest_body,
    }
    return page(visit, "load.html", status, **context)


# ── loading ───────────────────────────────────────────────────────────────────────────────────────


def load(visit: Visit) -> Response:
    """Load what was sent: every link that is not there yet is stored, and nothing that is there changes.

    With `check` nothing is written, and the page says what would become of the lines.
    """
    try:
        with _sent(visit) as sent:
            if visit.given("check"):
                return _shown(visit, checked=Checked(_checked(visit, sent), sent.name))
            run = _taken(visit, sent)
    except _Refused as refusal:
        return _shown(visit, status=422, errors={refusal.field: str(refusal)})
    if run.run_state == "waiting":
        start(visit.shell.jobs)
        return visit.go(run_path(run.id), "news.load.accepted")
    return visit.go(f"/news/load?run={run.id}#result", "news.load.done", count=run.inserted)


@contextmanager
def _sent(visit: Visit) -> Iterator[Sent]:
    """The file that was sent, or else the text."""
    file = visit.form.get("file")
    if isinstance(file, UploadFile) and file.size:
        yield Sent(file.file, file.filename or "", file.size)
    elif pasted := visit.given("text").encode(errors="replace"):
        yield Sent(io.BytesIO(pasted), "", len(pasted))
    else:
        raise _Refused("list", visit.t("news.load.nothing"))


def _taken(visit: Visit, sent: Sent) -> Run:
    """The run of a list that was loaded, or of one that is too long to wait for, and is loaded in the background."""
    form, dealt_with, news = _form(visit, sent.name), _Counter(), news_of(visit)
    where: dict[str, Any] = {
        "source": visit.given("source"),
        "name": sent.name,
        "run": visit.given("run") or None,
    }
    try:
        if sent.length > AT_ONCE:
            return news.lists.accept(sent.file, form=form, **where)
        return news.awaited.load(read_links(ListText(sent.file), form), progress=dealt_with.add, **where)
    except (InvalidInput, NotFound, Conflict, Busy) as error:
        raise _refusal(visit, error, form, dealt_with.count) from error


def _checked(visit: Visit, sent: Sent) -> DryRun:
    """What would become of a list."""
    form = _form(visit, sent.name)
    try:
        return news_of(visit).rehearse(read_links(ListText(sent.file), form))
    except InvalidInput as error:
        raise _refusal(visit, error, form, 0) from error


class _Counter:
    """How many lines were dealt with before something went wrong."""

    def __init__(self) -> None:
        self.count = 0

    def add(self, count: int) -> None:
        self.count += count


def _form(visit: Visit, name: str) -> Form | None:
    chosen = next((each for each in FORMS if each == visit.given("form")), None)
    return chosen or form_of(name)


def _refusal(visit: Visit, error: HansangError, form: Form | None, dealt_with: int) -> _Refused:
    if isinstance(error, Busy):
        return _Refused("list", visit.t("news.load.busy"))
    if isinstance(error, Conflict | NotFound) or getattr(error, "field", "") == "run":
        return _Refused("list", visit.t("news.load.wrong_run"))
    if isinstance(error, InvalidInput) and error.field == "source":
        return _Refused("source", visit.t("news.load.wrong_source"))
    unreadable = visit.t(f"news.load.wrong_{form or 'form'}")
    if error.code == "news.csv-columns":
        unreadable = f"{unreadable} {visit.t('news.load.columns', **error.values)}"
    if not dealt_with:
        return _Refused("list", unreadable)
    return _Refused("list", f"{unreadable} {visit.t('news.load.partly', count=dealt_with)}")


PAGES = (
    PageRoute("/news/load", show, allowed(AREA, "write")),
    PageRoute("/news/load", load, allowed(AREA, "write"), "POST", files=1),
)
