"""A day that is imported again between any two reads of a question is answered as it was, or as it is then."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from itertools import count
from typing import Any

import pytest

from hansang.apps.rankings.revisions import TRIES, DayRevisions
from hansang.apps.rankings.service import Rankings
from hansang.backends.base import Backend
from hansang.design import Database
from hansang.errors import Busy, NotFound
from tests.apps.rankings.imports import TABLES, import_day, player, rankings
from tests.apps.rankings.players import DAY, uuid
from tests.clauses import clause
from tests.storing import opened

PLAYERS = 12
YESTERDAY = DAY - timedelta(days=1)
ME = uuid(3)


def one_list(is_turned: bool) -> list[dict[str, Any]]:
    """A day, or the same players the other way round under other names."""
    numbers = range(1, PLAYERS + 1)
    if not is_turned:
        return [player(number, number, 10 * number) for number in numbers]
    return [
        player(number, 50 - number, 1000 - number, name=f"뒤집힌{number}", power_rank=number)
        for number in numbers
    ]


class Interrupted:
    """A backend before one of whose calls something happens."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self.left: int | None = None
        self.happens: Callable[[], object] = list

    @property
    def is_waiting(self) -> bool:
        """Whether it has not happened yet."""
        return self.left is not None

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        if self.left == 0:
            self.left = None
            self.happens()
        elif self.left is not None:
            self.left -= 1
        return self._backend.call(operation, request)


class Reimports:
    """A day that turns around whenever it is imported again."""

    def __init__(self, db: Database) -> None:
        self._app, self._is_turned = rankings(db), False

    def __call__(self) -> None:
        self._is_turned = not self._is_turned
        self._app.finisher.reopen(DAY)
        self._app.import_day(DAY, one_list(self._is_turned))


QUESTIONS: dict[str, Callable[[Rankings], object]] = {
    "official": lambda app: app.reading.official("power", DAY),
    "official_moves": lambda app: app.reading.official_moves("power"),
    "page": lambda app: app.reading.page("power", DAY, 1, 5),
    "below official": lambda app: app.reading.page("power", DAY, 1, 5, "below_official"),
    "page_of": lambda app: app.reading.page_of(ME, "level", DAY, 2),
    "rank": lambda app: app.reading.rank(ME, "power", DAY),
    "newest rank": lambda app: app.reading.rank(ME, "level"),
    "range": lambda app: app.reading.range("power", 1, 2000, DAY),
    "history": lambda app: app.histories.history(ME, YESTERDAY, DAY),
    "names": lambda app: app.histories.names(ME),
    "milestones": lambda app: app.histories.milestones(ME, YESTERDAY, DAY),
    "compare": lambda app: app.histories.compare([ME, uuid(9)], YESTERDAY, DAY),
    "movers": lambda app: app.histories.movers("power"),
    "official report": lambda app: app.reports.official("power"),
    "first course": lambda app: app.reports.first_course("power", DAY),
    "card": lambda app: app.cards.get(ME, "power"),
    "search": lambda app: app.search.search("3"),
}


@clause("X5-11", "X5-12", "X5-13")
@pytest.mark.parametrize("is_first", [True, False], ids=["first asked", "asked again"])
@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_is_answered_with_one_import_of_its_day(name: str, is_first: bool) -> None:
    ask = QUESTIONS[name]
    with opened(*TABLES) as db:
        import_day(db, one_list(False), YESTERDAY)
        import_day(db, one_list(False))
        backend = Interrupted(db.backend)
        backend.happens = Reimports(db)
        watched = Database(backend, secret=b"of a test")
        app, interrupted = rankings(watched), 0
        for reads in count():
            before = ask(rankings(db) if is_first else app)
            backend.left = reads
            found = ask(rankings(watched) if is_first else app)
            if backend.is_waiting:
                break
            interrupted += 1
            after = ask(rankings(db))
            assert before != after
            assert found in (before, after), f"before read {reads + 1}"
    assert interrupted >= (2 if is_first else 1)


def test_an_export_of_a_day_that_changes_meanwhile_ends_in_an_error() -> None:
    with opened(*TABLES) as db:
        import_day(db, one_list(False))
        rows = rankings(db).reading.each(DAY)
        next(rows)
        Reimports(db)()
        with pytest.raises(Busy, match="while it is read"):
            list(rows)


def test_a_day_that_is_gone_at_the_end_is_not_answered_from_memory() -> None:
    with opened(*TABLES) as db:
        import_day(db, one_list(False))
        app = rankings(db)
        assert app.reading.rank(ME, "level", DAY).rank == 10
        rankings(db).finisher.roll_back(DAY)
        with pytest.raises(NotFound, match="not there"):
            app.reading.rank(ME, "level", DAY)


def test_a_day_that_changes_without_end_is_busy_after_some_tries() -> None:
    revisions, days, tries = DayRevisions(), count(), list[int]()

    def ask() -> None:
        tries.append(revisions.read("day", lambda consistent: next(days)))

    with pytest.raises(Busy, match="being changed while it is read"):
        revisions.settled(ask)
    assert len(tries) == TRIES


def test_days_of_one_question_are_read_once_for_all_its_parts() -> None:
    revisions, reads = DayRevisions(), list[bool]()

    def day(consistent: bool) -> str:
        reads.append(consistent)
        return "finished"

    def part() -> str:
        return revisions.settled(lambda: revisions.read("day", day))

    for _ in range(2):
        assert revisions.settled(lambda: [part(), part()]) == ["finished"] * 2
    assert reads == [False, True, True]
