"""Pages as routes: each with the rule that says who may see it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlencode

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from hansang.errors import DesignError, HansangError
from hansang.parts.permissions import Action
from hansang.surfaces.console.failures import FORBIDDEN, FORM_EXPIRED, failure_of, show_failure
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.rendering import Console
from hansang.surfaces.http.public import expect_unhurried, for_everyone
from hansang.surfaces.http.threads import in_thread


@dataclass(frozen=True, slots=True)
class Rule:
    """Who may see a page; the area may be a part of the path, such as `{app}`."""

    kind: Literal["public", "readable", "sendable", "signed in", "allowed"]
    area: str = ""
    action: Action = "read"


PUBLIC = Rule("public")
SIGNED_IN = Rule("signed in")


def allowed(area: str, action: Action) -> Rule:
    """Only those who may do this there."""
    return Rule("allowed", area, action)


def readable(area: str) -> Rule:
    """Those who may read an application; everyone, if it is public. Only for pages that write nothing."""
    return Rule("readable", area)


def sendable(area: str) -> Rule:
    """A form and the page that it is on: for those who may read an application; for everyone, if it is public.

    The form is bound to a cookie of the browser instead of a session.
    """
    return Rule("sendable", area)


_LONGEST_FIELD = 1024 * 1024

Answering = Callable[[Visit], Response]


@dataclass(frozen=True, slots=True)
class PageRoute:
    """One page, or one form that is sent: `PageRoute("/capacity", capacity, allowed("platform", "read"))`."""

    path: str
    answer: Answering
    rule: Rule
    method: Literal["GET", "POST"] = "GET"
    files: int = 0
    """How many files may be sent; a page that takes some takes long fields as well."""
    expired: Answering | None = None
    """Shows a form again that is not known as one of our own pages', instead of the page that says so."""

    def __post_init__(self) -> None:
        if self.rule.kind == "readable" and self.method != "GET":
            raise DesignError(f"{self.path} takes forms, so not everyone may use it. Give it another rule.")

    def on(self, console: Console) -> BaseRoute:
        """The route of the server."""

        longest = console.shell.settings.largest_body if self.files else _LONGEST_FIELD

        async def endpoint(request: Request) -> Response:
            if self.method == "GET":
                return await in_thread(self._answered, "GET", console, request, FormData())
            async with request.form(max_files=self.files, max_part_size=longest) as form:
                return await in_thread(self._answered, "POST", console, request, form)

        name = f"console.{self.answer.__module__.rpartition('.')[2]}.{self.answer.__name__}"
        return Route(self.path, endpoint, methods=[self.method], name=name)

    def _answered(self, console: Console, request: Request, form: FormData) -> Response:
        visit = Visit.of(console, request, form)
        if self.rule.kind in ("readable", "sendable") and console.shell.is_public(self.rule.area):
            visit = visit.at_public(self.rule.area, with_form=self.rule.kind == "sendable")
        if visit.is_guest:
            expect_unhurried(request)
        if visit.is_guest and not visit.with_form:
            return for_everyone(request, self._shown(visit))
        if self.rule.kind != "public" and visit.person is None and not visit.is_guest:
            return _to_sign_in(visit)
        if self.method == "POST" and not visit.is_genuine():
            again = self.expired if self._permits(visit) else None
            return show_failure(visit, FORM_EXPIRED) if again is None else again(visit)
        if not self._permits(visit):
            return show_failure(visit, FORBIDDEN)
        return self._shown(visit)

    def _shown(self, visit: Visit) -> Response:
        try:
            return self.answer(visit)
        except HansangError as error:
            found = failure_of(error)
            if found is None:
                raise
            return show_failure(visit, found, error)

    def _permits(self, visit: Visit) -> bool:
        area = self.rule.area.format_map(visit.request.path_params)
        return self.rule.kind in ("public", "signed in") or visit.may(area, self.rule.action)


def _to_sign_in(visit: Visit) -> Response:
    to = f"/sign-in?{urlencode({'next': visit.here})}" if visit.here != "/" else "/sign-in"
    return visit.go(to, "frame.session_over" if visit.request.method == "POST" else "")
