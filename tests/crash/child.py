"""The process that is killed: several threads write after their plans and report every answer.

`python -m tests.crash.child FILE WRITER=TURN …` starts a thread for each writer, at its turn. It prints
`ready` once the file is open, then a line `WRITER TURN` after each write that the engine acknowledged.
Without a writer it opens and closes the file again and again, and says `ready` before the first time.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from typing import NoReturn

from hansang.engine import Engine
from tests.crash.plan import write


def report(text: str) -> None:
    """One system call a line, straight into the pipe: nothing waits in a buffer when the process dies."""
    os.write(1, f"{text}\n".encode())


def storm(engine: Engine, writer: str, turn: int) -> None:
    while True:
        found = write(writer, turn)
        engine.call(found.operation, found.request())
        report(f"{writer} {turn}")
        turn += 1


def open_and_close(path: str) -> NoReturn:
    report("ready")
    while True:
        Engine.open(path, durability="full", sweep_seconds=None).close()


def main() -> None:
    path, *writers = sys.argv[1:]
    if not writers:
        open_and_close(path)
    engine = Engine.open(path, durability="full", sweep_seconds=None)
    report("ready")
    for start in writers:
        writer, _, turn = start.partition("=")
        threading.Thread(target=storm, args=(engine, writer, int(turn)), daemon=True).start()
    while True:
        time.sleep(60)


if __name__ == "__main__":
    main()
