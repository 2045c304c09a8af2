"""Who is asking: by key or by session."""

from __future__ import annotations

import pytest
from starlette.requests import Request

from hansang.apps.platform.accounts import accounts_of
from hansang.parts.permissions import Principal
from hansang.surfaces.http import principals as module
from hansang.surfaces.http.principals import (
    Principals,
    credential_of,
    find_principal,
)
from hansang.surfaces.shell import Shell
from tests.surfaces.http.requests import new_request
from tests.surfaces.shells import SetClock, new_key


def with_key(text: str) -> Request:
    return new_request(authorization=f"Bearer {text}")


def with_session(cookie: str) -> Request:
    return new_request(cookie=f"hansang_lang=ko; hansang_session={cookie}; hansang_theme=dark")


def signed_in(shell: Shell, roles: dict[str, str]) -> str:
    person = accounts_of(shell.identity).people.create("seoyeon", "윤서연", roles)
    return accounts_of(shell.identity).sessions.start(person, "127.0.0.1", "a browser")


def test_a_key_is_a_principal_with_its_scopes(shell: Shell) -> None:
    key, text = accounts_of(shell.identity).keys.create("loader", ["news:write"], "a test")
    found = find_principal(shell, with_key(text))
    assert found == Principal("key", key.id, "loader", frozenset({"news:write"}))


def test_the_word_bearer_is_taken_in_any_case(shell: Shell) -> None:
    request = new_request(authorization=f"bearer {new_key(shell, 'news:read')}")
    assert find_principal(shell, request) is not None


def test_a_person_has_the_scopes_of_the_roles_and_is_kept_with_the_request(shell: Shell) -> None:
    request = with_session(signed_in(shell, {"news": "editor"}))
    found = find_principal(shell, request)
    assert found is not None
    assert (found.kind, found.name, found.shown) == ("person", "seoyeon", "윤서연")
    assert found.scopes == {"news:read", "news:write"}
    assert request.state.person.name == "seoyeon"
    assert request.state.session.digest == found.session


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"authorization": "Bearer"},
        {"authorization": "Bearer hsk_000000000000_" + "x" * 43},
        {"authorization": "Basic c2VveWVvbjpwYXNzd29yZA=="},
        {"cookie": "hansang_session="},
        {"cookie": "hansang_session=forged.signature"},
        {"cookie": "other_hansang_session=x"},
        {"cookie": "\xff\xfe;;;=hansang_session"},
    ],
)
def test_without_a_good_credential_there_is_nobody(shell: Shell, headers: dict[str, str]) -> None:
    assert find_principal(shell, new_request(**headers)) is None


def test_a_bad_key_is_not_made_good_by_a_session(shell: Shell) -> None:
    cookie = signed_in(shell, {"*": "owner"})
    request = new_request(authorization="Bearer nonsense", cookie=f"hansang_session={cookie}")
    assert find_principal(shell, request) is None


def test_the_look_up_is_done_once_a_request(shell: Shell) -> None:
    cookie = signed_in(shell, {"*": "owner"})
    request = with_session(cookie)
    first = find_principal(shell, request)
    accounts_of(shell.identity).sessions.end_all("seoyeon")
    assert find_principal(shell, request) is first
    assert find_principal(shell, with_session(cookie)) is None


# ── what is remembered ────────────────────────────────────────────────────────────────────────────


def test_a_revoked_key_works_for_less_than_five_seconds(shell: Shell, clock: SetClock) -> None:
    key, text = accounts_of(shell.identity).keys.create("loader", ["news:read"], "a test")
    principals = Principals(shell)
    assert principals.find(with_key(text)) is not None
    accounts_of(shell.identity).keys.revoke(key.id)
    clock.advance(4.9)
    assert principals.find(with_key(text)) is not None
    clock.advance(0.1)
    assert principals.find(with_key(text)) is None
    assert principals.sender(_credential(with_key(text))) is None


def test_a_session_that_was_ended_works_no_more_at_once(shell: Shell) -> None:
    cookie, principals = signed_in(shell, {"news": "viewer"}), Principals(shell)
    assert principals.find(with_session(cookie)) is not None
    accounts_of(shell.identity).sessions.end_all("seoyeon")
    assert principals.find(with_session(cookie)) is None


def test_whoever_was_looked_up_is_known_as_a_sender(shell: Shell) -> None:
    key, text = accounts_of(shell.identity).keys.create("loader", ["news:read"], "a test", rate=7)
    cookie, principals = signed_in(shell, {"news": "viewer"}), Principals(shell)
    assert principals.sender(_credential(with_key(text))) is None
    principals.find(with_key(text))
    principals.find(with_session(cookie))
    assert principals.sender(_credential(with_key(text))) == (f"key:{key.id}", 7)
    assert principals.sender(_credential(with_session(cookie))) == ("person:seoyeon", None)


def test_a_remembered_key_is_found_without_reading(shell: Shell) -> None:
    text = new_key(shell, "news:read")
    principals = Principals(shell)
    assert principals.remembered(with_key(text)) is None
    found = principals.find(with_key(text))
    assert found is not None
    assert principals.remembered(with_key(text)) == found


def test_a_session_is_never_found_without_reading(shell: Shell) -> None:
    cookie, principals = signed_in(shell, {"news": "viewer"}), Principals(shell)
    principals.find(with_session(cookie))
    assert principals.remembered(with_session(cookie)) is None


def test_only_so_many_are_remembered(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "REMEMBERED", 2)
    principals, texts = Principals(shell), [new_key(shell, "news:read") for _ in range(3)]
    for text in texts:
        principals.find(with_key(text))
    senders = [principals.sender(_credential(with_key(text))) for text in texts]
    assert [sender is None for sender in senders] == [True, False, False]


def _credential(request: Request) -> module.Credential:
    found = credential_of(request)
    assert found is not None
    return found
