"""What the keys of the rankings need."""

from __future__ import annotations

import pytest

from hansang.apps.rankings.rules import rank_at
from hansang.parts.hangul import lowered
from tests.clauses import clause


@clause("X5-18")
@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("Hello", "hello"),
        ("한월BOT", "한월bot"),
        ("\u1112\u1161\u11ab\u110b\u116f\u11af", "한월"),
        ("Straße", "straße"),
        ("STRASSE", "strasse"),
        ("İ", "i̇"),
        ("E\u0301", "é"),
        ("", ""),
    ],
)
def test_a_name_is_searched_for_composed_and_in_lower_case(name: str, found: str) -> None:
    assert lowered(name) == found
    assert lowered(lowered(name)) == lowered(name)


@clause("5-15")
@pytest.mark.parametrize(
    ("page", "size", "index", "rank"), [(0, 100, 0, 1), (1, 100, 0, 101), (2, 50, 7, 108)]
)
def test_the_rank_is_the_page_times_its_size_and_the_index_and_one(
    page: int, size: int, index: int, rank: int
) -> None:
    assert rank_at(page * size, index) == rank
