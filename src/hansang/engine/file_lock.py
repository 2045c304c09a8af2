"""The lock beside a data file: who may write it now, and which version of the catalog was announced last.

Both live in a small file that every process has in its memory. It is a convenience: SQLite's own locks keep
writers apart, and every write reads the version of the catalog from the data. A lock file that was deleted
is made again with the next write.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import re
import struct
import sys
import threading
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from hansang.engine.file import identity
from hansang.errors import StoreError

UNKNOWN = -1
"""What is announced when nobody knows: the version has to be read from the data."""

_counter = struct.Struct(">Q")
_owner = struct.Struct(">dI236s")
_SIZE = _counter.size + _owner.size
_WORD = re.compile(r"[a-z][a-z-]*")


class LockOwner(NamedTuple):
    """Who has the lock: the process, what it was started as, and for how many seconds it has had it."""

    process: int
    command: str
    seconds: float

    def __str__(self) -> str:
        return f"process {self.process} ({self.command})"


def command_name(arguments: list[str]) -> str:
    """What a process was started as, without its options and inputs: `hansang news load`."""
    program = Path(arguments[0] if arguments else "")
    name = program.parent.name if program.name == "__main__.py" else program.name
    words = [name or "python"]
    for each in arguments[1:3]:
        if not _WORD.fullmatch(each):
            break
        words.append(each)
    return " ".join(words)


class _Turn:
    """One wait for the lock, in a thread of its own; it may have been given up when the lock comes."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.wanted = True


class FileLock:
    """Lets one process write at a time, in the order of asking, and tells all of a changed catalog.

    Whoever holds it asks for it once more only after giving it back; asking is for one thread at a time.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._command = command_name(sys.argv).encode()[:200]
        self._door = threading.Lock()
        self._turn: _Turn | None = None
        self._lost = False
        self._open()

    def _open(self) -> None:
        name = f"{self._path}-lock"
        try:
            handle = os.open(name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, os.stat(self._path).st_mode & 0o666)
        except OSError as reason:
            raise StoreError(f"{name} could not be opened: {reason}") from reason
        try:
            if os.fstat(handle).st_size < _SIZE:
                os.ftruncate(handle, _SIZE)
            # The memory of a lost lock file goes when the last thread has looked at it.
            self._memory = mmap.mmap(handle, _SIZE)
        except OSError as reason:
            os.close(handle)
            raise StoreError(f"{name} could not be opened: {reason}") from reason
        self._handle = handle
        self._lost = False

    # ── the lock ──────────────────────────────────────────────────────────────────────────────────

    def acquire(self, seconds: float) -> bool:
        """Have the lock, unless another process keeps it for longer than this."""
        deadline = monotonic() + seconds
        while self._flock(deadline - monotonic()):
            if not self._lost and os.fstat(self._handle).st_nlink:
                _owner.pack_into(self._memory, _counter.size, monotonic(), os.getpid(), self._command)
                return True
            os.close(self._handle)
            self._open()
        return False

    def release(self) -> None:
        fcntl.flock(self._handle, fcntl.LOCK_UN)

    def owner(self) -> LockOwner | None:
        """Who took the lock last, as far as is known."""
        since, process, command = _owner.unpack_from(self._memory, _counter.size)
        name = command.rstrip(b"\0").decode(errors="replace")
        return LockOwner(process, name, max(monotonic() - since, 0.0)) if process else None

    def _flock(self, seconds: float) -> bool:
        with self._door:
            if self._turn is None:
                try:
                    fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    self._turn = self._queued()
                else:
                    return True
            turn = self._turn
            turn.wanted = True
        try:
            turn.reached.wait(max(seconds, 0.0))
        finally:
            reached = self._ended(turn)
        return reached

    def _ended(self, turn: _Turn) -> bool:
        """Whether the lock came in time; if not, it is given back when it comes."""
        with self._door:
            if turn.reached.is_set():
                self._turn = None
            turn.wanted = False
        return turn.reached.is_set()

    def _queued(self) -> _Turn:
        """Stand in the system's own queue, which knows no limit, in a thread that nobody has to wait for."""
        turn, handle = _Turn(), os.dup(self._handle)
        threading.Thread(target=self._wait, args=(turn, handle), name="hansang-lock", daemon=True).start()
        return turn

    def _wait(self, turn: _Turn, handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX)
        with self._door:
            if turn.wanted:
                turn.reached.set()
            else:
                self._turn = None
                fcntl.flock(handle, fcntl.LOCK_UN)
        os.close(handle)

    # ── the catalog ───────────────────────────────────────────────────────────────────────────────

    def announced(self) -> int:
        """The version of the catalog that was announced last, or UNKNOWN."""
        if self._lost:
            return UNKNOWN
        return int.from_bytes(self._memory[: _counter.size], "big") or UNKNOWN

    def announce(self, version: int) -> None:
        _counter.pack_into(self._memory, 0, version)

    def look(self) -> None:
        """Notice that the lock file is gone, or another one: what is announced there is not heard here."""
        if identity(f"{self._path}-lock") != _identity_of(self._handle):
            self._lost = True

    def confirm(self) -> None:
        """After a change of the catalog: a lock file that has taken the place of this one knows nothing of it."""
        self.look()
        if self._lost:
            try:
                with open(f"{self._path}-lock", "r+b") as other:
                    other.write(bytes(_counter.size))
            except OSError:
                return  # Who makes it anew finds nothing announced in it.

    def close(self) -> None:
        self._memory.close()
        os.close(self._handle)


def _identity_of(handle: int) -> tuple[int, int]:
    found = os.fstat(handle)
    return found.st_dev, found.st_ino
