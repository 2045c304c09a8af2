"""What is not for everybody who may read a table."""

from __future__ import annotations

import pytest

from hansang.apps.codex.application import APPLICATION
from hansang.apps.codex.design import Credentials, CredentialsKey, FMWebApp, User
from hansang.errors import NotAllowed
from hansang.surfaces.guards import Guard

SHAPES = {shape.cls: shape for shape in FMWebApp.shapes}
SECRET = {"PK": {"S": "USER#u1"}, "SK": {"S": "AUTH"}, "passwordHash": {"S": "x"}}
PLAIN = {"PK": {"S": "BANNER#b1"}, "SK": {"S": "METADATA"}, "Type": {"S": "Banner"}}


def test_guarded_items_are_shown_to_administrators_alone() -> None:
    assert Guard.of(APPLICATION, "editor").shown(FMWebApp, [SECRET, PLAIN]) == [PLAIN]
    assert Guard.of(APPLICATION, "owner").shown(FMWebApp, [SECRET, PLAIN]) == [SECRET, PLAIN]


def test_a_key_alone_tells_that_an_item_is_guarded() -> None:
    key = SHAPES[Credentials].key(CredentialsKey(user_id="u1").__dict__)
    assert Guard.of(APPLICATION, "viewer").hides(FMWebApp, key)


def test_a_question_that_would_show_a_guarded_kind_is_refused() -> None:
    guard = Guard.of(APPLICATION, None)
    guard.expect_shown([SHAPES[User]])
    with pytest.raises(NotAllowed, match="only for owners"):
        guard.expect_shown([SHAPES[User], SHAPES[Credentials]])
