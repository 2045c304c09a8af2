"""The limits of a request: its time, and whether anybody waits for it."""

from __future__ import annotations

import pytest

from hansang.backends.embedded import Embedded
from hansang.backends.limits import Limited, RequestLimits, limits
from hansang.errors import RequestStopped


class SetTimer:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_request_is_over_when_its_time_is() -> None:
    timer = SetTimer()
    found = RequestLimits(30, timer)
    timer.now += 29.9
    found.check()
    timer.now += 0.1
    with pytest.raises(RequestStopped, match="longer than 30 s"):
        found.check()


def test_each_part_of_an_answer_has_the_time_anew_and_a_stream_has_no_limit() -> None:
    timer = SetTimer()
    found = RequestLimits(30, timer)
    timer.now += 29
    found.renew()
    timer.now += 29
    found.check()
    found.lift()
    timer.now += 1000
    found.check()


def test_a_request_is_over_when_its_client_has_left() -> None:
    found = RequestLimits(30)
    found.lift()
    found.leave()
    with pytest.raises(RequestStopped, match="has left"):
        found.check()


def test_a_backend_answers_no_call_of_a_request_that_is_over() -> None:
    with Embedded.open() as embedded:
        limited, found = Limited(embedded), RequestLimits(30)
        assert limited.call("ListTables", {}) == {"TableNames": []}
        mark = limits.set(found)
        try:
            assert limited.call("ListTables", {}) == {"TableNames": []}
            found.leave()
            with pytest.raises(RequestStopped):
                limited.call("ListTables", {})
        finally:
            limits.reset(mark)
