"""The key of a link and the times of an upload, decided without reading anything."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime
from hashlib import sha256
from zoneinfo import ZoneInfo

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
    new_york, seoul = utc.astimezone(ZoneInfo("America/New_York")), utc.astimezone(ZoneInfo("Asia/Seoul"))
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
