"""Receipts of requests that come with an Idempotency-Key."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from subprocess import Popen

import pytest

from hansang.design import Database
from hansang.errors import AlreadyExists, Busy, Conflict, InvalidInput, Unavailable
from hansang.parts.history import ChangeMonth, ChangeMonthKey
from hansang.parts.processes import process_name
from hansang.parts.receipts import LARGEST_BODY, KeptAnswer, Receipt, Receipts
from tests.parts.conftest import SetClock
from tests.parts.faults import Meddler, at_once, losing, no_sleep

DAY = 86_400
ANSWER = KeptAnswer(201, {"Location": "/a"}, b"made")


@dataclass(frozen=True)
class Sender:
    kind: str
    name: str


MINJI, KEY = Sender("person", "minji"), Sender("key", "minji")


@pytest.fixture
def receipts(database: Database, clock: SetClock) -> Receipts:
    return Receipts(database, clock)


def test_the_first_request_is_to_be_done(receipts: Receipts) -> None:
    assert receipts.begin(MINJI, "k1", "POST a").answer is None


def test_a_repetition_gets_the_same_answer(receipts: Receipts) -> None:
    receipt = receipts.begin(MINJI, "k1", "POST a")
    receipts.finish(receipt, KeptAnswer(201, {"Location": "/a"}, "한상".encode()))
    assert receipts.begin(MINJI, "k1", "POST a").answer == KeptAnswer(
        201, {"Location": "/a"}, "한상".encode()
    )


def test_an_answer_without_headers_and_body_is_one_too(receipts: Receipts) -> None:
    receipts.finish(receipts.begin(MINJI, "k1", "DELETE a"), KeptAnswer(204, {}, b""))
    assert receipts.begin(MINJI, "k1", "DELETE a").answer == KeptAnswer(204, {}, b"")


def test_another_request_under_the_same_key_is_a_conflict(receipts: Receipts) -> None:
    receipt = receipts.begin(MINJI, "k1", "POST a")
    for _ in range(2):
        with pytest.raises(Conflict, match="used for another request"):
            receipts.begin(MINJI, "k1", "POST b")
        receipts.finish(receipt, KeptAnswer(201, {}, b""))


def test_a_request_that_is_being_worked_on_is_busy(receipts: Receipts, clock: SetClock) -> None:
    receipts.begin(MINJI, "k1", "POST a")
    clock.advance(10)
    with pytest.raises(Busy) as busy:
        receipts.begin(MINJI, "k1", "POST a")
    assert 18 < busy.value.retry_after <= 20


def test_nobody_waits_for_a_process_that_has_ended(database: Database, clock: SetClock) -> None:
    with Popen(["sleep", "60"]) as process:
        dying = Receipts(database, clock, process=process_name(process.pid))
        begun = dying.begin(MINJI, "k1", "POST a")
        with pytest.raises(Busy):
            Receipts(database, clock).begin(MINJI, "k1", "POST a")
        process.kill()
    taken = Receipts(database, clock, process=process_name()).begin(MINJI, "k1", "POST a")
    assert (taken.mark, taken.began_at) == (begun.mark, begun.began_at)
    assert taken.claim != begun.claim
    with pytest.raises(Busy):
        dying.begin(MINJI, "k1", "POST a")


def test_senders_do_not_share_their_keys(receipts: Receipts) -> None:
    receipts.finish(receipts.begin(MINJI, "k1", "POST a"), KeptAnswer(201, {}, b""))
    assert receipts.begin(KEY, "k1", "POST a").answer is None
    assert receipts.begin(MINJI, "k2", "POST a").answer is None


@pytest.mark.parametrize("key", ["", "x" * 256])
def test_a_key_has_a_length(receipts: Receipts, key: str) -> None:
    with pytest.raises(InvalidInput, match="1 to 255"):
        receipts.begin(MINJI, key, "POST a")


def test_any_text_is_a_key(receipts: Receipts) -> None:
    for key in ("#", "한상 1", "a\0b", "x" * 255):
        receipts.finish(receipts.begin(MINJI, key, "POST a"), KeptAnswer(200, {}, key.encode()))
        answer = receipts.begin(MINJI, key, "POST a").answer
        assert answer is not None
        assert answer.body == key.encode()


def test_a_request_that_failed_can_be_sent_again(receipts: Receipts) -> None:
    receipts.abandon(receipts.begin(MINJI, "k1", "POST a"))
    assert receipts.begin(MINJI, "k1", "POST b").answer is None


def test_a_request_whose_worker_is_gone_is_taken_over(receipts: Receipts, clock: SetClock) -> None:
    gone = receipts.begin(MINJI, "k1", "POST a")
    clock.advance(32)
    taken = receipts.begin(MINJI, "k1", "POST a")
    assert taken.answer is None
    receipts.finish(gone, KeptAnswer(500, {}, b"late"))
    receipts.abandon(gone)
    receipts.finish(taken, KeptAnswer(201, {}, b"in time"))
    assert receipts.begin(MINJI, "k1", "POST a").answer == KeptAnswer(201, {}, b"in time")


def test_another_request_does_not_take_over(receipts: Receipts, clock: SetClock) -> None:
    receipts.begin(MINJI, "k1", "POST a")
    clock.advance(32)
    with pytest.raises(Conflict):
        receipts.begin(MINJI, "k1", "POST b")


def test_an_answer_is_kept_for_a_day(receipts: Receipts, clock: SetClock) -> None:
    receipts.finish(receipts.begin(MINJI, "k1", "POST a"), KeptAnswer(201, {}, b""))
    clock.advance(DAY - 2)
    assert receipts.begin(MINJI, "k1", "POST a").answer is not None
    clock.advance(3)
    assert receipts.begin(MINJI, "k1", "POST b").answer is None


def test_an_answer_that_is_too_large_is_not_given_again(receipts: Receipts) -> None:
    receipts.finish(receipts.begin(MINJI, "k1", "POST a"), KeptAnswer(200, {}, bytes(LARGEST_BODY)))
    assert receipts.begin(MINJI, "k1", "POST a").answer is not None
    receipts.finish(receipts.begin(MINJI, "k2", "POST a"), KeptAnswer(200, {}, bytes(LARGEST_BODY + 1)))
    with pytest.raises(Conflict, match="too large to be kept"):
        receipts.begin(MINJI, "k2", "POST a")


def test_of_many_at_once_one_does_the_request(receipts: Receipts) -> None:
    found = at_once(8, lambda number: receipts.begin(MINJI, "k1", "POST a"))
    assert sum(isinstance(each, Receipt) for each in found) == 1
    assert sum(isinstance(each, Busy) for each in found) == 7


def test_of_many_at_once_one_takes_over(receipts: Receipts, clock: SetClock) -> None:
    receipts.begin(MINJI, "k1", "POST a")
    clock.advance(32)
    found = at_once(8, lambda number: receipts.begin(MINJI, "k1", "POST a"))
    assert sum(isinstance(each, Receipt) for each in found) == 1


@pytest.mark.parametrize("seed", range(4))
def test_however_many_answers_are_lost_a_request_is_done_once(
    database: Database, clock: SetClock, seed: int
) -> None:
    receipts = Receipts(losing(database, 0.7, seed), clock, sleep=no_sleep)
    done: list[str] = []
    for key in map(str, range(12)):
        for _ in range(20):
            try:
                receipt = receipts.begin(MINJI, key, "POST")
                if receipt.answer is not None:
                    assert receipt.answer.body == key.encode()
                    break
                done.append(key)
                receipts.finish(receipt, KeptAnswer(201, {}, key.encode()))
            except (Busy, Unavailable):
                clock.advance(31)
        else:
            pytest.fail("no answer after twenty tries")
    assert done == sorted(set(done), key=int)


# ── together with the work ────────────────────────────────────────────────────────────────────────


def do(database: Database, receipts: Receipts, receipt: Receipt, name: str = "made") -> None:
    """Some work: one item, and the receipt with it."""
    with database.transaction() as transaction:
        receipts.keep(transaction, receipt, ANSWER)
        transaction.create(ChangeMonth(month=name))


def is_made(database: Database, name: str = "made") -> bool:
    return database.find(ChangeMonthKey(month=name), consistent=True) is not None


def test_the_answer_is_written_with_the_work(database: Database, receipts: Receipts) -> None:
    do(database, receipts, receipts.begin(MINJI, "k1", "POST a"))
    assert receipts.begin(MINJI, "k1", "POST a").answer == ANSWER
    assert is_made(database)


def test_work_that_is_refused_leaves_no_answer(database: Database, receipts: Receipts) -> None:
    database.create(ChangeMonth(month="made"))
    receipt = receipts.begin(MINJI, "k1", "POST a")
    with pytest.raises(AlreadyExists):
        do(database, receipts, receipt)
    assert receipts.abandon(receipt) is None
    assert receipts.begin(MINJI, "k1", "POST a").answer is None


def test_a_worker_that_lost_its_lease_does_nothing(
    database: Database, receipts: Receipts, clock: SetClock
) -> None:
    late = receipts.begin(MINJI, "k1", "POST a")
    clock.advance(32)
    taken = receipts.begin(MINJI, "k1", "POST a")
    with pytest.raises(Busy, match="worked on by now"):
        do(database, receipts, late, "late")
    do(database, receipts, taken)
    with pytest.raises(Busy):
        do(database, receipts, late, "late")
    assert (is_made(database), is_made(database, "late")) == (True, False)


def test_a_worker_that_lost_its_lease_and_was_first_leaves_nothing_to_do(
    database: Database, receipts: Receipts, clock: SetClock
) -> None:
    late = receipts.begin(MINJI, "k1", "POST a")
    clock.advance(32)
    do(database, receipts, late)
    assert receipts.begin(MINJI, "k1", "POST a").answer == ANSWER


@pytest.mark.parametrize("ends", [True, False])
def test_nobody_takes_over_what_is_done_or_renewed_at_the_same_moment(
    database: Database, receipts: Receipts, clock: SetClock, ends: bool
) -> None:
    first = receipts.begin(MINJI, "k1", "POST a")
    clock.advance(32)

    def meddle() -> None:
        if ends:
            do(database, receipts, first)
        else:
            receipts.renew(first)

    # The first put finds the receipt, and the second one is to take it over.
    meddled = Meddler(database.backend, "PutItem", meddle, passing=1)
    with pytest.raises(Busy):
        Receipts(Database(meddled, secret=b"for tests"), clock).begin(MINJI, "k1", "POST a")
    assert is_made(database) is ends


def test_a_lease_that_is_renewed_goes_on(receipts: Receipts, clock: SetClock) -> None:
    receipt = receipts.begin(MINJI, "k1", "POST a")
    for _ in range(4):
        clock.advance(20)
        receipts.renew(receipt)
        with pytest.raises(Busy):
            receipts.begin(MINJI, "k1", "POST a")
    clock.advance(32)
    assert receipts.begin(MINJI, "k1", "POST a").answer is None


def test_a_request_that_is_released_goes_on_at_once_as_the_same_one(
    receipts: Receipts, clock: SetClock
) -> None:
    first = receipts.begin(MINJI, "k1", "POST a")
    clock.advance(5)
    receipts.release(first)
    with pytest.raises(Conflict):
        receipts.begin(MINJI, "k1", "POST b")
    second = receipts.begin(MINJI, "k1", "POST a")
    assert (second.began_at, second.mark) == (first.began_at, first.mark)
    assert second.claim != first.claim


def test_what_is_forgotten_begins_as_another_one(receipts: Receipts) -> None:
    first = receipts.begin(MINJI, "k1", "POST a")
    receipts.abandon(first)
    assert receipts.begin(MINJI, "k1", "POST a").mark != first.mark


@pytest.mark.parametrize("end", [Receipts.abandon, Receipts.release])
def test_what_is_done_stays_done_and_is_told(
    database: Database, receipts: Receipts, end: Callable[[Receipts, Receipt], Receipt | None]
) -> None:
    receipt = receipts.begin(MINJI, "k1", "POST a")
    do(database, receipts, receipt)
    found = end(receipts, receipt)
    assert found is not None
    assert found.answer == ANSWER
    assert receipts.begin(MINJI, "k1", "POST a").answer == ANSWER


def test_a_receipt_costs_one_write_to_begin_and_one_of_the_transaction(
    database: Database, receipts: Receipts
) -> None:
    with database.meter() as begun:
        receipt = receipts.begin(MINJI, "k1", "POST a")
    with database.meter() as bare, database.transaction() as transaction:
        transaction.create(ChangeMonth(month="alone"))
    with database.meter() as both:
        do(database, receipts, receipt)
    assert (begun.write, both.write - bare.write) == (1, 2)
