"""The key of a link and the times of an upload."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from hansang.apps.news.rules import KEY_RULE, has_article_id, pk_of, upload_times
from tests.clauses import clause

A = "https://finance.yahoo.com/news/trump-supreme-court-tariff-defeat-060559667.html"
B = "https://finance.yahoo.com/news/some-article?src=latest&guccounter=1"


@clause("3-06", "X3-02")
@pytest.mark.parametrize(("url", "pk"), [(A, "id#74f4974f830a32a5"), (B, "h#91fb04bfce56b655")])
def test_the_key_is_a_tag_and_the_first_sixteen_digits_of_the_hash(url: str, pk: str) -> None:
    assert pk_of(url) == pk


@clause("X3-04", "X3-05")
@pytest.mark.parametrize(
    ("url", "found"),
    [
        (A, True),
        (A + "?guccounter=1", True),
        (A + "#top", True),
        (B, False),
        ("https://finance.yahoo.com/m/0a1b2c3d-1111-3222-9333-123456789012/title.html", False),
        ("https://finance.yahoo.com/news/title-100000.html", False),
        ("https://finance.yahoo.com/news/title-12345678.html", False),
        ("https://finance.yahoo.com/news/title-123456789.html", True),
        ("https://finance.yahoo.com/news/title-123456789.html/", False),
        ("https://finance.yahoo.com/news/title?id=-123456789.html", False),
        ("https://title-123456789.html", False),
        ("https://finance.yahoo.com/news/title-123456789.html\n", False),
        ("https://finance.yahoo.com/news/title-１２３４５６７８９.html", False),
        ("https://[title-123456789.html", False),
        ("/news/title-123456789.html", True),
        ("", False),
    ],
)
def test_an_article_id_is_nine_digits_at_the_end_of_the_path(url: str, found: bool) -> None:
    assert has_article_id(url) is found


@clause("X3-05")
def test_the_rule_of_the_key_has_a_version() -> None:
    assert KEY_RULE == 1


@clause("3-04", "X3-18", "X3-21")
@pytest.mark.parametrize(
    "other", [A + " ", " " + A, A + "#", A + "?", A + "?a=1", A.upper(), A.replace("https", "http")]
)
def test_a_link_that_differs_in_one_character_has_another_key(other: str) -> None:
    assert pk_of(other)[-16:] != pk_of(A)[-16:]


@clause("3-07", "X3-03")
def test_the_prefix_is_a_tag_and_makes_lengths_differ() -> None:
    assert (len(pk_of(A)), len(pk_of(B))) == (19, 18)
    assert pk_of(A).split("#")[1] == "74f4974f830a32a5"


def test_a_link_in_korean_is_hashed_as_utf_8() -> None:
    assert pk_of("https://example.com/뉴스") == "h#3e903021a17d5943"


# ── times ─────────────────────────────────────────────────────────────────────────────────────────


@clause("3-10", "X3-01", "X3-16")
def test_the_times_of_the_document_are_one_moment() -> None:
    found = upload_times(datetime(2025, 11, 6, 0, 35, 12, tzinfo=UTC))
    assert found.uploaded_at_utc_ms == 1762389312000
    assert found.uploaded_at_est_iso == "2025-11-05T19:35:12-05:00"
    assert found.uploaded_at_kst_iso == "2025-11-06T09:35:12+09:00"
    assert (found.dt_utc, found.dt_est, found.dt_kst) == (
        date(2025, 11, 6),
        date(2025, 11, 5),
        date(2025, 11, 6),
    )


@clause("X3-17", "X3-12")
@pytest.mark.parametrize(
    ("utc", "new_york", "abbreviation", "is_dst"),
    [
        ("2025-11-02T05:30:00Z", "2025-11-02T01:30:00-04:00", "EDT", True),
        ("2025-11-02T06:30:00Z", "2025-11-02T01:30:00-05:00", "EST", False),
        ("2025-03-09T06:59:59Z", "2025-03-09T01:59:59-05:00", "EST", False),
        ("2025-03-09T07:00:00Z", "2025-03-09T03:00:00-04:00", "EDT", True),
    ],
)
def test_new_york_says_which_of_its_two_times_it_has(
    utc: str, new_york: str, abbreviation: str, is_dst: bool
) -> None:
    found = upload_times(datetime.fromisoformat(utc))
    assert (found.uploaded_at_est_iso, found.tz_est_abbr, found.tz_est_is_dst) == (
        new_york,
        abbreviation,
        is_dst,
    )


@clause("3-10")
def test_the_days_of_the_zones_may_differ_by_a_year() -> None:
    found = upload_times(datetime(2025, 12, 31, 15, tzinfo=UTC))
    assert (found.dt_kst, found.dt_est) == (date(2026, 1, 1), date(2025, 12, 31))


@clause("X3-11", "X3-10")
def test_a_moment_is_cut_to_the_second_in_every_form() -> None:
    whole = upload_times(datetime(2025, 11, 6, 0, 35, 12, tzinfo=UTC))
    assert upload_times(datetime(2025, 11, 6, 0, 35, 12, 999_999, tzinfo=UTC)) == whole


def test_a_moment_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="no time zone"):
        upload_times(datetime(2025, 11, 6))  # noqa: DTZ001
