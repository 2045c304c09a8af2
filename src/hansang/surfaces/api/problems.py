"""Problems: what the API answers when it does not do what was asked, after RFC 9457, in both languages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import orjson
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from hansang.parts.words import Language
from hansang.surfaces.error_kinds import STATUSES
from hansang.surfaces.http.exact_json import exact
from hansang.surfaces.http.languages import language
from hansang.surfaces.http.problems import PROBLEM_TYPE, PROBLEMS, HttpProblem, document
from hansang.surfaces.http.request_ids import current
from hansang.surfaces.wording import Wording, kit

_OWN = {
    "invalid-request": 422,
    "invalid-json": 400,
    "missing-scope": 403,
    "missing-csrf": 403,
    "idempotency-key-used": 422,
    "changed-meanwhile": 412,
    "condition-needed": 428,
    "not-json": 415,
}
"""The status of each problem that is neither one of HTTP itself nor an error of ours."""


@cache
def kinds() -> Mapping[str, HttpProblem]:
    """Every kind of problem, by its code."""
    ours = {code: HttpProblem(code, status) for code, status in {**STATUSES, **_OWN}.items()}
    return {**ours, **PROBLEMS}


class FieldProblem(BaseModel):
    """What is wrong with one value of a request."""

    place: str
    path: str
    label: str
    code: str
    message: str


class ProblemDocument(BaseModel):
    """What the API answers when it does not do what was asked (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    remedy: str
    request_id: str | None
    reason: str | None = None
    errors: list[FieldProblem] | None = None


class Problem(Exception):
    """A request that is answered with a problem."""

    def __init__(
        self,
        code: str,
        reason: str | None = None,
        *,
        said: str = "",
        values: Mapping[str, object] | None = None,
        field: str = "",
        detail: str = "",
        errors: Sequence[Mapping[str, Any]] = (),
        headers: Mapping[str, str] | None = None,
        more: Mapping[str, Any] | None = None,
    ) -> None:
        """`reason` is in English, as our errors are; `said` is the code of the same in both languages.

        A `field` is the one value of the body that it is about. A `detail` is in the caller's language already.
        `more` are members of the document beside the usual ones.
        """
        super().__init__(reason or code)
        self.kind = kinds()[code]
        self.reason, self.said, self.values, self.field, self.errors = reason, said, values, field, errors
        self.detail, self.headers, self.more = detail, dict(headers or {}), dict(more or {})

    def document(
        self, spoken: Language, request_id: str | None, wording: Wording | None = None
    ) -> dict[str, Any]:
        """The document that is sent, in one language."""
        detail = self._detail(spoken, wording or kit())
        told = document(self.kind, spoken, request_id) | {"detail": detail} | self.more
        if self.reason is not None and self.reason != detail:
            told["reason"] = self.reason
        named = [
            {
                "place": "body",
                "path": self.field,
                "label": self.field,
                "code": "value_error",
                "message": detail,
            }
        ]
        if found := [*self.errors, *(named if self.field else ())]:
            told["errors"] = found
        return told

    def _detail(self, spoken: Language, wording: Wording) -> str:
        if self.detail:
            return self.detail
        if self.reason is not None and spoken == "en":
            return self.reason
        found = wording.said(self.said, spoken, self.values or {}) if self.said else None
        return found or self.kind.detail.text(spoken)


def answer(request: Request, problem: Problem) -> Response:
    """The response to a request that has a problem, in the caller's language."""
    spoken = language(request)
    wording: Wording | None = getattr(request.app.state, "wording", None)
    body = orjson.dumps(exact(problem.document(spoken, current.get(), wording)))
    headers = {"Content-Language": spoken, "Vary": "Accept-Language, Cookie"} | problem.headers
    return Response(body, problem.kind.status, headers, PROBLEM_TYPE)
