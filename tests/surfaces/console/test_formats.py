"""Numbers, sizes and times in both languages."""

from __future__ import annotations

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from hansang.surfaces.console.formats import Formats

NOW = datetime(2026, 11, 15, 5, 30, tzinfo=UTC).timestamp()
KO = Formats("ko", ZoneInfo("Asia/Seoul"), NOW)
EN = Formats("en", ZoneInfo("Europe/London"), NOW)


@pytest.mark.parametrize(
    ("value", "ko", "en"),
    [
        (0, "0", "0"),
        (9999, "9,999", "9,999"),
        (0.5, "0.5", "0.5"),
        (123.4, "123", "123"),
        (12345, "1.2만", "12.3K"),
        (2_774_000, "277.4만", "2.8M"),
        (272_492_172, "2.7억", "272.5M"),
        (1_500_000_000_000, "1.5조", "1.5T"),
    ],
)
def test_large_numbers_are_short(value: float, ko: str, en: str) -> None:
    assert (KO.compact(value), EN.compact(value)) == (ko, en)


def test_numbers_have_commas_and_no_idle_digits() -> None:
    assert KO.number(1234567) == "1,234,567"
    assert KO.number(2.50, 2) == "2.5"
    assert KO.number(100) == "100"


@pytest.mark.parametrize(
    ("size_bytes", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1024, "1 KB"),
        (1536, "1.5 KB"),
        (400 * 1024, "400 KB"),
        (5 * 2**30, "5 GB"),
    ],
)
def test_sizes_have_units(size_bytes: int, text: str) -> None:
    assert KO.size(size_bytes) == text


def test_days_are_written_as_people_do() -> None:
    assert (KO.tick(date(2026, 11, 4)), EN.tick(date(2026, 11, 4))) == ("11/4", "4 Nov")
    assert KO.day(date(2026, 11, 15)) == "2026년 11월 15일"
    assert EN.day(date(2026, 11, 15)) == "15 Nov 2026"
    assert (KO.month(date(2026, 11, 15)), EN.month(date(2026, 11, 15))) == ("2026년 11월", "Nov 2026")


def test_moments_are_in_the_zone_of_the_reader() -> None:
    midnight = datetime(2026, 11, 14, 15, 0, tzinfo=UTC)
    assert KO.moment(midnight) == "2026년 11월 15일 00:00"
    assert EN.moment(midnight) == "14 Nov 2026 15:00"
    assert KO.exact(midnight.timestamp()) == "2026년 11월 15일 00:00:00 KST"
    assert EN.iso(midnight) == "2026-11-14T15:00:00Z"


@pytest.mark.parametrize(
    ("seconds", "ko", "en"),
    [
        (-5, "방금", "just now"),
        (59, "방금", "just now"),
        (60, "1분 전", "1 minute ago"),
        (3599, "59분 전", "59 minutes ago"),
        (7200, "2시간 전", "2 hours ago"),
        (86400, "1일 전", "1 day ago"),
        (8 * 86400, "2026년 11월 7일", "7 Nov 2026"),
    ],
)
def test_the_past_is_told_in_words(seconds: float, ko: str, en: str) -> None:
    assert (KO.ago(NOW - seconds), EN.ago(NOW - seconds)) == (ko, en)


def test_spans() -> None:
    assert (KO.lasting(0.2), EN.lasting(899)) == ("1초", "15 minutes")


def test_shares_are_percent() -> None:
    assert KO.percent(0.1234) == "12.3%"
