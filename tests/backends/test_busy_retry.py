"""Outlasting a data file that others write."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from hansang.backends.busy_retry import PAUSES, BusyRetry
from hansang.errors import StoreBusy, WireError


class Scripted:
    """Raises what it is told, then answers."""

    def __init__(self, *errors: Exception) -> None:
        self._errors = list(errors)
        self.asked: list[Mapping[str, Any]] = []

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        self.asked.append(request)
        if self._errors:
            raise self._errors.pop(0)
        return {"Item": {}}


def test_a_busy_file_is_asked_again_with_the_same_request_after_longer_pauses() -> None:
    backend, pauses = Scripted(StoreBusy("busy"), StoreBusy("busy")), list[float]()
    assert BusyRetry(backend, pauses.append).call("GetItem", {"Key": {}}) == {"Item": {}}
    assert (pauses, backend.asked) == ([0.1, 0.2], [{"Key": {}}] * 3)


def test_a_file_that_stays_busy_is_given_up_after_the_last_pause() -> None:
    backend, pauses = Scripted(*[StoreBusy("busy")] * 99), list[float]()
    with pytest.raises(StoreBusy):
        BusyRetry(backend, pauses.append).call("GetItem", {})
    assert (pauses, len(backend.asked)) == (list(PAUSES), len(PAUSES) + 1)
    assert max(PAUSES) == 10.0


def test_a_refusal_is_an_answer() -> None:
    backend = Scripted(WireError("ValidationException", "no"))
    with pytest.raises(WireError):
        BusyRetry(backend, lambda pause: None).call("GetItem", {})
    assert len(backend.asked) == 1
