"""Who waits counts only the time in which the process was awake."""

from __future__ import annotations

from hansang.engine.patience import LONGEST_STEP, Patience


def test_time_that_passes_in_steps_is_counted() -> None:
    now = iter([0.0, 0.4, 0.8, 1.1])
    patience = Patience(1, lambda: next(now))
    assert [patience.lasts() for _ in range(3)] == [True, True, False]


def test_a_process_that_was_stopped_goes_on_waiting() -> None:
    now = iter([0.0, 3600.0, 3600.1])
    patience = Patience(1, lambda: next(now))
    assert patience.lasts()
    assert patience.left == 1 - LONGEST_STEP
    assert patience.lasts()


def test_a_step_is_never_longer_than_what_is_left() -> None:
    now = iter([0.0, 0.5, 0.9, 2.0])
    patience = Patience(1, lambda: next(now))
    assert patience.step == LONGEST_STEP
    assert patience.lasts()
    assert patience.lasts()
    assert 0 < patience.step < LONGEST_STEP
    assert not patience.lasts()
    assert patience.step == 0
