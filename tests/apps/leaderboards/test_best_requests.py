"""Requests that are made without the design say what the design would."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest

from hansang.apps.leaderboards.best_requests import best_key, improve_request, read_request
from hansang.apps.leaderboards.design import UsersLeaderboard, WeeklyBest, WeeklyBestKey
from hansang.apps.leaderboards.rules import Week
from hansang.design import Database, Update, attr
from hansang.errors import Conflict, NotFound
from tests.storing import opened, stored

WEEK = Week.starting(date(2026, 11, 13))
KEY = WeeklyBestKey(id=7, start=WEEK.start, end=WEEK.end)
AT = datetime(2026, 11, 17, 9, 5, 3, tzinfo=UTC)
TABLE = UsersLeaderboard.name


def improve(db: Database, before: int, shard: str | None) -> None:
    with db.transaction() as transaction:
        transaction.update_request(UsersLeaderboard, improve_request(TABLE, 7, WEEK, before, 90, AT, shard))


@pytest.mark.parametrize("shard", [None, "2026-11-13, 2026-11-19#3"])
def test_an_improvement_writes_what_the_design_writes(shard: str | None) -> None:
    found = []
    for is_plain in (False, True):
        with opened(UsersLeaderboard) as db:
            db.create(WeeklyBest(id=7, start=WEEK.start, end=WEEK.end, name="P7", top_score=50))
            if is_plain:
                improve(db, 50, shard)
            else:
                updates: list[Update[Any]] = [
                    attr(WeeklyBest.top_score).set(90),
                    attr(WeeklyBest.top_score_at).set(AT),
                ]
                parts = [] if shard is None else [attr(WeeklyBest.week_shard).set(shard)]
                db.update(KEY, *updates, *parts, when=WeeklyBest.top_score == 50)
            found.append(stored(db, UsersLeaderboard))
    assert found[0] == found[1]


def test_an_improvement_of_another_best_or_of_none_is_refused() -> None:
    with opened(UsersLeaderboard) as db:
        with pytest.raises(NotFound):
            improve(db, 50, None)
        best = db.create(WeeklyBest(id=7, start=WEEK.start, end=WEEK.end, name="P7", top_score=60))
        with pytest.raises(Conflict) as refusal:
            improve(db, 50, None)
        assert refusal.value.item == best
        assert db.get(KEY) == best


def test_the_key_is_that_of_the_design() -> None:
    with opened(UsersLeaderboard) as db:
        db.create(WeeklyBest(id=7, start=WEEK.start, end=WEEK.end, name="P7", top_score=60))
        item = db.call("GetItem", read_request(TABLE, 7, WEEK), "test")["Item"]
    assert {name: item[name] for name in ("Id", "Week")} == best_key(7, WEEK)
