"""What goes wrong with HTTP itself, told as RFC 9457 problems in both languages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import orjson
from starlette.responses import Response

from hansang.parts.words import Language, Words

PROBLEM_TYPE = "application/problem+json"


@dataclass(frozen=True, slots=True)
class HttpProblem:
    """One kind of refusal, with what to do about it."""

    code: str
    status: int
    title: Words
    detail: Words
    remedy: Words


_ALL = (
    HttpProblem(
        "bad-request",
        400,
        Words("잘못된 요청", "Bad request"),
        Words("요청을 읽을 수 없습니다.", "The request could not be read."),
        Words("요청의 형식을 API 문서와 비교해 보십시오.", "Compare the request with the API reference."),
    ),
    HttpProblem(
        "not-signed-in",
        401,
        Words("로그인이 필요합니다", "Not signed in"),
        Words("누가 보낸 요청인지 알 수 없습니다.", "The request does not say who is asking."),
        Words("로그인하거나 유효한 API 키를 보내십시오.", "Sign in, or send a valid API key."),
    ),
    HttpProblem(
        "not-allowed",
        403,
        Words("권한이 없습니다", "Not allowed"),
        Words("이 작업을 할 권한이 없습니다.", "You do not have permission to do this."),
        Words("소유자에게 권한을 요청하십시오.", "Ask an owner for permission."),
    ),
    HttpProblem(
        "not-found",
        404,
        Words("찾을 수 없습니다", "Not found"),
        Words("이 주소에는 아무것도 없습니다.", "There is nothing at this address."),
        Words("주소를 확인하십시오.", "Check the address."),
    ),
    HttpProblem(
        "method-not-allowed",
        405,
        Words("허용되지 않는 메서드", "Method not allowed"),
        Words("이 주소는 해당 메서드를 받지 않습니다.", "This address does not take that method."),
        Words("Allow 헤더에 있는 메서드를 사용하십시오.", "Use one of the methods in the Allow header."),
    ),
    HttpProblem(
        "too-slow",
        408,
        Words("요청이 너무 느립니다", "Request too slow"),
        Words("요청 본문이 제때 도착하지 않았습니다.", "The body of the request did not arrive in time."),
        Words("연결을 확인하고 다시 보내십시오.", "Check the connection and send it again."),
    ),
    HttpProblem(
        "body-too-large",
        413,
        Words("요청 본문이 너무 큽니다", "Body too large"),
        Words("요청 본문이 허용된 크기를 넘습니다.", "The body of the request is over the limit."),
        Words("더 작게 나누어 보내십시오.", "Send less at a time."),
    ),
    HttpProblem(
        "too-many-requests",
        429,
        Words("요청이 너무 많습니다", "Too many requests"),
        Words("짧은 시간에 너무 많은 요청을 보냈습니다.", "Too many requests were sent in a short time."),
        Words(
            "Retry-After 헤더의 시간(초)이 지난 뒤 다시 보내십시오.",
            "Wait for the seconds in the Retry-After header, then send it again.",
        ),
    ),
    HttpProblem(
        "internal",
        500,
        Words("서버 오류", "Server error"),
        Words(
            "요청을 처리하다가 문제가 생겼습니다.", "Something went wrong while the request was worked on."
        ),
        Words(
            "잠시 뒤 다시 시도하고, 계속되면 요청 번호를 관리자에게 알려 주십시오.",
            "Try again in a moment; if it stays, tell an administrator the request id.",
        ),
    ),
    HttpProblem(
        "too-many-streams",
        503,
        Words("열린 연결이 너무 많습니다", "Too many streams"),
        Words(
            "실시간 연결을 더 열 수 없습니다.",
            "No more streams of live messages can be opened at the moment.",
        ),
        Words(
            "다른 창을 닫거나, Retry-After 헤더의 시간(초)이 지난 뒤 다시 시도하십시오.",
            "Close another window, or wait for the seconds in the Retry-After header; /live/state can be asked meanwhile.",
        ),
    ),
    HttpProblem(
        "not-ready",
        503,
        Words("아직 준비되지 않았습니다", "Not ready"),
        Words("서버가 데이터에 접근할 수 없습니다.", "The server cannot reach its data."),
        Words("잠시 뒤 다시 시도하십시오.", "Try again in a moment."),
    ),
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
