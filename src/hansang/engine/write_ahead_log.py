"""SQLite's write-ahead log: how large it is, and keeping it from growing for ever.

SQLite begins its log anew only at a moment when nobody reads. With one reader after the other there is no
such moment, and behind a long reader the log grows for as long as it reads; so above its limit the log is
emptied as soon as readers allow it, and a file that had grown is cut.
"""

from __future__ import annotations

import logging
import os
from time import monotonic

from hansang.engine.sql.errors import DATABASE_ERROR
from hansang.engine.sql.writer import Writer

WAL_LIMIT_BYTES = 64 << 20
"""The size above which a log is emptied, unless it is said otherwise."""

_LOOK_SECONDS = 0.05
_PAUSE_SECONDS = 1.0
"""How long after one attempt another is made; writers wait meanwhile, so attempts are few and short."""
_ATTEMPT_SECONDS = 0.05

_log = logging.getLogger("hansang.engine")


class WriteAheadLog:
    """The log beside a data file."""

    def __init__(self, path: str, limit_bytes: int) -> None:
        self._path, self._limit = f"{path}-wal", limit_bytes
        self._next_look = 0.0

    def size(self) -> int:
        """Its size in bytes; 0 when there is none."""
        try:
            return os.stat(self._path).st_size
        except FileNotFoundError:
            return 0

    @property
    def is_over(self) -> bool:
        return self.size() > self._limit

    def keep_short(self, writer: Writer) -> None:
        """Between two transactions: empty the log if it is over its limit and no reader needs it."""
        now = monotonic()
        if now < self._next_look:
            return
        self._next_look = now + _LOOK_SECONDS
        if self.is_over:
            self._empty(writer)

    def _empty(self, writer: Writer) -> None:
        try:
            if not writer.empty_log(_ATTEMPT_SECONDS):
                self._next_look = monotonic() + _PAUSE_SECONDS
        except DATABASE_ERROR as reason:
            self._next_look = monotonic() + _PAUSE_SECONDS
            _log.warning("%s has %s bytes and could not be emptied: %s", self._path, self.size(), reason)
