"""Weeks, as the keys of the leaderboards have them."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from hansang.apps.leaderboards.rules import HIGHEST_SCORE, Week, week_of
from tests.clauses import clause

MAY = Week(date(2014, 5, 9), date(2014, 5, 15))


@clause("2-03")
def test_a_week_is_written_with_its_first_and_its_last_day() -> None:
    assert str(MAY) == "2014-05-09, 2014-05-15"


@clause("X2-03", "2-20")
@pytest.mark.parametrize("text", ["2014-05-09, 2014-05-15", "2014-05-09,2014-05-15"])
def test_a_week_is_read_with_a_space_or_without_and_written_with_one(text: str) -> None:
    assert Week.parse(text) == MAY
    assert str(Week.parse(text)) == "2014-05-09, 2014-05-15"


@pytest.mark.parametrize(
    "text", ["", "2014-05-09", "2014-05-09;2014-05-15", "2014-05-09, 2014-05-16", "2014-05-09,  2014-05-15"]
)
def test_what_is_no_week_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no week"):
        Week.parse(text)


@clause("X2-06")
def test_a_week_goes_from_friday_to_thursday() -> None:
    assert (MAY.start.weekday(), MAY.end.weekday()) == (4, 3)
    assert {week_of(MAY.start + timedelta(days=n)) for n in range(7)} == {MAY}
    assert str(week_of(date(2014, 5, 8))) == "2014-05-02, 2014-05-08"
    assert str(week_of(date(2014, 5, 16))) == "2014-05-16, 2014-05-22"


@clause("X2-06")
def test_a_week_may_start_on_another_day() -> None:
    assert str(week_of(date(2014, 5, 11), first=0)) == "2014-05-05, 2014-05-11"


@clause("X2-06")
def test_weeks_sort_over_the_end_of_a_year() -> None:
    weeks = [week_of(date(2014, 12, 20) + timedelta(weeks=n)) for n in range(4)]
    assert sorted(map(str, weeks)) == [str(week) for week in weeks]
    assert str(week_of(date(2015, 1, 1))) == "2014-12-26, 2015-01-01"


@clause("2-10")
def test_the_highest_score_is_99999() -> None:
    assert HIGHEST_SCORE == 99_999
