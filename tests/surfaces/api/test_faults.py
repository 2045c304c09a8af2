"""Every error of ours is a problem, told in both languages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

import pytest
from pydantic_core.core_schema import ErrorType

from hansang import errors
from hansang.engine.sql.errors import damaged_in
from hansang.errors import (
    Busy,
    DamagedFile,
    HansangError,
    InvalidInput,
    LockedOut,
    NotFound,
    Refused,
    StoreBusy,
    Throttled,
)
from hansang.parts.words import LANGUAGES, Language
from hansang.surfaces.api.faults import Asked, invalid, problem_of
from hansang.surfaces.api.problems import kinds
from hansang.surfaces.error_kinds import KINDS
from hansang.surfaces.http.problems import PROBLEMS
from hansang.surfaces.labels import Labels
from hansang.surfaces.wording import kit


def tree(root: type[HansangError]) -> Iterator[type[HansangError]]:
    yield root
    for each in root.__subclasses__():
        if each.__module__ == errors.__name__:
            yield from tree(each)


@pytest.mark.parametrize("kind", list(tree(HansangError)))
def test_the_code_of_an_error_is_that_of_its_problem(kind: type[HansangError]) -> None:
    assert KINDS[kind].code == kind.code


def test_a_closer_code_is_told_in_korean_with_its_values() -> None:
    error = InvalidInput(
        "{attribute} is binary.", "pk", code="surfaces.key-base64", values={"attribute": "pk"}
    )
    told = problem_of(error).document("ko", None)
    assert told["detail"] == "pk는 이진 값이므로 base64로 적으십시오."
    assert told["errors"][0]["message"] == told["detail"]
    assert told["reason"] == "pk is binary."


@pytest.mark.parametrize("kind", list(tree(HansangError)))
def test_every_error_has_a_status_and_texts_in_both_languages(kind: type[HansangError]) -> None:
    problem = kinds()[KINDS[kind].code]
    assert 400 <= problem.status == KINDS[kind].status < 600
    for words in (problem.title, problem.detail, problem.remedy):
        assert all(words.text(spoken) for spoken in LANGUAGES)


@pytest.mark.parametrize("code", list(kinds()))
def test_every_problem_has_korean_in_korean_and_none_in_english(code: str) -> None:
    problem = kinds()[code]
    for words in (problem.title, problem.detail, problem.remedy):
        assert any("가" <= letter <= "힣" for letter in words.ko)
        assert not any("가" <= letter <= "힣" for letter in words.en)
        assert words.ko == words.ko.strip()


def test_a_problem_of_http_keeps_its_status() -> None:
    assert all(kinds()[code].status == each.status for code, each in PROBLEMS.items())


def test_an_error_that_nobody_has_listed_is_what_its_parent_is() -> None:
    class Special(NotFound):
        """Listed nowhere."""

    assert problem_of(Special("gone")).kind.code == "not-found"


def test_the_servers_own_faults_are_not_told() -> None:
    problem = problem_of(DamagedFile("/srv/secret/place.db is damaged"))
    assert problem.kind.status == 503
    assert "secret" not in str(problem.document("en", None))


@pytest.mark.parametrize(("language", "said"), [("en", "index by-colour of"), ("ko", "인덱스 by-colour에")])
def test_a_damaged_row_is_told_with_its_table_its_index_and_the_way_out(
    language: Language, said: str
) -> None:
    problem = problem_of(damaged_in("/srv/secret/shop.db", "rice", "by-colour"))
    told = problem.document(language, None)
    assert (told["status"], told["code"]) == (503, "damaged")
    assert said in told["detail"]
    assert "hansang check shop.db --repair" in told["detail"]
    assert "secret" not in str(told)


@pytest.mark.parametrize(
    "told",
    [
        "AccessDeniedException: User: arn:aws:iam::123456789012:user/secret is not authorized",
        "ExpiredTokenException: The security token secret has expired",
        "The table secret did not become active.",
    ],
)
def test_what_the_database_holds_against_the_server_is_not_told(told: str) -> None:
    problem = problem_of(Refused(told))
    assert problem.kind.code == "internal"
    assert "secret" not in str(problem.document("en", None))


def test_what_the_database_finds_wrong_with_values_is_told() -> None:
    problem = problem_of(
        Refused(
            "ValidationException: A number …", "ValidationException", "A number has more than 38 digits: 9"
        )
    )
    assert problem.kind.code == "refused"
    assert problem.document("en", None)["detail"] == "A number has more than 38 digits: 9"


def test_what_the_caller_can_mend_is_told() -> None:
    told = problem_of(NotFound("Post id=p1 not found.")).document("en", "r1")
    assert told["detail"] == "Post id=p1 not found."
    assert told["request_id"] == "r1"


def test_in_korean_the_exact_reason_stands_beside_the_detail() -> None:
    told = problem_of(NotFound("Post id=p1 not found.")).document("ko", None)
    assert told["reason"] == "Post id=p1 not found."
    assert "아무것도" in told["detail"]


def test_a_wrong_field_is_named() -> None:
    told = problem_of(InvalidInput("Too short.", "password")).document("en", None)
    assert [each["path"] for each in told["errors"]] == ["password"]


@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        (LockedOut("Wait.", 61.2), "62"),
        (Busy("Wait.", 0.1), "1"),
        (Throttled("Slow."), "1"),
        (StoreBusy("Wait.", "", 2.5), "3"),
    ],
)
def test_who_has_to_wait_is_told_how_long(error: HansangError, seconds: str) -> None:
    assert problem_of(error).headers == {"Retry-After": seconds}


def asked(spoken: Language) -> Asked:
    return Asked(Labels(kit(), "", spoken))


def test_a_body_that_is_no_json_is_a_problem_of_its_own() -> None:
    found = [{"type": "json_invalid", "loc": ("body", 1), "msg": "", "ctx": {"error": "Expecting value"}}]
    problem = invalid(found, asked("en"))
    assert problem.kind.code == "invalid-json"
    assert problem.reason == "The body cannot be read as JSON: Expecting value."


def test_a_wrong_value_is_told_in_korean_with_its_bounds() -> None:
    found = {"type": "less_than_equal", "msg": "Input should be less than or equal to 9", "ctx": {"le": 9}}
    assert asked("ko").message(found) == "9 이하여야 합니다."
    assert asked("en").message(found) == "It has to be 9 or less."


def test_a_wrong_value_that_nobody_has_worded_is_still_told() -> None:
    assert asked("ko").message({"type": "new_in_pydantic", "msg": "Odd"}) == "값이 올바르지 않습니다."


def test_only_errors_that_pydantic_knows_are_worded() -> None:
    keys = {key.removeprefix("field.") for key in kit().entries if key.startswith("field.")}
    worded = {key for key in keys if not key.startswith("named.")}  # What common arguments are called.
    assert worded - {"other", "row", "looks_like", "format", "quoted", "repeated"} <= set(get_args(ErrorType))


def test_a_regular_expression_is_never_told() -> None:
    found = {"type": "string_pattern_mismatch", "loc": ("query", "month"), "ctx": {"pattern": "^[0-9]$"}}
    assert asked("en").message(found) == "It is not in the right format. See the help text."
    assert asked("en").message({**found, "example": "2026-11"}) == "Enter it like this: 2026-11."
    assert asked("ko").message({**found, "example": "2026-11"}) == "2026-11처럼 입력하십시오."


def test_a_message_without_a_code_is_quoted_on_korean_pages_unless_it_is_korean() -> None:
    found = {"type": "value_error", "ctx": {"error": ValueError("Too late")}}
    assert asked("en").message(found) == "Too late."
    assert asked("ko").message(found) == "값이 이 서비스의 규칙에 맞지 않습니다. 원문: “Too late.”"
    korean = {"type": "value_error", "ctx": {"error": ValueError("너무 늦었습니다.")}}
    assert asked("ko").message(korean) == "너무 늦었습니다."
