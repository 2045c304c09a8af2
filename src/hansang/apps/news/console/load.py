"""Loading a list by hand: a file or a text goes in, and what became of each line comes out."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TextIO, cast

from starlette.datastructures import UploadFile
from starlette.responses import Response

from hansang.apps.news.console.lines import context_of
from hansang.apps.news.console.links import AREA, news_of, page
from hansang.apps.news.design import YAHOO_LATEST, Run
from hansang.apps.news.inputs import FORMS, Form, form_of, read_links
from hansang.errors import Busy, Conflict, HansangError, InvalidInput, NotFound
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, allowed


@dataclass(frozen=True, slots=True)
class Sent:
    """A list as it was sent, and what it is called."""

    text: TextIO
    name: str


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
    visit: Visit, run: Run | None = None, status: int = 200, errors: Mapping[str, str] | None = None
) -> Response:
    context: dict[str, Any] = {
        **(context_of(visit, run) if run else {"run": None}),
        "errors": errors or {},
        "source": visit.given("source") or (run.source if run else YAHOO_LATEST),
        "pasted": visit.given("text") if errors else "",
        "form": visit.given("form"),
        "resumed": visit.given("run"),
        "forms": FORMS,
        "largest": visit.shell.settings.largest_body,
    }
    return page(visit, "load.html", status, **context)


# ── loading ───────────────────────────────────────────────────────────────────────────────────────


def load(visit: Visit) -> Response:
    """Load what was sent: every link that is not there yet is stored, and nothing that is there changes."""
    try:
        with _sent(visit) as sent:
            run = _loaded(visit, sent)
    except _Refused as refusal:
        return _shown(visit, status=422, errors={refusal.field: str(refusal)})
    return visit.go(f"/news/load?run={run.id}#result", "news.load.done", count=run.inserted)


@contextmanager
def _sent(visit: Visit) -> Iterator[Sent]:
    """The file that was sent, or else the text."""
    file = visit.form.get("file")
    if isinstance(file, UploadFile) and file.size:
        # What is no UTF-8 is refused line by line, and the others go on.
        text = io.TextIOWrapper(cast(Any, file.file), "utf-8", errors="surrogateescape", newline="")
        try:
            yield Sent(text, file.filename or "")
        finally:
            text.detach()
    elif pasted := visit.given("text"):
        yield Sent(io.StringIO(pasted, newline=""), "")
    else:
        raise _Refused("list", visit.t("news.load.nothing"))


def _loaded(visit: Visit, sent: Sent) -> Run:
    form, dealt_with = _form(visit, sent.name), _Counter()
    try:
        return news_of(visit).loader.load(
            read_links(sent.text, form),
            source=visit.given("source"),
            name=sent.name,
            run=visit.given("run") or None,
            progress=dealt_with.add,
        )
    except (InvalidInput, NotFound, Conflict, Busy) as error:
        raise _refusal(visit, error, form, dealt_with.count) from error


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
    if not dealt_with:
        return _Refused("list", unreadable)
    return _Refused("list", f"{unreadable} {visit.t('news.load.partly', count=dealt_with)}")


PAGES = (
    PageRoute("/news/load", show, allowed(AREA, "write")),
    PageRoute("/news/load", load, allowed(AREA, "write"), "POST", files=1),
)
