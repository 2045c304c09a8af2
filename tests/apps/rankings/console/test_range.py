"""Ranges: what is typed is understood, who is inside, and what is said of a range that is none."""

from __future__ import annotations

import pytest

from tests.apps.rankings.console.club import Club, courses
from tests.apps.rankings.players import uuid
from tests.clauses import clause

PATH = "/rankings/range"


@clause("5-17")
def test_a_range_in_korean_units_shows_who_is_inside_and_how_many(club: Club) -> None:
    page = club.get(f"{PATH}?low=1억 9,500만&high=2억", "ko")
    assert "1억 9,500만 – 2억" in page.shown
    assert "5명, 전체의 3.85%" in page.shown
    assert [each["data-uuid"] for each in page.all("tr") if each.get("data-uuid")] == [
        uuid(number) for number in range(1, 6)
    ]
    assert "5명 보기" in page.shown
    assert courses(page)["histogram"]["inside"] == [25]


@clause("X5-29")
@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("low=5억&high=3억", "낮은 값이 높은 값보다 큽니다"),
        ("low=many&high=3억", "숫자로 쓰십시오"),
        ("low=5억&high=", "숫자로 쓰십시오"),
    ],
)
def test_a_range_that_is_none_is_said_at_the_field(club: Club, asked: str, said: str) -> None:
    page = club.get(f"{PATH}?{asked}", "ko")
    assert (page.status, said in page.shown) == (422, True)
    assert page.all("input", id="range-low")[0]["aria-invalid"] == "true"


def test_an_empty_range_names_the_lowest_and_the_highest(club: Club) -> None:
    assert "The lowest is 70.0M, the highest 199M." in club.sees(f"{PATH}?low=1&high=2")
    assert "Give two values" in club.sees(PATH)


def test_a_long_range_has_pages_and_a_strange_cursor_begins_at_the_first(club: Club) -> None:
    first = club.get(f"{PATH}?board=level&low=0&high=100")
    assert "#1 to #50" in first.shown
    following = next(link for link in first.links if "cursor=" in link)
    assert "#51 to #100" in club.sees(f"{PATH}{following}")
    assert "#1 to #50" in club.sees(f"{PATH}?board=level&low=0&high=100&cursor=nonsense")
