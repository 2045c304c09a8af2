"""DescribeLimits: the quotas of a new account."""

from __future__ import annotations

from hansang.engine import Engine


def test_a_table_may_have_half_of_what_the_account_may(engine: Engine) -> None:
    assert engine.call("DescribeLimits", {}) == {
        "AccountMaxReadCapacityUnits": 80000,
        "AccountMaxWriteCapacityUnits": 80000,
        "TableMaxReadCapacityUnits": 40000,
        "TableMaxWriteCapacityUnits": 40000,
    }


def test_parameters_that_it_does_not_have_are_ignored(engine: Engine) -> None:
    assert engine.call("DescribeLimits", {"Region": "mars"}) == engine.call("DescribeLimits", {})
