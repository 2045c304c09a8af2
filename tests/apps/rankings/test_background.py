"""Days that were sent as files: imported in the background, stopped, resumed, imported again, rolled back."""

from __future__ import annotations

import io
import threading
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

import pytest

from hansang.apps.rankings.design import SnapshotDay
from hansang.apps.rankings.sent_days import KEPT, SentDay, SentPieceKey
from hansang.apps.rankings.service import Rankings
from hansang.design import Database
from hansang.errors import Conflict, InvalidInput, NotFound
from tests.apps.rankings.imports import NOON, TABLES, import_day, player
from tests.apps.rankings.players import DAY
from tests.clauses import clause
from tests.storing import opened

ROWS = "uuid,name,level,power\n" + "".join(
    f"p{number},유저{number},{number % 60},{number}\n" for number in range(1200)
)


class Clock:
    """Goes on by two seconds whenever somebody looks."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> float:
        self.now += 2
        return self.now


@pytest.fixture
def db() -> Iterator[Database]:
    with opened(*TABLES) as db:
        yield db


@pytest.fixture
def told() -> list[Mapping[str, Any]]:
    return []


@pytest.fixture
def app(db: Database, told: list[Mapping[str, Any]]) -> Rankings:
    def publish(topic: str, message: Mapping[str, Any], *, at_once: bool = False) -> None:
        assert topic == f"rankings.day.{DAY}"
        told.append(message)

    return Rankings(db, Clock(), sleep=lambda seconds: None, publish=publish)


def send(app: Rankings, text: str = ROWS, **more: Any) -> SentDay:
    return app.sent.accept(DAY, io.BytesIO(text.encode()), name="day.csv", **more)


def work(app: Rankings, stop: threading.Event | None = None) -> SentDay:
    app.background.work_next(stop or threading.Event())
    return app.sent.get(DAY)


@clause("X5-12", "X5-13")
def test_a_file_is_imported_and_its_course_is_told(app: Rankings, told: list[Mapping[str, Any]]) -> None:
    assert not app.background.is_wanted()
    assert send(app).state == "waiting"
    assert app.background.is_wanted()
    assert work(app).state == "done"
    assert app.days.finished(DAY).players == 1200
    assert [each["step"] for each in told] == ["writing", "writing", "writing", "ended"]
    assert [each["rows"] for each in told][:3] == [500, 1000, 1200]
    assert told[2]["read"] == told[2]["length"] == len(ROWS.encode())
    assert not app.background.is_wanted()


def test_an_import_that_is_stopped_goes_on_where_it_was_left(
    app: Rankings, told: list[Mapping[str, Any]]
) -> None:
    send(app)
    app.sent.put(app.sent.get(DAY), "importing", stop_asked=True)
    assert work(app).state == "left"
    assert app.days.get(DAY).players == 500
    assert app.sent.resume(DAY).state == "waiting"
    assert work(app).state == "done"
    assert app.days.finished(DAY).players == 1200


def test_what_the_server_breaks_off_waits_for_the_next_one(app: Rankings) -> None:
    send(app)
    stop = threading.Event()
    stop.set()
    assert work(app, stop).state == "waiting"
    assert work(app).state == "done"


def test_what_waits_is_stopped_at_once(app: Rankings) -> None:
    send(app)
    assert app.sent.stop(DAY).state == "left"
    assert app.background.work_next(threading.Event()) is None


@clause("X5-11")
def test_a_finished_day_is_imported_again_only_when_that_is_asked_for(db: Database, app: Rankings) -> None:
    import_day(db, [player(1), player(2)])
    with pytest.raises(Conflict, match="is finished, and closed"):
        send(app)
    send(app, again=True)
    assert work(app).state == "done"
    assert (app.days.finished(DAY).players, app.days.finished(DAY).removed) == (1200, 2)
    app.sent.resume(DAY, again=True)
    assert work(app).state == "done"
    assert app.days.finished(DAY).players == 1200


def test_a_file_that_cannot_be_read_is_refused_or_left_with_the_reason(app: Rankings) -> None:
    with pytest.raises(InvalidInput, match="name its columns"):
        send(app, "a,b\n1,2\n")
    with pytest.raises(InvalidInput, match="has no rows"):
        send(app, "uuid,name,level,power\n")
    send(app, '[{"uuid": "a", "name": "A", "level": 1, "power": 1},')
    left = work(app)
    assert (left.state, left.code) == ("left", "rankings.json-broken")


def test_one_file_of_a_day_at_a_time(app: Rankings) -> None:
    send(app)
    with pytest.raises(Conflict, match="is being imported from a file"):
        send(app)


def test_a_day_is_taken_from_its_readers_at_once_and_removed_in_the_background(
    db: Database, app: Rankings
) -> None:
    import_day(db, [player(1)])
    app.finisher.begin_roll_back(DAY)
    with pytest.raises(NotFound):
        app.days.finished(DAY)
    assert app.background.is_wanted()
    assert app.background.work_next(threading.Event()) == DAY
    assert db.all(SnapshotDay.kept()) == []


def test_files_that_nobody_needs_are_forgotten_after_a_week(db: Database, app: Rankings) -> None:
    send(app)
    work(app)
    assert app.sent.delete_old() == 0
    old = app.sent.get(DAY)
    db.put(old.model_copy(update={"sent_at": old.sent_at - KEPT - timedelta(days=1)}))
    assert app.sent.delete_old() == 1
    assert app.sent.find(DAY) is None
    assert db.find(SentPieceKey(day=DAY, number=0)) is None
