"""Every error is told the same way by API, console and command line."""

from __future__ import annotations

from typing import Any

import pytest

from hansang.errors import HansangError, InvalidCursor, LastOwner, NotAllowed, StoreError, UnexpectedItem
from hansang.surfaces.api.faults import problem_of
from hansang.surfaces.cli.exit_codes import MEANINGS, exit_code
from hansang.surfaces.console.failures import failure_of
from hansang.surfaces.error_kinds import KINDS, STATUSES, ErrorKind, kind_of

MORE: dict[str, tuple[Any, ...]] = {
    "LockedOut": (1.0,),
    "WireError": ("message",),
    "ApplicationOnly": ({"ko": "", "en": ""},),
}
MADE = [(kind("message", *MORE.get(kind.__name__, ())), told) for kind, told in KINDS.items()]


@pytest.mark.parametrize(("error", "told"), MADE, ids=lambda each: type(each).__name__)
def test_the_three_surfaces_follow_the_table(error: HansangError, told: ErrorKind) -> None:
    problem, failure = problem_of(error).kind, failure_of(error)
    if type(error).__name__ != "Refused":  # What a table refuses is told by its code.
        assert (problem.code, problem.status) == (told.code, told.status)
    assert failure is None or failure.status == told.status
    assert exit_code(error) == told.exit_code
    assert told.exit_code in MEANINGS


def test_a_code_has_one_status() -> None:
    assert all(STATUSES[each.code] == each.status for each in KINDS.values())


def test_what_is_a_fault_of_ours_has_no_page() -> None:
    assert failure_of(HansangError("wrong")) is None
    assert failure_of(StoreError("broken")) is None


def test_some_pages_say_more_than_their_status() -> None:
    told = {type(each): failure_of(each) for each in (InvalidCursor("no"), UnexpectedItem("no"))}
    assert [(each.status, each.key) for each in told.values() if each] == [
        (400, "invalid"),
        (500, "unreadable"),
    ]


def test_an_error_that_is_not_listed_is_told_as_the_kind_above_it() -> None:
    class NoOwner(LastOwner):
        """A kind that somebody has added."""

    assert kind_of(NoOwner("no")) == KINDS[NotAllowed]
