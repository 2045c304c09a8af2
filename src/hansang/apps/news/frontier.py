"""How far the crawl has come: days before the frontier have nothing left to do, and are not read again."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from hansang.apps.news.design import Frontier, FrontierKey
from hansang.design import Condition, Database, all_of, attr
from hansang.errors import Busy, Conflict

FIRST_DAY = date(1970, 1, 1)
_GRACE_MS = 3_600_000
"""How late the links of a day may come: clocks differ, and an index runs behind its table."""
_TRIES = 20


def find(database: Database) -> Frontier | None:
    """The frontier; None when it has never moved."""
    return database.find(FrontierKey(), consistent=True)


def may_pass(seen: Frontier | None, day: date, now_ms: int) -> bool:
    """Whether a day in which everything is done can get no more links."""
    over = day < datetime.fromtimestamp((now_ms - _GRACE_MS) / 1000, UTC).date()
    return over and (seen is None or seen.stays_until_ms <= now_ms)


def move_behind(database: Database, day: date, seen: Frontier | None) -> Frontier | None:
    """Begin behind a day from now on; None when somebody else has moved the frontier since it was seen."""
    moved = Frontier(day=day + timedelta(days=1))
    try:
        return database.put(moved, when=_as(seen))
    except Conflict as found:
        return moved if found.item == moved else None


def reopen(database: Database, day: date, now_ms: int) -> None:
    """Look at a day again that may have been passed, and stay there for a while."""
    for _ in range(_TRIES):
        seen = find(database)
        if seen is not None and seen.day <= day and seen.stays_until_ms >= now_ms + _GRACE_MS // 2:
            return
        earlier = FIRST_DAY if seen is None else min(seen.day, day)
        try:
            database.put(Frontier(day=earlier, stays_until_ms=now_ms + _GRACE_MS), when=_as(seen))
        except Conflict:
            continue
        return
    raise Busy("Others move the frontier of the crawl all the time. Try again in a moment.")


def _as(seen: Frontier | None) -> Condition:
    if seen is None:
        return attr(Frontier.day).missing()
    return all_of(Frontier.day == seen.day, Frontier.stays_until_ms == seen.stays_until_ms)
