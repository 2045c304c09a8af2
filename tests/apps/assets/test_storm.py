"""Whatever two people do, and wherever it is broken off: totals and balances are what the entries add up to."""

from __future__ import annotations

import os

import pytest

from hansang.backends.embedded import Embedded
from tests.apps.assets.storm import HOUSEHOLDS, Storm, opened
from tests.clauses import clause

STORMS = os.environ.get("HANSANG_ASSETS_STORMS")
SEEDS = range(int(STORMS or 2))
ROUNDS = 150 if STORMS else 80
"""The two storms of every run have each thing often enough in 80."""


@clause("X1-08", "X1-10", "X1-15", "X1-21")
@pytest.mark.parametrize("seed", SEEDS)
def test_totals_and_balances_are_what_the_entries_add_up_to(seed: int) -> None:
    with Embedded.open(":memory:") as backend:
        storm = Storm(backend, seed)
        storm.blow(ROUNDS)
        for household in HOUSEHOLDS:
            assets = opened(backend, household)
            assert assets.cascade.go_on(None).wrong_since is None
            assert assets.checking.check().drifts == []
        wanted = ("crashes", "meetings", "imports")
        assert [name for name in wanted if storm.seen[name] <= 3] == [], storm.seen
