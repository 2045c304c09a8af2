"""The rankings on a database in memory, and days to import."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from random import Random
from typing import Any

from hansang.apps.rankings.design import Hanwol, SnapshotDay
from hansang.apps.rankings.service import Rankings
from hansang.design import Database
from hansang.parts.ranks.table import Ranks
from tests.apps.rankings.players import DAY, uuid

TABLES = (Hanwol, Ranks)
NOON = 1_771_642_800.0
"""Noon of the day in Seoul: 2026-02-21."""


def rankings(db: Database, **more: Any) -> Rankings:
    return Rankings(db, lambda: NOON, sleep=lambda seconds: None, **more)


def player(number: int, level: int = 10, power: int = 1000, **more: Any) -> dict[str, Any]:
    return {"uuid": uuid(number), "name": f"한월{number}", "level": level, "power": power, **more}


def crowd(count: int, seed: int = 1) -> list[dict[str, Any]]:
    """Many players, with ties by level and none to speak of by power."""
    chance = Random(seed)
    return [
        player(number, min(60, int(chance.expovariate(0.03))), int(10 ** chance.uniform(0, 37)))
        for number in range(1, count + 1)
    ]


NAMES = {1: "호떡6501", 2: "꿀호떡장수", 3: "새벽등대", 4: "oldBoar"}


def known(place: int = 0, count: int = 110) -> list[dict[str, Any]]:
    """Players with names that people would search for, on one of some days."""
    return [
        player(number, 200 - number + place, (300 - number) * 10_000_000 + place * number * 1_000)
        | {"name": NAMES.get(number, f"유저{number}")}
        for number in range(1, count + 1)
    ]


def import_day(db: Database, players: Iterable[Any], day: date = DAY) -> SnapshotDay:
    """A day, imported and finished."""
    return rankings(db).import_day(day, players)
