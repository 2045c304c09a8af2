"""A dry run of a load: what would become of each line, by reading alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import islice
from typing import Any

from pydantic import BaseModel, Field

from hansang.apps.news.design import LineOutcome, NewsItem, NewsKey
from hansang.apps.news.loading import judged_line, parts_of, same_key, unless_seen
from hansang.apps.news.rules import Link, pk_of
from hansang.apps.news.seen import SeenLinks
from hansang.design import Database

MOST_LINES = 20_000
"""How many lines a dry run looks at while somebody waits for it."""
MOST_SHOWN = 100


class DryRun(BaseModel):
    """What a load would come to; nothing was written."""

    lines: int = 0
    inserted: int = 0
    """Lines whose link is new."""
    duplicate: int = 0
    duplicate_in_batch: int = 0
    collision: int = 0
    invalid: int = 0
    is_whole: bool = True
    """Whether every line was looked at."""
    problems: list[LineOutcome] = Field(default_factory=list, max_length=MOST_SHOWN)
    """The first lines that could not be stored."""


def rehearsed(database: Database, lines: Iterable[Any], most: int | None = MOST_LINES) -> DryRun:
    """What would become of the lines of a list, of the first ones if it has more than `most`."""
    given = iter(lines)
    seen, counts, problems = SeenLinks(), Counter[str](), list[LineOutcome]()
    for part in parts_of(given if most is None else islice(given, most)):
        fresh = [unless_seen(line, seen) for line in part]
        keys = [NewsKey(pk=pk_of(link.url)) for _, link in fresh if isinstance(link, Link)]
        kept = {item.pk: item for item in database.batch_get(dict.fromkeys(keys), unreadable=lambda _: None)}
        outcomes = [_expected(line, link, kept) for line, link in fresh]
        counts.update(each.outcome for each in outcomes)
        bad = (each for each in outcomes if each.outcome in ("invalid", "collision"))
        problems += islice(bad, MOST_SHOWN - len(problems))
    is_whole = most is None or counts.total() < most or next(given, None) is None
    return DryRun(lines=counts.total(), is_whole=is_whole, problems=problems, **counts)


def _expected(line: int, link: Link | LineOutcome, kept: dict[str, NewsItem]) -> LineOutcome:
    if isinstance(link, LineOutcome):
        return link
    pk = pk_of(link.url)
    there = kept.get(pk)
    if there is None:
        return judged_line(line, "inserted", pk)
    if there.url == link.url:
        return judged_line(line, "duplicate", pk)
    return judged_line(line, "collision", pk, same_key(there))
