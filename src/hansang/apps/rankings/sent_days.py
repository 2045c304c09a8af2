"""Days that were sent as a file to be imported in the background: kept in pieces, for another import too."""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Iterator, Mapping
from datetime import date, timedelta
from functools import partial
from typing import Annotated, Any, BinaryIO, Literal

from hansang.apps.rankings.days import Days, closed
from hansang.apps.rankings.design import Hanwol
from hansang.apps.rankings.inputs import DayForm, read_rows
from hansang.clock import Clock
from hansang.design import Attr, Database, Entity, Key, Query, Timestamp, pattern
from hansang.errors import Conflict, InvalidInput, NotFound, Overloaded
from hansang.parts.pieces import PIECE, opened_pieces
from hansang.parts.receipts import Beside, alone
from hansang.parts.retry import PATIENT, Sleep, retry
from hansang.parts.timestamps import to_whole_second

SentState = Literal["arriving", "waiting", "importing", "left", "done"]
KEPT = timedelta(days=7)
"""How long a file is kept when nothing is to be done with it any more."""
MOST_WAITING = 10
RETRY_SECONDS = 60.0
_MOST_DELETED = 25


class SentDayKey(Key["SentDay"], pk="SYSTEM#SENT", sk="DAY#{day}"):
    """The key of the file of a day."""

    day: date


class SentDay(SentDayKey, Entity, table=Hanwol):
    """The file of a day that was sent, and how far its import has come; in no index."""

    state: Annotated[SentState, Attr("State")]
    file_name: Annotated[str, Attr("FileName")] = ""
    form: Annotated[DayForm | None, Attr("Form")] = None
    length: Annotated[int, Attr("LengthBytes")]
    pieces: Annotated[int, Attr("PieceCount")] = 0
    sent_at: Annotated[Timestamp, Attr("SentAt")]
    reopens: Annotated[bool, Attr("Reopens")] = False
    """Whether the day is imported from its first row on, whatever it held."""
    stop_asked: Annotated[bool, Attr("StopAsked")] = False
    why: Annotated[str | None, Attr("Why")] = None
    """Why it could not be imported to its end, in English."""
    code: Annotated[str | None, Attr("Code")] = None
    values: Annotated[dict[str, str] | None, Attr("Values")] = None
    choices: Annotated[dict[str, str] | None, Attr("Choices")] = None
    """Whom somebody has chosen for rows without a uuid, by the number of the row (X5-16)."""

    @pattern
    def kept(cls) -> Query[SentDay]:
        """The files of days that are kept, the earliest day first."""
        return cls.query()


class SentPieceKey(Key["SentPiece"], pk="SYSTEM#SENT#{day}", sk="PIECE#{number:08d}"):
    """The key of a piece of the file of a day."""

    day: date
    number: int


class SentPiece(SentPieceKey, Entity, table=Hanwol):
    """Some of the bytes of a file, compressed; in no index."""

    compressed: Annotated[bytes, Attr("Compressed")]


class SentDays:
    """Takes files of days in, and finds those that somebody has to work on."""

    def __init__(self, database: Database, days: Days, clock: Clock, sleep: Sleep) -> None:
        self._database, self._days, self._clock, self._sleep = database, days, clock, sleep

    def accept(
        self,
        day: date,
        file: BinaryIO,
        *,
        name: str = "",
        form: DayForm | None = None,
        again: bool = False,
        beside: Beside[SentDay] = alone,
    ) -> SentDay:
        """Keep a file and let it wait for whoever imports it; what cannot be read at all is refused.

        A day that is there is imported `again` only when that is asked for.
        """
        self._expect_room(day)
        found = self._days.find(day)
        if found is not None and found.status == "removing":
            raise closed(found)
        if found is not None and found.status == "finished" and not again:
            raise closed(found)
        if next(read_rows(file, form), None) is None:
            raise InvalidInput("The file has no rows.", "file", code="rankings.empty-file")
        length = file.seek(0, io.SEEK_END)
        file.seek(0)
        arriving = SentDay(
            day=day,
            state="arriving",
            file_name=name[:200],
            form=form,
            length=length,
            sent_at=to_whole_second(self._clock()),
            reopens=again and found is not None,
        )
        self._retry(partial(self._database.put, arriving))
        pieces = self._keep_pieces(day, file)
        waiting = arriving.model_copy(update={"state": "waiting", "pieces": pieces})
        return self._noted(waiting, beside)

    def _expect_room(self, day: date) -> None:
        files = [each for each in self._database.each(SentDay.kept()) if each.day != day]
        if sum(each.state in ("arriving", "waiting") for each in files) >= MOST_WAITING:
            raise Overloaded(
                f"{MOST_WAITING} days wait to be imported already. Send yours later.", RETRY_SECONDS
            )
        present = self.find(day)
        if present is not None and present.state in ("waiting", "importing"):
            raise Conflict(
                "The day {day} is being imported from a file. Stop that first.",
                code="rankings.sent-already",
                values={"day": day},
            )

    def _keep_pieces(self, day: date, file: BinaryIO) -> int:
        number = 0
        while piece := file.read(PIECE):
            kept = SentPiece(day=day, number=number, compressed=zlib.compress(piece, 1))
            self._retry(partial(self._database.put, kept))
            number += 1
        return number

    def _noted(self, sent: SentDay, beside: Beside[SentDay]) -> SentDay:
        with self._database.transaction(name="SentDay.note") as transaction:
            beside(transaction, sent)
            transaction.put(sent)
        return sent

    # ── finding ───────────────────────────────────────────────────────────────────────────────────

    def find(self, day: date) -> SentDay | None:
        return self._database.find(SentDayKey(day=day), consistent=True)

    def get(self, day: date) -> SentDay:
        """The file of a day, or NotFound."""
        found = self.find(day)
        if found is None or found.state == "arriving":
            raise NotFound(
                "The file of {day} is no longer kept. Send it again.",
                code="rankings.no-file",
                values={"day": day},
            )
        return found

    def every(self) -> dict[date, SentDay]:
        """The files that are kept, by day."""
        return {each.day: each for each in self._database.each(SentDay.kept())}

    def next(self) -> SentDay | None:
        """The file to work on: one that was begun, else the one that has waited longest."""
        files = [
            each
            for each in self._database.each(SentDay.kept().consistent())
            if each.state in ("waiting", "importing")
        ]
        return min(files, key=lambda each: (each.state != "importing", each.sent_at, each.day), default=None)

    def rows(self, sent: SentDay, file: BinaryIO) -> Iterator[Any]:
        """The rows of a file, with the players that were chosen for those without a uuid."""
        choices = sent.choices or {}
        for line, row in enumerate(read_rows(file, sent.form), 1):
            is_open = isinstance(row, Mapping) and not row.get("uuid")
            yield {**row, "uuid": choices[str(line)]} if is_open and str(line) in choices else row

    def opened(self, sent: SentDay) -> BinaryIO:
        """The bytes of a file, read piece by piece; `tell` says how many."""
        return opened_pieces(self._piece(sent.day, number) for number in range(sent.pieces))

    def _piece(self, day: date, number: int) -> bytes:
        found = self._retry(partial(self._database.get, SentPieceKey(day=day, number=number)))
        return zlib.decompress(found.compressed)

    # ── changing ──────────────────────────────────────────────────────────────────────────────────

    def put(self, sent: SentDay, state: SentState, **more: Any) -> SentDay:
        """The file in another state."""
        changed = sent.model_copy(update={"state": state, **more})
        self._retry(partial(self._database.put, changed))
        return changed

    def stop(self, day: date, beside: Beside[SentDay] = alone) -> SentDay:
        """Ask whoever imports a file to leave off at the next part; what waits is left at once."""
        found = self.get(day)
        if found.state not in ("waiting", "importing"):
            return found
        update: dict[str, Any] = {"state": "left"} if found.state == "waiting" else {"stop_asked": True}
        return self._noted(found.model_copy(update=update), beside)

    def resume(self, day: date, *, again: bool = False, beside: Beside[SentDay] = alone) -> SentDay:
        """Let a file wait for whoever imports it: where it was left, or `again` from its first row on."""
        found = self.get(day)
        if found.state in ("waiting", "importing"):
            return found
        is_there = self._days.find(day) is not None
        update = {
            "state": "waiting",
            "stop_asked": False,
            "reopens": again and is_there,
            "why": None,
            "code": None,
            "values": None,
        }
        return self._noted(found.model_copy(update=update), beside)

    def resolve(self, day: date, choices: Mapping[int, str], *, beside: Beside[SentDay] = alone) -> SentDay:
        """Say who is meant by rows without a uuid, and import the file again from its first row on."""
        found = self.get(day)
        if found.state in ("waiting", "importing"):
            raise Conflict(
                "The day {day} is being imported from a file. Stop that first.",
                code="rankings.sent-already",
                values={"day": day},
            )
        chosen = {**(found.choices or {}), **{str(line): uuid for line, uuid in choices.items()}}
        self._retry(partial(self._database.put, found.model_copy(update={"choices": chosen})))
        return self.resume(day, again=True, beside=beside)

    def is_stopped(self, day: date) -> bool:
        """Whether somebody has asked to leave off."""
        found = self.find(day)
        return found is None or found.stop_asked

    def delete_old(self) -> int:
        """Forget the files that nothing is to be done with any more; how many there were."""
        now = to_whole_second(self._clock())
        old = [
            each
            for each in self._database.each(SentDay.kept())
            if each.state not in ("waiting", "importing") and each.sent_at < now - KEPT
        ]
        for each in old:
            self._delete(each)
        return len(old)

    def _delete(self, sent: SentDay) -> None:
        """The pieces go first, so that what is broken off can be done again."""
        whole = max(sent.pieces, sent.length // PIECE + 1)
        for first in range(0, whole, _MOST_DELETED):
            numbers = range(first, min(first + _MOST_DELETED, whole))
            keys = [SentPieceKey(day=sent.day, number=number) for number in numbers]
            self._retry(partial(self._database.batch_write, deletes=keys))
        self._retry(partial(self._database.delete, SentDayKey(day=sent.day)))

    def _retry(self, work: Callable[[], Any]) -> Any:
        return retry(work, self._sleep, PATIENT)


ACCEPTED = {
    "SentDay H201": "One item a day that was sent by hand, written a few times.",
    "SentDay H205": "The values of one reason, and choices for the rows of one page.",
    "SentPiece H202": "A file has some hundred pieces at the most, and one process writes them.",
}
"""What the review finds and the design accepts, with the reason."""
