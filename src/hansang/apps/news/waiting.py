"""What waits to be crawled: the articles that may be taken, the oldest first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import partial
from itertools import islice

from hansang.apps.news import frontier
from hansang.apps.news.claims import may_take
from hansang.apps.news.design import Frontier, NewsDay, NewsRow, Work, WorkKey
from hansang.clock import Clock
from hansang.design import Database, Page, Query, Unreadable
from hansang.parts.chained import Chain
from hansang.parts.retry import PATIENT, Sleep, retry

_FIRST_LOOK, _LOOKED_UP = 10, 100
"""How many articles are looked at to begin with, and at most at a time; whoever takes one pays for few."""
_WORTH_PASSING = 25
"""How many articles that are done with make it worth to move the frontier within a day."""
_MOST_ASKED = 100
"""How many questions a page asks; when few of the articles may be taken, it is short, and its cursor goes on."""
_DAY_MS = 86_400_000


@dataclass(frozen=True, slots=True)
class Waiting:
    """An article to crawl, and how often that was tried before."""

    pk: str
    url: str
    title: str
    source: str
    tickers: tuple[str, ...]
    dt_utc: date
    uploaded_at_utc_ms: int
    attempts: int


class WaitingArticles:
    """The articles that may be taken, found from the frontier on."""

    def __init__(self, database: Database, clock: Clock, sleep: Sleep) -> None:
        self._database, self._clock, self._sleep = database, clock, sleep

    def first(
        self, limit: int = 50, *, unreadable: Callable[[Unreadable], object] | None = None
    ) -> list[Waiting]:
        """The oldest articles that may be taken now; one that cannot be read is left out, and told to `unreadable`."""
        return retry(lambda: list(islice(self.each(unreadable), limit)), self._sleep, PATIENT)

    def page(self, limit: int = 50, cursor: str | None = None) -> Page[Waiting]:
        """Some of the articles that may be taken now, the oldest first, and a cursor to the next ones.

        When few may be taken, a page may have less than `limit` of them, or none, and still a cursor.
        """
        waiting = Chain(
            "news queue", self._days_from, self._takeable, at_once=_LOOKED_UP, most_asked=_MOST_ASKED
        )
        return retry(partial(waiting.page, self._database, limit, cursor), self._sleep, PATIENT)

    def _days_from(self, name: str | None) -> Iterator[tuple[str, Query[NewsRow]]]:
        """The links of each day from the frontier on, or from where a cursor is; its name has the frontier as well."""
        if name is None:
            since = frontier.since(frontier.find(self._database))
            first = frontier.day_of(since)
        else:
            since, first = int(name[11:]), date.fromisoformat(name[:10])
        for day in self._database.each(NewsDay.since(first)):
            yield f"{day.day} {since}", _links(day.day, since)

    def _takeable(self, rows: Page[NewsRow]) -> list[Waiting]:
        states = self._with_states(rows.items)
        return [_waiting(row, work) for row, work in states if may_take(work, self._now_ms())]

    def each(self, unreadable: Callable[[Unreadable], object] | None = None) -> Iterator[Waiting]:
        """Day by day from the first that may have any, by the index of the list (X3-08)."""
        seen, tell = frontier.find(self._database), unreadable or (lambda _: None)
        passed, all_done, reached = 0, True, frontier.since(seen)
        for look in self._looks(reached):
            if look.unreadable:
                # An article that cannot be read is not done, and waits behind the frontier until it is repaired.
                for each in look.unreadable:
                    tell(each)
                if all_done:
                    self._pass(seen, passed, reached)
                all_done = False
            for row, work in self._with_states(look.items):
                is_done = work is not None and work.state in ("done", "dead")
                if all_done and not is_done:
                    self._pass(seen, passed, row.uploaded_at_utc_ms)
                all_done, reached = all_done and is_done, row.uploaded_at_utc_ms
                passed += all_done
                if may_take(work, self._now_ms()):
                    yield _waiting(row, work)
        if all_done:
            self._pass(seen, passed, self._now_ms())

    def _pass(self, seen: Frontier | None, passed: int, open_ms: int) -> None:
        """Let nobody read again what was passed on the way to an open moment, if that is worth a write."""
        target, before = min(open_ms, frontier.over_before(seen, self._now_ms())), frontier.since(seen)
        is_next_day = passed > 0 and frontier.day_of(target) > frontier.day_of(before)
        if target > before and (is_next_day or passed >= _WORTH_PASSING):
            frontier.move(self._database, target, seen)

    def _looks(self, since: int) -> Iterator[Page[NewsRow]]:
        """The links from a moment on, day by day."""
        for day in self._database.each(NewsDay.since(frontier.day_of(since))):
            yield from self._looks_of_day(day.day, since)

    def _looks_of_day(self, day: date, since: int) -> Iterator[Page[NewsRow]]:
        """The links of a day, more and more of them at a time."""
        question, size, cursor = _links(day, since), _FIRST_LOOK, None
        while True:
            page = self._database.page(question, size, cursor)
            yield page
            size, cursor = min(2 * size, _LOOKED_UP), page.cursor
            if cursor is None:
                return

    def _with_states(self, rows: list[NewsRow]) -> list[tuple[NewsRow, Work | None]]:
        found = self._database.batch_get((WorkKey.of(row.pk) for row in rows), consistent=True)
        states = {work.item_pk: work for work in found}
        return [(row, states.get(row.pk)) for row in rows]

    def _now_ms(self) -> int:
        return int(self._clock() * 1000)


def _links(day: date, since: int) -> Query[NewsRow]:
    """The links of a day from a millisecond on."""
    start = frontier.start_of(day)
    if since <= start:
        return NewsRow.uploaded_on(day)
    return NewsRow.uploaded_between(day, since, start + _DAY_MS - 1)


def _waiting(row: NewsRow, work: Work | None) -> Waiting:
    return Waiting(
        row.pk,
        row.url,
        row.title,
        row.source,
        tuple(row.tickers),
        row.dt_utc,
        row.uploaded_at_utc_ms,
        work.attempts if work else 0,
    )
