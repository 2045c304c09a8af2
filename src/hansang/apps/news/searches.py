"""Searches that people have saved, and how many articles are new since they last looked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Annotated

from hansang.apps.news.design import Milliseconds, NewsRow, NewsWork
from hansang.apps.news.reading import ArticleFilter, Reading
from hansang.clock import Clock
from hansang.design import Database, Entity, Key, Personal, Query, attr, pattern
from hansang.errors import InvalidInput

MOST_SEARCHES = 20
"""How many searches one person may save."""
_LOOKED_BACK = timedelta(days=7)
_MOST_READ = 2000
_LONGEST = 200


class SavedSearchKey(Key["SavedSearch"], pk="SEARCHES#{person}", sk="SEARCH#{id}"):
    """The key of a search that somebody has saved."""

    person: str
    id: str


class SavedSearch(SavedSearchKey, Entity, table=NewsWork, type="SavedSearch"):
    """What somebody looks for again and again."""

    ticker: Annotated[str, Personal(roles=("owner",))] = ""
    source: Annotated[str, Personal(roles=("owner",))] = ""
    text: Annotated[str, Personal(roles=("owner",))] = ""
    seen_ms: Milliseconds
    """Up to when its person has seen what it finds."""

    @pattern
    def of_person(cls, person: str) -> Query[SavedSearch]:
        """The searches of a person, in the order in which they were saved."""
        return cls.query(SavedSearch.person == person)


@dataclass(frozen=True, slots=True)
class NewMatches:
    """A saved search, and how many articles it finds that its person has not seen."""

    search: SavedSearch
    count: int
    is_whole: bool
    """Whether all new articles were looked at."""


class SavedSearches:
    """Keeps searches, and looks for what is new."""

    def __init__(self, database: Database, clock: Clock, reading: Reading, token: Callable[[], str]) -> None:
        self._database, self._clock, self._reading, self._token = database, clock, reading, token

    def save(self, person: str, *, ticker: str = "", source: str = "", text: str = "") -> SavedSearch:
        """Keep a search; the same one is kept once."""
        if not (ticker or source or text):
            raise InvalidInput("Search for something first.", "text", code="news.no-search")
        kept = self._database.all(SavedSearch.of_person(person))
        wanted = ticker[:_LONGEST], source[:_LONGEST], text[:_LONGEST]
        for each in kept:
            if (each.ticker, each.source, each.text) == wanted:
                return each
        if len(kept) >= MOST_SEARCHES:
            raise InvalidInput(
                "At most {most} searches can be saved. Delete one first.",
                code="news.many-searches",
                values={"most": MOST_SEARCHES},
            )
        number = f"{int(self._clock() * 1000):013d}-{self._token()[:6]}"
        search = SavedSearch(
            person=person,
            id=number,
            ticker=wanted[0],
            source=wanted[1],
            text=wanted[2],
            seen_ms=self._now_ms,
        )
        return self._database.create(search)

    def look(self, person: str, search: str) -> SavedSearch:
        """A search whose person sees what it finds now."""
        key = SavedSearchKey(person=person, id=search)
        return self._database.update(key, attr(SavedSearch.seen_ms).set(self._now_ms))

    def delete(self, person: str, search: str) -> None:
        """Forget a search."""
        self._database.delete(SavedSearchKey(person=person, id=search))

    def new_matches(self, person: str) -> list[NewMatches]:
        """The searches of a person, each with what is new; the newest articles of a week are looked at once."""
        searches = self._database.all(SavedSearch.of_person(person))
        if not searches:
            return []
        back = self._now_ms - int(_LOOKED_BACK.total_seconds()) * 1000
        oldest = max(back, min(each.seen_ms for each in searches))
        wanted = ArticleFilter(_day(oldest), _day(self._now_ms))
        rows, is_whole = self._reading.looked_through(wanted, _MOST_READ, unreadable=lambda _: None)
        return [NewMatches(each, _count(each, rows, wanted), is_whole) for each in searches]

    @property
    def _now_ms(self) -> int:
        return int(self._clock() * 1000)


def _day(ms: int) -> date:
    return datetime.fromtimestamp(ms / 1000, UTC).date()


def _count(search: SavedSearch, rows: list[NewsRow], days: ArticleFilter) -> int:
    wanted = replace(days, source=search.source, text=search.text)
    return sum(
        row.uploaded_at_utc_ms > search.seen_ms
        and wanted.fits(row)
        and (not search.ticker or search.ticker in row.tickers)
        for row in rows
    )
