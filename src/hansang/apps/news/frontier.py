"""How far the crawl has come: what was uploaded before the frontier is done with, and is not read again."""

from __future__ import annotations

from datetime import UTC, date, datetime, time

from hansang.apps.news.design import Frontier, FrontierKey
from hansang.design import Condition, Database, all_of, attr
from hansang.errors import Busy, Conflict

FIRST_DAY = date(1970, 1, 1)
_GRACE_MS = 3_600_000
"""How late links may come: clocks differ, and an index runs behind its table."""
LATE_MS = _GRACE_MS // 2
"""Whoever stores a link of an upload that is so old opens its time again first."""
_TRIES = 20


def find(database: Database) -> Frontier | None:
    """The frontier; None when it has never moved."""
    return database.find(FrontierKey(), consistent=True)


def since(seen: Frontier | None) -> int:
    """The first millisecond that may still have something."""
    return 0 if seen is None else seen.since_ms


def day_of(ms: int) -> date:
    """The day of UTC in which a millisecond is."""
    return datetime.fromtimestamp(ms / 1000, UTC).date()


def start_of(day: date) -> int:
    """The first millisecond of a day of UTC."""
    return int(datetime.combine(day, time(), UTC).timestamp()) * 1000


def over_before(seen: Frontier | None, now_ms: int) -> int:
    """The millisecond before which no more links can come, unless somebody opens that time again."""
    return now_ms - _GRACE_MS if seen is None or seen.stays_until_ms <= now_ms else 0


def move(database: Database, ms: int, seen: Frontier | None) -> Frontier | None:
    """Begin at a millisecond from now on; None when somebody else has moved the frontier since it was seen."""
    moved = Frontier(since_ms=ms)
    try:
        return database.put(moved, when=_as(seen))
    except Conflict as found:
        return moved if found.item == moved else None


def reopen(database: Database, ms: int, now_ms: int) -> None:
    """Look again at a time that may have been passed, and stay there for a while."""
    for _ in range(_TRIES):
        seen = find(database)
        if seen is not None and seen.since_ms <= ms and seen.stays_until_ms >= now_ms + LATE_MS:
            return
        try:
            earlier = Frontier(since_ms=min(since(seen), ms), stays_until_ms=now_ms + _GRACE_MS)
            database.put(earlier, when=_as(seen))
        except Conflict:
            continue
        return
    raise Busy(
        "The crawl queue is being changed by others. Try again in a moment.", code="news.frontier-busy"
    )


def _as(seen: Frontier | None) -> Condition:
    if seen is None:
        return attr(Frontier.since_ms).missing()
    return all_of(Frontier.since_ms == seen.since_ms, Frontier.stays_until_ms == seen.stays_until_ms)
