"""Pages for what did not work: which status an error has, and what is said about it."""

from __future__ import annotations

import logging
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from hansang import errors
from hansang.errors import HansangError
from hansang.parts.themes import THEMES
from hansang.surfaces.console.rendering import Console
from hansang.surfaces.error_kinds import kind_of
from hansang.surfaces.http import cookies, request_ids
from hansang.surfaces.http.languages import language
from hansang.surfaces.naming import NamedItem

if TYPE_CHECKING:
    from hansang.surfaces.console.pages import Visit

_log = logging.getLogger("hansang.console")


@dataclass(frozen=True, slots=True)
class Failure:
    """A kind of failure: its HTTP status, the key of its words, its icon."""

    status: int
    key: str
    icon: str


FORBIDDEN = Failure(403, "forbidden", "lock")
APPLICATION_ONLY = Failure(403, "application_only", "lock")
MISSING = Failure(404, "missing", "search-x")
CONFLICT = Failure(409, "conflict", "git-compare-arrows")
INVALID = Failure(422, "invalid", "circle-alert")
TOO_LARGE = Failure(413, "too_large", "weight")
TOO_MANY = Failure(429, "too_many", "hourglass")
UNAVAILABLE = Failure(503, "unavailable", "cloud-off")
DAMAGED = Failure(503, "damaged", "triangle-alert")
INTERNAL = Failure(500, "internal", "triangle-alert")
FORM_EXPIRED = Failure(403, "form", "file-clock")
UNREADABLE = Failure(500, "unreadable", "triangle-alert")

_BY_STATUS = {
    each.status: each for each in (FORBIDDEN, CONFLICT, INVALID, TOO_LARGE, TOO_MANY, UNAVAILABLE, MISSING)
}
_BY_CODE = {
    "application-only": APPLICATION_ONLY,
    "unexpected-item": UNREADABLE,
    "invalid-cursor": INVALID,
    "busy": UNAVAILABLE,
    "store": None,
    "damaged": DAMAGED,
}
"""Where the status alone does not say which page it is; a data file that cannot be used is a fault of ours."""

_WORDED = frozenset({"overloaded", "request-stopped", "store-full"})
"""Errors that are told by the words of their code: those say more than the page, and less than a message for the log."""


def failure_of(error: HansangError) -> Failure | None:
    """What kind of failure an error is; None when it is a fault of ours."""
    kind = kind_of(error)
    found = _BY_CODE.get(kind.code, _BY_STATUS.get(kind.status))
    return None if found is None else replace(found, status=kind.status)


def show_failure(visit: Visit, failure: Failure, error: HansangError | None = None) -> Response:
    """The page of a failure, in the frame that whoever looks has."""
    if isinstance(error, errors.DamagedFile):
        _log.error("%s met damage: %s", visit.request.url.path, error)
    named = _unreadable(visit, error) if isinstance(error, errors.UnexpectedItem) else []
    detail = "" if named else _detail(visit, error)
    page = visit.page("error.html", failure.status, failure=failure, detail=detail, unreadable=named)
    if isinstance(error, errors.StoreBusy | errors.Overloaded):
        page.headers["Retry-After"] = str(math.ceil(error.retry_after))
    return page


def _unreadable(visit: Visit, fault: errors.UnexpectedItem) -> list[NamedItem]:
    """The item that a page cannot do without, named to whoever may read it; the log has it for the others."""
    _log.error("%s needs an item that cannot be read: %s", visit.request.url.path, fault)
    return visit.naming.of_fault(fault)


def _detail(visit: Visit, error: HansangError | None) -> str:
    """What the error itself says, and which value it is about; without Korean words, the page's own say enough."""
    if isinstance(error, errors.ApplicationOnly):
        return error.instead[visit.language]
    said = "" if error is None else _said(visit, error)
    field = error.field if isinstance(error, errors.InvalidInput) else ""
    return f"{said} {visit.t('failure.invalid.field', field=field)}".strip() if field else said


def _said(visit: Visit, error: HansangError) -> str:
    is_worded = error.code in _WORDED
    is_closer = error.code != type(error).code
    if visit.language == "en" and not is_worded and (is_closer or not isinstance(error, errors.DamagedFile)):
        return str(error)
    is_closer = is_worded or is_closer or error.code == "store-busy"
    return visit.console.wording.said(error.code, visit.language, error.values) or "" if is_closer else ""


def plain_failure(console: Console, request: Request, status: int) -> Response:
    """The page of a failure without a look at any table, since that may be what has failed."""
    failure = _BY_STATUS.get(status) or (FORBIDDEN if status == 401 else None)
    failure = failure or (INTERNAL if status >= 500 else INVALID)
    wanted = cookies.THEME.of(request)
    context = {
        "failure": failure,
        "theme": wanted if wanted in THEMES else "system",
        "request_id": request_ids.current.get() or "",
        "alone": True,
        "guest_of": "",
        "notice": None,
        "failed": True,
    }
    spoken = language(request)
    shown = console.render("failure.html", spoken, context)
    return HTMLResponse(shown, status, headers={"Content-Language": spoken})
