"""Names of processes."""

from __future__ import annotations

import os
import signal
from subprocess import Popen

from hansang.parts.processes import has_ended, process_name


def test_a_process_has_ended_once_it_is_killed() -> None:
    with Popen(["sleep", "60"]) as process:
        name = process_name(process.pid)
        assert name is not None
        lived = not has_ended(name)
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert has_ended(name), "nobody has asked for its exit code yet"
    assert lived
    assert process.returncode == -signal.SIGKILL
    assert has_ended(name)


def test_this_process_goes_on() -> None:
    name = process_name()
    assert name is not None
    assert not has_ended(name)


def test_a_number_that_was_given_again_is_another_process() -> None:
    name = process_name()
    assert name is not None
    assert has_ended(f"{name}0")


def test_of_another_machine_nothing_is_known() -> None:
    assert not has_ended("elsewhere 4194304 1")


def test_what_is_not_there_has_no_name() -> None:
    assert process_name(2**30) is None
