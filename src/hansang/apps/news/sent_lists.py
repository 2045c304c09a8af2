"""Lists that were sent to be loaded in the background: kept beside the runs, in pieces, until all is dealt with."""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, BinaryIO, Literal

from hansang.apps.news.decoding import ListText
from hansang.apps.news.design import NewsWork, Run, RunKey
from hansang.apps.news.inputs import Form, read_links
from hansang.apps.news.runs import Origin, Runs
from hansang.clock import Clock
from hansang.design import Database, Entity, Key, Query, Timestamp, attr, pattern
from hansang.errors import NotFound, Overloaded
from hansang.parts.pieces import PIECE, opened_pieces
from hansang.parts.receipts import Beside, alone
from hansang.parts.retry import PATIENT, Sleep, retry

AT_ONCE = 512 * 1024
"""The longest list, in bytes, that is loaded while whoever sent it waits."""
KEPT = timedelta(days=7)
"""How long a list is kept that nobody goes on with."""
_MOST_DELETED = 100
MOST_WAITING = 20
"""How many lists may wait at once."""
RETRY_SECONDS = 60.0
"""When to come again with one more."""

ListState = Literal["arriving", "waiting", "left"]


class SentListKey(Key["SentList"], pk="LISTS", sk="LIST#{run}"):
    """The key of a list that was sent."""

    run: str


class SentList(SentListKey, Entity, table=NewsWork, type="SentList"):
    """A list that waits to be loaded, or whose run was left half-way; it goes when its run is whole."""

    list_state: ListState
    form: Form | None = None
    length: int
    """In bytes."""
    pieces: int
    sent_at: Timestamp
    why: str | None = None
    """Why it cannot be read to its end, in English."""
    code: str | None = None
    values: dict[str, str] | None = None

    @pattern
    def oldest(cls) -> Query[SentList]:
        """The lists that were sent, the oldest first."""
        return cls.query()


class ListPieceKey(Key["ListPiece"], pk="LIST#{run}", sk="PIECE#{number:08d}"):
    """The key of a piece of a list."""

    run: str
    number: int


class ListPiece(ListPieceKey, Entity, table=NewsWork, type="ListPiece"):
    """Some of the bytes of a list, compressed."""

    compressed: bytes


ACCEPTED = {
    "SentList H201": "One item a list that is too long to wait for, and it goes when the list is loaded.",
    "SentList H205": "The values of one reason, each of up to 200 characters.",
    "SentList.oldest H105": "The id of a run begins with its time, to the second, in a fixed width.",
}
"""What the review finds and the design accepts, with the reason."""


class SentLists:
    """Takes lists in, and finds those that somebody has to work on."""

    def __init__(self, database: Database, clock: Clock, runs: Runs, sleep: Sleep) -> None:
        self._database, self._clock, self._runs, self._sleep = database, clock, runs, sleep

    def accept(
        self,
        file: BinaryIO,
        *,
        source: str,
        name: str = "",
        form: Form | None = None,
        run: str | None = None,
        origin: Origin | None = None,
        progress: Callable[[], object] = lambda: None,
        beside: Beside[Run] = alone,
    ) -> Run:
        """Keep a list and let its run wait for whoever loads it; what cannot be read at all is refused.

        What is `beside` it is written in one transaction with the run.
        """
        self._expect_room()
        next(read_links(ListText(file), form), None)
        length = file.seek(0, io.SEEK_END)
        file.seek(0)
        before = self._runs.resume(run) if run else None
        begun = before or self._runs.draft(source, name, origin=origin)
        waiting = begun.model_copy(update={"run_state": "waiting", "stop_asked_at": None})
        arriving = SentList(
            run=begun.id, list_state="arriving", form=form, length=length, pieces=0, sent_at=self._now
        )
        self._retry(partial(self._database.put, arriving))
        pieces = self._keep_pieces(begun.id, file, progress)
        arrived = arriving.model_copy(update={"list_state": "waiting", "pieces": pieces})
        self._retry(partial(self._begin, waiting, before, arrived, beside))
        return waiting

    def _expect_room(self) -> None:
        """Refuse a list while many wait: each is kept until it is loaded."""
        waiting = sum(each.list_state != "left" for each in self._database.each(SentList.oldest()))
        if waiting >= MOST_WAITING:
            raise Overloaded(f"{waiting} lists wait to be loaded already. Send yours later.", RETRY_SECONDS)

    def _keep_pieces(self, run: str, file: BinaryIO, progress: Callable[[], object]) -> int:
        number = 0
        while piece := file.read(PIECE):
            kept = ListPiece(run=run, number=number, compressed=zlib.compress(piece, 1))
            self._retry(partial(self._database.put, kept))
            number += 1
            progress()
        return number

    def _begin(self, run: Run, before: Run | None, arrived: SentList, beside: Beside[Run]) -> None:
        with self._database.transaction(name="SentList.begin") as transaction:
            beside(transaction, run)
            transaction.put(arrived)
            if before is None:
                transaction.create(run)
            else:
                changes = attr(Run.run_state).set("waiting"), attr(Run.stop_asked_at).remove()
                transaction.update(RunKey.of(run.id), *changes)

    # ── finding ───────────────────────────────────────────────────────────────────────────────────

    def find(self, run: str) -> SentList | None:
        """The list of a run, if it is still kept."""
        return self._database.find(SentListKey(run=run), consistent=True)

    def waiting(self) -> SentList | None:
        """The list that has waited longest."""
        lists = self._database.each(SentList.oldest().consistent())
        return next((each for each in lists if each.list_state == "waiting"), None)

    def opened(self, sent: SentList) -> BinaryIO:
        """The bytes of a list, read piece by piece; `tell` says how many."""
        pieces = (self._piece(sent.run, number) for number in range(sent.pieces))
        return opened_pieces(pieces)

    def _piece(self, run: str, number: int) -> bytes:
        found = self._retry(partial(self._database.get, ListPieceKey(run=run, number=number)))
        return zlib.decompress(found.compressed)

    # ── changing ──────────────────────────────────────────────────────────────────────────────────

    def resume(self, run: str, beside: Beside[Run] = alone) -> Run:
        """Let a run that was left wait for whoever loads it; NotFound when its list is no longer kept."""
        left, sent = self._runs.resume(run), self.find(run)
        if sent is None or sent.list_state == "arriving":
            raise NotFound(
                "The list of the run {run} is no longer kept. Send it again.",
                code="news.no-list",
                values={"run": run},
            )
        waiting = left.model_copy(update={"run_state": "waiting", "stop_asked_at": None})
        arrived = sent.model_copy(update={"list_state": "waiting", "why": None, "code": None, "values": None})
        self._retry(partial(self._begin, waiting, left, arrived, beside))
        return waiting

    def leave(self, sent: SentList, why: dict[str, Any] | None = None) -> None:
        """Let a list lie until somebody goes on with its run."""
        left = sent.model_copy(update={"list_state": "left", **(why or {})})
        self._retry(partial(self._database.put, left))

    def delete(self, sent: SentList) -> None:
        """Forget a list; its pieces go first, so that what is broken off can be done again."""
        for first in range(0, sent.pieces, _MOST_DELETED):
            numbers = range(first, min(first + _MOST_DELETED, sent.pieces))
            keys = [ListPieceKey(run=sent.run, number=number) for number in numbers]
            self._retry(partial(self._database.batch_write, deletes=keys))
        self._retry(partial(self._database.delete, SentListKey(run=sent.run)))

    def delete_old(self) -> int:
        """Forget the lists that nobody has gone on with for days; how many there were."""
        lists = self._database.each(SentList.oldest())
        old = [each for each in lists if each.list_state != "waiting" and each.sent_at < self._now - KEPT]
        for each in old:
            whole = each.length // PIECE + 1
            self.delete(each.model_copy(update={"pieces": max(each.pieces, whole)}))
        return len(old)

    @property
    def _now(self) -> datetime:
        return datetime.fromtimestamp(int(self._clock()), UTC)

    def _retry(self, work: Callable[[], Any]) -> Any:
        return retry(work, self._sleep, PATIENT)
