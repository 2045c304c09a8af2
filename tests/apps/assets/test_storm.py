"""Whatever two people do, and wherever it is broken off: totals and balances are what the entries add up to."""

from __future__ import annotations

import os

import pytest

from hansang.backends.embedded import Embedded
from tests.apps.assets.household import ledger
from tests.apps.assets.storm import Storm
from tests.clauses import clause

SEEDS = range(int(os.environ.get("HANSANG_ASSETS_STORMS", "2")))


@clause("X1-08", "X1-10", "X1-15")
@pytest.mark.parametrize("seed", SEEDS)
def test_totals_and_balances_are_what_the_entries_add_up_to(seed: int) -> None:
    with Embedded.open(":memory:") as backend:
        with ledger(backend=backend):
            storm = Storm(backend, seed)
        storm.blow(120)
        with ledger(backend=backend) as assets:
            assert assets.cascade.go_on(None).wrong_since is None
            assert assets.checking.check().drifts == []
        assert (storm.crashes > 3, storm.meetings > 3) == (True, True)
