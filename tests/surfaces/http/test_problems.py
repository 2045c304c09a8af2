"""Problems of HTTP itself, in both languages."""

from __future__ import annotations

import re

import orjson
import pytest

from hansang.surfaces.http.problems import PROBLEMS, HttpProblem, problem_of, problem_response

HANGUL = re.compile("[가-힣]")


@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)
def test_every_problem_is_told_in_korean_and_in_english(problem: HttpProblem) -> None:
    for words in (problem.title, problem.detail, problem.remedy):
        assert HANGUL.search(words.ko)
        assert words.en
        assert not HANGUL.search(words.en)


def test_a_problem_is_told_as_rfc_9457_has_it() -> None:
    response = problem_response(PROBLEMS["not-found"], "en", "request-1", {"retry-after": "3"})
    assert response.headers["content-type"] == "application/problem+json"
    assert response.headers["retry-after"] == "3"
    assert orjson.loads(bytes(response.body)) == {
        "type": "/api/problems/not-found",
        "title": "Not found",
        "status": 404,
        "detail": "Nothing was found at this address, or under this key.",
        "code": "not-found",
        "remedy": "Check the address and the key. Addresses are in /api/docs; an item may have been deleted.",
        "request_id": "request-1",
    }


@pytest.mark.parametrize(
    ("status", "code"), [(404, "not-found"), (418, "bad-request"), (502, "internal"), (503, "not-ready")]
)
def test_every_status_stands_for_a_problem(status: int, code: str) -> None:
    assert problem_of(status).code == code
