"""Weeks as they are: which one it is, which are final, and the calendar that is fixed with the first score."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from hansang.apps.leaderboards.rules import Week, week_of
from hansang.apps.leaderboards.settings import LeaderboardsSettings
from hansang.apps.leaderboards.work import BoardWeek, BoardWeekKey, Calendar, CalendarKey
from hansang.clock import Clock
from hansang.design import Condition, Database, Page, attr
from hansang.errors import AlreadyExists, Conflict, InvalidInput, NotFound, SettingsError
from hansang.parts.schedules import WEEKDAYS

CURRENT = "current"
FENCED = timedelta(minutes=1)
"""Before its end a week is asked with every write whether it is still open: no request takes as long as that."""

is_open: Condition = attr(BoardWeek.state).missing()


class Weeks:
    """The calendar of the boards."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        settings: LeaderboardsSettings,
        begin: Callable[[], object] = lambda: None,
    ) -> None:
        """`begin` is called before the first score that this process writes."""
        self._database, self._clock, self._settings, self._begin = database, clock, settings, begin
        self._zone, self._first = ZoneInfo(settings.zone), WEEKDAYS.index(settings.first_day)
        self._is_fixed = False

    @property
    def now(self) -> datetime:
        return datetime.fromtimestamp(self._clock(), self._zone)

    @property
    def current(self) -> Week:
        """The week that it is."""
        return self.of(self.now)

    def of(self, moment: datetime) -> Week:
        """The week of a moment, by the server's clock and the zone of the settings (X2-06)."""
        return week_of(moment.astimezone(self._zone).date(), self._first)

    def ends_at(self, week: Week) -> datetime:
        """The first moment after a week."""
        return datetime.combine(week.end + timedelta(days=1), time(), self._zone)

    def named(self, text: str) -> Week:
        """The week of `current` or of its first day, or InvalidInput."""
        if text == CURRENT:
            return self.current
        try:
            found = week_of(date.fromisoformat(text), self._first)
            self.ends_at(found)
        except (ValueError, OverflowError):  # The first and the last week of all days are not whole.
            found = None
        if found is None or str(found.start) != text:
            near = self.current.start if found is None else found.start
            raise InvalidInput(
                "{week} is not the first day of a week. Write current, or a day such as {near}.",
                "week",
                code="leaderboards.no-week",
                values={"week": text[:40], "near": near},
            )
        return found

    def of_play(self, played_at: datetime | None) -> Week:
        """The week that a play counts for: the present one, or within its grace the one it was played in (X2-22)."""
        now = self.now
        current = self.of(now)
        if played_at is None:
            return current
        try:
            week = self.of(played_at)
        except OverflowError:
            raise _not_taken(played_at.date()) from None
        if week > current or (week < current and now >= self.grace_ends_at(week)):
            raise _not_taken(week.start)
        return week

    def grace_ends_at(self, week: Week) -> datetime:
        """When the last play of a week may come."""
        return self.ends_at(week) + timedelta(minutes=self._settings.grace)

    def needs_fence(self, week: Week) -> bool:
        """Whether somebody may be closing this week while something is written to it."""
        return self.now >= self.ends_at(week) - FENCED

    # ── final weeks ───────────────────────────────────────────────────────────────────────────────

    def find(self, week: Week) -> BoardWeek | None:
        """How a week ended; None of one that is open."""
        return self._database.find(BoardWeekKey(start=week.start), consistent=True)

    def expect_open(self, week: Week) -> None:
        """Refuse to change a week that is final, or about to be."""
        if self.find(week) is not None:
            raise closed(week)

    def page(self, limit: int = 20, cursor: str | None = None) -> Page[BoardWeek]:
        """The weeks that are closed, the newest first."""
        return self._database.page(BoardWeek.newest(), limit, cursor)

    # ── the calendar ──────────────────────────────────────────────────────────────────────────────

    def fix(self) -> None:
        """Fix the calendar with the first score, and refuse settings that would cut weeks otherwise."""
        if self._is_fixed:
            return
        self._begin()
        wanted = Calendar(first_day=self._settings.first_day, zone=self._settings.zone)
        found = self._database.find(CalendarKey(), consistent=True)
        if found is None:
            try:
                found = self._database.create(wanted)
            except AlreadyExists as there:
                found = there.item
        if (found.first_day, found.zone) != (wanted.first_day, wanted.zone):
            raise SettingsError(
                f"The weeks of these boards begin on {found.first_day} in {found.zone}, and there are scores. "
                f"Set HANSANG_LEADERBOARDS_FIRST_DAY={found.first_day} and HANSANG_LEADERBOARDS_ZONE={found.zone}."
            )
        self._is_fixed = True


def _not_taken(start: date) -> InvalidInput:
    return InvalidInput(
        "The play is of the week from {start}, which takes no more scores.",
        "played_at",
        code="leaderboards.late",
        values={"start": start},
    )


def closed(week: Week) -> Conflict:
    """Why a final week is not changed."""
    return Conflict(
        "The week from {start} is final, and stays as it is.",
        code="leaderboards.week-final",
        values={"start": week.start},
    )


def unknown_player(player: int) -> NotFound:
    """That there is no such player."""
    return NotFound("Player {id} not found.", code="leaderboards.no-player", values={"id": player})
