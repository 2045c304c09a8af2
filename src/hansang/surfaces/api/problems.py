"""Problems: what the API answers when it does not do what was asked, after RFC 9457, in both languages."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import orjson
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response

from hansang.parts.words import Language, Words
from hansang.surfaces.error_kinds import STATUSES
from hansang.surfaces.http.languages import language
from hansang.surfaces.http.problems import PROBLEM_TYPE, PROBLEMS, HttpProblem, document
from hansang.surfaces.http.request_ids import current

_FILE = Path(__file__).with_name("problems.toml")


@cache
def kinds() -> Mapping[str, HttpProblem]:
    """Every kind of problem, by its code."""
    found = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    return {**PROBLEMS, **{code: _kind(code, **entry) for code, entry in found.items()}}


def _kind(code: str, status: int | None = None, **texts: Mapping[str, str]) -> HttpProblem:
    """A kind by its entry; one that errors are told with has its status from them."""
    words = {name: Words(**text) for name, text in texts.items()}
    return HttpProblem(code, STATUSES[code] if status is None else status, **words)


class FieldProblem(BaseModel):
    """What is wrong with one value of a request."""

    place: str = Field(description="Where the value stands: query, path, header or body.")
    path: str = Field(description="Which value it is, with dots between the parts: entries.0.amount.")
    code: str = Field(description="What is wrong, as a stable word.")
    message: str = Field(description="What is wrong, for people.")


class ProblemDocument(BaseModel):
    """What the API answers when it does not do what was asked (RFC 9457)."""

    type: str = Field(description="The address of a page about this kind of problem.")
    title: str
    status: int
    detail: str
    code: str = Field(description="The kind of problem, stable; decide by it.")
    remedy: str = Field(description="What to do about it.")
    request_id: str | None = Field(description="Under which the server's log has this request.")
    reason: str | None = Field(
        None, description="What exactly was wrong, in English, if detail does not say it."
    )
    errors: list[FieldProblem] | None = Field(None, description="The values that are not right.")


class Problem(Exception):
    """A request that is answered with a problem."""

    def __init__(
        self,
        code: str,
        reason: str | None = None,
        *,
        detail: Words | None = None,
        errors: Sequence[Mapping[str, Any]] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """`reason` is in English, as our errors are; a `detail` in both languages goes before it."""
        super().__init__(reason or code)
        self.kind = kinds()[code]
        self.reason, self.detail, self.errors = reason, detail, errors
        self.headers = dict(headers or {})

    def document(self, spoken: Language, request_id: str | None) -> dict[str, Any]:
        """The document that is sent, in one language."""
        told = document(self.kind, spoken, request_id) | {"detail": self._detail(spoken)}
        if self.reason is not None and self.reason != told["detail"]:
            told["reason"] = self.reason
        if self.errors:
            told["errors"] = list(self.errors)
        return told

    def _detail(self, spoken: Language) -> str:
        if self.detail is not None:
            return self.detail.text(spoken)
        if self.reason is not None and spoken == "en":
            return self.reason
        return self.kind.detail.text(spoken)


def answer(request: Request, problem: Problem) -> Response:
    """The response to a request that has a problem, in the caller's language."""
    spoken = language(request)
    body = orjson.dumps(problem.document(spoken, current.get()))
    headers = {"Content-Language": spoken, "Vary": "Accept-Language, Cookie"} | problem.headers
    return Response(body, problem.kind.status, headers, PROBLEM_TYPE)
