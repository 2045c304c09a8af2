"""Players as they are now, found by their names."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.apps.rankings.imports import TABLES, import_day, player, rankings
from tests.apps.rankings.players import DAY, uuid
from tests.clauses import clause
from tests.storing import opened

YESTERDAY = DAY - timedelta(days=1)


@clause("X5-12", "X5-17")
@pytest.mark.parametrize("days_open", [1, 9])
def test_the_last_day_of_a_candidate_is_a_finished_one(days_open: int) -> None:
    """Also behind more unfinished days than are read at once."""
    with opened(*TABLES) as db:
        app = rankings(db)
        app.profiles.put(uuid(3), "Luna", 3, 30)
        import_day(db, [player(3)], YESTERDAY)
        for number in range(days_open):
            app.importer.load(DAY + timedelta(days=number), [player(3)])
        [found] = app.profiles.lookup("luna")
        assert found.last_day == YESTERDAY
        app.finisher.finish(DAY)
        assert [each.last_day for each in app.profiles.lookup("luna")] == [DAY]
        for day in (DAY, YESTERDAY):
            app.finisher.roll_back(day)
        assert [each.last_day for each in app.profiles.lookup("luna")] == [None]
