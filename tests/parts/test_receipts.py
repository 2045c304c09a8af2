"""Receipts of requests that come with an Idempotency-Key."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from hansang.design import Database
from hansang.errors import Busy, Conflict, InvalidInput, Unavailable
from hansang.parts.receipts import LARGEST_BODY, KeptAnswer, Receipt, Receipts
from tests.parts.conftest import SetClock
from tests.parts.faults import at_once, losing, no_sleep

DAY = 86_400


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
    receipts.finish(receipt, 201, {"Location": "/a"}, "한상".encode())
    assert receipts.begin(MINJI, "k1", "POST a").answer == KeptAnswer(
        201, {"Location": "/a"}, "한상".encode()
    )


def test_an_answer_without_headers_and_body_is_one_too(receipts: Receipts) -> None:
    receipts.finish(receipts.begin(MINJI, "k1", "DELETE a"), 204, {}, b"")
    assert receipts.begin(MINJI, "k1", "DELETE a").answer == KeptAnswer(204, {}, b"")


def test_another_request_under_the_same_key_is_a_conflict(receipts: Receipts) -> None:
    receipt = receipts.begin(MINJI, "k1", "POST a")
    for _ in range(2):
        with pytest.raises(Conflict, match="used for another request"):
            receipts.begin(MINJI, "k1", "POST b")
        receipts.finish(receipt, 201, {}, b"")


def test_a_request_that_is_being_worked_on_is_busy(receipts: Receipts, clock: SetClock) -> None:
    receipts.begin(MINJI, "k1", "POST a")
    clock.advance(10)
    with pytest.raises(Busy) as busy:
        receipts.begin(MINJI, "k1", "POST a")
    assert 48 < busy.value.retry_after <= 50


def test_senders_do_not_share_their_keys(receipts: Receipts) -> None:
    receipts.finish(receipts.begin(MINJI, "k1", "POST a"), 201, {}, b"")
    assert receipts.begin(KEY, "k1", "POST a").answer is None
    assert receipts.begin(MINJI, "k2", "POST a").answer is None


@pytest.mark.parametrize("key", ["", "x" * 256])
def test_a_key_has_a_length(receipts: Receipts, key: str) -> None:
    with pytest.raises(InvalidInput, match="1 to 255"):
        receipts.begin(MINJI, key, "POST a")


def test_any_text_is_a_key(receipts: Receipts) -> None:
    for key in ("#", "한상 1", "a\0b", "x" * 255):
        receipts.finish(receipts.begin(MINJI, key, "POST a"), 200, {}, key.encode())
        answer = receipts.begin(MINJI, key, "POST a").answer
        assert answer is not None
        assert answer.body == key.encode()


def test_a_request_that_failed_can_be_sent_again(receipts: Receipts) -> None:
    receipts.abandon(receipts.begin(MINJI, "k1", "POST a"))
    assert receipts.begin(MINJI, "k1", "POST b").answer is None


def test_a_request_whose_worker_is_gone_is_taken_over(receipts: Receipts, clock: SetClock) -> None:
    gone = receipts.begin(MINJI, "k1", "POST a")
    clock.advance(62)
    taken = receipts.begin(MINJI, "k1", "POST a")
    assert taken.answer is None
    receipts.finish(gone, 500, {}, b"late")
    receipts.abandon(gone)
    receipts.finish(taken, 201, {}, b"in time")
    assert receipts.begin(MINJI, "k1", "POST a").answer == KeptAnswer(201, {}, b"in time")


def test_another_request_does_not_take_over(receipts: Receipts, clock: SetClock) -> None:
    receipts.begin(MINJI, "k1", "POST a")
    clock.advance(62)
    with pytest.raises(Conflict):
        receipts.begin(MINJI, "k1", "POST b")


def test_an_answer_is_kept_for_a_day(receipts: Receipts, clock: SetClock) -> None:
    receipts.finish(receipts.begin(MINJI, "k1", "POST a"), 201, {}, b"")
    clock.advance(DAY - 2)
    assert receipts.begin(MINJI, "k1", "POST a").answer is not None
    clock.advance(3)
    assert receipts.begin(MINJI, "k1", "POST b").answer is None


def test_an_answer_that_is_too_large_is_not_given_again(receipts: Receipts) -> None:
    receipts.finish(receipts.begin(MINJI, "k1", "POST a"), 200, {}, bytes(LARGEST_BODY))
    assert receipts.begin(MINJI, "k1", "POST a").answer is not None
    receipts.finish(receipts.begin(MINJI, "k2", "POST a"), 200, {}, bytes(LARGEST_BODY + 1))
    with pytest.raises(Conflict, match="too large to be kept"):
        receipts.begin(MINJI, "k2", "POST a")


def test_of_many_at_once_one_does_the_request(receipts: Receipts) -> None:
    found = at_once(8, lambda number: receipts.begin(MINJI, "k1", "POST a"))
    assert sum(isinstance(each, Receipt) for each in found) == 1
    assert sum(isinstance(each, Busy) for each in found) == 7


def test_of_many_at_once_one_takes_over(receipts: Receipts, clock: SetClock) -> None:
    receipts.begin(MINJI, "k1", "POST a")
    clock.advance(62)
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
                receipts.finish(receipt, 201, {}, key.encode())
            except (Busy, Unavailable):
                clock.advance(30)
        else:
            pytest.fail("no answer after twenty tries")
    assert done == sorted(set(done), key=int)
