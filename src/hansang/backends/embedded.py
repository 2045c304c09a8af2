"""The backend that answers from the engine in this process."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from hansang.backends.throttled_retry import ATTEMPTS, sent_again
from hansang.engine import Engine
from hansang.engine.catalog import Withheld
from hansang.engine.engine import SWEEP_SECONDS
from hansang.engine.write_queue import MOST_WAITING, WAIT_SECONDS


class Embedded:
    """A data file, opened, that answers as DynamoDB does."""

    def __init__(self, engine: Engine, *, attempts: int = ATTEMPTS) -> None:
        """What was throttled is sent up to `attempts` times in all."""
        self.engine, self._attempts = engine, attempts

    @classmethod
    def open(
        cls,
        path: str | PathLike[str] = ":memory:",
        *,
        durability: Literal["full", "normal"] = "full",
        region: str = "us-east-1",
        account: str = "123456789012",
        sweeps: bool = True,
        wait_seconds: float = WAIT_SECONDS,
        most_waiting: int = MOST_WAITING,
        withheld: Withheld | None = None,
        creating_seconds: float = 0,
        buckets: str | PathLike[str] | None = None,
        throttling: bool = False,
        attempts: int = ATTEMPTS,
    ) -> Self:
        """Open the data file at `path`, or make it; `:memory:` keeps nothing.

        With `sweeps` off, expired items stay until somebody calls the engine's `sweep`. A write waits up to
        `wait_seconds` for its turn, beside at most `most_waiting` others; then it is StoreBusy. Tables that are
        `withheld` are as if they were not there. A new table can be used after `creating_seconds`.
        With `throttling` tables refuse what AWS would refuse, and it is sent up to `attempts` times.
        The folders in `buckets` are buckets to exports and imports.
        """
        seconds = SWEEP_SECONDS if sweeps else None
        return cls(
            Engine.open(
                str(path),
                durability=durability,
                region=region,
                account=account,
                sweep_seconds=seconds,
                wait_seconds=wait_seconds,
                most_waiting=most_waiting,
                withheld=withheld,
                creating_seconds=creating_seconds,
                buckets=None if buckets is None else Path(buckets),
                throttling=throttling,
            ),
            attempts=attempts,
        )

    def call(self, operation: str, request: Mapping[str, Any], *, splices: bool = False) -> dict[str, Any]:
        """The engine's answer; one that splices is for `orjson.dumps` alone, with items as they are stored."""
        if self.engine.throttling is None:
            return self.engine.call(operation, dict(request), splices=splices)
        return sent_again(
            lambda: self.engine.call(operation, dict(request), splices=splices), attempts=self._attempts
        )

    def call_at_once(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """The engine's answer, spliced and sent once; a write whose turn is not now is StoreBusy, and has not happened."""
        return self.engine.call_at_once(operation, request, splices=True)

    def close(self) -> None:
        self.engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
