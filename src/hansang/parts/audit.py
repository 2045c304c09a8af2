"""The audit log: who signed in, what was refused, what was administered; apart from the history of data.

What strangers can cause is counted: one line for each event, address and minute, however often it happens.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from secrets import token_hex
from threading import Lock
from typing import TYPE_CHECKING, Annotated, Literal

from hansang.clock import Clock
from hansang.design import Attr, Database, Entity, Expiry, Key, Page, Query, pattern
from hansang.errors import HansangError
from hansang.parts.chained import Chain, in_order
from hansang.parts.permissions import PLATFORM
from hansang.parts.platform import Platform
from hansang.parts.rising_ids import RisingIds
from hansang.parts.timestamps import iso_timestamp, to_datetime, to_whole_second

if TYPE_CHECKING:
    from hansang.parts.history import Change

KEPT = timedelta(days=400)
"""How long a line is kept."""
MOST_LINES = 60
"""Lines of what strangers cause, of one process in one minute; what is more counts as one, from everywhere."""
EVERYWHERE_ELSE = "elsewhere"

AuditKind = Literal[
    "sign-in", "sign-out", "sign-in-refused", "key-refused", "request-refused", "administration"
]
KINDS: tuple[AuditKind, ...] = (
    "sign-in",
    "sign-out",
    "sign-in-refused",
    "key-refused",
    "request-refused",
    "administration",
)
_MONTHS = KEPT.days // 28 + 1
_MONTH, _MINUTE = len("YYYY-MM"), len("YYYY-MM-DDTHH:MM")
_LONGEST = 200
_UNAUDITED = ("preferences",)

log = logging.getLogger("hansang.audit")


class AuditEventKey(Key["AuditEvent"], pk="AUDIT#{month}", sk="{at}#{id}"):
    """The key of a line."""

    month: str
    at: str
    id: str


class AuditEvent(AuditEventKey, Entity, table=Platform, type="AuditEvent"):
    """One line of the audit log."""

    kind: AuditKind
    who: str | None = None
    """Whoever did it: `person:seoyeon`, `key:…`, `operator:…`; None when that is not known."""
    origin: str | None = None
    detail: str
    """What it was: how somebody signed in, why not, which request, or what was done to what."""
    agent: str | None = None
    count: int = 1
    """How often it happened in its minute, at least."""
    request_id: str | None = None
    expires_at: Annotated[Expiry, Attr("ExpiresAt")]

    @property
    def moment(self) -> datetime:
        return datetime.fromisoformat(self.at)

    @pattern
    def in_month(cls, month: str) -> Query[AuditEvent]:
        """The lines of one month, the newest first."""
        return cls.query(AuditEvent.month == month).descending().consistent()


ACCEPTED = {
    "AuditEvent H202": "Sign-ins and administration are few, and refusals are counted and not written one by one.",
}
"""What the review finds and the design accepts, with the reason."""


def audited(change: Change) -> AuditEvent | None:
    """The line of a change of the platform, to be written together with it; None for what is no administration."""
    if change.area != PLATFORM or change.verb in _UNAUDITED:
        return None
    return AuditEvent(
        month=change.month,
        at=change.at,
        id=change.id,
        kind="administration",
        who=f"{change.actor_kind}:{change.actor_shown if change.actor_kind == 'operator' else change.actor_name}",
        detail=f"{change.kind} {change.subject}: {change.verb}"[:_LONGEST],
        request_id=change.request_id,
        expires_at=(change.moment + KEPT).replace(microsecond=0),
    )


@dataclass(slots=True)
class _Counted:
    """A line of this minute, and how often it has happened."""

    event: AuditEvent
    count: int
    written: int


class AuditLog:
    """Writes lines and pages through them; a line that cannot be written stops nobody."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database, self._clock = database, clock
        self._process, self._new_id = token_hex(8), RisingIds(clock)
        self._counted: OrderedDict[str, _Counted] = OrderedDict()
        self._minute = ""
        self._lock = Lock()

    # ── writing ───────────────────────────────────────────────────────────────────────────────────

    def note(
        self,
        kind: AuditKind,
        who: str,
        origin: str,
        detail: str,
        agent: str = "",
        request_id: str | None = None,
    ) -> None:
        """Keep what somebody known has done."""
        at = iso_timestamp(to_datetime(self._clock()))
        self._write(self._event(kind, at, self._new_id(), who, origin, detail, agent, request_id))

    def count(
        self,
        kind: AuditKind,
        origin: str,
        detail: str,
        who: str | None = None,
        request_id: str | None = None,
    ) -> None:
        """Count what was refused, in one line for each address and minute.

        The line is written at the first time and whenever the number has doubled, and the rest when the minute is over.
        """
        with self._lock:
            due = self._over()
            due += self._added(kind, origin, detail, who, request_id)
        for each in due:
            self._write(each)

    def flush(self) -> None:
        """Write what was counted and is not written."""
        with self._lock:
            due = self._rest()
        for each in due:
            self._write(each)

    def _over(self) -> list[AuditEvent]:
        """Begin another minute if there is one; what is left to write of the last."""
        minute = iso_timestamp(to_datetime(self._clock()))[:_MINUTE]
        if minute == self._minute:
            return []
        rest = self._rest()
        self._counted.clear()
        self._minute = minute
        return rest

    def _rest(self) -> list[AuditEvent]:
        found = [each for each in self._counted.values() if each.count > each.written]
        for each in found:
            each.written = each.count
        return [each.event.model_copy(update={"count": each.count}) for each in found]

    def _added(
        self, kind: AuditKind, origin: str, detail: str, who: str | None, request_id: str | None
    ) -> list[AuditEvent]:
        name = f"{kind} {origin} {who}"
        if name not in self._counted and len(self._counted) >= MOST_LINES:
            origin, who, detail, request_id = EVERYWHERE_ELSE, None, "", None
            name = f"{kind} {origin}"
        found = self._counted.get(name)
        if found is None:
            mark = sha256(f"{self._process} {name}".encode()).hexdigest()[:12]
            event = self._event(kind, f"{self._minute}:00Z", mark, who, origin, detail, "", request_id)
            found = self._counted[name] = _Counted(event, 0, 0)
        found.count += 1
        if found.count < 2 * found.written:
            return []
        found.written = found.count
        return [found.event.model_copy(update={"count": found.count})]

    def _event(
        self,
        kind: AuditKind,
        at: str,
        id: str,  # noqa: A002 - the field's own name
        who: str | None,
        origin: str,
        detail: str,
        agent: str,
        request_id: str | None,
    ) -> AuditEvent:
        return AuditEvent(
            month=at[:_MONTH],
            at=at,
            id=id,
            kind=kind,
            who=who,
            origin=origin[:_LONGEST],
            detail=detail[:_LONGEST],
            agent=agent[:_LONGEST] or None,
            request_id=request_id,
            expires_at=to_whole_second(self._clock()) + KEPT,
        )

    def _write(self, event: AuditEvent) -> None:
        try:
            self._database.put(event)
        except HansangError:
            log.warning("A line of the audit log was not written: %s", event.kind, exc_info=True)

    # ── reading ───────────────────────────────────────────────────────────────────────────────────

    def page(self, limit: int = 50, cursor: str | None = None) -> Page[AuditEvent]:
        """Lines, the newest first."""
        queries = {month: AuditEvent.in_month(month) for month in self._months()}
        return Chain("audit", in_order(queries), list).page(self._database, limit, cursor)

    def each(self) -> Iterator[AuditEvent]:
        """Every line, the newest first."""
        for month in self._months():
            yield from self._database.each(AuditEvent.in_month(month))

    def _months(self) -> list[str]:
        """The months that can have lines, the newest first."""
        found, month = [], to_datetime(self._clock()).astimezone(UTC).replace(day=1)
        for _ in range(_MONTHS):
            found.append(f"{month:%Y-%m}")
            month = (month - timedelta(days=1)).replace(day=1)
        return found
