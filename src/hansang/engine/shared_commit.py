"""Several calls of one thread in one commit: none of them waits for another, and none is told before all are on disk."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from hansang.errors import StoreBusy

if TYPE_CHECKING:
    from hansang.engine.sql.writer import Writer

T = TypeVar("T")


class CommitSpoiled(StoreBusy):
    """A call failed when it had written something already: nothing of the commit is kept, of no call."""

    def __init__(self) -> None:
        super().__init__("A write beside this one failed. Nothing of this request was kept; try again.")


class SharedCommit:
    """A transaction that is under way, for the calls that write into it.

    A call that is refused before it writes leaves no trace, and the others go on. After any other failure there is
    nothing that would undo one call alone.
    """

    def __init__(self, writer: Writer, broken: type[BaseException]) -> None:
        self._writer, self._broken = writer, broken
        self._fault: BaseException | None = None

    def run(self, job: Callable[[Writer], T]) -> T:
        """The result of a job of a call, which is not on disk yet."""
        if self._fault is not None:
            raise CommitSpoiled
        before = self._writer.connection.total_changes
        try:
            return job(self._writer)
        except self._broken as reason:
            self._fault = reason
            raise
        except Exception:
            if not self._writer.is_as_with(before):
                self._fault = CommitSpoiled()
            raise

    def answer(self, call: Callable[[], T]) -> T:
        """What a call answers; what has spoiled the commit, whatever the call has made of it."""
        try:
            answer = call()
        except Exception:  # Ctrl+C is for this thread, whatever else has happened.
            if self._fault is None:
                raise
            raise self._fault from None
        if self._fault is not None:
            raise self._fault
        return answer
