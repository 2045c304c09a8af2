"""Search as you type: by any part of a name and by Hangul initials, in a list in memory (X5-20)."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from threading import Lock

from hansang.apps.rankings.boards import DESIGNS, BoardRow
from hansang.apps.rankings.days import Days
from hansang.apps.rankings.design import SnapshotDay
from hansang.apps.rankings.revisions import settled
from hansang.design import Database
from hansang.parts.hangul import apart, has_initials, initials, lowered, place_of

_BETWEEN = "\n"
_TRIED = 2000
"""How many matches are looked at for those that begin with what is typed."""


@dataclass(frozen=True, slots=True)
class FoundName:
    """A player of the last finished day whose name matches."""

    uuid: str
    name: str
    level: int


class NameList:
    """The names of one day, the highest level first, as a few long texts: about a hundred bytes a player."""

    def __init__(self, rows: Iterable[BoardRow]) -> None:
        names: list[str] = []
        uuids: list[str] = []
        self._levels: list[int] = []
        for row in rows:
            names.append(row.name.replace(_BETWEEN, " "))
            uuids.append(row.uuid.replace(_BETWEEN, " "))
            self._levels.append(row.score)
        self._names, self._uuids = _Texts(names), _Texts(uuids)
        searched = [lowered(name) for name in names]
        del names, uuids
        self._searched = _Texts(searched)
        self._initials = _Texts([initials(name) for name in searched])

    def __len__(self) -> int:
        return len(self._levels)

    def search(self, text: str, limit: int = 20) -> list[FoundName]:
        """Names with this text in them; those that begin with it first, then by level."""
        wanted = lowered(text.strip()).replace(_BETWEEN, " ")
        if not wanted:
            return []
        firsts: dict[int, bool] = {}
        for each in dict.fromkeys((wanted, apart(wanted))):
            for number, is_first in islice(self._matches(each), _TRIED):
                firsts[number] = firsts.get(number, False) or is_first
        matches = sorted((not is_first, number) for number, is_first in firsts.items())
        return [self._found(number) for _, number in matches[:limit]]

    def _matches(self, wanted: str) -> Iterator[tuple[int, bool]]:
        """The names with this in them, and whether they begin with it; initials and syllables may be mixed."""
        if not has_initials(wanted):
            yield from self._searched.containing(wanted)
            return
        for number, _ in self._initials.containing(initials(wanted)):
            place = place_of(wanted, self._searched[number])
            if place is not None:
                yield number, place == 0

    def _found(self, number: int) -> FoundName:
        return FoundName(self._uuids[number], self._names[number], self._levels[number])


class _Texts:
    """Many short texts in one."""

    def __init__(self, texts: list[str]) -> None:
        self._joined = _BETWEEN + "".join(f"{text}{_BETWEEN}" for text in texts)
        self._starts = array("Q")
        at = 1
        for text in texts:
            self._starts.append(at)
            at += len(text) + 1

    def __getitem__(self, number: int) -> str:
        start = self._starts[number]
        return self._joined[start : self._joined.index(_BETWEEN, start)]

    def containing(self, wanted: str) -> Iterator[tuple[int, bool]]:
        """The numbers of the texts with this in them, and whether they begin with it."""
        at = self._joined.find(wanted)
        while at >= 0:
            number = bisect_right(self._starts, at) - 1
            yield number, self._starts[number] == at
            end = self._joined.index(_BETWEEN, at)
            at = self._joined.find(wanted, end)


class NameSearch:
    """The list of the last finished day; made anew when there is another one."""

    def __init__(self, database: Database, days: Days) -> None:
        self._database, self._days, self._lock = database, days, Lock()
        self._made: tuple[SnapshotDay, NameList] | None = None

    @settled
    def search(self, text: str, limit: int = 20) -> tuple[SnapshotDay, list[FoundName]]:
        """The names of the last finished day that match."""
        day = self._days.finished()
        return day, self._names(day).search(text, limit)

    def _names(self, day: SnapshotDay) -> NameList:
        with self._lock:
            if self._made is None or _version(self._made[0]) != _version(day):
                self._made = None  # The old list goes before the new one comes.
                self._made = day, NameList(DESIGNS["level"].each(self._database, day.day))
            return self._made[1]


def _version(day: SnapshotDay) -> tuple[object, ...]:
    return day.day, day.revision
