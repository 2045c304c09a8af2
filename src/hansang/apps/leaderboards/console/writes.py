"""Improvements a second against what one key of an index takes, as the tables have counted them."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime, timedelta
from typing import Any

from hansang.apps.leaderboards.console.links import boards_of
from hansang.apps.leaderboards.design import UsersLeaderboard
from hansang.parts.usage_periods import period_of
from hansang.surfaces.console.pages import Visit

CEILING = 500
"""Improvements a second: one key takes 1,000 write units a second, and each takes 2 of the week's index (X2-11)."""
_UNITS = 2
_MINUTES = 30


def writes_of(visit: Visit) -> list[tuple[datetime, float]]:
    """How many improvements a second each of the last minutes had, the present one last; over all workers."""
    now = datetime.fromtimestamp(visit.shell.clock(), UTC)
    first = period_of("minute", now - timedelta(minutes=_MINUTES - 1))
    table, index = boards_of(visit).database.name(UsersLeaderboard), UsersLeaderboard.week_top_score.name
    units: defaultdict[datetime, float] = defaultdict(float)
    for each in visit.shell.usage.periods.used("minute", first):
        if (each.table, each.index) == (table, index):
            units[each.period] += each.write_units
    minutes = (first + timedelta(minutes=each) for each in range(_MINUTES))
    return [(each, units[each] / _UNITS / 60) for each in minutes]


def writes_chart(visit: Visit, writes: list[tuple[datetime, float]]) -> dict[str, Any]:
    """The same as a line, below that of the ceiling."""
    return {
        "type": "area",
        "format": "units",
        "head": visit.t("leaderboards.writes.minute"),
        "labels": [visit.formats.period(each, "minute") for each, _ in writes],
        "full": [visit.formats.moment(each) for each, _ in writes],
        "series": [
            {
                "key": "writes",
                "name": visit.t("leaderboards.writes.title"),
                "color": "blue",
                "kind": "line",
                "values": [round(value, 1) for _, value in writes],
            },
            {
                "key": "ceiling",
                "name": visit.t("leaderboards.writes.ceiling"),
                "color": "coral",
                "kind": "line",
                "isBare": True,
                "values": [CEILING] * len(writes),
            },
        ],
    }
