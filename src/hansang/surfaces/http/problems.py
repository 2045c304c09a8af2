"""What goes wrong with HTTP itself, told as RFC 9457 problems in both languages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import orjson
from starlette.responses import Response

from hansang.parts.words import Language, Words
from hansang.surfaces.wording import kit

PROBLEM_TYPE = "application/problem+json"


@dataclass(frozen=True, slots=True)
class HttpProblem:
    """One kind of refusal; its words are found by its code."""

    code: str
    status: int

    @property
    def title(self) -> Words:
        return kit().words(f"problem.{self.code}.title")

    @property
    def detail(self) -> Words:
        return kit().words(f"problem.{self.code}.detail")

    @property
    def remedy(self) -> Words:
        """What to do about it."""
        return kit().words(f"problem.{self.code}.remedy")


_ALL = (
    HttpProblem("bad-request", 400),
    HttpProblem("not-signed-in", 401),
    HttpProblem("not-allowed", 403),
    HttpProblem("not-found", 404),
    HttpProblem("method-not-allowed", 405),
    HttpProblem("too-slow", 408),
    HttpProblem("body-too-large", 413),
    HttpProblem("wrong-host", 421),
    HttpProblem("too-many-requests", 429),
    HttpProblem("internal", 500),
    HttpProblem("too-many-streams", 503),
    HttpProblem("overloaded", 503),
    HttpProblem("request-stopped", 503),
    HttpProblem("store-full", 503),
    HttpProblem("not-ready", 503),
)
PROBLEMS: Mapping[str, HttpProblem] = {each.code: each for each in _ALL}
"""Every kind, by code."""

_BY_STATUS = {each.status: each for each in _ALL}


def problem_of(status: int) -> HttpProblem:
    """The kind that an HTTP status stands for."""
    return _BY_STATUS.get(status) or PROBLEMS["bad-request" if status < 500 else "internal"]


def document(
    problem: HttpProblem, language: Language, request_id: str | None, status: int | None = None
) -> dict[str, object]:
    """A problem as RFC 9457 has it, with our own members code, remedy and request_id."""
    return {
        "type": f"/api/problems/{problem.code}",
        "title": problem.title.text(language),
        "status": status or problem.status,
        "detail": problem.detail.text(language),
        "code": problem.code,
        "remedy": problem.remedy.text(language),
        "request_id": request_id,
    }


def problem_response(
    problem: HttpProblem,
    language: Language,
    request_id: str | None,
    headers: Mapping[str, str] | None = None,
    status: int | None = None,
) -> Response:
    """The answer that tells a problem."""
    told = document(problem, language, request_id, status)
    spoken = {"content-language": language, **(headers or {})}
    return Response(orjson.dumps(told), status or problem.status, spoken, PROBLEM_TYPE)
