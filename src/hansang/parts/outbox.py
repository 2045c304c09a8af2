"""The outbox: what has to be told to the outside is written with the work, and sent afterwards until it has arrived.

Nothing is lost, since an entry stays until it was sent. One whose answer got lost is sent again, as the same
message to the same address, so that whoever receives it sees it once.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from secrets import token_hex
from typing import Annotated

from hansang.clock import Clock
from hansang.design import Database, Entity, Key, Personal, Query, Timestamp, attr, pattern
from hansang.design.transaction import Transaction
from hansang.errors import Conflict, NotFound
from hansang.parts.platform import Platform
from hansang.parts.timestamps import to_whole_second

LEASE = timedelta(minutes=5)
"""How long whoever sends an entry may be silent before another sends it."""
LONGEST_PAUSE = timedelta(hours=1)
LONGEST_ERROR = 300


class NotSent(Exception):
    """It has certainly not arrived, so the next try may go elsewhere."""


class OutboxEntryKey(Key["OutboxEntry"], pk="OUTBOX#{owner}", sk="{id}"):
    """The key of an entry: whose it is, and an id that sorts by time."""

    owner: str
    id: str


class OutboxEntry(OutboxEntryKey, Entity, table=Platform, type="OutboxEntry"):
    """Something that still has to be sent; what it says is read from its subject when it is."""

    topic: str
    about: str
    """The id of what it is about."""
    address: Annotated[str | None, Personal(roles=("owner",))] = None
    """Where it goes, once that is decided."""
    attempts: int = 0
    due_at: Timestamp
    claim: str | None = None
    lease_until: Timestamp
    """Until then nobody else sends it."""
    error: str | None = None

    @pattern
    def waiting(cls, owner: str) -> Query[OutboxEntry]:
        """What an application still has to send, the oldest first."""
        return cls.query(OutboxEntry.owner == owner)


Send = Callable[[OutboxEntry, str], None]
"""Sends an entry to an address, or raises: NotSent if it has certainly not arrived, anything else if nobody knows."""
Outcome = Callable[[Transaction, OutboxEntry], None]
"""Adds what is written together with the end of an entry, or with its failure."""


class Outbox:
    """The entries of one application."""

    def __init__(self, database: Database, clock: Clock, owner: str) -> None:
        self._database, self._clock, self._owner = database, clock, owner

    @property
    def now(self) -> datetime:
        return to_whole_second(self._clock())

    def add(self, transaction: Transaction, topic: str, about: str, entry_id: str) -> OutboxEntry:
        """Put an entry into the transaction of the work that it tells of."""
        entry = OutboxEntry(
            owner=self._owner, id=entry_id, topic=topic, about=about, due_at=self.now, lease_until=self.now
        )
        return transaction.put(entry)

    def waiting(self) -> list[OutboxEntry]:
        """What is still to be sent."""
        query = OutboxEntry.waiting(self._owner).consistent()
        return self._database.all(query, unreadable=lambda _: None)

    def due(self) -> list[OutboxEntry]:
        """What is to be sent now."""
        return [each for each in self.waiting() if max(each.due_at, each.lease_until) <= self.now]

    # ── sending ───────────────────────────────────────────────────────────────────────────────────

    def deliver(
        self,
        entry: OutboxEntry,
        address_of: Callable[[OutboxEntry], str | None],
        send: Send,
        sent: Outcome,
        failed: Outcome,
    ) -> bool:
        """Send one entry; whether it was sent. Where it goes is decided once, and stays unless it was certainly not sent.

        Without an address there is nobody to tell any more, and the entry is dropped.
        """
        address = entry.address or address_of(entry)
        if not address:
            self._database.delete(_key(entry))
            return False
        claimed = self._claimed(entry, address)
        if claimed is None:
            return False
        try:
            send(claimed, address)
        except Exception as fault:
            self._note(claimed, fault, failed)
            return False
        with self._database.transaction(name="OutboxEntry.sent") as transaction:
            sent(transaction, claimed)
            transaction.delete(_key(claimed), when=OutboxEntry.claim == claimed.claim)
        return True

    def _claimed(self, entry: OutboxEntry, address: str) -> OutboxEntry | None:
        """The entry, if nobody else sends it now."""
        claim = token_hex(8)
        try:
            return self._database.update(
                _key(entry),
                attr(OutboxEntry.claim).set(claim),
                attr(OutboxEntry.address).set(address),
                attr(OutboxEntry.lease_until).set(self.now + LEASE),
                attr(OutboxEntry.attempts).add(1),
                when=OutboxEntry.lease_until <= self.now,
            )
        except (Conflict, NotFound):
            return None

    def _note(self, entry: OutboxEntry, fault: Exception, failed: Outcome) -> None:
        """Keep an entry for later, with the reason."""
        told = entry.model_copy(
            update={
                "error": (str(fault) or type(fault).__name__)[:LONGEST_ERROR],
                "due_at": self.now + pause_after(entry.attempts),
                "address": None if isinstance(fault, NotSent) else entry.address,
                "claim": None,
                "lease_until": self.now,
            }
        )
        with self._database.transaction(name="OutboxEntry.failed") as transaction:
            failed(transaction, told)
            transaction.put(told, when=OutboxEntry.claim == entry.claim)


def pause_after(attempts: int) -> timedelta:
    """How long the next try waits: a minute first, then twice as long each time, up to an hour."""
    return min(LONGEST_PAUSE, timedelta(minutes=2 ** min(attempts - 1, 10)))


def _key(entry: OutboxEntry) -> OutboxEntryKey:
    return OutboxEntryKey(owner=entry.owner, id=entry.id)
