"""A folder where the workers of one server show each other what they have counted.

Each worker writes its own file, every second and at its end. What a worker has counted that is gone is added
to one file for all of those, so a sum over the folder never becomes smaller.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from hansang.surfaces.http.counts import RequestCounts

_GONE = "gone.json"
_LOCK = "lock"
_STATE = ("running", "resident", "started", "streams")


@dataclass(frozen=True, slots=True)
class WorkerReport:
    """What one worker shows."""

    worker: str
    counts: RequestCounts
    running: int = 0
    resident: int = 0
    """Bytes of memory that it has."""
    started: float = 0.0
    """When it was started."""
    streams: int = 0
    """How many streams of live messages it has open."""

    def document(self) -> dict[str, Any]:
        """What is written into its file."""
        return {**{name: getattr(self, name) for name in _STATE}, **self.counts.document()}


class Board:
    """The folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def show(self, shown: WorkerReport) -> None:
        """Write the file of one worker, whole or not at all."""
        self._write(f"worker-{shown.worker}.json", shown.document())

    def read(self) -> tuple[list[WorkerReport], RequestCounts]:
        """What each worker shows, and what those had counted that are gone."""
        with self._locked(fcntl.LOCK_SH):
            files = sorted(self._folder.glob("worker-*.json"))
            return [_shown(path) for path in files], self._gone()

    def retire(self, worker: str) -> None:
        """Keep what a worker has counted that is gone."""
        path = self._folder / f"worker-{worker}.json"
        with self._locked(fcntl.LOCK_EX):
            if path.exists():
                total = self._gone()
                total.merge(_shown(path).counts)
                self._write(_GONE, total.document())
                path.unlink()

    def _gone(self) -> RequestCounts:
        path = self._folder / _GONE
        return RequestCounts.read(orjson.loads(path.read_bytes())) if path.exists() else RequestCounts()

    def _write(self, name: str, document: Mapping[str, Any]) -> None:
        draft = self._folder / f"{name}.{os.getpid()}"
        draft.write_bytes(orjson.dumps(document))
        draft.replace(self._folder / name)

    @contextmanager
    def _locked(self, kind: int) -> Iterator[None]:
        # A worker that is moved from its own file to the others' must be seen in one of them, and only one.
        with (self._folder / _LOCK).open("a") as handle:
            fcntl.flock(handle, kind)
            yield


def _shown(path: Path) -> WorkerReport:
    document = orjson.loads(path.read_bytes())
    worker = path.stem.removeprefix("worker-")
    return WorkerReport(worker, RequestCounts.read(document), **{name: document[name] for name in _STATE})
