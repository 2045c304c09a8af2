"""The key of a link and the times of an upload, decided without reading anything."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from hashlib import sha256
from typing import Literal
from urllib.parse import quote
from zoneinfo import ZoneInfo

from hansang.apps.news.reasons import reason

KEY_RULE = 1
"""The version of the rule below. Another rule would give a stored link another key (X3-05)."""

# The path of a URL as RFC 3986 has it; what the standard library takes for it changes between versions.
_PATH = re.compile(r"(?:[^:/?#]+:)?(?://[^/?#]*)?([^?#]*)")
_ARTICLE_ID = re.compile(r"-[0-9]{9,}\.html\Z")


def has_article_id(url: str) -> bool:
    """Whether a URL has a numeric article id: its path ends in nine digits or more and `.html` (X3-04)."""
    path = _PATH.match(url)
    return path is not None and _ARTICLE_ID.search(path[1]) is not None


def pk_of(url: str) -> str:
    """The key of a link, by every character of it; the prefix is a tag and no more (3-06)."""
    tag = "id" if has_article_id(url) else "h"
    return f"{tag}#{sha256(url.encode()).hexdigest()[:16]}"


Zone = Literal["utc", "est", "kst"]
ZONES: dict[Zone, tzinfo] = {
    "utc": UTC,
    "est": ZoneInfo("America/New_York"),
    # Nine hours ahead by definition (3-10), whatever Seoul's clocks did in 1988 or may do one day.
    "kst": timezone(timedelta(hours=9), "KST"),
}


@dataclass(frozen=True, slots=True)
class UploadTimes:
    """One moment as it is stored: in UTC, in New York and in Seoul."""

    uploaded_at_utc_iso: datetime
    uploaded_at_utc_ms: int
    uploaded_at_est_iso: str
    uploaded_at_kst_iso: str
    dt_utc: date
    dt_est: date
    dt_kst: date
    tz_est_abbr: str
    tz_est_is_dst: bool


def upload_times(moment: datetime) -> UploadTimes:
    """The times of an upload, cut to the second, so that all of them are the same moment (X3-11)."""
    if moment.tzinfo is None:
        raise ValueError(f"{moment!r} has no time zone. Give it one, such as datetime.UTC.")
    utc = moment.astimezone(UTC).replace(microsecond=0)
    new_york, seoul = utc.astimezone(ZONES["est"]), utc.astimezone(ZONES["kst"])
    return UploadTimes(
        uploaded_at_utc_iso=utc,
        uploaded_at_utc_ms=int(utc.timestamp()) * 1000,
        uploaded_at_est_iso=new_york.isoformat(),
        uploaded_at_kst_iso=seoul.isoformat(),
        dt_utc=utc.date(),
        dt_est=new_york.date(),
        dt_kst=seoul.date(),
        tz_est_abbr=new_york.tzname() or "",
        tz_est_is_dst=bool(new_york.dst()),
    )


# ── what may be loaded ────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Link:
    """A line of the input that can be stored."""

    title: str
    url: str
    tickers: tuple[str, ...]


_LONGEST_TICKER = 100
_MOST_TICKERS = 500
_LARGEST_LINK = 390_000
"""In bytes: an item has 400 KB, and what stands beside a link in its items has to fit as well."""
_RUN = re.compile(r"[0-9]{8}T[0-9]{6}Z-[0-9a-z]{1,16}").fullmatch


class Unfit(ValueError):
    """A line of the input cannot be stored; `reason` says why."""

    def __init__(self, text: str, *, code: str, values: Mapping[str, object] | None = None) -> None:
        self.reason = reason(text, code=code, values=values)
        super().__init__(self.reason.text)


def link_of(given: object) -> Link:
    """A line of the input as a link, with its URL to the letter; what is wrong is refused, not repaired."""
    if not isinstance(given, Mapping):
        raise Unfit("The line is not an object with title, url and tickers.", code="news.not-an-object")
    url, title = given.get("url"), given.get("title")
    if not isinstance(url, str) or not url.strip():
        raise Unfit("The url is empty or not a text.", code="news.no-url")
    if not isinstance(title, str) or not title.strip():
        raise Unfit("The title is empty or not a text.", code="news.no-title")
    if not (is_unicode(url) and is_unicode(title)):
        raise Unfit(
            "The characters of the url and the title are not valid UTF-8. Save the file as UTF-8.",
            code="news.not-unicode",
        )
    link = Link(title, url, tickers_of(given.get("tickers")))
    if _size(link) > _LARGEST_LINK:
        raise Unfit(
            "Title, url and tickers have at most {most} bytes together.",
            code="news.large-link",
            values={"most": f"{_LARGEST_LINK:,}"},
        )
    return link


def _size(link: Link) -> int:
    return sum(len(each.encode()) for each in (link.title, link.url, *link.tickers)) + len(link.tickers)


def is_unicode(text: str) -> bool:
    """Whether a text can be written as UTF-8; what was read from broken bytes cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def tickers_of(given: object) -> tuple[str, ...]:
    """Tickers in capitals, in their order, without blanks and repeats; no list is none (X3-19)."""
    if given is None:
        return ()
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise Unfit("The tickers are not a list of texts.", code="news.no-tickers")
    if not all(isinstance(each, str) and is_unicode(each) for each in given):
        raise Unfit("The tickers are not a list of texts.", code="news.no-tickers")
    tickers = tuple(dict.fromkeys(each.strip().upper() for each in given if each.strip()))
    if any(len(each) > _LONGEST_TICKER for each in tickers):
        raise Unfit(
            "A ticker has at most {most} characters.",
            code="news.long-ticker",
            values={"most": _LONGEST_TICKER},
        )
    if len(tickers) > _MOST_TICKERS:
        raise Unfit(
            "A link has at most {most} tickers.", code="news.many-tickers", values={"most": _MOST_TICKERS}
        )
    return tickers


def is_run(text: str) -> bool:
    """Whether a text is the id of a run: its time, and a few characters that tell it from others."""
    return _RUN(text) is not None


def ticker_key(ticker: str) -> str:
    """A ticker as it can stand in a key, whatever characters it has."""
    return quote(ticker, safe="^=.:/ -")


# ── reading ───────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Span:
    """A day of a zone as a span of one day of UTC, in milliseconds, both ends included."""

    day: date
    since_ms: int
    until_ms: int


def spans_of(day: date, zone: Zone) -> list[Span]:
    """A day of a zone, cut at midnight of UTC: 23 to 25 hours long in New York."""
    start = datetime.combine(day, time(), ZONES[zone]).astimezone(UTC)
    end = datetime.combine(day + timedelta(days=1), time(), ZONES[zone]).astimezone(UTC)
    spans = []
    while start < end:
        midnight = datetime.combine(start.date() + timedelta(days=1), time(), UTC)
        until = min(midnight, end)
        spans.append(Span(start.date(), _ms(start), _ms(until) - 1))
        start = until
    return spans


def _ms(moment: datetime) -> int:
    return int(moment.timestamp()) * 1000


_TRACKING = re.compile(
    r"(utm_\w+|guc\w+|guce_referrer\w*|\.tsrc|tsrc|src|ref|ref_\w*|fbclid|gclid|msclkid|cmpid|ncid|soc_\w+|_ga)"
)


def without_tracking(url: str) -> str:
    """A URL without its fragment and what only tells where a reader came from; for grouping, never stored (X3-21)."""
    address, _, _ = url.partition("#")
    base, mark, query = address.partition("?")
    kept = [each for each in query.split("&") if each and not _TRACKING.fullmatch(each.partition("=")[0])]
    return base + (mark + "&".join(kept) if kept else "")


# ── the crawl ─────────────────────────────────────────────────────────────────────────────────────

MOST_ATTEMPTS = 5
LEASE_SECONDS = 300
_FIRST_PAUSE_SECONDS = 60


def retry_after_seconds(attempts: int) -> int | None:
    """How long a failed article rests before it is tried again; None when it was tried often enough."""
    return None if attempts >= MOST_ATTEMPTS else _FIRST_PAUSE_SECONDS * 4 ** (attempts - 1)
