"""Reading what strangers wrote in a process apart, which may use so much time and memory and no more."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from typing import Any, Self

from hansang.errors import Busy, Exceeded, HansangError, InvalidInput, Unavailable
from hansang.parts.sandbox_child import receive, send

_BOOT = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from hansang.parts.sandbox_child import serve; serve()"
_PATIENCE_SECONDS = 10.0
_MOST_CALLS = 500
"""After how many calls a process is replaced, so that what it has leaked is given back."""
_LARGEST_ANSWER = 64 * 1024 * 1024

_log = logging.getLogger("hansang.sandbox")


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    """What one call may use; the seconds of the clock are for what waits, and for a machine that is busy."""

    cpu_seconds: float = 1.0
    seconds: float = 10.0
    megabytes: int = 768


USUAL_LIMITS = SandboxLimits()


class Sandbox:
    """Runs functions of modules in processes that are started when needed, reused, and killed at a limit."""

    def __init__(self, most: int = 2, patience_seconds: float = _PATIENCE_SECONDS) -> None:
        """`most` calls go on at a time; whoever waits for longer than the patience is refused."""
        self._patience, self._turns = patience_seconds, threading.BoundedSemaphore(most)
        self._lock, self._idle, self._closed = threading.Lock(), list[_ChildProcess](), False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(
        self,
        function: Callable[..., Any],
        content: bytes = b"",
        *,
        limits: SandboxLimits = USUAL_LIMITS,
        **arguments: Any,
    ) -> Any:
        """What `function(content, **arguments)` returns, arguments and answer being what JSON can hold.

        InvalidInput and Unavailable come through as they were raised. Exceeded when the limits were reached, or the
        process died.
        """
        header = {
            "function": f"{function.__module__}:{function.__qualname__}",
            "arguments": arguments,
            **asdict(limits),
        }
        with self._child() as child:
            answer = child.ask(header, content, limits.seconds)
        return _result(answer, limits)

    @contextmanager
    def _child(self) -> Iterator[_ChildProcess]:
        if not self._turns.acquire(timeout=self._patience):
            raise Busy(
                "Too much is being read at the moment. Try again in a moment.", code="parts.sandbox-busy"
            )
        try:
            child = self._taken()
            try:
                yield child
            finally:
                self._give_back(child)
        finally:
            self._turns.release()

    def _taken(self) -> _ChildProcess:
        with self._lock:
            while self._idle:
                child = self._idle.pop()
                if child.is_alive:
                    return child
                child.end()
        return _ChildProcess()

    def _give_back(self, child: _ChildProcess) -> None:
        with self._lock:
            if child.is_alive and child.calls < _MOST_CALLS and not self._closed:
                self._idle.append(child)
                return
        child.end()

    def close(self) -> None:
        """End the processes; those that are at work end with their call."""
        with self._lock:
            self._closed, idle, self._idle = True, self._idle, []
        for child in idle:
            child.end()


class _ChildProcess:
    """One process, and the pipes to it."""

    def __init__(self) -> None:
        self.calls = 0
        # Its own session, so that Ctrl+C on the terminal is the parent's to answer.
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
            [sys.executable, "-I", "-c", _BOOT, json.dumps(sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, header: dict[str, Any], content: bytes, seconds: float) -> dict[str, Any] | None:
        """The answer; None when the process died of the question, or was killed because it took too long."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self.calls += 1
        timer = threading.Timer(seconds, self._process.kill)
        timer.start()
        try:
            send(self._process.stdin, header, content)
            found = receive(self._process.stdout, _LARGEST_ANSWER)
        except (OSError, ValueError):
            found = None
        finally:
            timer.cancel()
            timer.join()
        if found is None or "failed" in found[0]:
            self.end()
        return None if found is None else found[0]

    def end(self) -> None:
        """Kill the process, if that is still needed, and close what belongs to it."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with suppress(OSError):  # What was not sent cannot be sent any more.
                pipe.close()


def _result(answer: dict[str, Any] | None, limits: SandboxLimits) -> Any:
    if answer is not None and "result" in answer:
        return answer["result"]
    if answer is not None and "refused" in answer:
        raise _refusal(answer["refused"])
    if answer is not None:
        _log.warning("What was read in the sandbox failed: %s", answer.get("failed"))
    raise Exceeded(
        "This takes more than {seconds} seconds or {megabytes} MB to read, or cannot be read at all.",
        code="parts.exceeded",
        values={"seconds": limits.cpu_seconds, "megabytes": limits.megabytes},
    )


def _refusal(told: dict[str, Any]) -> HansangError:
    """The error as it was raised; its message is filled already."""
    error: InvalidInput | Unavailable
    if told["kind"] == "Unavailable":
        error = Unavailable(told["message"], code=told["code"])
    else:
        error = InvalidInput(told["message"], told["field"], code=told["code"])
    error.values = told["values"]
    return error
