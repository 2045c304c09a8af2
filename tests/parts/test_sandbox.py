"""The process apart: limited, killed, replaced, closed; and others are served meanwhile."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from hansang.errors import Busy, Exceeded, InvalidInput
from hansang.parts.sandbox import Sandbox, SandboxLimits
from tests.parts.sandboxed import (
    asleep,
    doubled,
    dying,
    endless,
    failing,
    greedy,
    process_id,
    refusing,
    talkative,
)

BRIEF = SandboxLimits(cpu_seconds=0.2, seconds=50)
WAITING = SandboxLimits(seconds=0.2)
SMALL = SandboxLimits(megabytes=200)


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as found:
        yield found


def test_a_function_is_run_in_another_process_which_is_used_again(sandbox: Sandbox) -> None:
    assert sandbox.run(doubled, "가".encode(), times=3) == {"text": "가가가"}
    first = sandbox.run(process_id)
    assert first != os.getpid()
    assert sandbox.run(process_id) == first


@pytest.mark.parametrize(
    ("function", "limits"),
    [(endless, BRIEF), (asleep, WAITING), (greedy, SMALL), (dying, BRIEF), (failing, BRIEF)],
)
def test_what_goes_beyond_its_limits_is_refused_and_the_next_one_is_served(
    sandbox: Sandbox, function: object, limits: SandboxLimits
) -> None:
    before = sandbox.run(process_id)
    with pytest.raises(Exceeded, match="to read"):
        sandbox.run(function, limits=limits)  # type: ignore[arg-type]
    assert sandbox.run(process_id) != before


def test_another_one_is_served_while_one_is_at_work() -> None:
    with Sandbox(most=2) as sandbox, sandbox._child():
        assert sandbox.run(doubled, b"a") == {"text": "aa"}


def test_who_would_wait_for_too_long_is_told_to_come_back() -> None:
    with (
        Sandbox(most=1, patience_seconds=0) as sandbox,
        sandbox._child(),
        pytest.raises(Busy, match="in a moment"),
    ):
        sandbox.run(process_id)


def test_what_a_function_prints_does_not_get_into_its_answer(sandbox: Sandbox) -> None:
    assert sandbox.run(talkative) == "answer"


def test_a_refusal_comes_through_with_its_code_and_values(sandbox: Sandbox) -> None:
    with pytest.raises(InvalidInput) as caught:
        sandbox.run(refusing)
    error = caught.value
    assert (str(error), error.field, error.code) == ("The feed is {bad}.", "thing", "news.no-feed")
    assert error.values == {"thing": "feed"}


def test_a_large_content_goes_through(sandbox: Sandbox) -> None:
    assert len(sandbox.run(doubled, bytes(8_000_000), times=1)["text"]) == 8_000_000


def test_a_process_that_died_between_two_calls_is_replaced(sandbox: Sandbox) -> None:
    before = sandbox.run(process_id)
    os.kill(before, 9)
    os.waitid(os.P_PID, before, os.WEXITED | os.WNOWAIT)
    assert sandbox.run(process_id) != before


def test_a_closed_sandbox_leaves_no_process_behind() -> None:
    with Sandbox() as sandbox:
        child = sandbox.run(process_id)
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


def test_a_process_at_work_when_the_sandbox_is_closed_ends_with_its_call() -> None:
    sandbox = Sandbox()
    with sandbox._child() as child:
        sandbox.close()
        assert child.is_alive
    assert not child.is_alive
