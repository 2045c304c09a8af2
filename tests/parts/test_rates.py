"""How many requests one sender may send."""

from __future__ import annotations

import pytest

from hansang.parts.rates import Rates


def test_a_full_bucket_may_be_spent_at_once_and_no_more() -> None:
    rates = Rates(60)
    assert [rates.take("a", 0.0) for _ in range(60)] == [0.0] * 60
    assert rates.take("a", 0.0) == pytest.approx(1.0)


def test_tokens_come_back_steadily() -> None:
    rates = Rates(60)
    for _ in range(60):
        rates.take("a", 0.0)
    assert rates.take("a", 0.5) == pytest.approx(0.5)
    assert rates.take("a", 1.0) == 0.0
    assert rates.take("a", 1.0) > 0


def test_a_bucket_is_never_more_than_full() -> None:
    rates = Rates(2)
    rates.take("a", 0.0)
    assert [rates.take("a", 1e9) > 0 for _ in range(3)] == [False, False, True]


def test_a_refused_request_costs_nothing() -> None:
    rates = Rates(60)
    for _ in range(60):
        rates.take("a", 0.0)
    waits = [rates.take("a", 0.0) for _ in range(100)]
    assert waits == [waits[0]] * 100


def test_a_sender_may_have_a_rate_of_its_own() -> None:
    rates = Rates(1)
    assert [rates.take("server", 0.0, 3) for _ in range(4)] == [0, 0, 0, 20]
    assert rates.take("server", 20.0, 3) == 0
    assert [rates.take("person", 0.0) for _ in range(2)] == [0, 60]


def test_senders_do_not_share_a_bucket() -> None:
    rates = Rates(1)
    assert rates.take("a", 0.0) == 0.0
    assert rates.take("b", 0.0) == 0.0
    assert rates.take("a", 0.0) == pytest.approx(60.0)


def test_only_so_many_senders_are_remembered_and_those_who_keep_coming_are() -> None:
    rates = Rates(1, senders=3)
    for name in ("busy", "b", "c"):
        rates.take(name, 0.0)
    assert rates.take("busy", 0.0) > 0
    rates.take("d", 0.0)
    rates.take("e", 0.0)
    assert rates.take("busy", 0.0) > 0
    assert rates.take("b", 0.0) == 0.0
