"""In which language to answer."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from hansang.surfaces.http.languages import accepted, language
from tests.surfaces.http.requests import new_request


@dataclass
class Someone:
    language: str | None


@pytest.mark.parametrize(
    ("header", "found"),
    [
        ("", None),
        ("en", "en"),
        ("ko-KR", "ko"),
        ("en-US,en;q=0.9,ko;q=0.8", "en"),
        ("en;q=0.3, ko;q=0.7", "ko"),
        ("fr-FR, en;q=0.5", "en"),
        ("KO", "ko"),
        ("fr, de", None),
        ("en;q=0", None),
        ("en;q=nonsense, ko;q=0.1", "ko"),
        ("*", None),
        (";;;,,,q=", None),
    ],
)
def test_the_language_that_a_browser_likes_most_is_found(header: str, found: str | None) -> None:
    assert accepted(header) == found


def test_korean_is_the_language_of_who_says_nothing() -> None:
    assert language(new_request()) == "ko"
    assert language(new_request(accept_language="fr")) == "ko"


def test_the_address_goes_before_the_cookie_before_the_person_before_the_browser() -> None:
    request = new_request(query="lang=en", cookie="hansang_lang=ko", accept_language="ko")
    assert language(request) == "en"
    request = new_request(cookie="hansang_lang=en", accept_language="ko")
    request.state.person = Someone("ko")
    assert language(request) == "en"
    request = new_request(accept_language="ko")
    request.state.person = Someone("en")
    assert language(request) == "en"
    assert language(new_request(accept_language="en")) == "en"


def test_a_language_that_we_do_not_speak_is_passed_over() -> None:
    request = new_request(query="lang=xx", cookie="hansang_lang=de", accept_language="en")
    request.state.person = Someone(None)
    assert language(request) == "en"
