"""What a test leaves behind is seen."""

from __future__ import annotations

import subprocess
import sys
import threading
from contextlib import AbstractContextManager, suppress

import pytest

from hansang.engine import Engine
from tests.leftovers import nothing_left

WAITING = [sys.executable, "-c", "input()"]


def watched(patience: float = 0.05) -> AbstractContextManager[None]:
    return nothing_left(lambda: False, patience)


def test_an_engine_is_told_with_the_line_that_opened_it() -> None:
    with pytest.raises(AssertionError, match=r"an open engine, test_leftovers\.py:\d+"), watched():
        engine = Engine.open(":memory:", sweep_seconds=None)
    engine.close()


def test_a_thread_is_told_by_its_name() -> None:
    end = threading.Event()
    thread = threading.Thread(target=end.wait, name="forgotten")
    with pytest.raises(AssertionError, match="a thread, forgotten"), watched():
        thread.start()
    end.set()
    thread.join()


def test_a_process_is_told_by_its_command() -> None:
    with pytest.raises(AssertionError, match=r"a process, .*input"), watched():
        process = subprocess.Popen(WAITING, stdin=subprocess.PIPE)
    process.communicate()


def test_what_is_just_ending_has_time_to() -> None:
    thread = threading.Thread(target=threading.Event().wait, args=(0.1,))
    with watched(60):
        thread.start()


def test_what_was_closed_in_spite_of_a_failure_is_not_told() -> None:
    with watched(), suppress(ZeroDivisionError), Engine.open(":memory:", sweep_seconds=None):
        raise ZeroDivisionError
