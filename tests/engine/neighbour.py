"""Another process that has the same file open and does what it is told, one line at a time."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hansang.engine import Engine, backfill, recovery
from hansang.engine.backup import back_up
from hansang.engine.sql.writer import Writer
from hansang.errors import HansangError, WireError

ROOT = Path(__file__).parent.parent.parent


class Neighbour:
    """A process that was started and has opened the file."""

    def __init__(self, path: Path) -> None:
        command = [sys.executable, "-m", "tests.engine.neighbour", str(path)]
        self._process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def call(self, operation: str, request: dict[str, Any]) -> Any:
        self.send(operation, request)
        return self.answer()

    def send(self, operation: str, request: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([operation, request]) + "\n")
        self._process.stdin.flush()

    def answer(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the process is gone"
        return json.loads(line)

    @property
    def pid(self) -> int:
        return self._process.pid

    @contextmanager
    def holding(self) -> Iterator[None]:
        """The process is in the middle of a write until the block ends."""
        assert self.call("hold", {}) == "holding"
        try:
            yield
        finally:
            self.send("let go", {})
            assert self.answer() == "let go"

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """The process is stopped, as by Ctrl+Z, until the block ends."""
        self._process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def unread(self) -> str:
        """What a process that was killed had answered."""
        assert self._process.stdout is not None
        return self._process.stdout.read()

    def close(self) -> None:
        """Let the process end by itself; one that was killed has ended already."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()


@contextmanager
def neighbours(path: Path, count: int = 1) -> Iterator[list[Neighbour]]:
    """So many processes, each of which has the file open."""
    found = [Neighbour(path) for _ in range(count)]
    try:
        for each in found:
            assert each.answer() == "open"
        yield found
    finally:
        for each in found:
            each.close()


# ── in the other process ──────────────────────────────────────────────────────────────────────────


def _say(answer: Any) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def _repeat(engine: Engine, order: dict[str, Any]) -> int:
    """Call the same operation so many times, or for so many seconds; how often it was."""
    done = 0
    end = time.monotonic() + order.get("seconds", 3600)
    while done < order.get("times", 1 << 30) and time.monotonic() < end:
        request = json.loads(json.dumps(order["request"]).replace("%d", str(done)))
        engine.call(order["operation"], request)
        done += 1
    return done


def _open_again(engine: Engine, order: dict[str, Any]) -> str:
    Engine.open(engine.store.path, sweep_seconds=None).close()
    return "closed again"


def _back_up(engine: Engine, order: dict[str, Any]) -> str:
    back_up(Path(engine.store.path), Path(order["target"]), lambda *step: None)
    return "backed up"


def _hold(engine: Engine, order: dict[str, Any]) -> str:
    def job(writer: Writer) -> None:
        _say("holding")
        sys.stdin.readline()

    engine.store.write(job)
    return "let go"


_OTHER: dict[str, Callable[[Engine, dict[str, Any]], Any]] = {
    "sweep": lambda engine, order: engine.sweep(),
    "open again": _open_again,
    "back up": _back_up,
    "hold": _hold,
}


def _done(engine: Engine, operation: str, request: dict[str, Any]) -> Any:
    try:
        if operation in _OTHER:
            return _OTHER[operation](engine, request)
        return _repeat(engine, request) if operation == "repeat" else engine.call(operation, request)
    except WireError as error:
        return {"refused": error.code, "message": error.message}
    except HansangError as error:
        return {"failed": type(error).__name__}


def main(path: str) -> None:
    # Long work takes so many transactions that a test comes in between, however busy the machine is.
    backfill._PIECE = recovery._PIECE = 50
    with Engine.open(path, sweep_seconds=None, wait_seconds=60) as engine:
        _say("open")
        for line in sys.stdin:
            _say(_done(engine, *json.loads(line)))


if __name__ == "__main__":
    main(sys.argv[1])
