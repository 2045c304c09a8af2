"""The days: which there are, how each stands, and what may become of it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from datetime import date, timedelta
from functools import partial

from hansang.apps.rankings.design import DayStatus, Hanwol, SnapshotDay, SnapshotDayKey
from hansang.apps.rankings.revisions import DayRevisions
from hansang.apps.rankings.rules import day_in_seoul
from hansang.clock import Clock
from hansang.design import Condition, Database, Page, Query, all_of, attr
from hansang.design.requests import shape_of
from hansang.design.shape import Item
from hansang.errors import AlreadyExists, Busy, Conflict, NotFound
from hansang.parts.receipts import Beside, alone
from hansang.parts.timestamps import to_whole_second

DAYS_AT_ONCE = 8
"""So many days are half a read unit."""
_KNOWN = 64


class Days:
    """The control items of the days (X5-13)."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database, self._clock = database, clock
        self.revisions = DayRevisions()
        self._known: OrderedDict[date, _KnownDay] = OrderedDict()

    @property
    def today(self) -> date:
        """The day that it is in Seoul (X5-15)."""
        return day_in_seoul(self._clock())

    def find(self, day: date) -> SnapshotDay | None:
        """A day however it stands; None if it was never there, or was rolled back."""
        found = self._database.find(SnapshotDayKey(day=day), consistent=True)
        return None if found is None or found.status == "removed" else found

    def get(self, day: date) -> SnapshotDay:
        """A day however it stands, or NotFound."""
        found = self.find(day)
        if found is None:
            raise no_day(day)
        return found

    def finished(self, day: date | None = None) -> SnapshotDay:
        """A finished day, the newest if none is named; readers see no other (X5-12, X5-13)."""
        if day is None:
            newest = self.find_newest()
            if newest is None:
                raise NotFound(
                    "No day is finished yet. Import one: hansang rankings import FILE.",
                    code="rankings.no-days",
                )
            return newest
        found = self.revisions.read(day, partial(self._find_finished, day))
        if found is None:
            raise no_day(day)
        return found

    def _find_finished(self, day: date, consistent: bool) -> SnapshotDay | None:
        known = self._known.get(day) or self._learn(day)
        request = {
            "TableName": self._database.name(Hanwol),
            "Key": known.key,
            "ConsistentRead": consistent,
        }
        found = known.entity(self._database.call("GetItem", request, "SnapshotDay.get").get("Item"))
        return found if found is not None and found.status == "finished" else None

    def _learn(self, day: date) -> _KnownDay:
        self._known[day] = known = _KnownDay(SnapshotDayKey(day=day))
        if len(self._known) > _KNOWN:
            self._known.popitem(last=False)
        return known

    def find_newest(self) -> SnapshotDay | None:
        """The newest finished day."""
        return self._first_finished("newest", SnapshotDay.newest())

    def or_newest(self, day: date | None) -> SnapshotDay:
        """The finished day asked for, or the newest finished one if it is not there (X5-29)."""
        try:
            return self.finished(day)
        except NotFound:
            if day is None:
                raise
            return self.finished()

    def before(self, day: SnapshotDay) -> SnapshotDay | None:
        """The last finished day before one; days may be missing between them (X5-26)."""
        return self._last_before(day.day)

    def at_or_before(self, day: date) -> SnapshotDay | None:
        """The last finished day that is not after one."""
        return self._last_before(day + timedelta(days=1))

    def _last_before(self, day: date) -> SnapshotDay | None:
        return self._first_finished(("before", day), SnapshotDay.before(day))

    def after(self, day: date) -> SnapshotDay | None:
        """The first finished day after one."""
        return self._first_finished(("after", day), SnapshotDay.between(day + timedelta(days=1), date.max))

    def finished_between(self, since: date, until: date) -> dict[date, SnapshotDay]:
        """The finished days of a span, both ends included."""
        return self.revisions.read(("between", since, until), partial(self._finished_between, since, until))

    def _finished_between(self, since: date, until: date, consistent: bool) -> dict[date, SnapshotDay]:
        found = self._database.all(_as_asked(SnapshotDay.between(since, until), consistent))
        return {each.day: each for each in found if each.status == "finished"}

    def unfinished_of(self, days: Iterable[date]) -> set[date]:
        """Those of some days that readers do not see."""
        wanted = frozenset(days)
        return {*wanted - self.revisions.read(wanted, partial(self._finished_of, wanted)).keys()}

    def _finished_of(self, days: frozenset[date], consistent: bool) -> dict[date, int]:
        """The finished ones of some days with their revisions."""
        found = self._database.batch_get((SnapshotDayKey(day=day) for day in days), consistent=consistent)
        return {each.day: each.revision for each in found if each.status == "finished"}

    def between(self, since: date, until: date) -> dict[date, SnapshotDay]:
        """The days of a span however they stand, both ends included."""
        found = self._database.all(SnapshotDay.between(since, until))
        return {each.day: each for each in found if each.status != "removed"}

    def has_before(self, day: date) -> bool:
        """Whether there is anything of an earlier day."""
        return self._first(SnapshotDay.before(day), _is_there) is not None

    def under_way(self) -> SnapshotDay | None:
        """The newest day, if it is being imported or finished."""
        newest = self._first(SnapshotDay.newest(), _is_there)
        is_open = newest is not None and newest.status in ("running", "finishing")
        return newest if is_open else None

    def page(self, limit: int = 50, cursor: str | None = None) -> Page[SnapshotDay]:
        """The days however they stand, the newest first."""
        return self._database.page(SnapshotDay.kept(), limit, cursor)

    def _first_finished(self, key: Hashable, days: Query[SnapshotDay]) -> SnapshotDay | None:
        def read(consistent: bool) -> SnapshotDay | None:
            return self._first(_as_asked(days, consistent), _is_finished)

        return self.revisions.read(key, read)

    def _first(self, days: Query[SnapshotDay], wanted: Callable[[SnapshotDay], bool]) -> SnapshotDay | None:
        """The first wanted one; some days at a time, since a filter would read and pay for many."""
        cursor = None
        while True:
            page = self._database.page(days, DAYS_AT_ONCE, cursor)
            found = next(filter(wanted, page), None)
            if found is not None or page.cursor is None:
                return found
            cursor = page.cursor

    # ── changes ───────────────────────────────────────────────────────────────────────────────────

    def open(self, day: date) -> SnapshotDay:
        """The day, open for rows; begun if it is not there. A finished day is closed."""
        begun = SnapshotDay(day=day, status="running", started_at=to_whole_second(self._clock()))
        try:
            return self._database.create(begun)
        except AlreadyExists as there:
            found: SnapshotDay = there.item
        if found.status == "removed":
            numbers = {"generation": found.generation, "revision": found.revision + 1}
            try:
                return self._database.put(begun.model_copy(update=numbers), when=as_seen(found))
            except Conflict as lost:
                found = lost.item
        if found.status == "failed":
            return self.move(found, "running")
        if found.status != "running":
            raise closed(found)
        return found

    def reopen(self, day: date, beside: Beside[SnapshotDay] = alone) -> SnapshotDay:
        """A day, open for another import from its first row on; readers have the day before meanwhile."""
        found = self.get(day)
        if found.status == "removing":
            raise closed(found)
        fresh = found.model_copy(
            update={
                "status": "running",
                "players": 0,
                "rejected": 0,
                "started_at": to_whole_second(self._clock()),
                "finished_at": None,
                "revision": found.revision + 1,
            }
        )
        with self._database.transaction(name="SnapshotDay.reopen") as transaction:
            beside(transaction, fresh)
            transaction.put(fresh, when=as_seen(found))
        return fresh

    def move(self, day: SnapshotDay, status: DayStatus) -> SnapshotDay:
        """The day in another state, if it is still as it was seen."""
        return self._database.update(
            SnapshotDayKey(day=day.day), attr(SnapshotDay.status).set(status), when=as_seen(day)
        )

    def claim(self, day: date) -> SnapshotDay:
        """The day for whoever finishes it now; whoever tried before cannot finish it any more."""
        found = self.get(day)
        if found.status not in ("running", "failed", "finishing"):
            raise closed(found)
        claimed = found.model_copy(update={"status": "finishing", "generation": found.generation + 1})
        try:
            return self._database.put(claimed, when=as_seen(found))
        except Conflict as lost:
            raise Busy(
                "The day {day} is being changed by somebody else. Try again in a moment.",
                code="rankings.day-busy",
                values={"day": day},
            ) from lost


class _KnownDay:
    """A day as it was read last. It is read for every question, and decoded when it is not as it was."""

    def __init__(self, key: SnapshotDayKey) -> None:
        self._shape = shape_of(key)
        self.key = self._shape.key(key.__dict__)
        self._seen: tuple[Item, SnapshotDay] | None = None

    def entity(self, item: Item | None) -> SnapshotDay | None:
        if item is None:
            return None
        seen = self._seen
        if seen is None or seen[0] != item:
            self._seen = seen = item, self._shape.decode(item)
        return seen[1]


def _as_asked(days: Query[SnapshotDay], consistent: bool) -> Query[SnapshotDay]:
    return days.consistent() if consistent else days


def _is_finished(day: SnapshotDay) -> bool:
    return day.status == "finished"


def _is_there(day: SnapshotDay) -> bool:
    return day.status != "removed"


def as_seen(day: SnapshotDay) -> Condition:
    return all_of(
        SnapshotDay.status == day.status,
        SnapshotDay.generation == day.generation,
        SnapshotDay.revision == day.revision,
        SnapshotDay.players == day.players,
    )


def no_day(day: date) -> NotFound:
    return NotFound(
        "The day {day} is not there, or not finished.", code="rankings.no-day", values={"day": day}
    )


def closed(day: SnapshotDay) -> Conflict:
    """Why a day takes no rows."""
    if day.status == "finished":
        return Conflict(
            "The day {day} is finished, and closed to other writes. Reopen it to import it again, or roll it back.",
            day,
            code="rankings.day-closed",
            values={"day": day.day},
        )
    return Conflict(
        "The day {day} is being finished or removed. Wait until that is done, or do it again.",
        day,
        code="rankings.day-busy-state",
        values={"day": day.day},
    )
