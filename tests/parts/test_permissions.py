"""Roles, scopes, and whoever asks."""

from __future__ import annotations

import pytest

from hansang.errors import InvalidInput
from hansang.parts.permissions import (
    ACTIONS,
    Principal,
    allows,
    check_roles,
    check_scope_forms,
    check_scopes,
    scopes_of,
)


def test_a_role_means_scopes() -> None:
    assert scopes_of({"news": "viewer"}) == {"news:read"}
    assert scopes_of({"news": "editor"}) == {"news:read", "news:write"}
    assert scopes_of({"*": "owner"}) == {"*:read", "*:write", "*:admin"}
    assert scopes_of({"news": "viewer", "codex": "editor"}) == {"news:read", "codex:read", "codex:write"}
    assert scopes_of({}) == frozenset()


def test_more_includes_less_and_not_the_other_way() -> None:
    allowed = {
        scope: [each for each in ACTIONS if allows({f"news:{scope}"}, "news", each)] for scope in ACTIONS
    }
    assert allowed == {"read": ["read"], "write": ["read", "write"], "admin": ["read", "write", "admin"]}


def test_a_scope_is_of_its_own_area() -> None:
    assert not allows({"news:admin"}, "codex", "read")
    assert not allows({"news:admin"}, "platform", "read")
    assert not allows({"new:read"}, "news", "read")
    assert not allows(set(), "news", "read")


def test_everywhere_is_every_area_and_the_platform() -> None:
    assert allows({"*:write"}, "news", "read")
    assert allows({"*:write"}, "platform", "write")
    assert not allows({"*:write"}, "news", "admin")


def test_a_principal_may_what_its_scopes_allow() -> None:
    key = Principal("key", "0a", "loader", frozenset({"news:write"}))
    assert key.may("news", "read")
    assert not key.may("codex", "read")


def test_an_unknown_scope_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(
        InvalidInput, match=r"Scope news:fly not found\. There are \*:read, .*platform:read, .*news:admin"
    ) as e:
        check_scopes({"news:read", "news:fly"}, ["news"])
    assert e.value.field == "scopes"
    check_scopes({"news:read", "*:admin", "platform:write"}, ["news"])


def test_no_scope_at_all_is_refused() -> None:
    with pytest.raises(InvalidInput, match="at least one"):
        check_scopes([], ["news"])


@pytest.mark.parametrize(
    "scope", ["", "news", "news:", ":read", "news:read:write", "News:read", "new s:read", "**:read"]
)
def test_what_is_not_of_the_form_of_a_scope_is_refused(scope: str) -> None:
    with pytest.raises(InvalidInput, match="is not a valid scope"):
        check_scope_forms([scope])


def test_roles_are_checked() -> None:
    assert check_roles({"*": "owner", "news": "viewer"}) == {"*": "owner", "news": "viewer"}
    with pytest.raises(InvalidInput, match=r"'king' is not a valid role\. There are owner, editor, viewer"):
        check_roles({"news": "king"})
    with pytest.raises(InvalidInput, match="is not a valid application"):
        check_roles({"new#s": "viewer"})
