"""Asking again when an answer was lost."""

from __future__ import annotations

import pytest

from hansang.errors import Conflict, HansangError, Throttled, Unavailable
from hansang.parts.again import until_answered


class Service:
    """Fails as it is told, then answers."""

    def __init__(self, *errors: HansangError) -> None:
        self.errors = list(errors)
        self.asked = 0

    def __call__(self) -> str:
        self.asked += 1
        if self.errors:
            raise self.errors.pop(0)
        return "answer"


def test_an_answer_is_given_at_once() -> None:
    pauses: list[float] = []
    assert until_answered(Service(), pauses.append) == "answer"
    assert pauses == []


def test_what_was_lost_or_throttled_is_asked_again_after_longer_pauses() -> None:
    pauses: list[float] = []
    service = Service(Unavailable("lost"), Throttled("slow down"), Unavailable("lost"))
    assert until_answered(service, pauses.append) == "answer"
    assert pauses == sorted(pauses)
    assert len(pauses) == 3


def test_after_four_times_it_is_given_up() -> None:
    service = Service(*[Unavailable("lost")] * 9)
    with pytest.raises(Unavailable):
        until_answered(service, lambda pause: None)
    assert service.asked == 4


def test_a_refusal_is_an_answer() -> None:
    service = Service(Conflict("changed"))
    with pytest.raises(Conflict):
        until_answered(service, lambda pause: None)
    assert service.asked == 1
