"""A year beside its usual month, and shares that add up."""

from __future__ import annotations

from hansang.apps.assets.reports import YearShown
from hansang.apps.assets.years import heat, whole_percents

PRESENT = "2026.11"


def levels(amounts: list[int], first: str, last: str) -> list[int | None]:
    year = YearShown(2026, {("living-expense", "식비"): amounts}, {})
    [row] = heat(year, PRESENT, (first, last))
    return [each.level for each in row.cells]


def test_months_outside_of_the_book_are_not_part_of_what_is_usual() -> None:
    found = levels([0, 0, 0, 0, 0, 0, 100, 100, 300, 100, 0, 0], "2026.07", "2026.10")
    assert found == [*[None] * 6, 0, 0, 3, 0, None, None]


def test_nothing_is_unusual_among_two_months() -> None:
    assert levels([0] * 8 + [100, 900, 0, 0], "2026.09", "2026.10")[8:10] == [0, 0]
    assert levels([0] * 7 + [100, 100, 900, 0, 0], "2026.08", "2026.10")[7:10] == [0, 0, 3]


def test_whole_percents_add_up() -> None:
    assert whole_percents([1, 1, 1], 3) == [34, 33, 33]
    assert sum(whole_percents([29, 29, 29, 29, 29, 30], 175)) == 100
    assert whole_percents([30, 30], 120) == [25, 25]
    assert whole_percents([150], 100) == [150]
    assert whole_percents([5], 0) == [0]
