"""Nobody gives a right that they do not have."""

from __future__ import annotations

import pytest

from hansang.apps.platform.grants import differing, expect_areas, expect_own, expect_say, has
from hansang.errors import InvalidInput, NotAllowed
from hansang.parts.permissions import Principal

ADMIN = Principal("person", "minjun", "김민준", frozenset({"platform:admin", "news:write"}))


@pytest.mark.parametrize(
    ("scope", "theirs"),
    [
        ("platform:admin", True),
        ("platform:read", True),
        ("news:write", True),
        ("news:admin", False),
        ("codex:read", False),
        ("*:read", False),
        ("news:everything", False),
        ("news", False),
    ],
)
def test_a_scope_is_theirs_when_they_may_do_all_of_it(scope: str, theirs: bool) -> None:
    assert has(ADMIN, scope) is theirs


def test_only_scopes_of_their_own_are_given() -> None:
    expect_own(ADMIN, ["news:read", "platform:write"])
    with pytest.raises(NotAllowed, match="You cannot give codex:read"):
        expect_own(ADMIN, ["news:read", "codex:read"])


def test_rights_of_an_area_take_a_say_over_it() -> None:
    expect_say(ADMIN, ["platform"])
    with pytest.raises(NotAllowed, match="This takes news:admin"):
        expect_say(ADMIN, ["platform", "news"])


def test_areas_have_to_be_there() -> None:
    expect_areas(["news"], ["*", "platform", "news"])
    with pytest.raises(
        InvalidInput, match=r"Area codex not found. There are \*, platform, news\."
    ) as refused:
        expect_areas(["news"], ["codex"])
    assert refused.value.field == "roles"


def test_roles_differ_where_one_is_given_taken_or_changed() -> None:
    before = {"news": "viewer", "codex": "editor", "assets": "owner"}
    after = {"news": "editor", "codex": "editor", "rankings": "viewer"}
    assert differing(before, after) == {"news", "assets", "rankings"}
