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
from pathlib import Path
from time import monotonic, sleep
from typing import NamedTuple

from hansang.engine.file import identity
from hansang.engine.patience import Patience
from hansang.errors import StoreError

UNKNOWN = -1
"""What is announced when nobody knows: the version has to be read from the data."""

_counter = struct.Struct(">Q")
_owner = struct.Struct(">dI236s")
_next = struct.Struct(">d8s")
_OWNER_AT = _counter.size
_NEXT_AT = _OWNER_AT + _owner.size
_SIZE = _NEXT_AT + _next.size
_NOBODY = bytes(_next.size)
_FRESH_SECONDS = 0.1
"""For how long nobody pushes past one who has said that he waits; he says it again and again."""
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


def _pause(waited: float) -> float:
    """How long until the lock is tried again: longer, the longer it was waited for already."""
    return min(max(waited / 50, 0.0001), 0.005)


class FileLock:
    """Lets one process write at a time, whoever asked first if several do, and tells all of a changed catalog.

    Asking is for one thread at a time. A system has no limit on how long one waits for its locks, so the lock
    is tried again and again; who waits says so in the file, and others do not push past.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._command = command_name(sys.argv).encode()[:200]
        self._name = os.urandom(8)
        self._lost = False
        self._open()

    def _open(self) -> None:
        name = f"{self._path}-lock"
        try:
            handle = os.open(name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, os.stat(self._path).st_mode & 0o666)
        except OSError as reason:
            raise StoreError(f"{name} could not be opened: {reason}") from reason
        try:
            found = os.fstat(handle)
            if found.st_size < _SIZE:
                os.ftruncate(handle, _SIZE)
            # The memory of a lost lock file goes when the last thread has looked at it.
            self._memory = mmap.mmap(handle, _SIZE)
        except OSError as reason:
            os.close(handle)
            raise StoreError(f"{name} could not be opened: {reason}") from reason
        self._handle, self._identity = handle, (found.st_dev, found.st_ino)
        self._lost = False

    # ── the lock ──────────────────────────────────────────────────────────────────────────────────

    def acquire(self, patience: Patience) -> bool:
        """Have the lock, unless another process keeps it for longer than this."""
        if self._memory[_NEXT_AT:_SIZE] == _NOBODY and self._try():
            return True
        asked = patience.left
        try:
            while patience.lasts():
                sleep(_pause(asked - patience.left))
                if self._takes_place(monotonic()) and self._try():
                    return True
            return False
        finally:
            self._leave_place()

    def release(self) -> None:
        fcntl.flock(self._handle, fcntl.LOCK_UN)

    def owner(self) -> LockOwner | None:
        """Who took the lock last, as far as is known."""
        since, process, command = _owner.unpack_from(self._memory, _OWNER_AT)
        name = command.rstrip(b"\0").decode(errors="replace")
        return LockOwner(process, name, max(monotonic() - since, 0.0)) if process else None

    def _try(self) -> bool:
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        if self._lost or not os.fstat(self._handle).st_nlink:
            lost = self._handle
            self._open()
            os.close(lost)
            return self._try()
        _owner.pack_into(self._memory, _OWNER_AT, monotonic(), os.getpid(), self._command)
        return True

    def _takes_place(self, now: float) -> bool:
        """Say that one waits, unless another has said so just now; who said it long ago is stopped or gone."""
        since, name = _next.unpack_from(self._memory, _NEXT_AT)
        if name not in (_NOBODY[-8:], self._name) and abs(now - since) < _FRESH_SECONDS:
            return False
        _next.pack_into(self._memory, _NEXT_AT, now, self._name)
        return True

    def _leave_place(self) -> None:
        if self._memory[_SIZE - 8 : _SIZE] == self._name:
            self._memory[_NEXT_AT:_SIZE] = _NOBODY

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
        if identity(f"{self._path}-lock") != self._identity:
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
