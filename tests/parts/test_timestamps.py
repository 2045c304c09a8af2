"""Timestamps as they are stored."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from hansang.parts.timestamps import iso_timestamp, to_datetime


def test_a_moment_is_in_utc() -> None:
    assert to_datetime(0.5) == datetime(1970, 1, 1, 0, 0, 0, 500_000, tzinfo=UTC)


def test_stamps_have_one_width_and_the_order_of_time() -> None:
    seconds = [0.0, 0.000001, 1.0, 59.5, 1_700_000_000.25, 4_000_000_000.0]
    stamps = [iso_timestamp(to_datetime(each)) for each in seconds]
    assert stamps == sorted(stamps)
    assert {len(each) for each in stamps} == {27}
    assert [datetime.fromisoformat(each).timestamp() for each in stamps] == seconds


def test_a_stamp_is_the_same_in_every_zone() -> None:
    seoul = timezone(timedelta(hours=9))
    assert iso_timestamp(datetime(2026, 11, 15, 9, tzinfo=seoul)) == "2026-11-15T00:00:00.000000Z"
