"""The key of a link and the times of an upload."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as some

from hansang.apps.news.design import NewsItem
from hansang.apps.news.rules import (
    KEY_RULE,
    ZONES,
    Unfit,
    Zone,
    has_article_id,
    is_unicode,
    link_of,
    pk_of,
    spans_of,
    ticker_key,
    tickers_of,
    upload_times,
    without_tracking,
)
from tests.apps.news.moments import CHANGES, MOMENTS
from tests.clauses import clause
from tests.storing import shape

A = "https://finance.yahoo.com/news/trump-supreme-court-tariff-defeat-060559667.html"
B = "https://finance.yahoo.com/news/some-article?src=latest&guccounter=1"

PINNED = {
    1: {
        "https://finance.yahoo.com/news/trump-supreme-court-tariff-defeat-060559667.html": "id#74f4974f830a32a5",
        "https://finance.yahoo.com/news/trump-supreme-court-tariff-defeat-060559667.html?x": "id#1d3e20cee1ed33ed",
        "https://finance.yahoo.com/m/0a1b2c3d-1111-3222-9333-123456789012/title.html": "h#5720d30ebdea6797",
        "https://finance.yahoo.com/news/title-100000.html": "h#674289f5527e54ff",
        "https://finance.yahoo.com/news/some-article?src=latest&guccounter=1": "h#91fb04bfce56b655",
        "https://finance.yahoo.com/video/title-123456789.html#t=1": "id#76a9da168562f9a0",
        "https://example.com/뉴스-123456789012.html": "id#3b2518ee58e308d4",
        "HTTPS://EXAMPLE.COM/A-1234567890.HTML": "h#ed51de208355906c",
        "https://news.example/story-12345678.html": "h#894ba27c93e13ee1",
    }
}
"""Keys of every version that the rule ever had."""


@clause("3-06", "X3-02")
@pytest.mark.parametrize(("url", "pk"), [(A, "id#74f4974f830a32a5"), (B, "h#91fb04bfce56b655")])
def test_the_key_is_a_tag_and_the_first_sixteen_digits_of_the_hash(url: str, pk: str) -> None:
    assert pk_of(url) == pk


@clause("X3-04")
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


def test_the_clocks_of_new_york_are_changed_twice_a_year() -> None:
    assert len(CHANGES) in range(261, 264)


@clause("3-10", "X3-10", "X3-11", "X3-16", "X3-17")
@given(MOMENTS)
@example(datetime(1988, 7, 1, tzinfo=UTC))
def test_all_times_of_an_upload_are_the_same_second(moment: datetime) -> None:
    found = upload_times(moment)
    second = int(moment.timestamp())
    new_york = datetime.fromisoformat(found.uploaded_at_est_iso)
    seoul = datetime.fromisoformat(found.uploaded_at_kst_iso)
    assert found.uploaded_at_utc_ms == second * 1000
    assert found.uploaded_at_utc_iso.timestamp() == new_york.timestamp() == seoul.timestamp() == second
    assert (found.dt_utc, found.dt_est, found.dt_kst) == (
        found.uploaded_at_utc_iso.date(),
        new_york.date(),
        seoul.date(),
    )
    assert found.uploaded_at_kst_iso.endswith("+09:00")


@clause("3-08", "X3-12", "X3-17")
@given(MOMENTS)
def test_the_offset_the_abbreviation_and_the_flag_of_new_york_agree(moment: datetime) -> None:
    found = upload_times(moment)
    expected = {"-04:00": ("EDT", True), "-05:00": ("EST", False)}
    assert (found.tz_est_abbr, found.tz_est_is_dst) == expected[found.uploaded_at_est_iso[-6:]]


@clause("3-10", "X3-12", "X3-17")
@given(MOMENTS, some.sampled_from(list(ZONES)))
def test_an_upload_is_read_on_the_day_that_it_is_stored_with_and_on_no_other(
    moment: datetime, zone: Zone
) -> None:
    found = upload_times(moment)
    day = {"utc": found.dt_utc, "est": found.dt_est, "kst": found.dt_kst}[zone]
    read_on = [
        (each, span.day)
        for each in (day - timedelta(days=1), day, day + timedelta(days=1))
        for span in spans_of(each, zone)
        if span.since_ms <= found.uploaded_at_utc_ms <= span.until_ms
    ]
    assert read_on == [(day, found.dt_utc)]


@clause("X3-17")
@given(MOMENTS, MOMENTS)
def test_two_uploads_are_told_apart_in_every_zone(first: datetime, second: datetime) -> None:
    """Also in the hour that New York has twice."""
    one, other = upload_times(first), upload_times(second)
    same = one.uploaded_at_utc_ms == other.uploaded_at_utc_ms
    assert (one.uploaded_at_est_iso == other.uploaded_at_est_iso) is same
    assert (one.uploaded_at_kst_iso == other.uploaded_at_kst_iso) is same


@clause("X3-17")
def test_at_every_change_of_clocks_an_hour_is_left_out_or_comes_twice() -> None:
    wrong = []
    for change in CHANGES:
        before, after = (upload_times(datetime.fromtimestamp(each, UTC)) for each in (change - 1, change))
        clocks = [
            datetime.fromisoformat(each.uploaded_at_est_iso).replace(tzinfo=None) for each in (before, after)
        ]
        moved = timedelta(seconds=1, hours=1 if after.tz_est_is_dst else -1)
        if before.tz_est_is_dst is after.tz_est_is_dst or clocks[1] - clocks[0] != moved:
            wrong.append((change, before, after))
    assert wrong == []


def sunday(year: int, month: int, number: int) -> date:
    first = date(year, month, 1)
    return first + timedelta(days=(6 - first.weekday()) % 7 + 7 * (number - 1))


@clause("X3-17")
@given(MOMENTS.filter(lambda moment: moment.year >= 2007))
def test_summer_in_new_york_is_from_the_second_sunday_of_march_to_the_first_of_november(
    moment: datetime,
) -> None:
    """By the rule of the law, worked out without the data of zones."""
    begins = datetime.combine(sunday(moment.year, 3, 2), time(7), UTC)
    ends = datetime.combine(sunday(moment.year, 11, 1), time(6), UTC)
    assert upload_times(moment).tz_est_is_dst is (begins <= moment.replace(microsecond=0) < ends)


@clause("3-08", "X3-16")
@given(MOMENTS)
def test_the_time_of_utc_is_stored_with_a_z(moment: datetime) -> None:
    item = NewsItem.uploaded(moment, url=A, title="a", tickers=[])
    text = shape(NewsItem).encode(item)["uploaded_at_utc_iso"]["S"]
    assert text == f"{moment:%Y-%m-%dT%H:%M:%S}Z"


@clause("3-10")
@pytest.mark.parametrize(
    "moment", [datetime(1970, 1, 1, tzinfo=UTC), datetime(2100, 12, 31, 23, 59, 59, tzinfo=UTC)]
)
def test_a_moment_may_be_given_in_any_zone(moment: datetime) -> None:
    zones = (ZoneInfo("America/New_York"), ZoneInfo("Asia/Seoul"), timezone(timedelta(hours=5, minutes=45)))
    assert {upload_times(moment.astimezone(zone)) for zone in zones} == {upload_times(moment)}


def test_a_moment_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="no time zone"):
        upload_times(datetime(2025, 11, 6))  # noqa: DTZ001


# ── what may be loaded ────────────────────────────────────────────────────────────────────────────


@clause("3-03", "X3-19")
@given(some.lists(some.text(max_size=12)))
def test_tickers_are_in_capitals_once_each_and_in_their_order(tickers: list[str]) -> None:
    assume(all(is_unicode(each) for each in tickers))
    found = tickers_of(tickers)
    wanted = [each.strip().upper() for each in tickers if each.strip()]
    assert found == tuple(dict.fromkeys(wanted))


@clause("X3-19")
@given(some.text(min_size=1, max_size=100), some.text(min_size=1, max_size=100))
def test_any_ticker_can_stand_in_a_key_and_is_told_from_any_other(first: str, second: str) -> None:
    assume(is_unicode(first) and is_unicode(second))
    keys = ticker_key(first), ticker_key(second)
    assert (keys[0] == keys[1]) is (first == second)
    assert all(key.isascii() and "#" not in key and len(key) <= 1200 for key in keys)


@clause("X3-18")
@given(some.text(min_size=1))
def test_a_url_is_kept_to_the_letter_or_refused(url: str) -> None:
    given_ = {"title": "a", "url": url}
    if url.strip() and is_unicode(url):
        assert link_of(given_).url == url
    else:
        with pytest.raises(Unfit, match="url"):
            link_of(given_)


def test_a_link_has_room_for_what_stands_beside_it() -> None:
    given_ = {"title": "가" * 129_999, "url": "u", "tickers": ["A"]}
    assert link_of(given_).title == given_["title"]
    with pytest.raises(Unfit, match="390,000 bytes"):
        link_of({**given_, "url": "u2"})


@given(some.text(alphabet="ab=&?#._srctefgu", max_size=40))
def test_what_is_left_of_a_url_has_nothing_more_to_leave_out(url: str) -> None:
    bare = without_tracking(url)
    assert without_tracking(bare) == bare


@clause("X3-05")
def test_the_version_of_the_rule_has_the_keys_that_are_pinned_for_it() -> None:
    """A link that is stored has its key for ever: another rule needs another version, and pins of its own."""
    pinned = PINNED[KEY_RULE]
    assert {url: pk_of(url) for url in pinned} == pinned
