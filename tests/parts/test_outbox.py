"""The outbox: nothing is lost, and what is sent again is the same message to the same address."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest

from hansang.design import Database
from hansang.design.transaction import Transaction
from hansang.parts.outbox import LEASE, NotSent, Outbox, OutboxEntry, pause_after
from hansang.parts.platform import Platform
from tests.storing import opened
from tests.surfaces.shells import SetClock


@pytest.fixture
def db() -> Iterator[Database]:
    with opened(Platform) as found:
        yield found


class Post:
    """An office that takes what it is given, or fails as it is told."""

    def __init__(self) -> None:
        self.faults: list[Exception] = []
        self.taken: list[tuple[str, str]] = []

    def send(self, entry: OutboxEntry, address: str) -> None:
        if self.faults:
            raise self.faults.pop(0)
        self.taken.append((entry.id, address))


def nothing(transaction: Transaction, entry: OutboxEntry) -> None:
    """Nothing is written beside it."""


def added(db: Database, clock: SetClock) -> Outbox:
    outbox = Outbox(db, clock, "shop")
    with db.transaction() as transaction:
        outbox.add(transaction, "order", "o1", "o1-order")
    return outbox


def deliver(outbox: Outbox, post: Post, address: str | None = "a@x.example") -> list[bool]:
    return [outbox.deliver(each, lambda _: address, post.send, nothing, nothing) for each in outbox.due()]


def test_an_entry_stays_until_it_was_sent_and_waits_longer_each_time(db: Database) -> None:
    clock, post = SetClock(), Post()
    outbox = added(db, clock)
    post.faults = [NotSent("down"), NotSent("down")]
    assert deliver(outbox, post) == [False]
    assert deliver(outbox, post) == []
    clock.advance(60)
    assert deliver(outbox, post) == [False]
    clock.advance(60)
    assert deliver(outbox, post) == []
    [waiting] = outbox.waiting()
    assert (waiting.attempts, waiting.error) == (2, "down")
    clock.advance(60)
    assert deliver(outbox, post) == [True]
    assert (post.taken, outbox.waiting()) == ([("o1-order", "a@x.example")], [])
    assert pause_after(30) == timedelta(hours=1)


def test_where_it_may_have_arrived_it_goes_to_the_same_address_again(db: Database) -> None:
    clock, post = SetClock(), Post()
    outbox = added(db, clock)
    post.faults = [NotSent("refused"), TimeoutError("silent")]
    deliver(outbox, post, "first@x.example")
    clock.advance(3600)
    deliver(outbox, post, "second@x.example")
    clock.advance(3600)
    deliver(outbox, post, "third@x.example")
    assert post.taken == [("o1-order", "second@x.example")]


def test_an_entry_is_sent_by_one_at_a_time_and_by_another_when_that_one_is_gone(db: Database) -> None:
    clock, post = SetClock(), Post()
    outbox = added(db, clock)
    [entry] = outbox.due()

    class Gone(BaseException):
        """The process is killed."""

    def die(claimed: OutboxEntry, address: str) -> None:
        assert deliver(outbox, post) == []
        assert outbox.deliver(entry, lambda _: "a@x.example", post.send, nothing, nothing) is False
        raise Gone

    with pytest.raises(Gone):
        outbox.deliver(entry, lambda _: "a@x.example", die, nothing, nothing)
    assert deliver(outbox, post) == []
    clock.advance(LEASE.total_seconds())
    assert deliver(outbox, post) == [True]


def test_what_is_for_nobody_any_more_is_dropped(db: Database) -> None:
    outbox = added(db, SetClock())
    assert deliver(outbox, Post(), None) == [False]
    assert outbox.waiting() == []
