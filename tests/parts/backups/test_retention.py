"""Which backups are kept."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansang.errors import SettingsError
from hansang.parts.backups.names import StoredBackup
from hansang.parts.backups.retention import Retention

SEOUL = ZoneInfo("Asia/Seoul")


def taken(moment: datetime, mark: str = "") -> StoredBackup:
    return StoredBackup(f"{moment:%Y-%m-%dT%H:%M}{mark}", "shop", moment, 1)


def daily_at_three(count: int) -> list[StoredBackup]:
    """One each night until Monday, 16 November 2026, 03:00 in Seoul."""
    last = datetime(2026, 11, 16, 3, tzinfo=SEOUL)
    return [taken((last - timedelta(days=each)).astimezone(UTC)) for each in range(count)]


def days(names: set[str]) -> list[str]:
    return sorted(names, reverse=True)


def test_the_newest_of_each_day_week_and_month_stay() -> None:
    kept = Retention(daily=3, weekly=3, monthly=3).kept(daily_at_three(100), SEOUL)
    assert days(kept) == [
        "2026-11-15T18:00",  # Monday in Seoul, and the newest of its week and its month.
        "2026-11-14T18:00",
        "2026-11-13T18:00",
        "2026-11-07T18:00",  # The Sunday before last; the last one is among the days.
        "2026-10-30T18:00",
        "2026-09-29T18:00",
    ]


def test_days_without_a_backup_do_not_count() -> None:
    months_apart = [taken(datetime(2026, month, 1, tzinfo=UTC)) for month in (1, 3, 6, 9)]
    assert len(Retention(daily=3).kept(months_apart, SEOUL)) == 3


def test_a_day_is_that_of_the_zone() -> None:
    evening, night = datetime(2026, 11, 15, 14, tzinfo=UTC), datetime(2026, 11, 15, 16, tzinfo=UTC)
    both = [taken(evening), taken(night)]
    assert len(Retention(daily=2).kept(both, SEOUL)) == 2
    assert len(Retention(daily=2).kept(both, ZoneInfo("UTC"))) == 1


@given(
    st.lists(st.integers(0, 2 * 365 * 24), min_size=1, max_size=40),
    st.builds(Retention, *[st.integers(0, 5)] * 3),
)
def test_the_newest_always_stays_and_what_stays_stays_again(hours: list[int], retention: Retention) -> None:
    start = datetime(2025, 1, 1, tzinfo=UTC)
    found = [taken(start + timedelta(hours=each), str(number)) for number, each in enumerate(hours)]
    kept = retention.kept(found, SEOUL)
    assert max(found, key=lambda each: (each.taken_at, each.name)).name in kept
    assert retention.kept([each for each in found if each.name in kept], SEOUL) == kept
    assert len(kept) <= 1 + retention.daily + retention.weekly + retention.monthly


def test_a_retention_is_read_and_told() -> None:
    assert Retention.parse("7 daily, 4 weekly, 12 monthly") == Retention(7, 4, 12)
    assert str(Retention.parse("30 daily")) == "30 daily"


@pytest.mark.parametrize("text", ["", "7", "seven daily", "0 daily", "7 daily 4 weekly", "1 daily, 2 daily"])
def test_what_says_no_number_is_refused(text: str) -> None:
    with pytest.raises(SettingsError, match="Write for example 7 daily, 4 weekly, 12 monthly"):
        Retention.parse(text)
