"""The boards that have scores, by name: kept with the calendar of the first, so that no board gets another's tables."""

from __future__ import annotations

from contextlib import suppress

from hansang.apps.leaderboards.settings import UNNAMED, LeaderboardsSettings, expect_board_names
from hansang.apps.leaderboards.work import Calendar, CalendarKey, LeaderboardWork
from hansang.apps.table_names import copied
from hansang.design import Database, attr
from hansang.errors import AlreadyExists, Conflict, NoSuchTable, SettingsError

VARIABLE = "HANSANG_LEADERBOARDS_BOARDS"
_TRIES = 20


class BoardNames:
    """What the boards of these data are called, on a database that has the tables of the first."""

    def __init__(self, database: Database, settings: LeaderboardsSettings) -> None:
        self._database, self._settings = database, settings

    def known(self) -> list[str]:
        """The first board and every other one that has scores; none as long as nobody has named a board."""
        return _named(self._find())

    def unserved(self) -> list[str]:
        """Boards that have scores and that the setting no longer names."""
        return [each for each in self.known()[1:] if each not in self._settings.boards]

    def expect(self) -> list[str]:
        """Refuse names that would give a board the scores of another; what else is to be said of them."""
        try:
            calendar = self._find()
        except NoSuchTable:
            return []
        self._expect_first(calendar)
        first, *others = self._settings.boards
        for board in (first, *others):
            if board not in _named(calendar) and self._has_scores("" if board == first else board):
                self.note(board)
        return [
            f"The board {each} has scores and is not in {VARIABLE}: nobody can read it and its jobs do not run. "
            f"Its tables stay as they are. Name it again to serve it."
            for each in self.unserved()
        ]

    def note(self, board: str) -> None:
        """Keep that a board has scores, before it gets the first."""
        if self._settings.boards == (UNNAMED,):
            return
        first = self._settings.boards[0]
        for _ in range(_TRIES):
            calendar = self._find()
            self._expect_first(calendar)
            named = _named(calendar) or [first]
            wanted = list(dict.fromkeys([*named, board or first]))
            if calendar is not None and calendar.boards == wanted:
                return
            with suppress(AlreadyExists, Conflict):  # Another process has noted a board meanwhile.
                self._write(calendar, wanted)
                return

    def call_first(self, name: str) -> None:
        """Call the first board otherwise from now on; its scores stay."""
        calendar = self._find()
        _, *others = _named(calendar) or [UNNAMED]
        expect_board_names((name, *others))
        if calendar is not None:
            self._write(calendar, [name, *others])

    def _has_scores(self, board: str) -> bool:
        """Whether there are scores of a board, such as those of a sample, that nobody has noted."""
        database = self._database
        if board:
            database = database.renamed(copied(board, (LeaderboardWork,), database.name))
        with suppress(NoSuchTable):
            return database.find(CalendarKey(), consistent=True) is not None
        return False

    def _find(self) -> Calendar | None:
        return self._database.find(CalendarKey(), consistent=True)

    def _write(self, seen: Calendar | None, boards: list[str]) -> None:
        if seen is None:
            settings = self._settings
            self._database.create(Calendar(first_day=settings.first_day, zone=settings.zone, boards=boards))
            return
        stored = attr(Calendar.boards)
        same = stored.missing() if seen.boards is None else Calendar.boards == seen.boards
        self._database.update(CalendarKey(), stored.set(boards), when=same)

    def _expect_first(self, calendar: Calendar | None) -> None:
        boards = self._settings.boards
        if calendar is None:
            return
        first, *_ = _named(calendar) or [UNNAMED]
        if boards[0] != first and (calendar.boards or first in boards):
            right = ",".join([first, *(each for each in boards if each != first)])
            raise SettingsError(
                f"The first board of these data is {first}, and {VARIABLE} begins with {boards[0]}: it would show the "
                f"scores of {first}. Set {VARIABLE}={right}. To call {first} otherwise and keep its scores, use "
                f"hansang leaderboards name-first-board NAME."
            )


def _named(calendar: Calendar | None) -> list[str]:
    return [] if calendar is None or calendar.boards is None else calendar.boards
