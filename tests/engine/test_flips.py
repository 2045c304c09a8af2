"""A flipped byte is found by the check or harmless, and nothing is answered wrong because of it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from hansang.engine import key_order
from hansang.errors import DamagedFile
from tests.engine.flips import BALES, FOUND, HARMLESS, fill, flips, opened, stack


def test_no_flipped_byte_is_answered_wrong(tmp_path: Path) -> None:
    outcomes = Counter(each.outcome for each in flips(tmp_path, 60, seed=12))
    assert set(outcomes) == {FOUND, HARMLESS}


@pytest.mark.parametrize(("end", "forward"), [(127, True), (BALES - 128, False)])
def test_a_key_that_becomes_the_end_of_a_piece_hides_nothing(
    tmp_path: Path, end: int, *, forward: bool
) -> None:
    whole, damaged = tmp_path / "whole.db", tmp_path / "damaged.db"
    fill(whole)
    content, refused = whole.read_bytes(), 0
    for number in range(end + 1, BALES) if forward else range(end):
        key, wanted = (key_order.partition_of(b"STACK") + f"{each:04d}".encode() for each in (number, end))
        if sum((one ^ other).bit_count() for one, other in zip(key, wanted, strict=True)) != 1:
            continue
        assert content.count(key) == 1
        damaged.write_bytes(content.replace(key, wanted))
        with opened(damaged) as engine, pytest.raises(DamagedFile):
            engine.call("Query", stack(forward=forward))
        refused += 1
    assert refused > 1
