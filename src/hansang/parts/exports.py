"""Exports under way: told in the platform's table, so that an operator sees and stops them in whichever process."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from secrets import token_hex
from time import monotonic
from typing import Annotated, TypeVar

from hansang.clock import Clock
from hansang.design import Attr, Database, Entity, Expiry, Key, Query, Timestamp, attr, pattern
from hansang.errors import Conflict, HansangError, NotFound, RequestStopped
from hansang.parts.history import Actor
from hansang.parts.platform import Platform
from hansang.parts.receipts import Beside, alone
from hansang.parts.retry import Sleep, retry
from hansang.parts.timestamps import to_whole_second

L = TypeVar("L")

PAUSE = 1.0
"""How many seconds lie between two signs of an export; one that takes less is written nowhere."""
KEPT = timedelta(minutes=1)
"""How long an export is listed after its last sign: its reader may be slow, or have left."""

log = logging.getLogger("hansang.exports")


class RunningExportKey(Key["RunningExport"], pk="EXPORTS", sk="{id}"):
    """The key of an export."""

    id: str
    """The moment of its beginning, and something random."""


class RunningExport(RunningExportKey, Entity, table=Platform, type="RunningExport"):
    """An export that goes on, and how far it has come."""

    what: str
    """The name of the file."""
    who: str
    """`person:seoyeon`, `key:…` or `operator:…`."""
    shown_name: str
    begun_at: Timestamp
    told_at: Timestamp
    rows: int
    stop_asked_at: Timestamp | None = None
    expires_at: Annotated[Expiry, Attr("ExpiresAt")]

    @pattern
    def under_way(cls) -> Query[RunningExport]:
        """All of them, the oldest first."""
        return cls.query().consistent()


ACCEPTED = {
    "RunningExport H201": "Few exports go on at once, and each tells how far it is once in several seconds.",
}
"""What the review finds and the design accepts, with the reason."""


class Exports:
    """Tells of the exports of this process, and lists and stops those of all."""

    def __init__(self, database: Database, clock: Clock, sleep: Sleep = time.sleep) -> None:
        self._database, self._clock, self._sleep = database, clock, sleep

    def running(self) -> list[RunningExport]:
        """Every export that has given a sign lately, the oldest first."""
        return [each for each in self._database.all(RunningExport.under_way()) if self._is_listed(each)]

    def _is_listed(self, found: RunningExport) -> bool:
        return found.expires_at > self._now

    def stop(self, id: str, beside: Beside[RunningExport] = alone) -> RunningExport:  # noqa: A002 - the field's own name
        """Have an export end at its next sign, in whichever process it is; NotFound when it has ended."""
        found = self._database.find(RunningExportKey(id=id), consistent=True)
        if found is None or not self._is_listed(found):
            raise _ended(id)
        marked = found.model_copy(update={"stop_asked_at": self._now})
        token = token_hex(16)

        def write() -> None:
            with self._database.transaction(token, "RunningExport.stop") as transaction:
                beside(transaction, marked)
                asked = attr(RunningExport.stop_asked_at).set(marked.stop_asked_at)
                transaction.update(RunningExportKey(id=id), asked, when=RunningExport.who == found.who)

        try:
            retry(write, self._sleep)
        except (Conflict, NotFound) as reason:
            raise _ended(id) from reason
        return marked

    def watched(self, lines: Iterable[L], actor: Actor, what: str, heading_lines: int = 0) -> Iterator[L]:
        """The lines as they are, told of from the first second on; RequestStopped once somebody has stopped them."""
        begun, due, rows = self._begun(actor, what), monotonic() + PAUSE, -heading_lines
        is_told = False
        try:
            for line in lines:
                rows += 1
                if monotonic() >= due:
                    self._tell(begun, rows)
                    is_told, due = True, monotonic() + PAUSE
                yield line
        except Exception:
            self._forget(begun, is_told=is_told)
            raise
        # Whoever leaves ends this without a word, perhaps amid the work of another: that entry expires.
        self._forget(begun, is_told=is_told)

    def _begun(self, actor: Actor, what: str) -> RunningExport:
        now = self._now
        return RunningExport(
            id=f"{now:%Y%m%dT%H%M%SZ}-{token_hex(3)}",
            what=what,
            who=f"{actor.kind}:{actor.shown if actor.kind == 'operator' else actor.name}",
            shown_name=actor.shown,
            begun_at=now,
            told_at=now,
            rows=0,
            expires_at=now + KEPT,
        )

    def _tell(self, begun: RunningExport, rows: int) -> None:
        """Write how far an export has come; that this is not possible stops nobody."""
        now = self._now
        told = begun.model_copy(update={"told_at": now, "rows": rows, "expires_at": now + KEPT})
        try:
            self._database.put(told, when=attr(RunningExport.stop_asked_at).missing())
        except Conflict as asked:
            log.warning("the export %s of %s was stopped after %d rows", begun.id, begun.who, rows)
            raise RequestStopped("The export was stopped by an operator.") from asked
        except RequestStopped:
            raise
        except HansangError:
            log.warning("the export %s could not be told of", begun.id, exc_info=True)

    def _forget(self, begun: RunningExport, *, is_told: bool) -> None:
        if is_told:
            try:
                self._database.delete(RunningExportKey(id=begun.id))
            except HansangError:
                log.warning("the export %s is listed for another minute", begun.id, exc_info=True)

    @property
    def _now(self) -> datetime:
        return to_whole_second(self._clock())


def _ended(id: str) -> NotFound:  # noqa: A002 - the field's own name
    return NotFound("Export {id} not found. It may have ended.", code="parts.no-export", values={"id": id})
