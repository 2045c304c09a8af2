"""A process of the soak: started, listened to, stopped, killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from types import TracebackType
from typing import Self

from tests.crash.storm import ROOT

PATIENCE = 60.0
"""Seconds after which a process that does not answer is taken to hang."""


class SoakProcess:
    """One child that waits for its work, and every line that it has printed so far."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.soak.child"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.lines: list[str] = []
        self._came = threading.Condition()
        self._thread = threading.Thread(target=self._listen)
        self._thread.start()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            with self._came:
                self.lines.append(line.decode().strip())
                self._came.notify_all()

    def begin(self, *words: str) -> None:
        """Give it its work; it is at it once this returns."""
        self.tell(json.dumps(words))
        assert self.answered(1), f"{words} did not open the file"
        assert self.lines[0] == "ready"

    def answered(self, count: int) -> bool:
        """Whether it has printed so many lines, within all patience."""
        with self._came:
            return self._came.wait_for(lambda: len(self.lines) >= count, PATIENCE)

    def tell(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n".encode())
        self._process.stdin.flush()

    def send(self, number: signal.Signals) -> None:
        os.kill(self._process.pid, number)

    @property
    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def kill(self) -> list[str]:
        """End it as a power cut would, and return all that it has printed."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.kill()
        self._process.wait()
        self._thread.join()
        self._process.stdin.close()
        self._process.stdout.close()
        return self.lines

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self._process.stdout or not self._process.stdout.closed:
            self.kill()
