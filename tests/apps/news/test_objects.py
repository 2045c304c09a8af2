"""Lists that arrive as objects: loaded once, however often and however interrupted they come."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any, BinaryIO

import pytest

from hansang.apps.application import ObjectArrived
from hansang.apps.news import loading
from hansang.apps.news.design import NewsDayKey, Run
from hansang.apps.news.objects import load_object
from hansang.apps.news.service import News
from hansang.design import Database
from hansang.errors import Busy, InvalidInput, Unavailable
from tests.apps.news.conftest import SetClock
from tests.apps.news.faults import Refusing
from tests.apps.news.lists import link, links

MADE = datetime(2026, 11, 15, 9, 29, 58, tzinfo=UTC)


def arrived(
    content: bytes, key: str = "news/latest.jsonl", version: str = "v1", **more: Any
) -> ObjectArrived:
    @contextmanager
    def opened() -> Iterator[BinaryIO]:
        yield BytesIO(content)

    given: dict[str, Any] = {"modified_at": MADE, "open": opened, "stop": threading.Event()} | more
    return ObjectArrived("lists", key, version, **given)


def lines(given: list[dict[str, Any]]) -> bytes:
    return "".join(f"{json.dumps(each)}\n" for each in given).encode()


def runs(database: Database) -> list[Run]:
    return database.all(Run.of_month("2026-11"))


def test_a_list_is_loaded_at_its_own_time(database: Database, clock: SetClock) -> None:
    result = load_object(database, clock, arrived(lines(links(3)), "news/archive/2026/old.jsonl"))
    assert result.text == "3 new links of 3 in s3://lists/news/archive/2026/old.jsonl"
    assert result.counts["inserted"] == 3
    [run] = runs(database)
    assert (run.source, run.uploaded_at, run.run_state) == ("archive", MADE, "finished")
    assert run.id.startswith("20261115T092958Z-")


@pytest.mark.parametrize(
    ("key", "content"),
    [
        ("news/a.json", json.dumps([link(1, "NVDA")]).encode()),
        ("news/a.csv", b"title,url,tickers\nOne,https://a.example/1,NVDA\n"),
        ("news/a.ndjson", lines([link(1, "NVDA")])),
        ("news/without-an-ending", lines([link(1, "NVDA")])),
    ],
)
def test_the_form_is_told_by_the_name(database: Database, clock: SetClock, key: str, content: bytes) -> None:
    assert load_object(database, clock, arrived(content, key)).counts["inserted"] == 1
    [run] = runs(database)
    assert run.source == "yf_latest"


def test_a_list_that_is_delivered_twice_is_loaded_once(database: Database, clock: SetClock) -> None:
    first = load_object(database, clock, arrived(lines(links(3))))
    clock.now += 600
    assert load_object(database, clock, arrived(lines(links(3)))) == first
    assert len(runs(database)) == 1
    assert database.get(NewsDayKey(day=MADE.date())).inserted == 3


def test_another_version_and_another_key_of_the_same_second_are_runs_of_their_own(
    database: Database, clock: SetClock
) -> None:
    for each in ({"version": "v1"}, {"version": "v2"}, {"key": "news/b.jsonl"}):
        load_object(database, clock, arrived(lines(links(1)), **each))
    found = runs(database)
    assert sorted(MADE - run.uploaded_at for run in found) == [timedelta(seconds=each) for each in range(3)]
    assert len({run.id.partition("-")[2] for run in found}) == 3


def test_a_second_that_another_run_has_is_left_to_it(news: News, database: Database, clock: SetClock) -> None:
    ours = news.loader.load(links(1))
    load_object(database, clock, arrived(lines(links(1, first=5)), modified_at=ours.uploaded_at))
    newer, older = runs(database)
    assert (newer.id, newer.uploaded_at - older.uploaded_at) == (ours.id, timedelta(seconds=1))


@pytest.fixture
def stopping_after(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], threading.Event]:
    """Makes events that are set when so many parts were asked about."""
    monkeypatch.setattr(loading, "PART", 4)

    class Soon(threading.Event):
        left = 0

        def is_set(self) -> bool:
            self.left -= 1
            return self.left < 0

    def make(parts: int) -> threading.Event:
        soon = Soon()
        soon.left = parts
        return soon

    return make


def test_a_load_whose_time_is_up_goes_on_when_the_list_comes_again(
    database: Database, clock: SetClock, stopping_after: Callable[[int], threading.Event]
) -> None:
    content = lines(links(10))
    with pytest.raises(Busy, match="goes on when it comes again"):
        load_object(database, clock, arrived(content, stop=stopping_after(2)))
    [stopped] = runs(database)
    assert (stopped.run_state, stopped.inserted) == ("stopped", 8)
    clock.now += 120
    assert load_object(database, clock, arrived(content)).counts["inserted"] == 10
    [finished] = runs(database)
    assert (finished.id, finished.run_state, finished.inserted) == (stopped.id, "finished", 10)


def test_links_that_failed_are_tried_when_the_list_comes_again(database: Database, clock: SetClock) -> None:
    refusing = Database(Refusing(database.backend, "Headline 1"))
    with pytest.raises(Unavailable, match="1 links of s3://lists/news/latest"):
        load_object(refusing, clock, arrived(lines(links(3))))
    assert load_object(database, clock, arrived(lines(links(3)))).counts == {
        "inserted": 3,
        "duplicates": 0,
        "collisions": 0,
        "invalid": 0,
        "failed": 0,
    }
    assert len(runs(database)) == 1


def test_a_list_that_cannot_be_read_begins_no_run(database: Database, clock: SetClock) -> None:
    with pytest.raises(InvalidInput):
        load_object(database, clock, arrived(b"<html>", "news/a.json"))
    assert runs(database) == []
