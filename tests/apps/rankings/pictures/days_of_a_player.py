"""Twelve days of a small game: a player who climbs and changes the name, and a day that is missing."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from hansang.apps.rankings.service import Rankings
from hansang.design import Database
from tests.apps.rankings.imports import player, rankings
from tests.apps.rankings.players import uuid

NEWEST = date(2026, 2, 21)
MISSING = NEWEST - timedelta(days=3)
CLIMBER = uuid(1)
DAYS = 12


def import_days(db: Database) -> Rankings:
    """The climber overtakes a player on every day; nobody else moves."""
    app = rankings(db)
    for number in range(DAYS):
        day = NEWEST - timedelta(days=DAYS - 1 - number)
        if day == MISSING:
            continue
        app.import_day(day, players(number))
    return app


def players(number: int) -> list[dict[str, Any]]:
    """Everyone on a day from 0."""
    others = [player(each, 20 + each, 1000 * each) for each in range(2, 141)]
    name = "겨울호떡" if number < 5 else "호떡6501"
    return [*others, player(1, 50, 35_500 + 1000 * number, name=name)]


def climber(number: int) -> int:
    """The rank of the climber on a day from 0, by power."""
    return 140 - (35 + number) + 1
