"""Retrying what was throttled, or whose answer was lost."""

from __future__ import annotations

import pytest

from hansang.errors import Conflict, HansangError, Throttled, Unavailable
from hansang.parts.retry import BRIEF, PATIENT, retry


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


def test_what_works_is_done_once() -> None:
    pauses: list[float] = []
    assert retry(Service(), pauses.append) == "answer"
    assert pauses == []


def test_what_was_lost_or_throttled_is_tried_again_after_longer_pauses() -> None:
    pauses: list[float] = []
    service = Service(Unavailable("lost"), Throttled("slow down"), Unavailable("lost"))
    assert retry(service, pauses.append) == "answer"
    assert pauses == sorted(pauses)
    assert len(pauses) == 3


@pytest.mark.parametrize(("pauses", "tries"), [(BRIEF, 4), (PATIENT, 8), ((), 1)])
def test_after_the_last_pause_it_is_given_up(pauses: tuple[float, ...], tries: int) -> None:
    slept: list[float] = []
    service = Service(*[Unavailable("lost")] * 9)
    with pytest.raises(Unavailable):
        retry(service, slept.append, pauses)
    assert (service.asked, slept) == (tries, list(pauses))


def test_pauses_double_where_there_is_time() -> None:
    assert PATIENT == (0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28)


def test_a_refusal_is_an_answer() -> None:
    service = Service(Conflict("changed"))
    with pytest.raises(Conflict):
        retry(service, lambda pause: None)
    assert service.asked == 1
