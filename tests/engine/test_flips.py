"""A flipped byte is found by the check or harmless, and nothing is answered wrong because of it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tests.engine.flips import FOUND, HARMLESS, flips


def test_no_flipped_byte_is_answered_wrong(tmp_path: Path) -> None:
    outcomes = Counter(each.outcome for each in flips(tmp_path, 60, seed=12))
    assert set(outcomes) == {FOUND, HARMLESS}
